// Tokens that a grammar names as such, and what they are in one vocabulary.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formgate/types.hpp"

namespace formgate {

// A special token by its name or by its id; or all but it: one byte of text, whatever it is, or one
// of the other special tokens that do not end the output.
struct TokenUse {
  std::string name = {};
  std::optional<TokenId> id = {};  // where there is no name
  bool except = false;

  bool operator==(const TokenUse& other) const = default;
  std::string print() const {
    std::string out = except ? "!<" : "<";
    out += id ? '[' : '|';
    out += id ? std::to_string(*id) : name;
    out += id ? "]>" : "|>";
    return out;
  }
};

struct TokenMeanings {
  std::vector<TokenId> used;     // by the number of the use
  std::vector<TokenId> special;  // all that do not end the output, ascending
  ByteSet odd;                   // bytes that occur nowhere in UTF-8 and are tokens nevertheless
};

}  // namespace formgate
