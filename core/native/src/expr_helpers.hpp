// What the constructors of the expression pool share.
#pragma once

#include <algorithm>
#include <utility>

#include "formgate/expr_pool.hpp"

namespace formgate {

// Nesting saturates: the limit compilation checks is far below.
inline std::uint16_t deeper(std::uint16_t depth) {
  return static_cast<std::uint16_t>(depth < 0xFFFF ? depth + 1 : depth);
}

inline std::uint64_t seed(Kind kind) { return 0x100 + static_cast<std::uint64_t>(kind); }

constexpr ExprId kNoExpr{kNoIndex};

// Bytes grouped by which terms contain them. Signatures are 64-bit hashes of the term numbers.
struct ByteGroups {
  std::uint64_t signature[256] = {};

  void add(const ByteSet& bytes, std::uint64_t number) {
    const std::uint64_t salt = avalanche(number + 0x5EED);
    bytes.for_each([&](std::uint8_t b) { signature[b] += salt; });
  }

  // Calls visit(least byte, byte set) for each group of `domain`, by their least bytes.
  template <typename Visit>
  void for_each(const ByteSet& domain, Visit&& visit) const {
    constexpr std::size_t kSlots = 512;  // twice as many as there are bytes
    std::uint16_t slots[kSlots] = {};    // numbers of groups, from 1 on
    std::uint8_t least[256];
    std::uint8_t last[256];
    std::uint8_t next[256];  // byte of the same group; itself for the last
    std::uint16_t count = 0;
    domain.for_each([&](std::uint8_t b) {
      std::size_t at = avalanche(signature[b]) % kSlots;
      while (slots[at] && signature[least[slots[at] - 1]] != signature[b]) at = (at + 1) % kSlots;
      next[b] = b;
      if (!slots[at]) {
        least[count] = b;
        slots[at] = ++count;
      } else {
        next[last[slots[at] - 1]] = b;
      }
      last[slots[at] - 1] = b;
    });
    for (std::uint16_t i = 0; i < count; ++i) {
      ByteSet set = ByteSet::of(least[i]);
      for (std::uint8_t b = least[i]; next[b] != b; b = next[b]) set.insert(next[b]);
      visit(least[i], set);
    }
  }
};

}  // namespace formgate
