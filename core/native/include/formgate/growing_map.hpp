// Hash maps and tables that grow in small steps.
//
// A hash table that doubles moves everything it holds in one go: with some hundred thousand entries
// that takes milliseconds, in the middle of one token. Here the entries are spread by their hashes
// over many small tables, each of which doubles at a time of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formgate/types.hpp"

namespace formgate {

// The part of std::unordered_map that memos need. References to entries stay valid until they are
// cleared. An empty map holds no table.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class GrowingMap {
  using Table = std::unordered_map<Key, Value, Hash>;

 public:
  using value_type = typename Table::value_type;

  // An entry, or nothing: what `end` gives.
  template <typename Entry>
  class Found {
   public:
    explicit Found(Entry* entry) : entry_(entry) {}
    Entry& operator*() const { return *entry_; }
    Entry* operator->() const { return entry_; }
    bool operator==(const Found&) const = default;

   private:
    Entry* entry_;
  };
  using iterator = Found<value_type>;
  using const_iterator = Found<const value_type>;

  iterator find(const Key& key) {
    if (tables_.empty()) return end();
    Table& table = table_of(key);
    const auto it = table.find(key);
    return it == table.end() ? end() : iterator(&*it);
  }
  iterator end() { return iterator(nullptr); }
  const_iterator end() const { return const_iterator(nullptr); }

  template <typename... Arguments>
  std::pair<iterator, bool> try_emplace(const Key& key, Arguments&&... arguments) {
    if (tables_.empty()) tables_.resize(kTables);
    const auto [it, fresh] = table_of(key).try_emplace(key, std::forward<Arguments>(arguments)...);
    size_ += fresh ? 1 : 0;
    return {iterator(&*it), fresh};
  }
  template <typename Given>
  std::pair<iterator, bool> emplace(const Key& key, Given&& value) {
    return try_emplace(key, std::forward<Given>(value));
  }
  Value& operator[](const Key& key) { return try_emplace(key).first->second; }
  bool contains(const Key& key) { return find(key) != end(); }
  std::size_t size() const { return size_; }
  void clear() {
    tables_.clear();
    size_ = 0;
  }

 private:
  static constexpr unsigned kBits = 5;
  static constexpr std::size_t kTables = 1u << kBits;

  // The top bits of a hash mixed again: those of integers hash to themselves.
  Table& table_of(const Key& key) { return tables_[avalanche(Hash{}(key)) >> (64 - kBits)]; }

  std::vector<Table> tables_;
  std::size_t size_ = 0;
};

// Numbers found by the hash of what they stand for; what that is, the caller compares. Open
// addressing with linear probing. Half of each hash stands beside its number: most look-ups and
// all growth do without what it stands for.
class GrowingIndex {
 public:
  GrowingIndex() {
    for (Table& table : tables_) table.slots.resize(kFirstSlots);
  }

  // The number of an equal thing, else `number`, which is kept from now on.
  template <typename Same>
  std::uint32_t find_or_add(const Hash128& hash, std::uint32_t number, Same same) {
    Table& table = tables_[hash.lo >> (64 - kBits)];
    if ((table.count + 1) * 2 > table.slots.size()) grow(table);
    const std::size_t mask = table.slots.size() - 1;
    const auto half = static_cast<std::uint32_t>(hash.lo);
    std::size_t slot = half & mask;
    for (; table.slots[slot].number != kNoIndex; slot = (slot + 1) & mask) {
      if (table.slots[slot].half == half && same(table.slots[slot].number)) {
        return table.slots[slot].number;
      }
    }
    table.slots[slot] = {number, half};
    ++table.count;
    return number;
  }

 private:
  static constexpr unsigned kBits = 5;
  static constexpr std::size_t kFirstSlots = 8;
  struct Slot {
    std::uint32_t number = kNoIndex;
    std::uint32_t half = 0;
  };
  struct Table {
    std::vector<Slot> slots;
    std::size_t count = 0;
  };

  static void grow(Table& table) {
    std::vector<Slot> slots(table.slots.size() * 2);
    const std::size_t mask = slots.size() - 1;
    for (const Slot& known : table.slots) {
      if (known.number == kNoIndex) continue;
      std::size_t slot = known.half & mask;
      while (slots[slot].number != kNoIndex) slot = (slot + 1) & mask;
      slots[slot] = known;
    }
    table.slots = std::move(slots);
  }

  std::array<Table, 1u << kBits> tables_;
};

}  // namespace formgate
