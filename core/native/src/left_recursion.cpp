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
#include <map>
#include <unordered_set>

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
      auto first = pending.end();
      while (*--first != at) {
      }
      out.emplace_back(first, pending.end());
      for (std::uint32_t member : out.back()) open[member] = false;
      pending.erase(first, pending.end());
      std::ranges::sort(out.back(), {}, [&](std::uint32_t member) { return found[member]; });
    }
  }
  return out;
}

// The calls that texts of an expression may begin with. Calls are never empty themselves.
void LeftRecursion::first_calls(ExprId id, std::unordered_set<std::uint32_t>& out) {
  context_.tick();
  for (ExprId rest = id; rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
    const ExprId first = pool_.head(rest);
    const Node& node = pool_.node(first);
    if (node.flags & kCalls) {
      if (node.kind == Kind::kCall) {
        out.insert(index_of(first));
      } else if (node.kind == Kind::kUnion) {
        for (ExprId member : pool_.members(node)) first_calls(member, out);
      } else if (node.kind == Kind::kRepeat) {
        first_calls(ExprId{node.a}, out);
      }
    }
    if (!pool_.nullable(first)) return;
  }
}

std::vector<std::uint32_t> LeftRecursion::numbers_of(ExprId body, const Positions& number) {
  std::unordered_set<std::uint32_t> calls;
  first_calls(body, calls);
  std::vector<std::uint32_t> out;
  for (std::uint32_t call : calls) {
    const auto it = number.find(call);
    if (it != number.end()) out.push_back(it->second);
  }
  std::ranges::sort(out);  // the order of a search must not depend on that of a hash table
  return out;
}

