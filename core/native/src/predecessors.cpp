#include "predecessors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

constexpr std::uint8_t kOther = kLooks | kAround | kCalls;
// Beyond these, the states of an intersection are explored.
constexpr std::size_t kMostStepsBack = 100'000;
constexpr std::size_t kMostTimes = 1000;
constexpr std::uint32_t kMostLeafStates = 4096;

}  // namespace

struct Predecessors::Growing {
  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
    ByteSet bytes;
  };
  std::vector<ExprId> states;
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  std::vector<Edge> edges;
  std::size_t explored = 0;
  bool failed = false;

  bool complete() const { return !failed && explored == states.size(); }
};

bool Predecessors::plain(ExprId id) const {
  const Node& node = pool_.node(id);
  return !(node.flags & (kBoolean | kOther)) && node.behinds == 0;
}

std::optional<bool> Predecessors::live(ExprId id) {
  if (states_.size() == 0) return std::nullopt;
  const Node& node = pool_.node(id);
  if (node.kind != Kind::kAnd || node.flags & kOther || node.behinds != 0) return std::nullopt;
  const auto members = pool_.members(node);
  if (members.size() != 2) return std::nullopt;
  const std::array<ExprId, 2> pair{members[0], members[1]};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto found = states_.find(index_of(pair[i]));
    if (found == states_.end() || !plain(pair[1 - i])) continue;
    const auto [automaton, state] = found->second;
    if (automata_[automaton].given_up) continue;
    steps_ = 0;
    if (const auto ways = before(automaton, pair[1 - i], automata_[automaton].accepting)) {
      return (*ways >> state & 1) != 0;
    }
  }
  return std::nullopt;
}

bool Predecessors::learn(ExprId id, std::vector<ExprId>& more, CompileContext& context,
                         std::unique_lock<std::mutex>* lock) {
  const Node& node = pool_.node(id);
  if (node.kind != Kind::kAnd || node.flags & kOther || node.behinds != 0) return false;
  const auto members = pool_.members(node);
  if (members.size() != 2) return false;
  if (live(id)) return true;
  std::array<Growing, 2> both;
  for (std::size_t i = 0; i < 2; ++i) {
    both[i].states.push_back(members[i]);
    both[i].number.emplace(index_of(members[i]), 0);
    both[i].failed = !plain(members[1 - i]);
  }
  // In turn: the small one is soon complete, however large the other may be.
  while (!both[0].complete() && !both[1].complete()) {
    if (both[0].failed && both[1].failed) return false;
    for (Growing& one : both) {
      context.tick();
      pool_.give_way(context, lock);
      one.failed = one.failed || !explore_next(one);
    }
  }
  add(both[0].complete() ? both[0] : both[1], more);
  return live(id).has_value();
}

bool Predecessors::explore_next(Growing& growing) const {
  if (growing.explored == growing.states.size()) return true;
  const auto from = static_cast<std::uint32_t>(growing.explored++);
  const ExprId state = growing.states[from];
  const Node& node = pool_.node(state);
  // Intersections are taken apart, and counts of characters changed, when they meet the other.
  if (node.kind == Kind::kAnd || node.flags & kOther || node.behinds != 0) return false;
  if (node.kind == Kind::kRepeat && state != ExprPool::kTextId &&
      node.a == pool_.node(ExprPool::kTextId).a) {
    return false;
  }
  for (const LinearTerm& term : pool_.linear_form(state)) {
    const auto [it, fresh] = growing.number.emplace(
        index_of(term.target), static_cast<std::uint32_t>(growing.states.size()));
    if (fresh) growing.states.push_back(term.target);
    growing.edges.push_back({from, it->second, term.bytes});
  }
  return growing.states.size() <= kMostStates;
}

std::uint32_t Predecessors::add(const Growing& growing, std::vector<ExprId>& more) {
  const auto number = static_cast<std::uint32_t>(automata_.size());
  Automaton out;
  out.size = growing.states.size();
  std::array<std::array<std::uint8_t, kMostStates>, 256> next{};  // the successor's number plus one
  for (const Growing::Edge& edge : growing.edges) {
    edge.bytes.for_each(
        [&](std::uint8_t byte) { next[byte][edge.from] = static_cast<std::uint8_t>(edge.to + 1); });
  }
  std::vector<std::uint8_t> first;  // of each group
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto known =
        std::ranges::find_if(first, [&](std::uint8_t other) { return next[other] == next[byte]; });
    const auto group = static_cast<std::size_t>(known - first.begin());
    if (known == first.end()) {
      first.push_back(static_cast<std::uint8_t>(byte));
      out.groups.emplace_back();
      out.before.resize(out.before.size() + out.size, 0);
      for (std::size_t from = 0; from < out.size; ++from) {
        const std::uint8_t to = next[byte][from];
        if (to != 0) out.before[group * out.size + to - 1] |= Set{1} << from;
      }
    }
    out.groups[group].insert(static_cast<std::uint8_t>(byte));
  }
  for (std::uint32_t i = 0; i < out.size; ++i) {
    if (pool_.nullable(growing.states[i])) out.accepting |= Set{1} << i;
    states_.emplace(index_of(growing.states[i]), std::pair{number, i});
  }
  // Those with Boolean operators may be met alone, where the other language is all texts.
  Set alive = out.accepting;
  for (Set last = 0; last != alive;) {
    last = alive;
    for (std::size_t i = 0; i < out.before.size(); ++i) {
      if (alive >> (i % out.size) & 1) alive |= out.before[i];
    }
  }
  for (std::uint32_t i = 0; i < out.size; ++i) {
    const ExprId state = growing.states[i];
    pool_.components(state, more);
    if (pool_.node(state).flags & kBoolean) pool_.set_liveness(state, (alive >> i & 1) != 0);
  }
  bytes_ += sizeof(Automaton) + out.groups.size() * sizeof(ByteSet) +
            out.before.size() * sizeof(Set) + out.size * 48;
  automata_.push_back(std::move(out));
  return number;
}

