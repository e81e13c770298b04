// Fewest tokens to an accepting state: a search from state to state, guided by what is left.
//
// Nested brackets have as many states as there are texts of brackets: a search in order of the
// tokens taken alone (Dijkstra) would see them all. Each state has a bound: if a byte costs 1/n,
// where n is the length of the longest token with that byte, then no token's bytes cost more than
// 1, so the cheapest text that ends takes at least its cost in tokens. Of stacks it is the sum of
// their parts, of rules the least solution of their equations, of lists without repetition what
// must come for certain: names that may be anything have a state each. States are taken in order of
// the tokens so far plus that bound (A*: Hart, Nilsson, Raphael, IEEE Transactions on Systems
// Science and Cybernetics 4(2), 1968), the deepest first. A sum is never less than the one it comes
// from, and a state reached by fewer tokens is taken again, so the first end found with no smaller
// sum left is the nearest.
#include "fewest_tokens.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_set>

#include "formgate/engine.hpp"
#include "formgate/errors.hpp"

namespace formgate {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

FewestTokens::FewestTokens(ExprPool& pool, const Vocabulary& vocabulary, const ByteSet& alphabet,
                           const std::vector<std::string_view>& more)
    : pool_(pool) {
  std::size_t longest[256] = {};
  const auto add = [&](std::string_view text) {
    for (char c : text) {
      if (!alphabet.contains(static_cast<std::uint8_t>(c))) return;
    }
    for (char c : text) {
      std::size_t& own = longest[static_cast<std::uint8_t>(c)];
      own = std::max(own, text.size());
    }
  };
  for (TokenId id : vocabulary.ids()) add(*vocabulary.token_bytes(id));
  for (std::string_view text : more) add(text);
  least_ = 1;
  for (unsigned b = 0; b < 256; ++b) {
    cost_of_byte_[b] = longest[b] == 0 ? kNever : 1.0 / static_cast<double>(longest[b]);
    least_ = std::min(least_, cost_of_byte_[b]);
  }
}

template <typename Visit>
void FewestTokens::for_each_part(const Node& node, Visit&& visit) const {
  switch (node.kind) {
    case Kind::kConcat:
      visit(ExprId{node.a});
      visit(ExprId{node.b});
      break;
    case Kind::kUnion:
    case Kind::kAnd:
      for (ExprId member : pool_.members(node)) visit(member);
      break;
    case Kind::kScope:
      visit(pool_.members(node)[0]);
      break;
    case Kind::kRepeat:
      if (node.min > 0) visit(ExprId{node.a});
      break;
    case Kind::kKeyed:
      for (ExprId part : pool_.keyed().left(node.a).parts) visit(part);
      break;
    default:
      break;
  }
}

double FewestTokens::cost_of_leaf(const Node& node) {
  const LeafDfa& dfa = pool_.automaton(node);
  std::vector<double>& costs = leaves_[node.a];
  if (!dfa.ordered() && costs.empty()) {
    costs = dfa.least_costs(node.b, kNever, [this](std::uint8_t low, std::uint8_t high) {
      return *std::min_element(&cost_of_byte_[low], &cost_of_byte_[high] + 1);
    });
  }
  // Successors have smaller numbers than their states.
  for (auto s = static_cast<std::uint32_t>(costs.size()); s <= node.b; ++s) {
    double own = dfa.accepting(s) ? 0 : kNever;
    dfa.for_each_edge(s, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
      for (unsigned b = low; b <= high; ++b) {
        own = std::min(own, cost_of_byte_[b] + costs[target]);
      }
    });
    costs.push_back(own);
  }
  return costs[node.b];
}

// Where the costs of its parts are known.
double FewestTokens::cost_here(ExprId id, const Costs& known) {
  const Node& node = pool_.node(id);
  double out = 0;
  switch (node.kind) {
    case Kind::kEmpty:
      return kNever;
    case Kind::kBytes:
      out = kNever;
      pool_.byte_set(node).for_each([&](std::uint8_t b) { out = std::min(out, cost_of_byte_[b]); });
      return out;
    case Kind::kLeaf:
      return cost_of_leaf(node);
    case Kind::kConcat:
      return known.at(node.a) + known.at(node.b);
    case Kind::kUnion:
      out = kNever;
      for (ExprId m : pool_.members(node)) out = std::min(out, known.at(index_of(m)));
      return out;
    case Kind::kAnd:
      for (ExprId m : pool_.members(node)) out = std::max(out, known.at(index_of(m)));
      return out;
    case Kind::kScope:
      return known.at(index_of(pool_.members(node)[0]));
    case Kind::kRepeat:
      return node.min == 0 ? 0 : node.min * known.at(node.a);
    case Kind::kCall:
      return calls_.at(index_of(id));
    case Kind::kLexed: {
      // One symbol may be under way; each of the others has a byte.
      const std::uint32_t symbols = pool_.lexing().least_symbols(id);
      return symbols < 2 ? 0 : (symbols - 1) * least_;
    }
    case Kind::kKeyed: {
      const Keyed::Left left = pool_.keyed().left(node.a);
      out = static_cast<double>(left.bytes) * least_;
      for (ExprId part : left.parts) out += known.at(index_of(part));
      return out;
    }
    case Kind::kSpelled: {
      // Each character has a byte; so has the rest of an escape, which may be of the first.
      const std::uint64_t least = pool_.least_characters(ExprId{node.a});
      return static_cast<double>(least) * least_;
    }
    default:  // not known
      return 0;
  }
}

