// Left recursion solved per component of rules that begin with each other.
//
// Seen from the left, the rules of a component are linear equations A_i = B_i | A_1 X_1i | ... over
// languages, where B_i begins with none of them. Their least solution is A = B X* (Kleene's matrix
// star; for grammars: Rosenkrantz, "Matrix equations and normal forms for context-free grammars",
// J. ACM 14(3), 1967), whose size is linear in that of the rules, where Paull's substitution may be
// exponential. Entries that accept the empty text (A: A | ..., or A: A B with B optional) are
// closed transitively first. The entries of X* become calls of their own, Z[j,i]; with one rule
// alone, a plain repetition.
#include <algorithm>

#include "formgate/errors.hpp"
#include "rule_lowering.hpp"

namespace formgate {

std::vector<std::vector<std::uint32_t>> components_of(
    const std::vector<std::vector<std::uint32_t>>& edges) {
  const auto count = static_cast<std::uint32_t>(edges.size());
  std::vector<std::uint32_t> found(count, kNoIndex);
  std::vector<std::uint32_t> lowest(count, 0);
  std::vector<bool> open(count, false);
  std::vector<std::uint32_t> pending;
  std::vector<std::vector<std::uint32_t>> out;
  struct Frame {
    std::uint32_t at;
    std::size_t next;
  };
  std::uint32_t clock = 0;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (found[root] != kNoIndex) continue;
    std::vector<Frame> stack{{root, 0}};
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const std::uint32_t at = frame.at;
      if (frame.next == 0) {
        found[at] = lowest[at] = clock++;
        open[at] = true;
        pending.push_back(at);
      }
      if (frame.next < edges[at].size()) {
        const std::uint32_t to = edges[at][frame.next++];
        if (found[to] == kNoIndex) {
          stack.push_back({to, 0});
        } else if (open[to]) {
          lowest[at] = std::min(lowest[at], found[to]);
        }
        continue;
      }
      if (frame.next == 0) frame.next = 1;
      stack.pop_back();
      if (!stack.empty()) lowest[stack.back().at] = std::min(lowest[stack.back().at], lowest[at]);
      if (lowest[at] != found[at]) continue;
      const auto first = std::ranges::find(pending, at);
      out.emplace_back(first, pending.end());
      for (std::uint32_t member : out.back()) open[member] = false;
      pending.erase(first, pending.end());
      std::ranges::sort(out.back(), {}, [&](std::uint32_t member) { return found[member]; });
    }
  }
  return out;
}

// The calls that texts of an expression may begin with. Calls are never empty themselves.
void LeftRecursion::first_calls(ExprId id, std::vector<ExprId>& out) {
  for (ExprId rest = id; rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
    const ExprId first = pool_.head(rest);
    const Node& node = pool_.node(first);
    if (node.flags & kCalls) {
      if (node.kind == Kind::kCall) {
        if (std::ranges::find(out, first) == out.end()) out.push_back(first);
      } else if (node.kind == Kind::kUnion) {
        for (ExprId member : pool_.members(node)) first_calls(member, out);
      } else if (node.kind == Kind::kRepeat) {
        first_calls(ExprId{node.a}, out);
      }
    }
    if (!pool_.nullable(first)) return;
  }
}

LeftRecursion::Split LeftRecursion::split(
    ExprId id, const std::unordered_map<std::uint32_t, std::uint32_t>& position) {
  context_.tick();
  Split out;
  out.after.assign(position.size(), ExprPool::kEmptyId);
  std::vector<ExprId> calls;
  first_calls(id, calls);
  if (std::ranges::none_of(calls, [&](ExprId c) { return position.contains(index_of(c)); })) {
    out.rest = id;
    return out;
  }
  const auto merge = [&](const Split& part, ExprId then) {
    for (std::size_t j = 0; j < out.after.size(); ++j) {
      out.after[j] = pool_.unite(out.after[j], pool_.concat(part.after[j], then));
    }
    out.rest = pool_.unite(out.rest, pool_.concat(pool_.without_empty(part.rest), then));
  };
  const Node node = pool_.node(id);
  switch (node.kind) {
    case Kind::kCall:
      out.after[position.at(index_of(id))] = ExprPool::kEpsilonId;
      break;
    case Kind::kUnion:
      for (ExprId member :
           std::vector<ExprId>(pool_.members(node).begin(), pool_.members(node).end())) {
        merge(split(member, position), ExprPool::kEpsilonId);
      }
      break;
    case Kind::kConcat:
      for (ExprId rest = id; rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
        merge(split(pool_.head(rest), position), pool_.tail(rest));
        if (!pool_.nullable(pool_.head(rest))) break;
      }
      break;
    case Kind::kRepeat: {
      const ExprId child{node.a};
      const std::uint32_t less = node.min == 0 ? 0 : node.min - 1;
      const std::uint32_t more = node.max == kUnbounded ? kUnbounded : node.max - 1;
      merge(split(pool_.without_empty(child), position), pool_.repeat(child, less, more));
      break;
    }
    default:
      out.rest = id;
      return out;
  }
  // The parts were merged without the empty text.
  if (pool_.nullable(id)) out.rest = pool_.unite(out.rest, ExprPool::kEpsilonId);
  return out;
}

void LeftRecursion::define(ExprId call, ExprId body) { defined_.push_back({call, body}); }

