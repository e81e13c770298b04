#include "likely_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr unsigned kDeep = 10;  // schemas within schemas, and references one after another
constexpr std::uint32_t kMostItems = 4;
constexpr std::size_t kMostAlternatives = 16;  // that are looked at
// What may be looked at for each character that is wanted, so that a schema that says little with
// much takes no longer.
constexpr std::size_t kLooks = 16;

enum Word : std::uint8_t {
  kType,
  kConst,
  kEnum,
  kRef,
  kAllOf,
  kAnyOf,
  kOneOf,
  kProperties,
  kRequired,
  kAdditional,
  kPatterns,
  kItems,
  kPrefixItems,
  kAdditionalItems,
  kMinItems,
  kMaxItems,
  kMinLength,
  kMaxLength,
  kPattern,
  kFormat,
  kMinimum,
  kMaximum,
  kExclusiveMinimum,
  kExclusiveMaximum,
  kMultipleOf,
  kWords,
};

const std::unordered_map<std::string_view, Word>& words() {
  static const std::unordered_map<std::string_view, Word> known = {
      {"type", kType},
      {"const", kConst},
      {"enum", kEnum},
      {"$ref", kRef},
      {"allOf", kAllOf},
      {"anyOf", kAnyOf},
      {"oneOf", kOneOf},
      {"properties", kProperties},
      {"required", kRequired},
      {"additionalProperties", kAdditional},
      {"patternProperties", kPatterns},
      {"items", kItems},
      {"prefixItems", kPrefixItems},
      {"additionalItems", kAdditionalItems},
      {"minItems", kMinItems},
      {"maxItems", kMaxItems},
      {"minLength", kMinLength},
      {"maxLength", kMaxLength},
      {"pattern", kPattern},
      {"format", kFormat},
      {"minimum", kMinimum},
      {"maximum", kMaximum},
      {"exclusiveMinimum", kExclusiveMinimum},
      {"exclusiveMaximum", kExclusiveMaximum},
      {"multipleOf", kMultipleOf},
  };
  return known;
}

std::string_view text_of_format(std::string_view name) {
  static const std::unordered_map<std::string_view, std::string_view> known = {
      {"date", "2024-01-01"},
      {"date-time", "2024-01-01T00:00:00Z"},
      {"duration", "P1D"},
      {"email", "a@example.com"},
      {"hostname", "example.com"},
      {"idn-email", "a@example.com"},
      {"idn-hostname", "example.com"},
      {"ipv4", "10.0.0.1"},
      {"ipv6", "2001:db8::1"},
      {"iri", "https://example.com/"},
      {"time", "00:00:00Z"},
      {"uri", "https://example.com/"},
      {"uuid", "123e4567-e89b-12d3-a456-426614174000"},
  };
  const auto found = known.find(name);
  return found == known.end() ? std::string_view{} : found->second;
}

bool holds_list(nb::handle value) { return value.is_valid() && is_list(value); }
bool holds_dict(nb::handle value) { return value.is_valid() && is_dict(value); }

// What a schema says, by keyword.
struct Said {
  std::array<nb::handle, kWords> of;
  std::array<Word, kWords> order;  // in which the first `count` stand there
  std::size_t count = 0;

  explicit Said(nb::handle schema) {
    Py_ssize_t at = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(schema.ptr(), &at, &key, &value)) {
      const auto name = text_of(key);
      if (!name) continue;
      const auto known = words().find(*name);
      // Keys of classes of their own may differ and have one text.
      if (known == words().end() || of[known->second].is_valid()) continue;
      of[known->second] = value;
      order[count++] = known->second;
    }
  }

  nb::handle operator[](Word word) const { return of[word]; }
  bool has(Word first, Word last) const {
    return std::any_of(of.begin() + first, of.begin() + last + 1,
                       [](nb::handle one) { return one.is_valid(); });
  }
};

