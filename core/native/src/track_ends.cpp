// What an LALR parser that resolves conflicts can still read is written as an expression with
// markers (competing.cpp): a marker says which terminals may not come next. Whether any sequence is
// left is asked of the expression's parts: from a place (what may not come next) a part leads to
// places (rule_walk.cpp). Of two places the one with fewer barred terminals will do; what is read
// without marker ends where nothing is barred, which is the best there is.
#include "track_ends.hpp"

#include <algorithm>

#include "formgate/expr_pool.hpp"

namespace formgate {

TrackEnds::TrackEnds(ExprPool& pool, const TrackSymbols& symbols)
    : RuleWalk(pool), symbols_(symbols) {
  std::size_t terminals = symbols.dropped.empty() ? 0 : symbols.dropped[0].size();
  for (const TrackSymbol& symbol : symbols.symbols) {
    if (symbol.terminal != TrackSymbol::kMarker) {
      terminals = std::max<std::size_t>(terminals, symbol.terminal + 1u);
    }
  }
  place_of({0, std::vector<bool>(terminals, false)});
}

std::uint32_t TrackEnds::place_of(Place place) {
  const auto [it, fresh] =
      place_index_.emplace(std::move(place), static_cast<std::uint32_t>(places_.size()));
  if (fresh) places_.push_back(it->first);
  return it->second;
}

// Whether all that can be read from one place can be read from another.
bool TrackEnds::better(std::uint32_t one, std::uint32_t other) {
  const Place& left = places_[one];
  const Place& right = places_[other];
  if (left.byte != right.byte) return false;
  for (std::size_t i = 0; i < left.barred.size(); ++i) {
    if (left.barred[i] && !right.barred[i]) return false;
  }
  return true;
}

// Nothing but symbols is made of rules; a track is kept rather than lost.
RuleWalk::Places TrackEnds::other(ExprId) { return kFree; }

bool TrackEnds::ends(ExprId rest) { return run(rest, kStart) != kNothing; }

bool TrackEnds::ends_free(ExprId rest) { return run(rest, kStart) == kFree; }

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

}  // namespace formgate