LeftRecursion::Split LeftRecursion::split(ExprId id, const Positions& position) {
  context_.tick();
  Split out;
  std::unordered_set<std::uint32_t> calls;
  first_calls(id, calls);
  if (std::ranges::none_of(calls, [&](std::uint32_t c) { return position.contains(c); })) {
    out.rest = id;
    return out;
  }
  // Alternatives are united together at the end: one by one, long lists would be copied each time.
  std::vector<ExprId> rests;
  std::map<std::uint32_t, std::vector<ExprId>> after;
  const auto merge = [&](const Split& part, ExprId then) {
    for (const auto& [j, tail] : part.after) after[j].push_back(pool_.concat(tail, then));
    rests.push_back(pool_.concat(pool_.without_empty(part.rest), then));
  };
  const Node node = pool_.node(id);
  switch (node.kind) {
    case Kind::kCall:
      after[position.at(index_of(id))] = {ExprPool::kEpsilonId};
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
  if (pool_.nullable(id)) rests.push_back(ExprPool::kEpsilonId);
  out.rest = pool_.unite(rests);
  for (const auto& [j, tails] : after) {
    const ExprId tail = pool_.unite(tails);
    if (tail != ExprPool::kEmptyId) out.after.emplace(j, tail);
  }
  return out;
}

void LeftRecursion::define(ExprId call, ExprId body) { defined_.push_back({call, body}); }

void LeftRecursion::define_all(const ByteSet& alphabet) {
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t i = 0; i < rules_.size(); ++i) number.emplace(index_of(rules_[i].call), i);
  std::vector<std::vector<std::uint32_t>> edges(rules_.size());
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    edges[i] = numbers_of(rules_[i].body, number);
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
    if (!pool_.defined(rule.call)) pool_.define(rule.call, rule.body, alphabet);
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
  // Rows of matrices hold what is not empty, sorted by column.
  using Entries = std::vector<std::pair<std::uint32_t, ExprId>>;
  std::vector<ExprId> base(n);                      // B
  std::vector<Entries> step(n);                     // X, from row to column
  std::vector<std::vector<std::uint32_t>> same(n);  // columns where X accepts the empty text
  for (std::uint32_t i = 0; i < n; ++i) {
    const Split parts = split(rules_[component[i]].body, position);
    base[i] = parts.rest;
    for (const auto& [j, tail] : parts.after) {
      if (pool_.nullable(tail)) same[j].push_back(i);
      const ExprId texts = pool_.without_empty(tail);
      if (texts != ExprPool::kEmptyId) step[j].emplace_back(i, texts);
    }
  }
  // Where a relation leads from a place in one step or more, or in none too, sorted.
  const auto reached = [&](const std::vector<std::vector<std::uint32_t>>& relation,
                           std::uint32_t place, bool itself) {
    std::vector<bool> seen(n);
    std::vector<std::uint32_t> work{place};
    std::vector<std::uint32_t> out;
    if (itself) {
      seen[place] = true;
      out = work;
    }
    while (!work.empty()) {
      context_.tick();
      const std::uint32_t at = work.back();
      work.pop_back();
      for (std::uint32_t to : relation[at]) {
        if (seen[to]) continue;
        seen[to] = true;
        out.push_back(to);
        work.push_back(to);
      }
    }
    std::ranges::sort(out);
    return out;
  };
  // (N | X)* = N* (X N*)* for the entries N that are empty.
  std::vector<std::vector<ExprId>> first_parts(n);
  std::vector<std::vector<std::uint32_t>> closed(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    closed[k] = reached(same, k, true);
    for (std::uint32_t j : closed[k]) first_parts[j].push_back(base[k]);
  }
  std::vector<ExprId> first(n);
  std::vector<Entries> then(n);
  std::vector<std::vector<std::uint32_t>> edges(n);
  std::size_t entries = 0;
  for (std::uint32_t j = 0; j < n; ++j) {
    first[j] = pool_.unite(first_parts[j]);
    std::map<std::uint32_t, std::vector<ExprId>> columns;
    for (const auto& [k, texts] : step[j]) {
      context_.tick();
      for (std::uint32_t i : closed[k]) columns[i].push_back(texts);
    }
    for (const auto& [i, parts] : columns) {
      then[j].emplace_back(i, pool_.unite(parts));
      edges[j].push_back(i);
    }
    entries += edges[j].size();
    check_size(component, entries);
  }
  if (n == 1) {
    const ExprId again = then[0].empty() ? ExprPool::kEmptyId : then[0][0].second;
    define(rules_[component[0]].call, pool_.concat(first[0], pool_.repeat(again, 0, kUnbounded)));
    return;
  }
  // Every way to a rule is written with what each of its first steps leads to.
  std::vector<std::vector<std::uint32_t>> reaches(n);
  std::size_t needed = 0;
  for (std::uint32_t from = 0; from < n; ++from) {
    reaches[from] = reached(edges, from, false);
    needed += reaches[from].size() * (edges[from].size() + 1);
    check_size(component, needed);
  }
  const std::uint64_t group = system.finish().lo | 1;
  const auto name_of = [&](std::size_t from, std::size_t to) {
    return Hasher(0x2A75).add(system.finish()).add(from).add(to).finish();
  };
  const auto ways = [&](std::size_t from, std::size_t to) {
    ExprId out = ExprPool::kEmptyId;
    if (std::ranges::binary_search(reaches[from], to)) {
      const auto a = static_cast<std::uint32_t>(from);
      const auto b = static_cast<std::uint32_t>(to);
      out = pool_.call(name_of(from, to), "steps of a left recursion", {group, a, b});
    }
    return from == to ? pool_.unite(out, ExprPool::kEpsilonId) : out;
  };
  std::vector<std::vector<ExprId>> whole(n);
  for (std::uint32_t from = 0; from < n; ++from) {
    if (!std::ranges::binary_search(reaches[from], from)) whole[from].push_back(first[from]);
    for (std::uint32_t to : reaches[from]) {
      context_.tick();
      whole[to].push_back(pool_.concat(first[from], ways(from, to)));
      std::vector<ExprId> parts;
      for (const auto& [k, texts] : then[from]) {
        parts.push_back(pool_.concat(texts, ways(k, to)));
      }
      define(pool_.call(name_of(from, to), "", {}), pool_.unite(parts));
    }
  }
  for (std::uint32_t to = 0; to < n; ++to) {
    define(rules_[component[to]].call, pool_.unite(whole[to]));
  }
}

void LeftRecursion::check_size(const std::vector<std::uint32_t>& component,
                               std::size_t needed) const {
  const std::size_t most = context_.limits().max_nodes;
  if (needed <= most) return;
  const std::size_t n = component.size();
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 3); ++i) {
    names += (i > 0 ? ", \"" : "\"") + pool_.name(rules_[component[i]].call) + "\"";
  }
  throw Error(ErrorKind::kLimit,
              "left recursion: " + std::to_string(n) + " rules begin with one another (" + names +
                  (n > 3 ? ", ..." : "") +
                  "), which takes more than Limits.max_nodes = " + std::to_string(most) +
                  " expressions to solve; raise the limit, or write some of them as repetitions");
}

// Derivatives of what depends on its context follow calls at the left edge by recursion, so their
// chains must be short; and no rule must begin with itself.
void LeftRecursion::check_depth() {
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t i = 0; i < defined_.size(); ++i) number.emplace(index_of(defined_[i].call), i);
  std::vector<std::vector<std::uint32_t>> edges(defined_.size());
  std::vector<std::size_t> depth(defined_.size(), 0);
  for (std::uint32_t i = 0; i < defined_.size(); ++i) {
    edges[i] = numbers_of(defined_[i].body, number);
  }
  const bool free = std::ranges::all_of(
      defined_, [this](const auto& each) { return pool_.free_of_context(each.body); });
  const std::size_t most = free ? defined_.size() : context_.limits().max_depth;
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
