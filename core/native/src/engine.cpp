#include "formgate/engine.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "completing.hpp"
#include "formgate/errors.hpp"
#include "formgate/ready_memory.hpp"
#include "special_text.hpp"
#include "workers.hpp"

namespace formgate {
namespace {

std::atomic<std::uint64_t> next_engine{1};

constexpr std::size_t kShownTokens = 10;  // special tokens that an explanation names

}  // namespace

std::shared_ptr<Engine> Engine::compile(const Grammar& grammar,
                                        std::shared_ptr<const Vocabulary> vocabulary,
                                        CompileContext& context, const MaskOptions& options) {
  context.check();
  std::shared_ptr<Engine> engine(new Engine());
  engine->pool_ = ExprPool::current();
  engine->vocabulary_ = std::move(vocabulary);
  engine->limits_ = context.limits();
  engine->serial_ = next_engine.fetch_add(1);
  ExprPool& pool = *engine->pool_;
  const Vocabulary& words = *engine->vocabulary_;
  std::unique_lock lock(pool.mutex());
  const UnderWay working = pool.under_way(context);
  pool.trim();
  const std::size_t before = pool.memory_usage();
  engine->cache_ = MaskCache::shared(engine->pool_, engine->vocabulary_, options);
  const TokenMeanings meant = engine->find_specials(grammar);
  const ByteSet every = ByteSet::all();
  engine->language_ = grammar.lower(pool, context, lock, every, every, meant);
  ExprId root = engine->language_;
  const ByteSet spelled = words.single_bytes();
  if (spelled != every) {
    // Keys are spelled by single-byte tokens alone, like lexemes.
    const bool whole = words.has_entangled_bytes() && !grammar.has_keys();
    const bool special = !engine->specials_.empty();
    const ByteSet allowed = whole ? every : special ? spelled | special_bytes() : spelled;
    const bool again = grammar.has_lexers() || (pool.node(root).flags & kCalls);
    if (again && (grammar.has_lexers() || allowed != every)) {
      root = grammar.lower(pool, context, lock, allowed, spelled, meant);
    } else {
      root = pool.restrict_to(root, allowed);
    }
  }
  pool.decide(root, context, lock);
  const bool live = pool.live(root);
  if (live) engine->cache_->decide_spelling(root, context);
  if (!live || !engine->cache_->spellable(root, &context)) {
    pool.decide(engine->language_, context, lock);
    if (!pool.live(engine->language_)) {
      const bool lexed = grammar.has_lexers();
      throw Error(
          ErrorKind::kEmpty,
          std::string("the language is empty: no text satisfies the constraint, so nothing could "
                      "ever be generated; look for ") +
              (lexed ? "terminals that take the text the next one needs (\"formgate lint\" shows "
                       "such traps), or for "
                     : "") +
              "requirements that contradict each other");
    }
    throw Error(ErrorKind::kEmpty,
                "no text of the language can be spelled with the tokens of this vocabulary; it "
                "lacks the bytes that the constraint needs");
  }
  engine->start_ = engine->make_state(root);
  pool.touch_ahead();
  touch_heap();
  const std::size_t after = pool.memory_usage();
  engine->lowered_bytes_ = after > before ? after - before : 0;
  pool.use().note(after);
  return engine;
}

State Engine::make_state(ExprId expr) const {
  const Hash128 own = pool_->node(expr).hash;
  const Hash128 words = vocabulary_->fingerprint();
  return {expr, Hasher(0x57A7E).add(own).add(words).finish(), pool_->nullable(expr)};
}

bool Engine::is_stop(TokenId token) const {
  return std::ranges::binary_search(vocabulary_->stop_ids(), token);
}

ExprId Engine::walk_bytes(ExprId expr, std::string_view bytes) const {
  return pool_->walk(expr, bytes);
}

std::optional<State> Engine::advance_locked(const State& state, TokenId token,
                                            std::size_t growth) const {
  if (ended(state)) return std::nullopt;
  if (is_stop(token)) {
    if (!state.accepting) return std::nullopt;
    return State{ExprPool::kEmptyId, Hasher(0xE4DED).finish(), true};
  }
  if (specials_.empty()) {
    if (const ExprId* known = cache_->advances().find(state.expr, token)) {
      cache_->prefetch(*known);
      return make_state(*known);
    }
  }
  auto bytes = vocabulary_->token_bytes(token);
  if (!specials_.empty()) {
    const auto special = specials_.find(token);
    if (special != specials_.end()) {
      bytes = special->second;
    } else if (std::ranges::binary_search(odd_, token)) {
      return std::nullopt;
    }
  }
  if (!bytes) return std::nullopt;
  pool_->allow_growth(growth);
  const ExprId next = walk_bytes(state.expr, *bytes);
  if (next == ExprPool::kEmptyId || !cache_->spellable(next)) return std::nullopt;
  if (specials_.empty()) cache_->advances().put(state.expr, token, next);
  cache_->prefetch(next);  // its mask is asked for next
  return make_state(next);
}

std::optional<State> Engine::advance(const State& state, TokenId token) const {
  const std::unique_lock guard = lock();
  return advance_locked(state, token, limits_.max_growth);
}

std::size_t Engine::validate(State& state, std::span<const TokenId> tokens) const {
  const std::unique_lock guard = lock();
  std::size_t count = 0;
  for (TokenId token : tokens) {
    const auto next = advance_locked(state, token, limits_.max_growth);
    if (!next) break;
    state = *next;
    ++count;
  }
  return count;
}

std::shared_ptr<const Mask> Engine::mask(const State& state) const {
  return mask_within(state, limits_.max_growth);
}

std::shared_ptr<const Mask> Engine::mask_within(const State& state, std::size_t growth) const {
  static const auto nothing = std::make_shared<const Mask>();
  if (ended(state)) return nothing;
  const std::unique_lock guard = lock();
  cache_->advances().prefetch(state.expr);  // a token is read next
  pool_->trim_at_times();
  pool_->allow_growth(growth);
  return specials_.empty() ? cache_->mask(state.expr) : special_mask(state.expr);
}

bool Engine::is_terminal(const State& state) const {
  if (ended(state)) return true;
  if (!state.accepting) return false;
  const auto found = mask(state);
  std::vector<std::uint32_t> row(vocabulary_->words());
  for (const Mask::Part& part : found->parts) {
    if (!part.plain()) {
      Mask text = *found;
      text.accepting = false;
      text.fill(row.data(), *vocabulary_);
      return std::ranges::all_of(row, [](std::uint32_t word) { return word == 0; });
    }
    if (!part.tokens->dense.empty() || !part.tokens->ids.empty()) return false;
  }
  return true;
}

void Engine::completed_by(const State& state, std::string_view text, const Bitmap& among,
                          Bitmap& out) const {
  if (ended(state) || (!specials_.empty() && is_odd(text))) return;
  const auto allowed = mask(state);
  Bitmap asked(vocabulary_->words(), 0);
  allowed->fill(asked.data(), *vocabulary_);
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] &= among[i];
  const std::unique_lock guard = lock();
  Completing(*pool_, *vocabulary_, text, asked).find(state.expr, out);
}