class Writer {
 public:
  Writer(nb::handle root, std::size_t size, Spacing spacing)
      : root_(root), left_(size), looks_((size + 16) * kLooks), spacing_(std::move(spacing)) {}

  std::vector<std::string> pieces() && { return std::move(pieces_); }

  // Writes a value of a schema; false where the text is long enough.
  bool value(nb::handle schema, unsigned level, unsigned depth) {
    if (left_ == 0 || looks_ == 0 || depth > kDeep) return false;
    if (schema.ptr() == Py_True) return write("\"a\"");
    if (!holds_dict(schema)) return gap();
    const Said said = look(schema);
    if (said[kConst].is_valid()) return given(said[kConst]);
    if (holds_list(said[kEnum])) {
      return PyList_Size(said[kEnum].ptr()) == 0 ? gap()
                                                 : given(PyList_GetItem(said[kEnum].ptr(), 0));
    }
    const std::string_view kind = kind_of(said);
    if (kind == "object") return object(said, level, depth);
    if (kind == "array") return array(said, level, depth);
    if (kind == "string") return string(said);
    if (kind == "boolean") return write("true");
    if (kind == "null") return write("null");
    if (kind == "integer" || kind == "number") {
      return said.has(kMinimum, kMultipleOf) ? gap() : write("1");
    }
    if (said[kRef].is_valid()) return value(referred(said[kRef]), level, depth + 1);
    for (const Word word : {kAnyOf, kOneOf, kAllOf}) {
      const nb::handle best = best_of(said[word]);
      if (best.is_valid()) return value(best, level, depth + 1);
    }
    return PyDict_Size(schema.ptr()) == 0 ? write("\"a\"") : gap();
  }

 private:
  bool write(std::string_view text) {
    pieces_.back() += text;
    left_ -= std::min(left_, text.size());
    return left_ != 0;
  }

  // Counts what was looked at.
  void looked(std::size_t count) { looks_ -= std::min(looks_, count); }

  Said look(nb::handle schema) {
    looked(1 + static_cast<std::size_t>(PyDict_Size(schema.ptr())));
    return Said(schema);
  }

  // What is not known comes here.
  bool gap() {
    pieces_.emplace_back();
    return left_ != 0;
  }

  // What stands before a member, an item or an end.
  bool line(unsigned level) {
    if (!spacing_.indent) return true;
    pieces_.back() += '\n';
    pieces_.back().append(std::size_t{level} * *spacing_.indent, ' ');
    return true;
  }

  bool object(const Said& said, unsigned level, unsigned depth) {
    write("{");
    std::vector<std::string_view> names;
    bool more = members(said, Members::kNamed, names, level, depth) &&
                members(said, Members::kRequired, names, level, depth);
    if (more && names.empty() && holds_dict(said[kAdditional])) {
      names.emplace_back("a");
      more = line(level + 1) && write("\"a\"") && write(spacing_.colon) &&
             value(said[kAdditional], level + 1, depth + 1);
    }
    return more && (names.empty() || line(level)) && write("}");
  }

  enum class Members : std::uint8_t { kNamed, kRequired };

  // The members that a schema names, or says that there must be, with those of schemas that hold
  // for the same object, in the order in which they stand there.
  bool members(const Said& said, Members which, std::vector<std::string_view>& names,
               unsigned level, unsigned depth) {
    if (depth > kDeep) return false;
    const auto also = [&](nb::handle schema) {
      return !holds_dict(schema) || members(look(schema), which, names, level, depth + 1);
    };
    for (std::size_t i = 0; i < said.count; ++i) {
      const Word word = said.order[i];
      const nb::handle value = said[word];
      bool more = looks_ != 0;
      if (word == kProperties && which == Members::kNamed) {
        more = more && named(value, names, level, depth);
      } else if (word == kRequired && which == Members::kRequired) {
        more = more && required(said, names, level, depth);
      } else if (word == kRef) {
        more = more && also(referred(value));
      } else if (word == kAnyOf || word == kOneOf) {
        more = more && also(best_of(value));
      } else if (word == kAllOf && holds_list(value)) {
        for (Py_ssize_t at = 0; more && at < PyList_Size(value.ptr()); ++at) {
          looked(1);
          more = looks_ != 0 && also(PyList_GetItem(value.ptr(), at));
        }
      }
      if (!more) return false;
    }
    return true;
  }

