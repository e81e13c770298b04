// Hash maps and tables that grow in small steps.
//
// A hash table that doubles moves everything it holds in one go: with some hundred thousand entries
// that takes milliseconds, in the middle of one token. The map here moves a few entries with each
// one added; the index is spread by its hashes over small tables, each of which doubles at a time
// of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include "formgate/stable_vector.hpp"
#include "formgate/types.hpp"

namespace formgate {

// The part of std::unordered_map that memos need: chained, never less than one bucket an entry.
// References to entries stay valid until they are cleared. An empty map holds no table.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class GrowingMap {
 public:
  using value_type = std::pair<const Key, Value>;

  // An entry, or nothing: what `end` gives.
  class iterator {
   public:
    explicit iterator(value_type* entry) : entry_(entry) {}
    value_type& operator*() const { return *entry_; }
    value_type* operator->() const { return entry_; }
    bool operator==(const iterator&) const = default;

   private:
    value_type* entry_;
  };

  GrowingMap() = default;
  GrowingMap(GrowingMap&& other) noexcept { swap(other); }
  GrowingMap& operator=(GrowingMap&& other) noexcept {
    GrowingMap taken(std::move(other));
    swap(taken);
    return *this;
  }

  iterator find(const Key& key) { return nodes_.empty() ? end() : find(key, Hash{}(key)); }
  iterator end() const { return iterator(nullptr); }
  // Asks for the bucket of a key that will be needed soon.
  void prefetch(const Key& key) const {
    if (table_.buckets) __builtin_prefetch(&table_.bucket(Hash{}(key)));
  }

  template <typename... Arguments>
  std::pair<iterator, bool> try_emplace(const Key& key, Arguments&&... arguments) {
    const std::size_t hash = Hash{}(key);
    if (const iterator known = find(key, hash); known != end()) return {known, false};
    if (nodes_.size() >= table_.size()) grow();
    Node& node = nodes_.emplace_back(hash, key, std::forward<Arguments>(arguments)...);
    table_.push(node);
    if (old_.buckets) move_some();
    return {iterator(&node.entry), true};
  }
  template <typename Given>
  std::pair<iterator, bool> emplace(const Key& key, Given&& value) {
    return try_emplace(key, std::forward<Given>(value));
  }
  Value& operator[](const Key& key) { return try_emplace(key).first->second; }
  bool contains(const Key& key) { return find(key) != end(); }
  std::size_t size() const { return nodes_.size(); }
  void clear() { *this = GrowingMap(); }

 private:
  static constexpr unsigned kFirstBits = 4;
  static constexpr unsigned kBlockBits = 4;  // no more than the first
  static constexpr unsigned kGrowthBits = 2;
  static constexpr std::size_t kMoved = 4;  // buckets, with each entry added

  struct Node {
    template <typename... Arguments>
    Node(std::size_t own, const Key& key, Arguments&&... arguments)
        : hash(own),
          entry(std::piecewise_construct, std::forward_as_tuple(key),
                std::forward_as_tuple(std::forward<Arguments>(arguments)...)) {}
    Node* next = nullptr;
    std::size_t hash;
    value_type entry;
  };
  struct Free {
    void operator()(Node** buckets) const { std::free(buckets); }
  };
  struct Table {
    std::unique_ptr<Node*[], Free> buckets;
    unsigned bits = 0;

    std::size_t size() const { return buckets ? std::size_t{1} << bits : 0; }
    // Multiplicative hashing (Knuth, volume 3, 6.4), but of blocks: keys are often numbers given
    // one after another, and what is asked for together had better lie together.
    Node*& bucket(std::size_t hash) const {
      const std::size_t block = ((hash >> kBlockBits) * 0x9E3779B97F4A7C15ull) >> (64 - bits);
      return buckets[block ^ (hash & ((1u << kBlockBits) - 1))];
    }
    void push(Node& node) {
      Node*& first = bucket(node.hash);
      node.next = first;
      first = &node;
    }
  };

