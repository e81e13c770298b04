// Special tokens as text: by bytes that occur nowhere in UTF-8, so no text ever matches them. Where
// a part of a grammar is any byte whatever, those bytes themselves are spelled behind two marks.
#pragma once

#include <string>

#include "formgate/types.hpp"

namespace formgate {

constexpr std::uint8_t kSpecialMark = 0xFF;
constexpr std::uint8_t kSpecialDigit = 0xF5;  // the digits of an id to base 8 follow, from here on
constexpr std::uint8_t kOddMark = 0xFE;       // after the first mark: a byte of text follows

inline ByteSet special_bytes() {
  return ByteSet::range(kSpecialDigit, kSpecialDigit + 7) | ByteSet::of(kSpecialMark) |
         ByteSet::of(kOddMark);
}

inline std::string special_text(TokenId id) {
  std::string out(1, static_cast<char>(kSpecialMark));
  for (unsigned shift = 33; shift > 0; shift -= 3) {
    const auto digit = static_cast<unsigned>((static_cast<std::uint64_t>(id) >> (shift - 3)) & 7);
    out.push_back(static_cast<char>(kSpecialDigit + digit));
  }
  return out;
}

// Whether bytes of a text could be taken for a special token.
inline bool is_odd(std::string_view bytes) {
  for (char c : bytes) {
    if (static_cast<std::uint8_t>(c) >= kSpecialDigit) return true;
  }
  return false;
}

// A text, its odd bytes behind marks.
inline std::string escaped_text(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    if (static_cast<std::uint8_t>(c) >= kSpecialDigit) {
      out.push_back(static_cast<char>(kSpecialMark));
      out.push_back(static_cast<char>(kOddMark));
    }
    out.push_back(c);
  }
  return out;
}

}  // namespace formgate