void LeftRecursion::define_all() {
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t i = 0; i < rules_.size(); ++i) number.emplace(index_of(rules_[i].call), i);
  std::vector<std::vector<std::uint32_t>> edges(rules_.size());
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    std::vector<ExprId> calls;
    first_calls(rules_[i].body, calls);
    for (ExprId call : calls) {
      const auto it = number.find(index_of(call));
      if (it != number.end()) edges[i].push_back(it->second);
    }
  }
  for (const auto& component : components_of(edges)) {
    const std::uint32_t only = component[0];
    const bool loops =
        component.size() > 1 || std::ranges::find(edges[only], only) != edges[only].end();
    if (loops) {
      solve(component);
    } else {
      define(rules_[only].call, rules_[only].body);
    }
  }
  check_depth();
  // Another grammar may have defined some of them.
  for (const Rule& rule : defined_) {
    if (!pool_.defined(rule.call)) pool_.define(rule.call, rule.body, alphabet_);
  }
}

void LeftRecursion::solve(std::vector<std::uint32_t> component) {
  const std::size_t n = component.size();
  // One order for one set of rules, whatever grammar they are in.
  std::ranges::sort(component, {},
                    [this](std::uint32_t i) { return pool_.node(rules_[i].call).hash; });
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  Hasher system(0x1EF7);
  for (std::uint32_t i = 0; i < n; ++i) {
    position.emplace(index_of(rules_[component[i]].call), i);
    system.add(pool_.node(rules_[component[i]].call).hash);
  }
  std::vector<ExprId> base(n);               // B
  std::vector<std::vector<ExprId>> step(n);  // X, from row to column
  std::vector<std::vector<bool>> same(n);    // X accepts the empty text
  for (std::size_t j = 0; j < n; ++j) {
    step[j].assign(n, ExprPool::kEmptyId);
    same[j].assign(n, false);
    same[j][j] = true;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Split parts = split(rules_[component[i]].body, position);
    base[i] = parts.rest;
    for (std::size_t j = 0; j < n; ++j) {
      if (pool_.nullable(parts.after[j])) same[j][i] = true;
      step[j][i] = pool_.without_empty(parts.after[j]);
    }
  }
  const auto close = [n](std::vector<std::vector<bool>>& relation) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; relation[i][k] && j < n; ++j) {
          if (relation[k][j]) relation[i][j] = true;
        }
      }
    }
  };
  close(same);
  // (N | X)* = N* (X N*)* for the entries N that are empty.
  const auto followed = [&](const std::vector<ExprId>& row, std::size_t to) {
    std::vector<ExprId> parts;
    for (std::size_t k = 0; k < n; ++k) {
      if (same[k][to]) parts.push_back(row[k]);
    }
    return pool_.unite(parts);
  };
  std::vector<ExprId> first(n);
  std::vector<std::vector<ExprId>> then(n, std::vector<ExprId>(n));
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
  for (std::size_t j = 0; j < n; ++j) {
    context_.tick();
    first[j] = followed(base, j);
    for (std::size_t i = 0; i < n; ++i) {
      then[j][i] = followed(step[j], i);
      reaches[j][i] = then[j][i] != ExprPool::kEmptyId;
    }
  }
  close(reaches);
  if (n == 1) {
    define(rules_[component[0]].call,
           pool_.concat(first[0], pool_.repeat(then[0][0], 0, kUnbounded)));
    return;
  }
  const std::uint64_t group = system.finish().lo | 1;
  const auto ways = [&](std::size_t from, std::size_t to) {
    ExprId out = ExprPool::kEmptyId;
    if (reaches[from][to]) {
      const auto a = static_cast<std::uint32_t>(from);
      const auto b = static_cast<std::uint32_t>(to);
      out = pool_.call(Hasher(0x2A75).add(system.finish()).add(from).add(to).finish(),
                       "steps of a left recursion", {group, a, b});
    }
    return from == to ? pool_.unite(out, ExprPool::kEpsilonId) : out;
  };
  for (std::size_t to = 0; to < n; ++to) {
    std::vector<ExprId> whole;
    for (std::size_t from = 0; from < n; ++from) {
      context_.tick();
      whole.push_back(pool_.concat(first[from], ways(from, to)));
      if (!reaches[from][to]) continue;
      std::vector<ExprId> parts;
      for (std::size_t k = 0; k < n; ++k) {
        parts.push_back(pool_.concat(then[from][k], ways(k, to)));
      }
      define(pool_.call(Hasher(0x2A75).add(system.finish()).add(from).add(to).finish(), "", {}),
             pool_.unite(parts));
    }
    define(rules_[component[to]].call, pool_.unite(whole));
  }
}

// Derivatives follow calls at the left edge by recursion, so their chains must be short.
void LeftRecursion::check_depth() {
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t i = 0; i < defined_.size(); ++i) number.emplace(index_of(defined_[i].call), i);
  std::vector<std::vector<std::uint32_t>> edges(defined_.size());
  std::vector<std::size_t> depth(defined_.size(), 0);
  for (std::uint32_t i = 0; i < defined_.size(); ++i) {
    std::vector<ExprId> calls;
    first_calls(defined_[i].body, calls);
    for (ExprId call : calls) {
      const auto it = number.find(index_of(call));
      if (it != number.end()) edges[i].push_back(it->second);
    }
  }
  const std::size_t most = context_.limits().max_depth;
  for (const auto& component : components_of(edges)) {
    const std::uint32_t at = component[0];
    depth[at] = 1;
    bool solved = component.size() == 1;
    for (std::uint32_t to : edges[at]) {
      solved = solved && to != at;
      depth[at] = std::max(depth[at], depth[to] + 1);
    }
    if (!solved || depth[at] > most) {
      throw Error(ErrorKind::kLimit,
                  "more than Limits.max_depth = " + std::to_string(most) +
                      " rules begin with one another; raise the limit or merge some of them");
    }
  }
}

}  // namespace formgate