// Stacks are as deep as the text is long: no recursion.
double FewestTokens::cost(ExprId id, Costs& known) {
  std::vector<ExprId> open{id};
  while (!open.empty()) {
    const ExprId at = open.back();
    if (known.contains(index_of(at))) {
      open.pop_back();
      continue;
    }
    const std::size_t before = open.size();
    for_each_part(pool_.node(at), [&](ExprId part) {
      if (!known.contains(index_of(part))) open.push_back(part);
    });
    if (open.size() > before) continue;
    known.emplace(index_of(at), cost_here(at, known));
    open.pop_back();
  }
  return known.at(index_of(id));
}

// The least solution of the rules' equations, from above: rounds over all rules, each with what the
// one before found.
void FewestTokens::solve_calls(ExprId id) {
  std::vector<ExprId> fresh;
  std::vector<ExprId> open{id};
  while (!open.empty()) {
    const ExprId at = open.back();
    open.pop_back();
    const Node& node = pool_.node(at);
    if (!(node.flags & kCalls) || !searched_.emplace(index_of(at), true).second) continue;
    if (node.kind == Kind::kCall) {
      fresh.push_back(at);
      calls_.emplace(index_of(at), kNever);
      open.push_back(pool_.body(at));
    }
    if (node.kind == Kind::kRepeat) open.push_back(ExprId{node.a});
    for_each_part(node, [&](ExprId part) { open.push_back(part); });
  }
  for (bool changed = !fresh.empty(); changed;) {
    changed = false;
    Costs round;
    std::vector<double> values;
    for (ExprId call : fresh) values.push_back(cost(pool_.body(call), round));
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      double& own = calls_.at(index_of(fresh[i]));
      changed = changed || values[i] < own;
      own = std::min(own, values[i]);
    }
  }
}

std::size_t FewestTokens::bound(ExprId id) {
  solve_calls(id);
  const double out = cost(id, known_);
  // Sums of fractions that should be a whole number may be a little more.
  return std::isfinite(out) ? static_cast<std::size_t>(std::ceil(out * (1 - 1e-9) - 1e-9)) : 0;
}

std::size_t Engine::min_tokens(const State& state, std::optional<std::size_t> max_states,
                               std::optional<std::size_t> max_steps) const {
  if (state.accepting) return 0;
  const std::size_t most_states = max_states.value_or(limits_.max_search);
  const std::size_t most_steps = max_steps.value_or(limits_.max_search_steps);
  std::size_t steps = most_steps;  // left
  // Names and items that must be new have a state for each text: as much memory as constraints may
  // share is the most that a search takes.
  const std::size_t most_bytes = ExprPool::budget();
  const std::size_t bytes_before = pool_memory();
  std::vector<std::string_view> more;
  for (const auto& [token, text] : specials_) more.push_back(text);
  std::optional<FewestTokens> fewest;
  std::size_t first = 0;
  {
    const std::unique_lock guard = lock();
    fewest.emplace(*pool_, *vocabulary_, pool_->alphabet(state.expr), more);
    first = fewest->bound(state.expr);
  }
  struct Reached {
    ExprId expr;
    std::size_t tokens;
  };
  std::unordered_map<std::uint32_t, std::size_t> seen{{index_of(state.expr), 0}};
  // By tokens so far and the bound of those to come, which may be any number.
  std::map<std::size_t, std::vector<Reached>> open;
  std::size_t nearest = ~std::size_t{0};
  const auto add = [&](const Reached& reached, std::size_t sum) { open[sum].push_back(reached); };
  add({state.expr, 0}, first);
  for (; !open.empty(); open.erase(open.begin())) {
    const std::size_t sum = open.begin()->first;  // none is added below it
    std::vector<Reached>& least = open.begin()->second;
    while (!least.empty()) {
      if (nearest <= sum) return nearest;
      const Reached at = least.back();
      least.pop_back();
      if (seen.at(index_of(at.expr)) < at.tokens) continue;
      // The lock is taken for each state, so that decoding goes on meanwhile.
      const std::unique_lock guard = lock();
      std::vector<ExprId> targets = cache_->successors(at.expr, steps);
      for (const auto& [token, text] : specials_) {
        const ExprId target = walk_bytes(at.expr, text);
        if (target != ExprPool::kEmptyId) targets.push_back(target);
      }
      const std::size_t tokens = at.tokens + 1;
      for (ExprId target : targets) {
        if (pool_->nullable(target)) nearest = std::min(nearest, tokens);
        const auto [known, fresh] = seen.emplace(index_of(target), tokens);
        if (!fresh && known->second <= tokens) continue;
        known->second = tokens;
        // Rounding, or which of several names is under way, may make a bound fall by more than one.
        add({target, tokens}, std::max(sum, tokens + fewest->bound(target)));
      }
      if (nearest <= sum) return nearest;
      if (seen.size() > most_states) {
        throw Error(ErrorKind::kLimit,
                    "min_tokens looked at more than " + std::to_string(most_states) +
                        " states; raise max_states, or Limits.max_search for all queries");
      }
      if (pool_->memory_usage() > bytes_before + most_bytes) {
        throw Error(ErrorKind::kLimit,
                    "min_tokens took more than " + std::to_string(most_bytes >> 20) +
                        " MiB, with " + std::to_string(seen.size()) +
                        " states seen: rules read the text in ever more ways, or many names or "
                        "items that must be new can come; ask in a state that has fewer ways to "
                        "go on, or set max_states");
      }
      if (steps == 0) {
        throw Error(ErrorKind::kLimit,
                    "min_tokens took more than " + std::to_string(most_steps) +
                        " steps through the vocabulary, with " + std::to_string(seen.size()) +
                        " states seen; raise max_steps, or Limits.max_search_steps for all "
                        "queries");
      }
    }
  }
  if (nearest != ~std::size_t{0}) return nearest;
  throw Error(ErrorKind::kState, "no accepting state is reachable");
}

}  // namespace formgate
