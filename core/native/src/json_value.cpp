#include "json_value.hpp"

#include <algorithm>
#include <utility>

#include "formgate/keyed.hpp"

namespace formgate {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The end of the canonical value or string that begins at a place.
std::size_t end_of(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
      ++at;
    } else if (c == '[' || c == '{') {
      ++depth;
      ++at;
    } else if (c == ']' || c == '}') {
      if (depth == 0) return at;
      --depth;
      ++at;
    } else if (depth == 0 && (c == ',' || c == ':')) {
      return at;
    } else {
      ++at;
      continue;  // of a word or number
    }
    if (depth == 0) return std::min(at, text.size());
  }
  return std::min(at, text.size());
}

// The end of the member that begins at a place.
std::size_t end_of_member(std::string_view text, std::size_t at) {
  at = end_of(text, at);
  return at < text.size() && text[at] == ':' ? end_of(text, at + 1) : at;
}

void append_string(std::string& out, std::string_view text) {
  for (char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
}

// The digits of a number, without zeros on either side.
struct Digits {
  bool negative = false;
  bool exponent = false;
  std::string digits = {};
};

Digits digits_of(std::string_view number) {
  Digits out;
  for (char c : number) {
    if (c == 'e') {
      out.exponent = true;
      break;
    }
    if (c == '-') out.negative = true;
    if (is_digit(c) && (c != '0' || !out.digits.empty())) out.digits.push_back(c);
  }
  while (!out.digits.empty() && out.digits.back() == '0') out.digits.pop_back();
  return out;
}

bool may_become_number(std::string_view read, std::string_view value) {
  if (value.empty() || !(is_digit(value[0]) || value[0] == '-')) return false;
  const Digits own = digits_of(read);
  const Digits other = digits_of(value);
  if (other.digits.empty()) return own.digits.empty();
  if (own.negative != other.negative) return false;
  return own.exponent ? own.digits == other.digits : other.digits.starts_with(own.digits);
}

}  // namespace

std::string canonical_string(std::string_view text) {
  std::string out = "\"";
  append_string(out, text);
  out.push_back('"');
  return out;
}

const std::string& ValueReader::settled() const {
  static const std::string kNothing;
  return settled_ ? *settled_ : kNothing;
}

void ValueReader::push(std::uint8_t byte) {
  const auto c = static_cast<char>(byte);
  if (mode_ == Mode::kString) {
    if (byte != '"' || !string_.pending().empty()) {
      string_.push(byte);
      return;
    }
    settle(settled() + canonical_string(string_.text()));
    string_ = {};
    mode_ = Mode::kOutside;
    return;
  }
  if (mode_ == Mode::kNumber) {
    if (is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E') {
      push_number(c);
      return;
    }
    end_number();
  }
  if (c == '"') {
    mode_ = Mode::kString;
  } else if (c == '-' || is_digit(c)) {
    mode_ = Mode::kNumber;
    number_.push_back(c);
  } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
    push_outside(byte);
  }
}

// Zeros that make no difference are left out: those at the end of a mantissa's fraction, those that
// an exponent begins with, and the exponent of zero.
void ValueReader::push_number(char c) {
  const std::size_t mark = number_.find('e');
  if (mark == std::string::npos) {
    if (c != 'e' && c != 'E') {
      number_.push_back(c);
      return;
    }
    if (number_.find('.') != std::string::npos) {
      while (number_.back() == '0') number_.pop_back();
      if (number_.back() == '.') number_.pop_back();
    }
    if (number_.find_first_not_of("-0") == std::string::npos) number_.assign(1, '0');
    number_.push_back('e');
    return;
  }
  if (number_[0] == '0' && mark == 1) return;
  const bool first = mark + 1 == number_.size() || number_.back() == '-';
  if (c == '+' || (c == '0' && first)) return;
  number_.push_back(c);
}

void ValueReader::end_number() {
  settle(settled() + canonical_number(number_));
  number_.clear();
  mode_ = Mode::kOutside;
}

void ValueReader::push_outside(std::uint8_t byte) {
  const auto c = static_cast<char>(byte);
  std::string text = settled();
  if ((c == ',' || c == '}') && !open_.empty() && text[open_.back().begin] == '{') {
    // The member goes where it belongs among those before it, which are sorted.
    const Open own = open_.back();
    const std::string member = text.substr(own.last);
    std::size_t at = own.begin + 1;
    while (at < own.last) {
      const std::size_t end = end_of_member(std::string_view(text).substr(0, own.last), at);
      if (std::string_view(text).substr(at, end - at) > member) break;
      at = end + 1;
    }
    text.resize(own.last);
    if (!member.empty()) {
      if (at < own.last) {
        text.insert(at, member + ',');
      } else {
        text += member + ',';
      }
    }
    if (c == '}' && text.back() == ',') text.pop_back();
    if (c == ',' && text.back() == ',') text.pop_back();
  }
  text.push_back(c);
  const auto size = static_cast<std::uint32_t>(text.size());
  if (c == '[' || c == '{') {
    open_.push_back({size - 1, size});
  } else if ((c == ']' || c == '}') && !open_.empty()) {
    open_.pop_back();
  } else if (c == ',' && !open_.empty()) {
    open_.back().last = size;
  }
  settle(std::move(text));
}