void Engine::fill(const State& state, std::uint32_t* row) const {
  mask(state)->fill(row, *vocabulary_);
}

void Engine::fill_many(std::span<const Place> places, std::uint32_t* rows, std::size_t stride,
                       unsigned threads) {
  // The masks are looked up, or found, one after another; the rows are filled side by side.
  std::vector<std::shared_ptr<const Mask>> masks(places.size());
  constexpr std::size_t kRowsPerLock = 16;  // others take their turns
  static const auto nothing = std::make_shared<const Mask>();
  for (std::size_t i = 0; i < places.size();) {
    const Engine& engine = *places[i].engine;
    const std::unique_lock guard = engine.lock();
    engine.pool_->trim_at_times();
    const std::size_t end = std::min(places.size(), i + kRowsPerLock);
    for (; i < end && places[i].engine == &engine; ++i) {
      const State& state = places[i].state;
      if (ended(state)) {
        masks[i] = nothing;
        continue;
      }
      engine.pool_->allow_growth(engine.limits_.max_growth);
      masks[i] = engine.specials_.empty() ? engine.cache_->mask(state.expr)
                                          : engine.special_mask(state.expr);
    }
  }
  constexpr std::size_t kRowsPerThread = 32;  // to wake a thread costs as much as a few rows
  const std::size_t useful = std::max<std::size_t>(places.size() / kRowsPerThread, 1);
  const std::size_t wanted = std::min<std::size_t>(std::max(threads, 1u), useful);
  SharedRange left(places.size(), wanted);
  run_in_threads(wanted, [&](std::size_t own) {
    std::size_t begin = 0;
    std::size_t end = 0;
    while (left.take(own, begin, end)) {
      for (std::size_t i = begin; i < end; ++i) {
        masks[i]->fill(rows + i * stride, *places[i].engine->vocabulary_);
      }
    }
  });
}

