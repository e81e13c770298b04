// Reading and writing UTF-8.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

// The character at a place, which is moved behind it; nothing where no well-formed one is there.
inline std::optional<std::uint32_t> next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<std::uint8_t>(text[at++]);
  const int length = continuations(lead);
  if (length < 0 || text.size() - at < static_cast<std::size_t>(length)) return std::nullopt;
  std::uint32_t value = lead_bits(lead, length);
  for (int k = 0; k < length; ++k) {
    const auto byte = static_cast<std::uint8_t>(text[at + static_cast<std::size_t>(k)]);
    if (!is_continuation(byte)) return std::nullopt;
    value = (value << 6) | (byte & 0x3Fu);
  }
  if (!valid_character(value, length)) return std::nullopt;
  at += static_cast<std::size_t>(length);
  return value;
}

// The same; a byte that begins no character stands for itself.
inline std::uint32_t character_at(std::string_view text, std::size_t& at) {
  const auto byte = static_cast<std::uint8_t>(text[at]);
  return next_character(text, at).value_or(byte);
}

inline void append_utf8(std::string& out, std::uint32_t c) {
  const auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    push(c);
  } else if (c < 0x800) {
    push(0xC0 | (c >> 6));
    push(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    push(0xE0 | (c >> 12));
    push(0x80 | ((c >> 6) & 0x3F));
    push(0x80 | (c & 0x3F));
  } else {
    push(0xF0 | (c >> 18));
    push(0x80 | ((c >> 12) & 0x3F));
    push(0x80 | ((c >> 6) & 0x3F));
    push(0x80 | (c & 0x3F));
  }
}

}  // namespace formgate
