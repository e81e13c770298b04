// Which row of a table of packed masks holds the mask of which state: those used last stay.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "formgate/types.hpp"

namespace formgate {

// What decides a mask: states of one vocabulary with equal keys have equal futures.
struct RowKey {
  Hash128 vocabulary;
  Hash128 state;
  bool operator==(const RowKey&) const = default;
};

struct RowItem {
  enum class Kind : std::uint8_t {
    kNone,    // needs no row
    kShared,  // a mask that its key decides
    kAlone,   // a mask of which nothing is known: a row for this batch
  };
  Kind kind = Kind::kNone;
  RowKey key = {};
};

// The table itself is elsewhere; this says what is where.
class RowTable {
 public:
  // So many rows, or as many as the largest batch needed.
  explicit RowTable(std::uint32_t most) : most_(most) {}

  // So many rows the table must have.
  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }

  // Writes a row for each item, -1 for none, and returns the items whose masks must be written into
  // their rows; once they are, `commit` says so. Without it they are forgotten at the next batch.
  // Cost: some tens of nanoseconds an item.
  std::vector<std::uint32_t> place(std::span<const RowItem> items, std::int32_t* rows);
  void commit() { pending_.clear(); }

 private:
  struct HashOf {
    std::size_t operator()(const RowKey& key) const {
      return static_cast<std::size_t>(key.state.lo ^ avalanche(key.vocabulary.lo));
    }
  };
  // Oldest use first. A row of no list is free, or belongs to the batch alone.
  using Order = std::list<std::uint32_t>;
  struct Slot {
    RowKey key;
    Order::iterator at;
    std::uint64_t batch = 0;  // that used it last
  };

  void begin();
  std::uint32_t take(std::size_t needed);
  void use(std::uint32_t row);
  void drop(std::uint32_t row);

  std::uint32_t most_;
  std::uint64_t batch_ = 0;
  std::vector<Slot> slots_;
  Order order_;
  std::unordered_map<RowKey, std::uint32_t, HashOf> rows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> pending_;  // promised to a key, not written yet
  std::vector<std::uint32_t> alone_;    // of the last batch
};

}  // namespace formgate
