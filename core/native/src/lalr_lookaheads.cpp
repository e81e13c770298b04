// What an LALR automaton looks ahead for.
//
// Look-ahead sets are those of DeRemer and Pennello, "Efficient Computation of LALR(1) Look-Ahead
// Sets" (TOPLAS 4(4), 1982): the relations reads, includes and lookback over the transitions on
// heads, closed by Tarjan's algorithm. Two things are lark's own (lark/parsers/lalr_analysis.py):
// items in the middle of a production count for `includes`, too, where a state has a transition on
// their head; and conflicts are resolved, by shifting, or by the priorities of rules.
//
// Look-ahead sets are unions over all stacks that end in a state. What *every* such stack allows is
// found, too, as far as a fixed point over single states tells: the look-ahead at a transition is
// what its target reads and, for one item at least, what is certain at each transition that the
// item's production may have begun at.
//
// Cost: linear in the sizes of the relations, times that of a set.
#include <algorithm>

#include "formgate/errors.hpp"
#include "formgate/types.hpp"
#include "lalr.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostRelated = 8'000'000;  // pairs of the relations
constexpr unsigned kMostListed = 8;              // productions that an error names

}  // namespace

// Adds to each set those of all that the relation leads to: Tarjan's components, with a stack.
void Lalr::close(BitRows& sets, const Relation<std::uint32_t>& relation) {
  const std::size_t count = relation.size();
  const auto done = static_cast<std::uint32_t>(count + 1);
  std::vector<std::uint32_t> number(count, 0);
  std::vector<std::uint32_t> low(count, 0);
  std::vector<std::uint32_t> members;
  std::vector<std::pair<std::uint32_t, std::size_t>> work;
  std::uint32_t counter = 0;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (number[root]) continue;
    work.emplace_back(root, 0);
    while (!work.empty()) {
      auto& [node, place] = work.back();
      if (place == 0) {
        context_.tick();
        number[node] = low[node] = ++counter;
        members.push_back(node);
      }
      const std::span<const std::uint32_t> after = relation[node];
      if (place > 0) {
        const std::uint32_t child = after[place - 1];
        low[node] = std::min(low[node], low[child]);
        sets.add(node, sets, child);
      }
      if (place < after.size()) {
        const std::uint32_t child = after[place++];
        if (!number[child]) {
          work.emplace_back(child, 0);
        }
        continue;
      }
      const std::uint32_t here = node;
      work.pop_back();
      if (low[here] != number[here]) continue;
      while (true) {
        const std::uint32_t member = members.back();
        members.pop_back();
        low[member] = done;
        if (member == here) break;
        sets.assign(member, sets, here);
      }
    }
  }
}

void Lalr::find_reads() {
  reads_ = BitRows(transitions_.size(), grammar_.terminals);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
    const auto& [from, head] = transitions_[i];
    for (const Edge& after : edges_[edge(from, head)->target]) {
      if (after.symbol < grammar_.terminals) {
        reads_.set(i, after.symbol);
      } else if (nullable_[after.symbol]) {
        pairs.emplace_back(i, after.transition);
      }
    }
  }
  if (const Edge* start = edge(0, grammar_.start)) {
    if (start->transition != kNoIndex) reads_.set(start->transition, end());
  }
  close(reads_, Relation<std::uint32_t>(transitions_.size(), pairs));
}

bool Lalr::tail_nullable(std::uint32_t production, std::size_t from) const {
  return from >= tails_[production];
}