  iterator find(const Key& key, std::size_t hash) const {
    Node* node = in(table_, hash, key);
    if (!node) node = in(old_, hash, key);
    return node ? iterator(&node->entry) : end();
  }

  static Node* in(const Table& table, std::size_t hash, const Key& key) {
    if (!table.buckets) return nullptr;
    Node* node = table.bucket(hash);
    while (node && !(node->hash == hash && node->entry.first == key)) node = node->next;
    return node;
  }

  // The system hands out zeroed pages as they are first touched, so this takes no time.
  void grow() {
    while (old_.buckets) move_some();
    const unsigned bits = table_.buckets ? table_.bits + kGrowthBits : kFirstBits;
    auto** buckets = static_cast<Node**>(std::calloc(std::size_t{1} << bits, sizeof(Node*)));
    if (!buckets) throw std::bad_alloc();
    old_ = std::move(table_);
    table_.buckets.reset(buckets);
    table_.bits = bits;
    moved_ = 0;
  }

  void move_some() {
    const std::size_t end = std::min(old_.size(), moved_ + kMoved);
    for (; moved_ < end; ++moved_) {
      Node* node = std::exchange(old_.buckets[moved_], nullptr);
      while (node) {
        Node* next = node->next;
        table_.push(*node);
        node = next;
      }
    }
    if (moved_ == old_.size()) old_ = Table();
  }

  void swap(GrowingMap& other) noexcept {
    nodes_.swap(other.nodes_);
    std::swap(table_, other.table_);
    std::swap(old_, other.old_);
    std::swap(moved_, other.moved_);
  }

  StableVector<Node> nodes_;
  Table table_;
  Table old_;              // while entries move to the other
  std::size_t moved_ = 0;  // buckets of it
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

  // Lets tables grow now that will soon have to.
  void grow_ahead() {
    for (Table& table : tables_) {
      while ((table.count + table.count / 8 + kFirstSlots) * 2 > table.slots.size()) grow(table);
    }
  }

  std::size_t memory_usage() const {
    std::size_t out = 0;
    for (const Table& table : tables_) out += table.slots.size() * sizeof(Slot);
    return out;
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

// A GrowingIndex for things made of numbered things: one is kept beside those that were made of
// the same part, its anchor, or of parts of nearby numbers. What is looked up lately was mostly
// made of recent parts, so its lines are still in the processor's cache, where a slot chosen by the
// hash is not. What finds no room there is kept by its hash. Lines come with the first use of
// their anchors and never move.
class AnchoredIndex {
 public:
  // As GrowingIndex::find_or_add; an equal thing has an equal anchor. Without one: kNoIndex.
  template <typename Same>
  std::uint32_t find_or_add(const Hash128& hash, std::uint32_t anchor, std::uint32_t number,
                            Same same) {
    if (anchor == kNoIndex) return others_.find_or_add(hash, number, same);
    const std::size_t place = anchor / kAnchors;
    while (lines_.size() <= place) lines_.emplace_back();
    Line& line = lines_[place];
    const auto half = static_cast<std::uint32_t>(hash.lo);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      if (line.numbers[slot] == kNoIndex) {
        line.numbers[slot] = number;
        line.halves[slot] = half;
        return number;
      }
      if (line.halves[slot] == half && same(line.numbers[slot])) return line.numbers[slot];
    }
    return others_.find_or_add(hash, number, same);
  }

  // Sees to the memory of as many things to come.
  void touch_ahead(std::size_t count) {
    lines_.touch_ahead(count / kAnchors);
    others_.grow_ahead();
  }

  std::size_t memory_usage() const { return lines_.size() * sizeof(Line) + others_.memory_usage(); }

 private:
  static constexpr std::size_t kSlots = 8;
  static constexpr std::size_t kAnchors = 4;  // that share a line
  struct alignas(64) Line {
    Line() { numbers.fill(kNoIndex); }
    std::array<std::uint32_t, kSlots> numbers;
    std::array<std::uint32_t, kSlots> halves;
  };

  StableVector<Line> lines_;
  GrowingIndex others_;
};

}  // namespace formgate