  bool named(nb::handle properties, std::vector<std::string_view>& names, unsigned level,
             unsigned depth) {
    if (!holds_dict(properties)) return true;
    Py_ssize_t at = 0;
    PyObject* key = nullptr;
    PyObject* inner = nullptr;
    while (PyDict_Next(properties.ptr(), &at, &key, &inner)) {
      if (!member(key, inner, names, level, depth)) return false;
    }
    return true;
  }

  bool required(const Said& said, std::vector<std::string_view>& names, unsigned level,
                unsigned depth) {
    if (!holds_list(said[kRequired])) return true;
    const nb::handle other = said[kAdditional].is_valid() ? said[kAdditional] : Py_True;
    for (Py_ssize_t i = 0; i < PyList_Size(said[kRequired].ptr()); ++i) {
      if (!member(PyList_GetItem(said[kRequired].ptr(), i), other, names, level, depth)) {
        return false;
      }
    }
    return true;
  }

  bool member(nb::handle key, nb::handle schema, std::vector<std::string_view>& names,
              unsigned level, unsigned depth) {
    looked(1 + names.size());
    if (looks_ == 0) return false;
    const auto name = text_of(key);
    if (!name || schema.ptr() == Py_False) return true;
    if (std::ranges::find(names, *name) != names.end()) return true;
    const bool first = names.empty();
    names.push_back(*name);
    if (!first) write(spacing_.comma);
    line(level + 1);
    quoted(*name);
    write(spacing_.colon);
    return value(schema, level + 1, depth + 1);
  }

  bool array(const Said& said, unsigned level, unsigned depth) {
    nb::handle first = said[kPrefixItems];
    nb::handle items = said[kItems];
    if (holds_list(items)) {
      first = items;
      items = said[kAdditionalItems];
    }
    const std::size_t listed =
        holds_list(first) ? static_cast<std::size_t>(PyList_Size(first.ptr())) : 0;
    const auto least = said[kMinItems].is_valid() ? count_of(said[kMinItems]) : std::nullopt;
    const auto most = said[kMaxItems].is_valid() ? count_of(said[kMaxItems]) : std::nullopt;
    std::size_t count = std::max<std::size_t>(listed, std::min(least.value_or(1), kMostItems));
    count = std::max<std::size_t>(count, 1);
    if (items.ptr() == Py_False) count = listed;
    if (most) count = std::min<std::size_t>(count, *most);
    bool more = write("[");
    for (std::size_t i = 0; more && i < count; ++i) {
      if (i != 0) write(spacing_.comma);
      line(level + 1);
      const nb::handle one =
          i < listed ? nb::handle(PyList_GetItem(first.ptr(), static_cast<Py_ssize_t>(i))) : items;
      more = one.is_valid() ? value(one, level + 1, depth + 1) : write("\"a\"");
    }
    return more && (count == 0 || line(level)) && write("]");
  }

  bool string(const Said& said) {
    write("\"");
    if (said[kPattern].is_valid()) return gap() && write("\"");
    if (said[kFormat].is_valid()) {
      const auto name = text_of(said[kFormat]);
      const std::string_view known = name ? text_of_format(*name) : std::string_view{};
      if (!known.empty() && !said.has(kMinLength, kMaxLength)) return write(known) && write("\"");
      return gap() && write("\"");
    }
    const auto least = said[kMinLength].is_valid() ? count_of(said[kMinLength]) : std::nullopt;
    const auto most = said[kMaxLength].is_valid() ? count_of(said[kMaxLength]) : std::nullopt;
    const std::size_t length = std::min<std::size_t>(std::max(least.value_or(1), 1u), left_ + 1);
    return write(std::string(most ? std::min<std::size_t>(length, *most) : length, 'a')) &&
           write("\"");
  }