Predecessors::Set Predecessors::before_bytes(const Automaton& automaton, const ByteSet& bytes,
                                             Set after) const {
  Set out = 0;
  for (std::size_t group = 0; group < automaton.groups.size(); ++group) {
    if ((automaton.groups[group] & bytes).empty()) continue;
    const Set* before = automaton.before.data() + group * automaton.size;
    for (Set left = after; left != 0; left &= left - 1) out |= before[std::countr_zero(left)];
  }
  return out;
}

// Recursion depth is the nesting of the expression, which compilation limits.
std::optional<Predecessors::Set> Predecessors::before(std::uint32_t automaton, ExprId id,
                                                      Set after) {
  if (++steps_ > kMostStepsBack) {
    automata_[automaton].given_up = true;
    return std::nullopt;
  }
  const Node& node = pool_.node(id);
  if (node.kind == Kind::kEmpty || after == 0) return 0;
  if (node.kind == Kind::kEpsilon) return after;
  if (node.kind == Kind::kBytes) {
    return before_bytes(automata_[automaton], pool_.byte_set(node), after);
  }
  if (node.kind == Kind::kLeaf) return before_leaf(automaton, id, after);
  const Key key{automaton, index_of(id), after};
  if (const auto it = before_.find(key); it != before_.end()) return it->second;
  const auto out = before_new(automaton, id, after);
  if (out && before_.emplace(key, *out).second) bytes_ += sizeof(Key) + sizeof(Set) + 24;
  return out;
}

std::optional<Predecessors::Set> Predecessors::before_new(std::uint32_t automaton, ExprId id,
                                                          Set after) {
  const Node& node = pool_.node(id);
  switch (node.kind) {
    case Kind::kConcat:
      return before_concat(automaton, id, after);
    case Kind::kRepeat:
      return before_repeat(automaton, id, after);
    case Kind::kUnion: {
      Set out = 0;
      for (ExprId member : pool_.members(node)) {
        const auto own = before(automaton, member, after);
        if (!own) return std::nullopt;
        out |= *own;
      }
      return out;
    }
    default:
      return std::nullopt;
  }
}

// In a loop, as a spine may be long; many share their ends, which are kept.
std::optional<Predecessors::Set> Predecessors::before_concat(std::uint32_t automaton, ExprId id,
                                                             Set after) {
  std::vector<ExprId> spine;
  ExprId rest = id;
  std::optional<Set> out;
  for (; pool_.node(rest).kind == Kind::kConcat; rest = pool_.tail(rest)) {
    const auto known = before_.find({automaton, index_of(rest), after});
    if (known != before_.end()) {
      out = known->second;
      break;
    }
    spine.push_back(rest);
  }
  if (!out) out = before(automaton, rest, after);
  for (std::size_t i = spine.size(); i-- > 0 && out;) {
    out = before(automaton, pool_.head(spine[i]), *out);
    if (out && i > 0 && before_.emplace({automaton, index_of(spine[i]), after}, *out).second) {
      bytes_ += sizeof(Key) + sizeof(Set) + 24;
    }
  }
  return out;
}

std::optional<Predecessors::Set> Predecessors::before_repeat(std::uint32_t automaton, ExprId id,
                                                             Set after) {
  const Node node = pool_.node(id);
  const ExprId body{node.a};
  Set out = after;
  // Those that need not come: more of them lead from more states, until nothing is added.
  for (std::uint32_t i = node.min; node.max == kUnbounded || i < node.max; ++i) {
    const auto own = before(automaton, body, out);
    if (!own) return std::nullopt;
    if ((*own | out) == out) break;
    out |= *own;
  }
  for (std::uint32_t i = 0; i < node.min; ++i) {
    if (i == kMostTimes) return std::nullopt;
    const auto own = before(automaton, body, out);
    if (!own) return std::nullopt;
    if (*own == out) break;
    out = *own;
  }
  return out;
}

// All states of an automaton of strings at once: its derivatives are asked for one after the other.
std::optional<Predecessors::Set> Predecessors::before_leaf(std::uint32_t automaton, ExprId id,
                                                           Set after) {
  const Node& node = pool_.node(id);
  const Key key{automaton, node.a, after};
  if (const auto it = leaves_.find(key); it != leaves_.end()) return it->second[node.b];
  const LeafDfa& dfa = pool_.automaton(node);
  if (dfa.size() > kMostLeafStates) return std::nullopt;
  std::vector<Set> of(dfa.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t state = 0; state < dfa.size(); ++state) {
      Set own = dfa.accepting(state) ? after : 0;
      dfa.for_each_edge(state, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
        own |= before_bytes(automata_[automaton], ByteSet::range(low, high), of[target]);
      });
      changed = changed || (own != of[state] && !dfa.ordered());
      of[state] = own;
    }
    steps_ += dfa.size();
  }
  bytes_ += sizeof(Key) + of.size() * sizeof(Set) + 48;
  return leaves_.emplace(key, std::move(of)).first->second[node.b];
}

}  // namespace formgate
