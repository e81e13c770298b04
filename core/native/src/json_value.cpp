#include "formgate/json_value.hpp"

#include <algorithm>
#include <utility>

#include "formgate/keyed.hpp"

namespace formgate {
namespace {

using Set = JsonValues::Set;
using Value = JsonValues::Value;

// A character takes at most so many bytes.
constexpr std::uint32_t kMostBytes = 4;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The sign and the digits of a number, without zeros on either side.
std::string digits_of(std::string_view number) {
  std::string out;
  const bool negative = number.starts_with('-');
  for (char c : number.substr(0, number.find('e'))) {
    if (is_digit(c) && (c != '0' || !out.empty())) out.push_back(c);
  }
  while (!out.empty() && out.back() == '0') out.pop_back();
  if (negative) out.insert(out.begin(), '-');
  return out;
}

std::size_t length_of_word(char first) { return first == 'f' ? 5 : 4; }

}  // namespace

void ValueReader::push(JsonValues& store, std::uint8_t byte) {
  member_ = JsonValues::kNoElement;
  const auto c = static_cast<char>(byte);
  if (mode_ == Mode::kString) {
    if (byte != '"' || !escape_.pending().empty()) {
      escape_.push(byte);
      for (char read : escape_.take()) read_ = store.extended(read_, read);
      return;
    }
    const std::string text = store.string(std::exchange(read_, JsonValues::kNoBytes));
    mode_ = Mode::kOutside;
    if (inside()) {
      Open open = store.opened(open_);
      if (open.object && open.phase == kFresh) {
        open.key = store.text(text);
        open.phase = kKey;
        open_ = store.open(open);
        return;
      }
    }
    complete(store, store.scalar('"' + text));
    return;
  }
  if (in_number()) {
    if (is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E') {
      push_number(store, c);
      return;
    }
    end_number(store);
  }
  if (mode_ == Mode::kWord) {
    read_ = store.extended(read_, c);
    const std::string word = store.string(read_);
    if (word.size() < length_of_word(word[0])) return;
    read_ = JsonValues::kNoBytes;
    mode_ = Mode::kOutside;
    complete(store, store.scalar(word));
  } else if (c == '"') {
    mode_ = Mode::kString;
  } else if (c == '-' || is_digit(c)) {
    mode_ = Mode::kNumber;
    read_ = store.extended(read_, c);
  } else if (c >= 'a' && c <= 'z') {
    mode_ = Mode::kWord;
    read_ = store.extended(read_, c);
  } else {
    push_outside(store, byte);
  }
}

// Zeros that make no difference are left out: those at the end of a mantissa's fraction, those that
// an exponent begins with, and the exponent of zero.
void ValueReader::push_number(JsonValues& store, char c) {
  if (mode_ == Mode::kExponent) {
    const char before = store.last(read_);
    if (store.length(read_) == 2 && store.string(read_)[0] == '0') return;  // zero
    if (c == '+' || (c == '0' && (before == 'e' || before == '-'))) return;
  } else if (c == '.') {
    mode_ = Mode::kFraction;
  } else if (c == 'e' || c == 'E') {
    if (mode_ == Mode::kFraction) {
      drop_zeros(store);
      if (store.last(read_) == '.') read_ = store.without_last(read_);
    }
    if (store.string(read_).find_first_not_of("-0.") == std::string::npos) {
      read_ = store.extended(JsonValues::kNoBytes, '0');
    }
    mode_ = Mode::kExponent;
    c = 'e';
  }
  read_ = store.extended(read_, c);
}

void ValueReader::end_number(JsonValues& store) {
  const Value number = store.scalar(canonical_number(store.string(read_)));
  read_ = JsonValues::kNoBytes;
  mode_ = Mode::kOutside;
  complete(store, number);
}

void ValueReader::complete(JsonValues& store, Value value) {
  if (!inside()) {
    done_ = value;
    return;
  }
  Open open = store.opened(open_);
  if (open.object) {
    if (open.key == JsonValues::kNoText) return;  // no JSON
    member_ = store.member(open.key, value);
    open.content = static_cast<std::uint32_t>(store.with(Set{open.content}, member_));
    open.key = JsonValues::kNoText;
  } else {
    open.content = static_cast<std::uint32_t>(store.append(Value{open.content}, value));
  }
  open.phase = kComplete;
  open_ = store.open(open);
}

void ValueReader::push_outside(JsonValues& store, std::uint8_t byte) {
  const bool object = byte == '{';
  if (object || byte == '[') {
    Open open;
    open.outer = open_;
    open.depth = static_cast<std::uint32_t>(depth(store)) + 1;
    open.object = object;
    if (!object) open.content = static_cast<std::uint32_t>(store.array());
    open_ = store.open(open);
    return;
  }
  if (!inside()) return;
  Open open = store.opened(open_);
  if (byte == ']' || byte == '}') {
    open_ = open.outer;
    complete(store, open.object ? store.object(Set{open.content}) : Value{open.content});
  } else if (byte == ',' || byte == ':') {
    open.phase = byte == ',' ? kFresh : kColon;
    open_ = store.open(open);
  }
}

Value ValueReader::value(JsonValues& store) const {
  if (inside() || mode_ == Mode::kString || mode_ == Mode::kWord) {  // not complete
    return store.scalar(store.string(read_));
  }
  if (in_number()) return store.scalar(canonical_number(store.string(read_)));
  return done_ == JsonValues::kNoValue ? store.scalar("") : done_;
}

bool ValueReader::is_in(JsonValues& store, Set values) const {
  if (values == JsonValues::kEmptySet) return false;
  if (inside() || !in_number()) return store.contains(values, store.value(value(store)));
  return store.has_scalar(values, canonical_number(store.string(read_)));
}

ValueReader::Continued::Continued(const JsonValues& store, const ValueReader& reader)
    : store_(store), reader_(reader), text_(store.string(reader.read_)) {
  for (std::uint32_t i = reader.open_; i != kNoIndex; i = path_.back()->outer) {
    path_.push_back(&store.opened(i));
  }
  if (!reader.in_number()) return;
  exponent_ = reader.mode_ == Mode::kExponent;
  digits_ = digits_of(text_);
}

Set ValueReader::Continued::of(JsonValues& store, Set values) const {
  if (path_.empty()) {  // a scalar: what goes on from it begins so
    const Mode mode = reader_.mode_;
    if (mode == Mode::kOutside && reader_.done_ == JsonValues::kNoValue) return values;
    if (mode == Mode::kString) return store.scalars_from(values, '"' + text_);
    if (mode == Mode::kWord) return store.scalars_from(values, text_);
    if (reader_.in_number() && !digits_.empty() && digits_ != "-") {
      return store.scalars_from(values, exponent_ ? digits_ + 'e' : digits_);
    }
  }
  return store.filtered(
      values, [&](JsonValues::Element value) { return may_become(store.value_of(value)); });
}

// What the last byte changed is compared, and what costs no more.
bool ValueReader::Continued::may_become(Value value, ByteSet* next) const {
  const bool outside = reader_.mode_ == Mode::kOutside;
  if (path_.empty()) {
    if (!outside) return may_become_scalar(value, next);
    return reader_.done_ == JsonValues::kNoValue || reader_.done_ == value;
  }
  for (std::size_t i = path_.size(); i-- > 0;) {
    const Open& open = *path_[i];
    const bool last = i == 0;
    const bool begun = !last || !outside;
    if (store_.kind(value) !=
        (open.object ? JsonValues::Kind::kObject : JsonValues::Kind::kArray)) {
      return false;
    }
    if (!open.object) {
      const Value read{open.content};
      const std::uint32_t count = store_.items(read);
      const bool more = begun || (open.phase == kFresh && count != 0);
      if (store_.items(value) < count + (more ? 1 : 0)) return false;
      if (store_.first(value, count) != read) return false;
      if (begun) value = store_.last_item(store_.first(value, count + 1));
      if (last) return !begun || may_become_scalar(value, next);
      continue;
    }
    const Set read{open.content};
    const Set members = store_.members(value);
    const JsonValues::Element complete = reader_.member_;
    if (last && complete != JsonValues::kNoElement && !store_.contains(members, complete)) {
      return false;
    }
    const bool more = begun || open.phase == kKey || open.phase == kColon ||
                      (open.phase == kFresh && store_.size(read) != 0);
    if (store_.size(members) < store_.size(read) + (more ? 1 : 0)) return false;
    if (last && open.phase == kComplete) return true;
    if (last && open.phase == kFresh) {
      if (!begun) return true;
      bool found = false;  // a member that begins like the key under way, and is not read
      store_.for_each_from(members, text_, [&](JsonValues::Element member) {
        if (!store_.contains(read, member)) {
          found = may_become_text(store_.string(store_.key_of(member)), next) || found;
        }
        return !found || next != nullptr;
      });
      return found;
    }
    if (open.key == JsonValues::kNoText) return false;  // no JSON
    const JsonValues::Element member = store_.find(members, store_.string(open.key));
    if (member == JsonValues::kNoElement || store_.contains(read, member)) return false;
    if (!begun) return true;
    value = store_.value_of(member);
    if (last) return may_become_scalar(value, next);
  }
  return true;
}

bool ValueReader::Continued::may_become_scalar(Value value, ByteSet* next) const {
  if (store_.kind(value) != JsonValues::Kind::kScalar) return false;
  std::string_view text = store_.canonical(value);
  if (reader_.mode_ == Mode::kWord) return text.starts_with(text_);
  if (reader_.mode_ == Mode::kString) {
    return text.starts_with('"') && may_become_text(text.substr(1), next);
  }
  if (text == "0") return digits_.empty() || digits_ == "-";
  if (text.empty() || !(is_digit(text[0]) || text[0] == '-')) return false;
  if (digits_.empty()) return !exponent_ && text[0] != '-';
  text = text.substr(0, text.find('e'));
  return exponent_ ? text == digits_ : text.starts_with(digits_);
}

bool ValueReader::Continued::may_become_text(std::string_view text, ByteSet* next) const {
  const std::size_t length = text_.size();
  const std::size_t known = length - std::min<std::size_t>(length, kMostBytes);
  if (length > text.size() ||
      text.substr(known, length - known) != std::string_view(text_).substr(known)) {
    return false;
  }
  if (next) {
    const char c = length < text.size() ? text[length] : '"';
    next->insert('\\');  // any character may be escaped
    if (length == text.size() || c != '"') next->insert(static_cast<std::uint8_t>(c));
  }
  return true;
}

Hash128 ValueReader::hash(const JsonValues& store) const {
  return Hasher(0x7A1E)
      .add(static_cast<std::uint64_t>(mode_))
      .add(inside() ? store.opened(open_).hash : Hash128{})
      .add(store.hash(read_))
      .add(done_ == JsonValues::kNoValue ? Hash128{} : store.hash(done_))
      .add(std::string_view(escape_.pending()))
      .finish();
}

bool ValueReader::in_key(const JsonValues& store) const {
  if (mode_ != Mode::kString || !inside()) return false;
  const Open& open = store.opened(open_);
  return open.object && open.phase == kFresh;
}

std::string_view ValueReader::key(const JsonValues& store) const {
  const JsonValues::Text key = inside() ? store.opened(open_).key : JsonValues::kNoText;
  return key == JsonValues::kNoText ? std::string_view() : store.string(key);
}

std::size_t ValueReader::depth(const JsonValues& store) const {
  return inside() ? store.opened(open_).depth : 0;
}

bool ValueReader::in_zeros(const JsonValues& store) const {
  return mode_ == Mode::kFraction && store.last(read_) == '0';
}

void ValueReader::drop_zeros(const JsonValues& store) {
  while (store.last(read_) == '0') read_ = store.without_last(read_);
}

bool ValueReader::longer(const JsonValues& store, const ValueReader& before) const {
  if (mode_ != before.mode_ || escape_.pending() != before.escape_.pending()) return false;
  if (depth(store) != before.depth(store)) return false;
  std::uint32_t own = open_;
  std::uint32_t other = before.open_;
  if (own == other) return false;
  while (store.opened(own).outer != store.opened(other).outer) {
    own = store.opened(own).outer;
    other = store.opened(other).outer;
  }
  const Open& open = store.opened(own);
  const Open& shorter = store.opened(other);
  if (open.object || shorter.object) return false;
  const std::uint32_t count = store.items(Value{shorter.content});
  return store.items(Value{open.content}) > count &&
         store.first(Value{open.content}, count) == Value{shorter.content};
}

bool ValueReader::grows_by(const JsonValues& store, std::uint8_t byte) const {
  if (mode_ == Mode::kString) {
    return in_string() && byte != '"' && byte != '\\' && byte >= 0x20 && byte < 0x80;
  }
  const auto c = static_cast<char>(byte);
  if (!in_number() || !is_digit(c)) return false;
  if (mode_ == Mode::kFraction) return c != '0';
  if (mode_ == Mode::kExponent && c == '0') return false;
  return store.length(read_) > 2 ||
         store.string(read_).find_first_of("123456789") != std::string::npos;
}

}  // namespace formgate
