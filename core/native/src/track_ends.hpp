// Whether an LALR parser that resolves conflicts can come to an end; see track_ends.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "formgate/lexing.hpp"
#include "formgate/types.hpp"
#include "rule_walk.hpp"

namespace formgate {

class TrackEnds : public RuleWalk {
 public:
  TrackEnds(ExprPool& pool, const TrackSymbols& symbols);

  // Whether some sequence of terminals is in `rest`, an expression over the track's symbols. What
  // was found for its parts is kept, so a rest that shares its end with others costs little.
  bool ends(ExprId rest);
  // Whether some sequence is whole and bars nothing after it.
  bool ends_free(ExprId rest);

 private:
  // Between two symbols, or behind the first byte of one: the terminals that may not come next.
  struct Place {
    std::uint32_t byte;  // 0 for none, else the byte that was read, plus one
    std::vector<bool> barred;
    auto operator<=>(const Place&) const = default;
  };

  std::uint32_t place_of(Place place);
  void read(std::uint32_t place, std::uint8_t byte, std::vector<std::uint32_t>& out) override;
  bool better(std::uint32_t one, std::uint32_t other) override;
  Places other(ExprId id) override;

  const TrackSymbols& symbols_;
  std::vector<Place> places_;
  std::map<Place, std::uint32_t> place_index_;
};

}  // namespace formgate
