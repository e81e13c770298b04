// Masks made ahead, along a text that outputs are likely to resemble.
#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>
#include <unordered_set>

#include "formgate/engine.hpp"
#include "formgate/errors.hpp"

namespace formgate {
namespace {

constexpr std::size_t kAhead = 16;    // bytes that are known where a token is looked for
constexpr std::size_t kMostGap = 64;  // bytes between two pieces
// Expressions that are looked at for how long texts are; what is larger is left.
constexpr std::size_t kMostParts = 20'000;
// Expressions that one mask, or one token, may take: it is not interrupted, whatever the deadline.
constexpr std::size_t kMostGrowth = 50'000;

// Tokens that a text begins with, the longest last.
void tokens_at(const Vocabulary& words, std::string_view text, std::vector<TokenId>& found) {
  const std::span<const TrieNode> nodes = words.trie();
  found.clear();
  std::uint32_t at = 0;
  for (const char c : text) {
    const TrieNode& node = nodes[at];
    const auto children = words.labels().subspan(node.first_child, node.child_count);
    const auto child = std::ranges::find(children, static_cast<std::uint8_t>(c));
    if (child == children.end()) return;
    at = node.first_child + static_cast<std::uint32_t>(child - children.begin());
    if (nodes[at].own_count != 0) found.push_back(words.ids()[nodes[at].rank_begin]);
  }
}

// Characters of the shortest text, or fewer.
std::uint64_t left_in(ExprPool& pool, ExprId id) {
  if (!(pool.node(id).flags & kCalls)) return pool.least_characters(id);
  Lexing& lexing = pool.lexing();
  return lexing.in(id) ? lexing.least_text(id) : lexing.least_of(id);
}

std::uint8_t usual_byte(const ByteSet& set) {
  for (const ByteSet& usual : {ByteSet::range('a', 'z'), ByteSet::range('0', '9')}) {
    const ByteSet both = set & usual;
    if (!both.empty()) return both.first();
  }
  return set.first();
}

// Beyond the shortest text: masks are many, and those that take long are not worth a guess.
constexpr auto kLongest = std::chrono::milliseconds(2);
constexpr auto kLongMask = std::chrono::microseconds(200);
constexpr std::size_t kMostStates = 512;
constexpr std::size_t kManyBytes = 16;

}  // namespace

// The text that is left of some pieces.
class Engine::Sketch {
 public:
  Sketch(const Engine& engine, std::span<const std::string> pieces, std::size_t growth)
      : engine_(engine), pieces_(pieces), growth_(growth) {
    if (!pieces_.empty()) take_piece();
  }

  // What comes next from a state; as much of it as a token may take, if there is so much.
  std::string_view text(const State& state) {
    while (known_.size() - begin_ < kAhead && !pieces_.empty()) {
      if (!tells_lengths() || !bridge(state.expr)) pieces_ = {};
    }
    return std::string_view(known_).substr(begin_);
  }

  void take(std::size_t size) { begin_ += size; }

  // Whether lengths of texts are found soon.
  bool tells_lengths() {
    if (!tells_) {
      const std::unique_lock guard = engine_.lock();
      ExprPool& pool = *engine_.pool_;
      const ExprId start = engine_.start_.expr;
      tells_ = !(pool.node(start).flags & kCalls) || pool.lexing().tells_least(start, kMostParts);
    }
    return *tells_;
  }

 private:
  void take_piece() {
    known_ += pieces_.front();
    pieces_ = pieces_.subspan(1);
  }

  // Adds the shortest text from what is known to the next piece, and that; false where it is not
  // found. Lengths are bounds from below, so a text may be longer than need be.
  bool bridge(ExprId expr) {
    const std::unique_lock guard = engine_.lock();
    ExprPool& pool = *engine_.pool_;
    pool.allow_growth(growth_);
    expr = pool.walk(expr, std::string_view(known_).substr(begin_));
    const std::string_view next = pieces_.front();
    for (std::size_t count = 0; expr != ExprPool::kEmptyId && count < kMostGap; ++count) {
      if (next.empty() ? pool.nullable(expr)
                       : pool.walk(expr, next.substr(0, 1)) != ExprPool::kEmptyId) {
        take_piece();
        return true;
      }
      std::uint64_t least = ~std::uint64_t{0};
      std::uint8_t byte = 0;
      const LinearForm form = pool.linear_form(expr);
      const std::vector<LinearTerm> terms(form.begin(), form.end());
      for (const LinearTerm& term : terms) {
        if (!pool.live(term.target)) continue;
        const std::uint64_t left = left_in(pool, term.target);
        if (left >= least) continue;
        least = left;
        byte = usual_byte(term.bytes);
      }
      if (least == ~std::uint64_t{0}) return false;
      known_ += static_cast<char>(byte);
      expr = pool.walk(expr, std::string_view(known_).substr(known_.size() - 1));
    }
    return false;
  }