std::string Engine::forced_text(const State& state, std::size_t max_bytes) const {
  std::string out;
  if (ended(state)) return out;
  const std::unique_lock guard = lock();
  ExprId expr = state.expr;
  while (out.size() < max_bytes && !pool_->nullable(expr)) {
    ExprId target = ExprPool::kEmptyId;
    std::uint8_t byte = 0;
    unsigned choices = 0;
    for (const LinearTerm& term : pool_->linear_form(expr)) {
      if (!pool_->live(term.target)) continue;
      choices += term.bytes.size();
      byte = term.bytes.first();
      target = term.target;
    }
    if (choices != 1 || (byte == kSpecialMark && !specials_.empty())) break;
    out.push_back(static_cast<char>(byte));
    expr = target;
  }
  return out;
}

std::string Engine::explain(const State& state) const {
  if (ended(state)) return "ended: a stop token was accepted; nothing may follow";
  const std::unique_lock guard = lock();
  std::string out = state.accepting ? "may end here" : "must go on";
  std::vector<ExprId> targets;
  ByteSet next;
  for (const LinearTerm& term : pool_->linear_form(state.expr)) {
    if (pool_->live(term.target)) next = next | term.bytes;
  }
  if (next.empty()) {
    out += "; nothing may follow";
  } else {
    out += "; next: ";
    std::vector<Interval> ascii;
    next.for_each([&](std::uint8_t b) {
      if (b < 0x80) ascii.push_back({b, b});
    });
    if (!ascii.empty()) out += pool_->print(pool_->chars(CharSet(std::move(ascii))), 120);
    const bool special = !specials_.empty() && next.contains(kSpecialMark);
    std::size_t shown = 0;
    for (const auto& [name, id] : vocabulary_->special()) {
      const auto known = specials_.find(id);
      if (!special || known == specials_.end()) continue;
      if (walk_bytes(state.expr, known->second) == ExprPool::kEmptyId) continue;
      if (++shown <= kShownTokens) out += " " + name;
    }
    if (shown > kShownTokens) {
      out += " and " + std::to_string(shown - kShownTokens) + " other special tokens";
    }
    if (special) next = next - ByteSet::of(kSpecialMark);
    if (!next.ascii_only()) out += " and other characters";
  }
  std::string rest = pool_->print(state.expr, 200);
  for (const auto& [name, id] : vocabulary_->special()) {
    const auto known = specials_.find(id);
    if (known == specials_.end()) continue;
    const std::string own = pool_->print(pool_->literal(known->second), 200);
    for (std::size_t at = 0; (at = rest.find(own, at)) != std::string::npos;) {
      rest.replace(at, own.size(), name);
      at += name.size();
    }
  }
  out += "; still to match: " + rest;
  return out;
}

bool Engine::accepts(std::string_view given) const {
  const std::string text = spelled(given);
  const std::unique_lock guard = lock();
  ExprId expr = language_;
  for (char c : text) {
    pool_->allow_growth(limits_.max_growth);
    const ExprId next = pool_->raw_step(expr, static_cast<std::uint8_t>(c));
    if (next == ExprPool::kEmptyId) return false;
    expr = next;
  }
  return pool_->nullable(expr);
}

bool Engine::is_prefix(std::string_view given) const {
  const std::string text = spelled(given);
  std::unique_lock guard = lock();
  // Where the vocabulary lacks bytes, compilation decided only the part it can spell.
  CompileContext context(limits_, std::nullopt, nullptr);
  pool_->decide(language_, context, guard);
  return pool_->live(language_) && walk_bytes(language_, text) != ExprPool::kEmptyId;
}

std::size_t Engine::pool_memory() const {
  const std::unique_lock guard = lock();
  return pool_->memory_usage();
}

std::size_t Engine::cache_memory() const {
  const std::unique_lock guard = lock();
  return cache_->memory_usage();
}

std::size_t Engine::pool_nodes() const {
  const std::unique_lock guard = lock();
  return pool_->node_count();
}

}  // namespace formgate
