// Whether an LALR parser that resolves conflicts can come to an end; see track_ends.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formgate/growing_map.hpp"
#include "formgate/lexing.hpp"
#include "formgate/types.hpp"

namespace formgate {

class TrackEnds {
 public:
  TrackEnds(ExprPool& pool, const TrackSymbols& symbols);

  // Whether some sequence of terminals is in `rest`, an expression over the track's symbols. What
  // was found for its parts is kept, so a rest that shares its end with others costs little.
  bool ends(ExprId rest);
  // Whether some sequence is whole and bars nothing after it.
  bool ends_free(ExprId rest);
  std::size_t memory_usage() const { return final_.size() * 48; }

 private:
  // Between two symbols, or behind the first byte of one: the terminals that may not come next.
  struct Place {
    std::uint32_t byte;  // 0 for none, else the byte that was read, plus one
    std::vector<bool> barred;
    auto operator<=>(const Place&) const = default;
  };
  using Places = std::uint32_t;  // a set of places; 0 is the empty one
  struct Answer {
    Places places;
    bool final;  // no later round changes it
  };
  struct CallAnswer {
    ExprId call;
    std::uint32_t place;
    Answer answer;
  };

  std::uint32_t place_of(Place place);
  Places places_of(std::vector<std::uint32_t> list);
  bool better(std::uint32_t one, std::uint32_t other) const;
  Places run(ExprId id, std::uint32_t place);
  Answer after(ExprId id, std::uint32_t place);
  Answer after_all(ExprId id, Places from);
  Answer find(ExprId id, std::uint32_t place);
  Answer after_call(ExprId id, std::uint32_t place);
  Answer after_concat(ExprId id, std::uint32_t place);
  Answer after_repeat(ExprId id, std::uint32_t place);
  void read(std::uint32_t place, std::uint8_t byte, std::vector<std::uint32_t>& out);

  ExprPool& pool_;
  const TrackSymbols& symbols_;
  std::vector<Place> places_;
  std::map<Place, std::uint32_t> place_index_;
  std::vector<std::vector<std::uint32_t>> sets_;
  std::map<std::vector<std::uint32_t>, Places> set_index_;
  GrowingMap<std::uint64_t, Places> final_;             // by (expression, place)
  std::unordered_map<std::uint64_t, Answer> in_round_;  // likewise, provisional
  std::vector<CallAnswer> calls_;                       // those that are being found out
  std::unordered_map<std::uint64_t, std::size_t> call_index_;
};

}  // namespace formgate
