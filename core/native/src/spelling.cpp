// Liveness relative to the vocabulary, and the sharing of mask caches.
//
// A byte that is no token by itself can be generated only inside a longer token. Then a state that
// some text leads out of may still be a dead end: with the tokens "aaaa" and "b", no token sequence
// continues (aa)?(aaa)?b after "aaaa". Texts are explored as sequences of whole tokens: a position
// is a state of the language together with a place inside an unfinished token (bytes that are
// tokens need no such place). Liveness flows backwards from accepting states between tokens.
#include <algorithm>

#include "formgate/errors.hpp"
#include "formgate/masks.hpp"
#include "lexed_masks.hpp"
#include "part_walk.hpp"
#include "stack_spelling.hpp"

namespace formgate {

MaskCache::MaskCache(ExprPool& pool, std::shared_ptr<const Vocabulary> vocabulary,
                     MaskOptions options)
    : pool_(pool), vocabulary_(std::move(vocabulary)), options_(options) {}

MaskCache::~MaskCache() = default;

bool MaskCache::spellable(ExprId id, CompileContext* context) {
  if (unspellable_.contains(index_of(id))) return false;
  // Bytes that are tokens by themselves spell whatever is made of them.
  return !stack_spelling_ || pool_.alphabet(id).subset_of(vocabulary_->single_bytes()) ||
         stack_spelling_->spellable(id, context);
}

void MaskCache::decide_spelling(ExprId root, CompileContext& context) {
  if (!vocabulary_->has_entangled_bytes()) return;
  if (pool_.alphabet(root).subset_of(vocabulary_->single_bytes())) return;
  if (pool_.node(root).flags & kCalls) {
    if (!stack_spelling_) {
      stack_spelling_ = std::make_unique<StackSpelling>(pool_, *vocabulary_, context.limits());
      evict();  // masks may hold tokens that lead to what cannot be spelled
    }
    stack_spelling_->add(root, &context);
    return;
  }
  const auto trie = vocabulary_->trie();
  const auto& entangled = vocabulary_->on_entangled_path();
  using Position = std::uint64_t;  // state, place in the trie
  const auto position = [](ExprId state, std::uint32_t node) {
    return (static_cast<Position>(index_of(state)) << 32) | node;
  };
  std::unordered_map<Position, std::uint32_t> number;
  std::vector<Position> order;
  std::vector<std::vector<std::uint32_t>> sources;
  std::vector<std::uint32_t> ready;
  std::vector<bool> alive;
  const auto visit = [&](ExprId state, std::uint32_t node) {
    const auto [it, fresh] =
        number.emplace(position(state, node), static_cast<std::uint32_t>(order.size()));
    if (fresh) {
      order.push_back(it->first);
      sources.emplace_back();
      alive.push_back(false);
    }
    return it->second;
  };
  visit(root, 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    context.tick();
    if (order.size() > context.limits().max_states) {
      throw Error(ErrorKind::kLimit,
                  "deciding which texts this vocabulary can spell takes more than " +
                      std::to_string(context.limits().max_states) +
                      " states (Limits.max_states): some bytes of the language occur only inside "
                      "longer tokens; raise the limit, or leave these characters out");
    }
    const ExprId state{static_cast<std::uint32_t>(order[i] >> 32)};
    const auto node = static_cast<std::uint32_t>(order[i]);
    if (node == 0 && pool_.nullable(state)) {
      alive[i] = true;
      ready.push_back(i);
    }
    const LinearForm form = pool_.linear_form(state);
    const std::vector<LinearTerm> terms(form.begin(), form.end());
    const TrieNode& at = trie[node];
    for (const LinearTerm& term : terms) {
      if (!pool_.live(term.target)) continue;
      if (node == 0 && !(term.bytes & vocabulary_->single_bytes()).empty()) {
        sources[visit(term.target, 0)].push_back(i);
      }
      for (std::uint32_t c = 0; c < at.child_count; ++c) {
        const std::uint32_t child = at.first_child + c;
        if (!entangled[child] || !term.bytes.contains(vocabulary_->labels()[child])) continue;
        if (trie[child].own_count > 0) {
          sources[visit(term.target, 0)].push_back(i);
        }
        if (trie[child].child_count > 0) sources[visit(term.target, child)].push_back(i);
      }
    }
  }
  while (!ready.empty()) {
    const std::uint32_t i = ready.back();
    ready.pop_back();
    for (std::uint32_t source : sources[i]) {
      if (alive[source]) continue;
      alive[source] = true;
      ready.push_back(source);
    }
  }
  const bool first_dead = unspellable_.empty();
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (static_cast<std::uint32_t>(order[i]) == 0 && !alive[i]) {
      unspellable_.insert(static_cast<std::uint32_t>(order[i] >> 32));
    }
  }
  // Parts shared between masks may hold tokens that lead to what was just found dead.
  if (first_dead && !unspellable_.empty()) evict();
}

namespace {

struct Shared {
  Hash128 fingerprint;
  MaskOptions options;
  std::shared_ptr<MaskCache> cache;
};

}  // namespace

std::shared_ptr<MaskCache> MaskCache::shared(const std::shared_ptr<ExprPool>& pool,
                                             const std::shared_ptr<const Vocabulary>& vocabulary,
                                             const MaskOptions& options) {
  auto& slots = pool->attachments();
  // Caches of vocabularies nobody uses any more are dropped.
  std::erase_if(slots, [](const std::shared_ptr<void>& slot) {
    const auto& cache = static_cast<const Shared*>(slot.get())->cache;
    return cache.use_count() == 1 && cache->vocabulary_.use_count() == 1;
  });
  for (const auto& slot : slots) {
    const auto& entry = *static_cast<const Shared*>(slot.get());
    if (entry.fingerprint == vocabulary->fingerprint() && entry.options == options) {
      return entry.cache;
    }
  }
  auto cache = std::make_shared<MaskCache>(*pool, vocabulary, options);
  slots.push_back(std::make_shared<Shared>(Shared{vocabulary->fingerprint(), options, cache}));
  return cache;
}

}  // namespace formgate