  // A value that the schema holds.
  bool given(nb::handle one) {
    if (const auto text = text_of(one)) return quoted(*text);
    if (one.is_none()) return write("null");
    if (one.ptr() == Py_True) return write("true");
    if (one.ptr() == Py_False) return write("false");
    return gap();
  }

  bool quoted(std::string_view text) {
    std::string& out = pieces_.back();
    const std::size_t before = out.size();
    out += '"';
    for (const char c : text) {
      constexpr std::string_view kHex = "0123456789abcdef";
      constexpr std::string_view kShort = "\b\t\n\f\r";  // what has a letter behind the backslash
      const auto byte = static_cast<std::uint8_t>(c);
      if (const auto at = kShort.find(c); at != std::string_view::npos) {
        out += '\\';
        out += "btnfr"[at];
      } else if (byte < 0x20) {
        out += "\\u00";
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
      } else {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
      }
    }
    out += '"';
    left_ -= std::min(left_, out.size() - before);
    return left_ != 0;
  }

  static std::string_view kind_of(const Said& said) {
    nb::handle type = said[kType];
    if (holds_list(type)) {
      nb::handle found;
      for (Py_ssize_t i = PyList_Size(type.ptr()); i-- > 0;) {
        const nb::handle one = PyList_GetItem(type.ptr(), i);
        if (!found.is_valid() || text_of(one) != "null") found = one;
      }
      type = found;
    }
    if (type.is_valid()) return text_of(type).value_or("");
    if (said.has(kProperties, kPatterns)) return "object";
    if (said.has(kItems, kMaxItems)) return "array";
    if (said.has(kMinLength, kFormat)) return "string";
    return said.has(kMinimum, kMultipleOf) ? "number" : "";
  }

  // The first of some schemas that is not just about null.
  nb::handle best_of(nb::handle list) {
    if (!holds_list(list) || PyList_Size(list.ptr()) == 0) return {};
    const auto size = static_cast<std::size_t>(PyList_Size(list.ptr()));
    for (std::size_t i = 0; i < std::min(size, kMostAlternatives); ++i) {
      const nb::handle one = PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i));
      if (!holds_dict(one)) continue;
      const nb::handle type = look(one)[kType];
      if (!type.is_valid() || text_of(type) != "null") return one;
    }
    return PyList_GetItem(list.ptr(), 0);
  }

  // What a pointer into the document points to; null where it is none, or is escaped.
  nb::handle referred(nb::handle reference) {
    const auto text = text_of(reference);
    if (!text || text->empty() || text->front() != '#') return {};
    nb::handle at = root_;
    std::string_view way = text->substr(1);
    while (!way.empty()) {
      if (way.front() != '/' || !holds_dict(at)) return {};
      way.remove_prefix(1);
      const std::string_view step = way.substr(0, way.find('/'));
      at = member_named(at, step);
      if (!at.is_valid()) return {};
      way.remove_prefix(step.size());
    }
    return at;
  }

  // A member of a dict. Looked for one by one: a lookup may compare keys in Python, which may
  // change what is looked at.
  nb::handle member_named(nb::handle dict, std::string_view name) {
    Py_ssize_t at = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (looks_ != 0 && PyDict_Next(dict.ptr(), &at, &key, &value)) {
      looked(1);
      if (text_of(key) == name) return value;
    }
    return {};
  }

  nb::handle root_;
  std::size_t left_;   // characters
  std::size_t looks_;  // that are left
  Spacing spacing_;
  std::vector<std::string> pieces_{1};
};

}  // namespace

std::vector<std::string> likely_text(nb::handle schema, std::size_t size, Spacing spacing) {
  Writer writer(schema, size, std::move(spacing));
  writer.value(schema, 0, 0);
  return std::move(writer).pieces();
}

}  // namespace formgate::json_schema
