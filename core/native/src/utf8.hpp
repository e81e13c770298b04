// Reading UTF-8 byte by byte.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formgate/buckets.hpp"

namespace formgate {

inline bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

// How many continuation bytes a lead byte asks for; -1 where it begins no character.
inline int continuations(std::uint8_t lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xC2 && lead <= 0xDF) return 1;
  if (lead >= 0xE0 && lead <= 0xEF) return 2;
  if (lead >= 0xF0 && lead <= 0xF4) return 3;
  return -1;
}

// Least value spelled with so many continuation bytes; smaller ones are overlong.
inline constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};

// Buckets of the characters that a begun one can still become, given the range of its values.
inline BucketSet completions(std::uint32_t low, std::uint32_t high, int length) {
  low = std::max(low, kLeast[length]);
  high = std::min(high, kMaxCodePoint);
  const bool none = low > high || (low >= 0xD800 && high <= 0xDFFF);
  return none ? kFragmentBucket : buckets_touching(low, high);
}

inline bool valid_character(std::uint32_t value, int length) {
  return value >= kLeast[length] && value <= kMaxCodePoint && (value < 0xD800 || value > 0xDFFF);
}

// The bits of a lead byte that belong to the character.
inline std::uint32_t lead_bits(std::uint8_t lead, int length) {
  constexpr std::uint8_t kMasks[] = {0x7F, 0x1F, 0x0F, 0x07};
  return lead & kMasks[length];
}

}  // namespace formgate
