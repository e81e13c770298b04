// Reads the text of one JSON value byte by byte and keeps what the value is, not how it is written.
//
// Kept is what encloses the place, each with what is complete in it, and the scalar under way: no
// white space, members without their order, strings without their escapes, numbers by value. Equal
// parts of values are equal readers. A reader is of constant size; what it stands for is kept in a
// store (json_values.hpp), where a byte adds O(log n) nodes at most, n the members of the object
// that encloses it. Where something can no longer become a given value, the reader says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formgate/json_spelling.hpp"
#include "formgate/json_values.hpp"
#include "formgate/types.hpp"

namespace formgate {

class ValueReader {
 public:
  // The bytes must go on a well-formed JSON text; of other texts, what is kept means nothing.
  void push(JsonValues& store, std::uint8_t byte);
  // The value, which must be complete.
  JsonValues::Value value(JsonValues& store) const;
  // Whether that is one of some values. No value is made of a number under way.
  bool is_in(JsonValues& store, JsonValues::Set values) const;
  // Whether what is read goes on to given values.
  class Continued;
  bool in_string() const { return mode_ == Mode::kString && escape_.pending().empty(); }
  Hash128 hash(const JsonValues& store) const;

  // Whether the key of a member is being read.
  bool in_key(const JsonValues& store) const;
  // The key of the innermost member, which must be read.
  std::string_view key(const JsonValues& store) const;
  // How many arrays and objects are open.
  std::size_t depth(const JsonValues& store) const;

  // Whether a number's fraction is being read, and ends in a zero.
  bool in_zeros(const JsonValues& store) const;
  // Forgets zeros at the end of a fraction, after which no other digit can come.
  void drop_zeros(const JsonValues& store);
  // Whether no string, number or word is under way.
  bool outside() const { return mode_ == Mode::kOutside; }
  // Whether a place before is like this one, but an array that encloses both has more items now.
  bool longer(const JsonValues& store, const ValueReader& before) const;
  // Whether a byte read again and again makes ever other values.
  bool grows_by(const JsonValues& store, std::uint8_t byte) const;

 private:
  using Open = JsonValues::Open;
  enum class Mode : std::uint8_t { kOutside, kString, kNumber, kFraction, kExponent, kWord };
  // Of what encloses the place: its member or item is not begun, or its key is read, or the colon
  // after that, or all of it.
  enum Phase : std::uint8_t { kFresh, kKey, kColon, kComplete };

  bool in_number() const { return mode_ >= Mode::kNumber && mode_ <= Mode::kExponent; }
  bool inside() const { return open_ != kNoIndex; }
  void complete(JsonValues& store, JsonValues::Value value);
  void end_number(JsonValues& store);
  void push_outside(JsonValues& store, std::uint8_t byte);
  void push_number(JsonValues& store, char byte);

  Mode mode_ = Mode::kOutside;
  std::uint32_t open_ = kNoIndex;         // the innermost
  JsonValues::Bytes read_{};              // of the string, number or word under way
  JsonValues::Value done_{kNoIndex};      // all of it
  JsonValues::Element member_{kNoIndex};  // completed by the last byte
  JsonReader escape_ = {};
};

// A reader, asked about many values.
class ValueReader::Continued {
 public:
  // Refers to both.
  Continued(const JsonValues& store, const ValueReader& reader);
  // False only where no continuation is a value, if it could become it before the last byte. Inside
  // a string, also adds the bytes that such continuations can begin with.
  bool may_become(JsonValues::Value value, ByteSet* next = nullptr) const;
  // The values that may be, of a set.
  JsonValues::Set of(JsonValues& store, JsonValues::Set values) const;

 private:
  bool may_become_scalar(JsonValues::Value value, ByteSet* next) const;
  bool may_become_text(std::string_view text, ByteSet* next) const;

  const JsonValues& store_;
  const ValueReader& reader_;
  std::vector<const Open*> path_;  // what encloses the place, from within
  std::string text_;               // of the string, number or word under way
  bool exponent_ = false;          // of a number, is being read
  std::string digits_ = {};        // of a number and its sign, without zeros on either side
};

}  // namespace formgate
