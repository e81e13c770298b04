// Reads the text of one JSON value byte by byte and keeps what the value is, not how it is written.
//
// Kept is a canonical text of what was read: no white space, the members of each object sorted as
// soon as they are complete, strings without needless escapes, numbers by value. Equal values have
// equal canonical texts (as RFC 8785 has it, but for numbers of any size), and equal parts of
// values are equal readers. Where something can no longer become a given value, the reader says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formgate/json_spelling.hpp"
#include "formgate/types.hpp"

namespace formgate {

// The canonical text of a string.
std::string canonical_string(std::string_view text);

class ValueReader {
 public:
  // The bytes must go on a well-formed JSON text; of other texts, what is kept means nothing.
  void push(std::uint8_t byte);
  // The canonical text of the value, which must be complete.
  std::string value() const;
  // False only where no continuation is the value with this canonical text. Inside a string, also
  // adds the bytes that such continuations can begin with.
  bool may_become(std::string_view value, ByteSet* next = nullptr) const;
  bool in_string() const { return mode_ == Mode::kString && string_.pending().empty(); }
  Hash128 hash() const;
  std::size_t memory_usage() const;

  // Whether the key of a member is being read.
  bool in_key() const;
  // What is read of the innermost member or item, and how deep it lies.
  std::string_view last() const;
  std::size_t depth() const { return open_.size(); }

  // Whether a number's fraction is being read, and ends in a zero.
  bool in_zeros() const;
  // Forgets zeros at the end of a fraction, after which no other digit can come.
  void drop_zeros();
  // Whether a byte read again and again makes ever other values.
  bool grows_by(std::uint8_t byte) const;

 private:
  enum class Mode : std::uint8_t { kOutside, kString, kNumber };
  struct Open {
    std::uint32_t begin;  // of a bracket
    std::uint32_t last;   // of what is read of its last member or item
  };

  const std::string& settled() const;
  void settle(std::string text) { settled_ = std::make_shared<const std::string>(std::move(text)); }
  void end_number();
  void push_outside(std::uint8_t byte);
  void push_number(char byte);

  std::shared_ptr<const std::string> settled_;  // null: nothing
  std::vector<Open> open_;                      // of the settled text
  Mode mode_ = Mode::kOutside;
  JsonReader string_;
  std::string number_;
};

}  // namespace formgate
