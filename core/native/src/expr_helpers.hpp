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
    bytes.for_each([&](std::uint8_t b) { signature[b] = avalanche(signature[b] + salt); });
  }

  // Calls visit(representative byte, byte set) for each group of `domain`.
  template <typename Visit>
  void for_each(const ByteSet& domain, Visit&& visit) const {
    std::pair<std::uint64_t, std::uint8_t> order[256];
    std::size_t n = 0;
    domain.for_each([&](std::uint8_t b) { order[n++] = {signature[b], b}; });
    std::sort(order, order + n);
    for (std::size_t i = 0; i < n;) {
      ByteSet set;
      const std::size_t first = i;
      for (; i < n && order[i].first == order[first].first; ++i) set.insert(order[i].second);
      visit(order[first].second, set);
    }
  }
};

}  // namespace formgate