std::string ValueReader::value() const {
  if (mode_ == Mode::kNumber) return settled() + canonical_number(number_);
  if (mode_ == Mode::kOutside) return settled();
  std::string out = settled();  // not complete
  out.push_back('"');
  append_string(out, string_.text());
  return out;
}

bool ValueReader::may_become(std::string_view value, ByteSet* next) const {
  // What follows a string that is begun; any character may be escaped.
  const auto goes_on = [&](std::string_view whole, std::string_view begun) {
    if (!whole.starts_with(begun)) return false;
    if (next && begun.size() < whole.size()) {
      next->insert(static_cast<std::uint8_t>(whole[begun.size()]));
      next->insert('\\');
    }
    return true;
  };
  const std::string_view text = settled();
  // What is read of the innermost value, and the value that it must become.
  std::size_t begin = 0;
  for (const Open& open : open_) {
    if (value.empty() || value[0] != text[open.begin]) return false;
    const bool innermost = &open == &open_.back();
    const std::string_view before = text.substr(open.begin + 1, open.last - open.begin - 1);
    const bool begun = !innermost || open.last < text.size() || mode_ != Mode::kOutside;
    const bool needed = begun || !before.empty();
    begin = open.last;
    if (text[open.begin] == '[') {
      if (!value.substr(1).starts_with(before)) return false;
      const std::size_t at = 1 + before.size();
      if (!needed) return true;
      if (at >= value.size() || value[at] == ']') return false;
      if (!begun) return true;
      value = value.substr(at, end_of(value, at) - at);
      continue;
    }
    // All members read are there; both are sorted.
    std::vector<std::string_view> left;
    std::size_t read = 0;
    for (std::size_t at = 1; at + 1 < value.size();) {
      const std::size_t end = end_of_member(value, at);
      const std::string_view member = value.substr(at, end - at);
      std::string_view come = before.substr(read);
      come = come.substr(0, end_of_member(come, 0));
      if (!come.empty() && come == member) {
        read += member.size() + 1;
      } else {
        left.push_back(member);
      }
      at = end + 1;
    }
    if (read < before.size()) return false;
    if (!needed) return true;
    if (left.empty()) return false;
    if (!begun) return true;
    const std::string_view own = text.substr(open.last);
    std::string key(own.substr(0, end_of(own, 0)));
    if (own.empty()) {  // inside the key
      key.push_back('"');
      append_string(key, string_.text());
      return std::ranges::count_if(
                 left, [&](std::string_view member) { return goes_on(member, key); }) > 0;
    }
    key.push_back(':');
    const auto found = std::ranges::find_if(
        left, [&](std::string_view member) { return member.starts_with(key); });
    if (found == left.end()) return false;
    if (own.size() < key.size()) return true;
    begin = open.last + key.size();
    value = found->substr(key.size());
  }
  const std::string_view own = text.substr(std::min(begin, text.size()));
  if (mode_ == Mode::kNumber) return own.empty() && may_become_number(number_, value);
  if (mode_ == Mode::kOutside) return value.starts_with(own);
  std::string string(own);
  string.push_back('"');
  append_string(string, string_.text());
  return goes_on(value, string);
}

Hash128 ValueReader::hash() const {
  return Hasher(0x7A1E)
      .add(static_cast<std::uint64_t>(mode_))
      .add(settled().size())
      .add(std::string_view(settled()))
      .add(string_.text().size())
      .add(std::string_view(string_.text()))
      .add(std::string_view(string_.pending()))
      .add(std::string_view(number_))
      .finish();
}

std::size_t ValueReader::memory_usage() const {
  return sizeof(ValueReader) + open_.size() * sizeof(Open) + string_.text().size() +
         number_.size() + settled().size() / 4;  // several share what is settled
}

bool ValueReader::in_key() const {
  return mode_ == Mode::kString && !open_.empty() && settled()[open_.back().begin] == '{' &&
         settled().size() == open_.back().last;
}

std::string_view ValueReader::last() const {
  return std::string_view(settled()).substr(open_.empty() ? 0 : open_.back().last);
}

bool ValueReader::in_zeros() const {
  return mode_ == Mode::kNumber && number_.back() == '0' &&
         number_.find('.') != std::string::npos && number_.find('e') == std::string::npos;
}

void ValueReader::drop_zeros() {
  while (number_.back() == '0') number_.pop_back();
}

bool ValueReader::grows_by(std::uint8_t byte) const {
  if (mode_ == Mode::kString) {
    return string_.pending().empty() && byte != '"' && byte != '\\' && byte >= 0x20 && byte < 0x80;
  }
  const auto c = static_cast<char>(byte);
  if (mode_ != Mode::kNumber || !is_digit(c)) return false;
  if (number_.find('e') != std::string::npos) return number_[0] != '0' && c != '0';
  if (number_.find('.') != std::string::npos) return c != '0';
  return number_.find_first_of("123456789") != std::string::npos;
}

}  // namespace formgate