// Finds `includes`, by the item that gives it, and `lookback`.
void Lalr::relate() {
  std::vector<std::uint32_t> offset;  // of a production's items
  std::uint32_t items = 0;
  for (const auto& production : grammar_.productions) {
    offset.push_back(items);
    items += static_cast<std::uint32_t>(production.body.size());
  }
  std::vector<std::pair<std::uint32_t, Included>> pairs;
  std::size_t related = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ended;
  std::vector<const Edge*> path;  // of the production before
  for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
    context_.tick();
    const auto& [from, head] = transitions_[i];
    path.clear();
    for (std::uint32_t production : by_head_[head]) {
      const auto& body = grammar_.productions[production].body;
      path.resize(shared_[production]);
      std::uint32_t at = path.empty() ? from : path.back()->target;
      for (std::size_t dot = path.size(); dot < body.size(); ++dot) {
        path.push_back(edge(at, body[dot]));
        at = path.back()->target;
      }
      for (std::size_t dot = std::max<std::size_t>(tails_[production], 1) - 1; dot < body.size();
           ++dot) {
        if (path[dot]->transition == kNoIndex) continue;
        const auto item = offset[production] + static_cast<std::uint32_t>(dot);
        pairs.emplace_back(path[dot]->transition, Included{item, i});
        ++related;
      }
      const auto it =
          std::ranges::lower_bound(reduced_[at], production, {}, &Reduction::production);
      const auto place = static_cast<std::uint32_t>(it - reduced_[at].begin());
      ended.emplace_back(first_reduction_[at] + place, i);
      ++related;
    }
    if (related > kMostRelated) lalr_too_large("pairs of transitions", kMostRelated);
  }
  lookback_ = Relation<std::uint32_t>(reduction_places_.size(), ended);
  includes_ = Relation<Included>(transitions_.size(), pairs);
  for (std::size_t i = 0; i < includes_.size(); ++i) {
    std::ranges::sort(includes_[i], {},
                      [](const Included& each) { return std::pair{each.item, each.source}; });
  }
}

void Lalr::find_follow() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
    for (const Included& each : includes_[i]) pairs.emplace_back(i, each.source);
  }
  // What lark adds.
  std::size_t related = 0;
  for (std::uint32_t state = 0; state < kernels_.size(); ++state) {
    context_.tick();
    for (const auto& [production, dot] : kernels_[state]) {
      const auto& body = grammar_.productions[production].body;
      const Edge* source = edge(state, grammar_.productions[production].head);
      if (!source) continue;
      std::uint32_t at = state;
      for (std::size_t i = dot; i < body.size(); ++i) {
        const Edge& next = *edge(at, body[i]);
        if (next.transition != kNoIndex && tail_nullable(production, i + 1)) {
          pairs.emplace_back(next.transition, source->transition);
          if (++related > kMostRelated) lalr_too_large("pairs of transitions", kMostRelated);
        }
        at = next.target;
      }
    }
  }
  follow_ = reads_;
  close(follow_, Relation<std::uint32_t>(transitions_.size(), pairs));
}

void Lalr::find_accepted() {
  lookaheads_ = BitRows(reduction_places_.size(), grammar_.terminals);
  accepted_ = BitRows(states(), grammar_.terminals);
  for (std::uint32_t i = 0; i < reduction_places_.size(); ++i) {
    for (std::uint32_t transition : lookback_[i]) lookaheads_.add(i, follow_, transition);
    accepted_.add(reduction_places_[i].first, lookaheads_, i);
  }
  for (std::uint32_t state = 0; state < states(); ++state) {
    for (const Edge& each : edges_[state]) {
      if (each.symbol < grammar_.terminals) accepted_.set(state, each.symbol);
    }
  }
}

