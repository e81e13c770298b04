#include "schema_text.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gil.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr unsigned kDeep = 200;
constexpr std::size_t kDigits = 18;  // of integers that fit the machine's

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Methods return an invalid object for what is left to others.
class Reader {
 public:
  Reader(std::string_view text, nb::handle decimal) : text_(text), decimal_(decimal) {}

  nb::object all() {
    blanks();
    if (!next_is('{')) return {};
    nb::object found = value(0);
    blanks();
    return at_ == text_.size() ? found : nb::object();
  }

 private:
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) {
    const bool there = next_is(c);
    at_ += there ? 1 : 0;
    return there;
  }
  void blanks() {
    while (next_is(' ') || next_is('\n') || next_is('\t') || next_is('\r')) ++at_;
  }

  nb::object value(unsigned depth) {
    if (at_ >= text_.size() || depth > kDeep) return {};
    switch (text_[at_]) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"': {
        const auto found = string();
        return found ? nb::object(nb::str(found->data(), found->size())) : nb::object();
      }
      case 't':
        return word("true", Py_True);
      case 'f':
        return word("false", Py_False);
      case 'n':
        return word("null", Py_None);
      default:
        return number();
    }
  }

  nb::object word(std::string_view name, PyObject* meaning) {
    if (text_.substr(at_, name.size()) != name) return {};
    at_ += name.size();
    return nb::borrow(meaning);
  }

  nb::object object(unsigned depth) {
    ++at_;
    nb::dict found;
    Py_ssize_t members = 0;
    blanks();
    if (take('}')) return found;
    do {
      blanks();
      const auto name = next_is('"') ? string() : std::nullopt;
      if (!name) return {};
      const nb::object key = named(*name);
      blanks();
      if (!take(':')) return {};
      blanks();
      const nb::object held = value(depth + 1);
      if (!held.is_valid()) return {};
      if (PyDict_SetItem(found.ptr(), key.ptr(), held.ptr()) != 0) throw nb::python_error();
      ++members;
      blanks();
    } while (take(','));
    if (!take('}') || PyDict_Size(found.ptr()) != members) return {};
    return found;
  }

  nb::object array(unsigned depth) {
    ++at_;
    nb::list found;
    blanks();
    if (take(']')) return found;
    do {
      blanks();
      const nb::object item = value(depth + 1);
      if (!item.is_valid()) return {};
      found.append(item);
      blanks();
    } while (take(','));
    return take(']') ? nb::object(found) : nb::object();
  }

  // Without escapes a view of the text, else of what they stand for; valid until the next string.
  std::optional<std::string_view> string() {
    const std::size_t begin = ++at_;
    const char* const end = text_.data() + text_.size();
    const char* now = text_.data() + at_;
    while (now != end && *now != '"' && *now != '\\') {
      if (static_cast<unsigned char>(*now) < 0x20) return std::nullopt;
      ++now;
    }
    at_ = static_cast<std::size_t>(now - text_.data());
    if (take('"')) return text_.substr(begin, at_ - 1 - begin);
    spelled_.assign(text_.substr(begin, at_ - begin));
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return spelled_;
      if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
      if (c != '\\') {
        spelled_ += c;
      } else if (!escape()) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  bool escape() {
    if (at_ >= text_.size()) return false;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = text_[at_++];
    if (const auto place = kNames.find(c); place != std::string_view::npos) {
      spelled_ += kMeanings[place];
      return true;
    }
    if (c != 'u') return false;
    const auto unit = four_digits();
    if (!unit) return false;
    std::uint32_t code = *unit;
    if (code >= 0xD800 && code < 0xE000) {
      if (code >= 0xDC00 || text_.substr(at_, 2) != "\\u") return false;
      at_ += 2;
      const auto low = four_digits();
      if (!low || *low < 0xDC00 || *low >= 0xE000) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (*low - 0xDC00);
    }
    spell(code);
    return true;
  }

  std::optional<std::uint32_t> four_digits() {
    std::uint32_t found = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = at_ < text_.size() ? text_[at_++] : ' ';
      const char low = static_cast<char>(c | 0x20);
      if (is_digit(c)) {
        found = found * 16 + static_cast<std::uint32_t>(c - '0');
      } else if (low >= 'a' && low <= 'f') {
        found = found * 16 + static_cast<std::uint32_t>(low - 'a' + 10);
      } else {
        return std::nullopt;
      }
    }
    return found;
  }

  void spell(std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { spelled_ += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
      add(0xC0 | (code >> 6));
    } else {
      if (code < 0x10000) {
        add(0xE0 | (code >> 12));
      } else {
        add(0xF0 | (code >> 18));
        add(0x80 | ((code >> 12) & 0x3F));
      }
      add(0x80 | ((code >> 6) & 0x3F));
    }
    add(0x80 | (code & 0x3F));
  }

  nb::object number() {
    const std::size_t begin = at_;
    take('-');
    const std::size_t first = at_;
    digits();
    const std::size_t whole = at_ - first;
    if (whole == 0 || (whole > 1 && text_[first] == '0')) return {};
    bool exact = true;
    if (take('.')) {
      exact = false;
      if (!digits()) return {};
    }
    if (take('e') || take('E')) {
      exact = false;
      if (!take('-')) take('+');
      if (!digits()) return {};
    }
    const std::string_view said = text_.substr(begin, at_ - begin);
    if (!exact)
      return bindings::in_python(
          [&] { return nb::object(decimal_(nb::str(said.data(), said.size()))); });
    if (whole > kDigits) return {};
    long long found = 0;
    for (const char c : said.substr(first - begin)) found = found * 10 + (c - '0');
    return nb::int_(first > begin ? -found : found);
  }

  bool digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > begin;
  }

  // Names stand in a schema again and again.
  nb::object named(std::string_view name) {
    if (name.data() == spelled_.data()) return nb::str(name.data(), name.size());
    if (name.empty()) return nb::str("");
    const auto bits = static_cast<std::size_t>(name.front()) * 7 + name.size() * 31 +
                      static_cast<std::size_t>(name.back());
    auto& [known, object] = names_[bits % names_.size()];
    if (known != name) {
      known = name;
      object = nb::str(name.data(), name.size());
    }
    return object;
  }

  const std::string_view text_;
  const nb::handle decimal_;
  std::size_t at_ = 0;
  std::string spelled_;
  std::array<std::pair<std::string_view, nb::object>, 64> names_;  // those met last
};

}  // namespace

nb::object read_schema(nb::str text, nb::handle decimal) {
  const auto given = text_of(text);
  const nb::object found = given ? Reader(*given, decimal).all() : nb::object();
  return found.is_valid() ? found : nb::none();
}

}  // namespace formgate::json_schema
