// What an LALR parser that resolves conflicts can still read is written as an expression with
// markers (competing.cpp): a marker says which terminals may not come next. Whether any sequence is
// left is asked of the expression's parts: from a place (what may not come next) a part leads to
// places. Of two places the one with fewer barred terminals will do. Calls are found out together,
// as a least fixed point over those that are asked for; what is read without marker ends where
// nothing is barred, which is the best there is, so mostly no second round is needed.
//
// Emptiness of a context-free grammar's intersection with a regular set, after Bar-Hillel, Perles
// and Shamir (1961), kept to the states that are asked for.
#include "track_ends.hpp"

#include <algorithm>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

constexpr std::uint32_t kNothing = 0;  // the empty set
constexpr std::uint32_t kFree = 1;     // only the place where nothing is barred
constexpr std::uint32_t kStart = 0;    // that place

std::uint64_t key_of(ExprId id, std::uint32_t place) {
  return (static_cast<std::uint64_t>(index_of(id)) << 32) | place;
}

}  // namespace

TrackEnds::TrackEnds(ExprPool& pool, const TrackSymbols& symbols) : pool_(pool), symbols_(symbols) {
  std::size_t terminals = symbols.dropped.empty() ? 0 : symbols.dropped[0].size();
  for (const TrackSymbol& symbol : symbols.symbols) {
    if (symbol.terminal != TrackSymbol::kMarker) {
      terminals = std::max<std::size_t>(terminals, symbol.terminal + 1u);
    }
  }
  places_of({});
  places_of({place_of({0, std::vector<bool>(terminals, false)})});
}

std::uint32_t TrackEnds::place_of(Place place) {
  const auto [it, fresh] =
      place_index_.emplace(std::move(place), static_cast<std::uint32_t>(places_.size()));
  if (fresh) places_.push_back(it->first);
  return it->second;
}

// Whether all that can be read from one place can be read from another.
bool TrackEnds::better(std::uint32_t one, std::uint32_t other) const {
  const Place& left = places_[one];
  const Place& right = places_[other];
  if (left.byte != right.byte) return false;
  for (std::size_t i = 0; i < left.barred.size(); ++i) {
    if (left.barred[i] && !right.barred[i]) return false;
  }
  return true;
}

TrackEnds::Places TrackEnds::places_of(std::vector<std::uint32_t> list) {
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

bool TrackEnds::ends(ExprId rest) { return run(rest, kStart) != kNothing; }

bool TrackEnds::ends_free(ExprId rest) { return run(rest, kStart) == kFree; }

TrackEnds::Places TrackEnds::run(ExprId id, std::uint32_t place) {
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

TrackEnds::Answer TrackEnds::after(ExprId id, std::uint32_t place) {
  const std::uint64_t key = key_of(id, place);
  if (const auto it = final_.find(key); it != final_.end()) return {it->second, true};
  if (const auto it = in_round_.find(key); it != in_round_.end()) return it->second;
  const Answer out = find(id, place);
  if (out.final) {
    final_.try_emplace(key, out.places);
  } else {
    in_round_.emplace(key, out);
  }
  return out;
}

TrackEnds::Answer TrackEnds::after_all(ExprId id, Places from) {
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

void TrackEnds::read(std::uint32_t place, std::uint8_t byte, std::vector<std::uint32_t>& out) {
  Place next = places_[place];
  if (symbols_.width > 1 && next.byte == 0) {
    next.byte = byte + 1u;
    out.push_back(place_of(std::move(next)));
    return;
  }
  const std::uint32_t number = next.byte == 0 ? byte : (next.byte - 1) * kSymbolBase + byte;
  next.byte = 0;
  if (number >= symbols_.symbols.size()) return;
  const TrackSymbol& symbol = symbols_.symbols[number];
  if (symbol.terminal != TrackSymbol::kMarker) {
    if (!next.barred[symbol.terminal]) out.push_back(kStart);
    return;
  }
  const std::vector<bool>& dropped = symbols_.dropped[symbol.set];
  for (std::size_t i = 0; i < dropped.size(); ++i) next.barred[i] = next.barred[i] || dropped[i];
  out.push_back(place_of(std::move(next)));
}

// Recursion depth is the nesting of the expression, which compilation limits; calls end it.
TrackEnds::Answer TrackEnds::find(ExprId id, std::uint32_t place) {
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
      return {kFree, true};  // nothing else is made of rules; a track is kept rather than lost
  }
}

TrackEnds::Answer TrackEnds::after_call(ExprId id, std::uint32_t place) {
  const auto [it, fresh] = call_index_.emplace(key_of(id, place), calls_.size());
  if (fresh) calls_.push_back({id, place, {kNothing, false}});
  return calls_[it->second].answer;
}

// Long ones are stacks. They share their ends with those asked about before.
TrackEnds::Answer TrackEnds::after_concat(ExprId id, std::uint32_t place) {
  std::vector<std::uint64_t> passed;  // places in it that are known to be final up to there
  Places from = places_of({place});
  bool final = true;
  ExprId rest = id;
  for (;;) {
    const Answer next = after_all(pool_.head(rest), from);
    final = final && next.final;
    from = next.places;
    rest = pool_.tail(rest);
    if (from == kNothing || rest == ExprPool::kEpsilonId) break;
    if (sets_[from].size() != 1) continue;
    const std::uint64_t key = key_of(rest, sets_[from][0]);
    if (const auto it = final_.find(key); it != final_.end()) {
      from = it->second;
      break;
    }
    passed.push_back(key);
  }
  if (final) {
    for (std::uint64_t key : passed) final_.try_emplace(key, from);
  }
  return {from, final};
}

TrackEnds::Answer TrackEnds::after_repeat(ExprId id, std::uint32_t place) {
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
