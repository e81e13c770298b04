// How JSON strings spell text (RFC 8259, section 7): a character stands for itself, or behind a
// backslash by a letter or by its UTF-16 code units in hexadecimal. Lone surrogates spell nothing.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "formgate/char_set.hpp"
#include "formgate/compile_context.hpp"
#include "formgate/leaf_dfa.hpp"

namespace formgate {

// Characters that may stand for themselves.
const CharSet& json_plain();

// Spellings of the members that begin with a backslash: all, or only those of characters that
// cannot stand for themselves, each by its shortest (lower-case) one. May be empty.
LeafDfa json_escapes(const CharSet& chars, bool canonical);

// All spellings of the strings of an automaton, or the canonical ones. Strings that are no text
// have none. Cost: about ten states for every edge. Throws what the context's deadline asks for.
LeafDfa json_spelled(const LeafDfa& strings, bool canonical, CompileContext& context);

// Reads the spelling of a text byte by byte. Equal texts read so far are equal readers, however
// they were spelled.
class JsonReader {
 public:
  // The bytes must go on a well-formed spelling.
  void push(std::uint8_t byte);
  // The text read, without a character that is not complete.
  const std::string& text() const { return text_; }
  // What is read of an escape that is not complete, in lower case; empty between characters.
  const std::string& pending() const { return pending_; }
  // Returns the text read and forgets it.
  std::string take() { return std::exchange(text_, {}); }
  bool operator==(const JsonReader&) const = default;

 private:
  std::string text_;
  std::string pending_;
};

}  // namespace formgate
