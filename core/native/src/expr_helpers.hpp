// What the constructors of the expression pool share.
#pragma once

#include "formgate/expr_pool.hpp"

namespace formgate {

// Nesting saturates: the limit compilation checks is far below.
inline std::uint16_t deeper(std::uint16_t depth) {
  return static_cast<std::uint16_t>(depth < 0xFFFF ? depth + 1 : depth);
}

inline std::uint64_t seed(Kind kind) { return 0x100 + static_cast<std::uint64_t>(kind); }

}  // namespace formgate