// Shifting goes before reducing; of reductions, the one of highest priority.
void Lalr::resolve() {
  for (std::uint32_t state = 0; state < states(); ++state) {
    std::vector<Reduction>& list = reduced_[state];
    if (list.empty()) continue;
    context_.tick();
    for (std::uint32_t t = 0; t < grammar_.terminals; ++t) {
      std::uint32_t best = kNoIndex;
      std::uint32_t second = kNoIndex;
      const auto priority = [&](std::uint32_t i) {
        return grammar_.productions[list[i].production].priority;
      };
      for (std::uint32_t i = 0; i < list.size(); ++i) {
        if (!lookaheads_.test(first_reduction_[state] + i, t)) continue;
        if (best == kNoIndex || priority(i) > priority(best)) {
          second = best;
          best = i;
        } else if (second == kNoIndex || priority(i) > priority(second)) {
          second = i;
        }
      }
      if (best == kNoIndex) continue;
      const bool shifted = edge(state, t) != nullptr;
      if (second != kNoIndex && priority(best) == priority(second)) {
        const auto text = [&](std::uint32_t i) {
          const auto& production = grammar_.productions[list[i].production];
          std::string out = "\"" + grammar_.names[production.head] + ":";
          for (std::uint32_t symbol : production.body) out += " " + grammar_.names[symbol];
          return out + "\"";
        };
        std::string all;
        unsigned listed = 0;
        for (std::uint32_t i = 0; i < list.size() && listed < kMostListed; ++i) {
          if (!lookaheads_.test(first_reduction_[state] + i, t)) continue;
          if (priority(i) != priority(best)) continue;
          all += (listed++ ? " or " : "") + text(i);
        }
        throw Error(ErrorKind::kGrammar,
                    "an LALR parser cannot tell, before " +
                        (t == end() ? "the end of the text" : grammar_.names[t]) + ", whether " +
                        all +
                        " ends there (a reduce/reduce conflict); make the rules differ, or give "
                        "one of them a priority");
      }
      if (second == kNoIndex && !shifted) continue;
      conflicts_ = true;
      overruled_ = overruled_ || second != kNoIndex;
      for (std::uint32_t i = 0; i < list.size(); ++i) {
        if ((shifted || i != best) && lookaheads_.test(first_reduction_[state] + i, t)) {
          list[i].dropped.push_back(t);
        }
      }
    }
  }
}

// What every stack allows.
void Lalr::find_certain() {
  certain_ = BitRows(states(), grammar_.terminals);
  for (std::uint32_t state = 0; state < states(); ++state) {
    for (const Edge& each : edges_[state]) {
      if (each.symbol < grammar_.terminals) certain_.set(state, each.symbol);
    }
  }
  BitRows sets = reads_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
    for (const Included& each : includes_[i]) pairs.emplace_back(each.source, i);
  }
  const Relation<std::uint32_t> users(transitions_.size(), pairs);
  BitRows common(1, grammar_.terminals);
  std::vector<std::uint32_t> work;
  std::vector<bool> waiting(transitions_.size(), false);
  // The first states first: what is certain later mostly depends on what is certain there.
  for (auto i = static_cast<std::uint32_t>(transitions_.size()); i-- > 0;) {
    if (includes_[i].empty()) continue;
    work.push_back(i);
    waiting[i] = true;
  }
  while (!work.empty()) {
    context_.tick();
    const std::uint32_t at = work.back();
    work.pop_back();
    waiting[at] = false;
    bool grown = false;
    const std::span<const Included> list = includes_[at];
    for (std::size_t i = 0; i < list.size();) {
      const std::uint32_t item = list[i].item;
      common.assign(0, sets, list[i].source);
      for (; i < list.size() && list[i].item == item; ++i) common.keep(0, sets, list[i].source);
      grown = sets.add(at, common, 0) || grown;
    }
    if (!grown) continue;
    for (std::uint32_t user : users[at]) {
      if (!waiting[user]) work.push_back(user);
      waiting[user] = true;
    }
  }
  for (std::size_t i = 0; i < reduction_places_.size(); ++i) {
    const std::span<const std::uint32_t> lookback = lookback_[i];
    if (lookback.empty()) continue;
    common.assign(0, sets, lookback[0]);
    for (std::uint32_t transition : lookback) common.keep(0, sets, transition);
    certain_.add(reduction_places_[i].first, common, 0);
  }
}

// What a stack can take, but for what its top shifts, is a union of what transitions read.
bool Lalr::implies(std::uint32_t one, std::uint32_t other) const {
  for (std::size_t i = 0; i < transitions_.size(); ++i) {
    if (reads_.test(i, one) && !reads_.test(i, other)) return false;
  }
  return true;
}

}  // namespace formgate
