// What is known of an expression's texts: values of Node::liveness.
#pragma once

#include <cstdint>

namespace formgate {

constexpr std::uint8_t kUndecided = 0;
constexpr std::uint8_t kLive = 1;
constexpr std::uint8_t kDead = 2;

}  // namespace formgate
