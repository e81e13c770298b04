// Basic value types shared by the whole engine: strong ids, byte sets, content hashes.
//
// A `ByteSet` is a 256-bit set; all its operations are a handful of word instructions. A `Hash128`
// identifies content: hashes are built bottom-up (Merkle), so equal structure has equal hashes in
// every process, and pool ids never leak into them.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace formgate {

using TokenId = std::uint32_t;

// An expression of one pool. Ids are dense and mean nothing in another pool.
enum class ExprId : std::uint32_t {};
constexpr std::uint32_t index_of(ExprId id) { return static_cast<std::uint32_t>(id); }

constexpr std::uint32_t kUnbounded = 0xFFFFFFFFu;  // no upper limit of a repetition
constexpr std::uint32_t kNoIndex = 0xFFFFFFFFu;    // "not there" in index tables

struct Hash128 {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;
  auto operator<=>(const Hash128&) const = default;
};

// Finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection with full avalanche.
constexpr std::uint64_t avalanche(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBull;
  x ^= x >> 31;
  return x;
}

// Accumulates words and bytes into a 128-bit content hash; order matters.
class Hasher {
 public:
  explicit constexpr Hasher(std::uint64_t seed) : hi_(avalanche(seed + kGolden)), lo_(~hi_) {}
  constexpr Hasher& add(std::uint64_t word) {
    hi_ = avalanche(hi_ ^ word) + kGolden;
    lo_ = avalanche(lo_ + std::rotl(word, 32) + kGolden) ^ hi_;
    return *this;
  }
  constexpr Hasher& add(const Hash128& hash) { return add(hash.hi).add(hash.lo); }
  Hasher& add(std::string_view bytes);
  constexpr Hash128 finish() const { return {avalanche(hi_ + lo_), avalanche(lo_ ^ (hi_ >> 1))}; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
  std::uint64_t hi_;
  std::uint64_t lo_;
};

// A set of ASCII characters: two words where sets are stored by the hundred thousand.
struct AsciiSet {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  constexpr void insert(std::uint8_t character) {
    (character < 64 ? low : high) |= 1ull << (character & 63);
  }
  constexpr bool subset_of(const AsciiSet& other) const {
    return ((low & ~other.low) | (high & ~other.high)) == 0;
  }
  constexpr int size() const { return std::popcount(low) + std::popcount(high); }
  constexpr AsciiSet& operator|=(const AsciiSet& other) {
    low |= other.low;
    high |= other.high;
    return *this;
  }
  constexpr AsciiSet& operator&=(const AsciiSet& other) {
    low &= other.low;
    high &= other.high;
    return *this;
  }
};

class ByteSet {
 public:
  constexpr ByteSet() = default;
  static constexpr ByteSet all() {
    ByteSet set;
    for (auto& word : set.words_) word = ~0ull;
    return set;
  }
  static constexpr ByteSet of(std::uint8_t byte) {
    ByteSet set;
    set.insert(byte);
    return set;
  }
  static constexpr ByteSet range(unsigned low, unsigned high) {
    ByteSet set;
    if (low > high) return set;
    for (unsigned word = low >> 6; word <= high >> 6; ++word) set.words_[word] = ~0ull;
    set.words_[low >> 6] &= ~0ull << (low & 63);
    set.words_[high >> 6] &= ~0ull >> (63 - (high & 63));
    return set;
  }

  constexpr void insert(std::uint8_t byte) { words_[byte >> 6] |= 1ull << (byte & 63); }
  constexpr bool contains(std::uint8_t byte) const {
    return (words_[byte >> 6] >> (byte & 63)) & 1;
  }
  constexpr bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  constexpr unsigned size() const {
    unsigned count = 0;
    for (auto word : words_) count += static_cast<unsigned>(std::popcount(word));
    return count;
  }
  // The smallest member; the set must not be empty.
  constexpr std::uint8_t first() const {
    for (unsigned i = 0; i < 4; ++i) {
      if (words_[i]) {
        return static_cast<std::uint8_t>(i * 64 +
                                         static_cast<unsigned>(std::countr_zero(words_[i])));
      }
    }
    return 0;
  }
  constexpr bool ascii_only() const { return (words_[2] | words_[3]) == 0; }
  constexpr bool subset_of(const ByteSet& other) const { return (*this - other).empty(); }
  constexpr std::uint64_t word(unsigned i) const { return words_[i]; }

  constexpr ByteSet operator|(const ByteSet& o) const {
    return combine(o, [](auto a, auto b) { return a | b; });
  }
  constexpr ByteSet operator&(const ByteSet& o) const {
    return combine(o, [](auto a, auto b) { return a & b; });
  }
  constexpr ByteSet operator-(const ByteSet& o) const {
    return combine(o, [](auto a, auto b) { return a & ~b; });
  }
  constexpr ByteSet operator~() const { return all() - *this; }
  constexpr bool operator==(const ByteSet&) const = default;

  template <typename Visit>
  constexpr void for_each(Visit&& visit) const {
    for (unsigned i = 0; i < 4; ++i) {
      for (std::uint64_t word = words_[i]; word; word &= word - 1) {
        visit(static_cast<std::uint8_t>(i * 64 + static_cast<unsigned>(std::countr_zero(word))));
      }
    }
  }

 private:
  template <typename Op>
  constexpr ByteSet combine(const ByteSet& o, Op op) const {
    ByteSet out;
    for (unsigned i = 0; i < 4; ++i) out.words_[i] = op(words_[i], o.words_[i]);
    return out;
  }
  std::array<std::uint64_t, 4> words_{};
};

}  // namespace formgate
