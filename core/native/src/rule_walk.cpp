// Calls are found out together, as a least fixed point over those that are asked for. What leads to
// the best place is final at once, so mostly no second round is needed.
//
// Emptiness of a context-free grammar's intersection with a regular set, after Bar-Hillel, Perles
// and Shamir (1961), kept to the states that are asked for.
#include "rule_walk.hpp"

#include <algorithm>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

std::uint64_t key_of(ExprId id, std::uint32_t place) {
  return (static_cast<std::uint64_t>(index_of(id)) << 32) | place;
}

}  // namespace

RuleWalk::RuleWalk(ExprPool& pool) : pool_(pool) {
  places_of({});
  places_of({kStart});
}

RuleWalk::Places RuleWalk::places_of(std::vector<std::uint32_t> list) {
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
  if (list.size() > 1) {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t place : list) {
      const bool needed = std::ranges::none_of(
          list, [&](std::uint32_t other) { return other != place && better(other, place); });
      if (needed) kept.push_back(place);
    }
    list = std::move(kept);
  }
  const auto [it, fresh] =
      set_index_.emplace(std::move(list), static_cast<std::uint32_t>(sets_.size()));
  if (fresh) sets_.push_back(it->first);
  return it->second;
}

RuleWalk::Places RuleWalk::run(ExprId id, std::uint32_t place) {
  in_round_.clear();  // of a call that a deadline ended
  for (;;) {
    const Answer answer = after(id, place);
    if (answer.final) return answer.places;
    bool changed = false;
    for (std::size_t i = 0; i < calls_.size(); ++i) {  // it grows
      const CallAnswer call = calls_[i];
      if (call.answer.final) continue;
      Answer own = after(pool_.body(call.call), call.place);
      own.final = own.final || own.places == kFree;
      if (own.places != call.answer.places) changed = true;
      calls_[i].answer = own;
    }
    if (!changed) {
      for (const auto& [key, found] : in_round_) final_.try_emplace(key, found.places);
      for (const CallAnswer& call : calls_) {
        final_.try_emplace(key_of(call.call, call.place), call.answer.places);
      }
    }
    in_round_.clear();
    if (!changed) {
      calls_.clear();
      call_index_.clear();
    }
  }
}

RuleWalk::Answer RuleWalk::after(ExprId id, std::uint32_t place) {
  const std::uint64_t key = key_of(id, place);
  if (const auto it = final_.find(key); it != final_.end()) return {it->second, true};
  if (const auto it = in_round_.find(key); it != in_round_.end()) return it->second;
  tick();
  const Answer out = find(id, place);
  if (out.final) {
    final_.try_emplace(key, out.places);
  } else {
    in_round_.emplace(key, out);
  }
  return out;
}

RuleWalk::Answer RuleWalk::after_all(ExprId id, Places from) {
  if (from == kNothing) return {kNothing, true};
  if (sets_[from].size() == 1) return after(id, sets_[from][0]);
  std::vector<std::uint32_t> found;
  bool final = true;
  for (std::uint32_t place : std::vector<std::uint32_t>(sets_[from])) {
    const Answer own = after(id, place);
    final = final && own.final;
    found.insert(found.end(), sets_[own.places].begin(), sets_[own.places].end());
  }
  return {places_of(std::move(found)), final};
}

// Recursion depth is the nesting of the expression, which compilation limits; calls end it.
RuleWalk::Answer RuleWalk::find(ExprId id, std::uint32_t place) {
  const Node node = pool_.node(id);
  switch (node.kind) {
    case Kind::kEmpty:
      return {kNothing, true};
    case Kind::kEpsilon:
      return {places_of({place}), true};
    case Kind::kBytes: {
      std::vector<std::uint32_t> found;
      pool_.byte_set(node).for_each([&](std::uint8_t byte) { read(place, byte, found); });
      return {places_of(std::move(found)), true};
    }
    case Kind::kUnion: {
      const auto members = pool_.members(node);
      std::vector<std::uint32_t> found;
      bool final = true;
      for (ExprId member : std::vector<ExprId>(members.begin(), members.end())) {
        const Answer own = after(member, place);
        final = final && own.final;
        found.insert(found.end(), sets_[own.places].begin(), sets_[own.places].end());
      }
      return {places_of(std::move(found)), final};
    }
    case Kind::kCall:
      return after_call(id, place);
    case Kind::kConcat:
      return after_concat(id, place);
    case Kind::kRepeat:
      return after_repeat(id, place);
    default:
      return {other(id), true};
  }
}

RuleWalk::Answer RuleWalk::after_call(ExprId id, std::uint32_t place) {
  const auto [it, fresh] = call_index_.emplace(key_of(id, place), calls_.size());
  if (fresh) calls_.push_back({id, place, {kNothing, false}});
  return calls_[it->second].answer;
}

// Long ones are stacks. They share their ends with those asked about before.
RuleWalk::Answer RuleWalk::after_concat(ExprId id, std::uint32_t place) {
  struct Passed {
    std::uint64_t key;
    bool single;
  };
  std::vector<Passed> passed;  // what is known to be final up to there
  Places from = places_of({place});
  bool final = true;
  ExprId rest = id;
  for (;;) {
    const Answer next = after_all(pool_.head(rest), from);
    final = final && next.final;
    from = next.places;
    rest = pool_.tail(rest);
    if (from == kNothing || rest == ExprPool::kEpsilonId) break;
    const bool single = sets_[from].size() == 1;
    const std::uint64_t key = key_of(rest, single ? sets_[from][0] : from);
    auto& known = single ? final_ : final_sets_;
    if (const auto it = known.find(key); it != known.end()) {
      from = it->second;
      break;
    }
    passed.push_back({key, single});
  }
  if (final) {
    for (const Passed& each : passed) {
      (each.single ? final_ : final_sets_).try_emplace(each.key, from);
    }
  }
  return {from, final};
}

RuleWalk::Answer RuleWalk::after_repeat(ExprId id, std::uint32_t place) {
  const Node node = pool_.node(id);
  const ExprId once{node.a};
  Places from = places_of({place});
  bool final = true;
  const auto step = [&] {
    const Answer next = after_all(once, from);
    final = final && next.final;
    from = next.places;
  };
  // What it must repeat comes round to places where it was before.
  std::vector<Places> passed{from};
  while (passed.size() <= node.min) {
    step();
    const auto known = std::ranges::find(passed, from);
    if (known != passed.end()) {
      const auto begin = static_cast<std::size_t>(known - passed.begin());
      from = passed[begin + (node.min - begin) % (passed.size() - begin)];
      break;
    }
    passed.push_back(from);
  }
  Places all = from;
  for (std::uint32_t i = node.min; i < node.max; ++i) {
    step();
    std::vector<std::uint32_t> list = sets_[all];
    list.insert(list.end(), sets_[from].begin(), sets_[from].end());
    const Places more = places_of(std::move(list));
    if (more == all) break;
    all = more;
  }
  return {all, final};
}

}  // namespace formgate