  const Engine& engine_;
  std::span<const std::string> pieces_;  // that are not yet known
  std::size_t growth_;
  std::string known_;
  std::size_t begin_ = 0;  // of what is left
  std::optional<bool> tells_;
};

std::size_t Engine::warm_up(std::span<const std::string> pieces,
                            const std::function<bool()>& may_go_on, bool further) const {
  std::size_t count = 0;
  State state = start_;
  const std::size_t growth = std::min(limits_.max_growth, kMostGrowth);
  Sketch sketch(*this, pieces, growth);
  std::vector<TokenId> tokens;
  try {
    while (may_go_on()) {
      mask_within(state, growth);
      tokens_at(*vocabulary_, sketch.text(state), tokens);
      std::optional<State> next;
      for (; !next && !tokens.empty(); tokens.pop_back()) {
        const std::unique_lock guard = lock();
        next = advance_locked(state, tokens.back(), growth);
        if (next) sketch.take(vocabulary_->token_bytes(tokens.back())->size());
      }
      if (!next) break;
      state = *next;
      ++count;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;  // an output that gets there is told so
  }
  if (further && may_go_on() && sketch.tells_lengths()) warm_up_further(may_go_on);
  return count;
}

// Where a byte leads to that was not met: rather by one of many, as in a string that counts its
// characters; else to where as much is left, or more, and only then to where less is. `chosen`:
// there are several ways.
struct Engine::Further {
  bool chosen = false;
  std::optional<State> state = std::nullopt;
};

Engine::Further Engine::further(const State& state, const std::unordered_set<ExprId>& met,
                                std::size_t growth) const {
  const std::unique_lock guard = lock();
  ExprPool& pool = *pool_;
  pool.allow_growth(growth);
  const std::uint64_t own = left_in(pool, state.expr);
  const LinearForm form = pool.linear_form(state.expr);
  const std::vector<LinearTerm> terms(form.begin(), form.end());
  Further out;
  std::optional<std::tuple<int, std::uint64_t, TokenId>> best;
  std::vector<TokenId> tokens;
  std::size_t ways = 0;
  for (const LinearTerm& term : terms) {
    if (!pool.live(term.target)) continue;
    ways += term.bytes.size();
    if (met.contains(term.target)) continue;
    const char byte = static_cast<char>(usual_byte(term.bytes));
    tokens_at(*vocabulary_, {&byte, 1}, tokens);
    if (tokens.empty()) continue;
    const std::uint64_t left = left_in(pool, term.target);
    const int order = term.bytes.size() >= kManyBytes ? 0 : left == own ? 1 : left > own ? 2 : 3;
    const std::tuple found(order, left, tokens[0]);
    if (!best || found < *best) best = found;
  }
  out.chosen = ways > 1;
  if (best) out.state = advance_locked(state, std::get<2>(*best), growth);
  return out;
}

void Engine::warm_up_further(const std::function<bool()>& may_go_on) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + kLongest;
  const std::size_t growth = std::min(limits_.max_growth, kMostGrowth);
  std::unordered_set<ExprId> met;
  std::optional<State> state = start_;
  try {
    while (state && met.insert(state->expr).second && met.size() <= kMostStates && may_go_on()) {
      const Clock::time_point begin = Clock::now();
      if (begin >= end) break;
      Further next = further(*state, met, growth);
      // Tokens rarely end between bytes that nothing else can stand for.
      if (next.chosen) mask_within(*state, growth);
      if (Clock::now() - begin > kLongMask) break;
      state = std::move(next.state);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;  // as above
  }
}

}  // namespace formgate
