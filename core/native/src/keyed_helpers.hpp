// What the sources of lists without repetition share.
#pragma once

#include <cstdint>
#include <vector>

#include "formgate/expr_pool.hpp"

namespace formgate {

inline constexpr ExprId kNothing = ExprPool::kEmptyId;

using Bits = std::vector<std::uint64_t>;

inline bool test(const Bits& bits, std::uint32_t i) { return (bits[i >> 6] >> (i & 63)) & 1; }

}  // namespace formgate
