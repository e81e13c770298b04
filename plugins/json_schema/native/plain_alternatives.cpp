// Alternatives that share no value: a null beside something else, for the most, or objects told
// apart by a tag, a member that each asks for, with strings of its own. Then exactly one holds
// where one does, and the texts are those of all of them.
//
// Alternatives may be references, and hold others. A schema that leads to itself in this way, which
// is an error, has no kinds: they are found by going through all that applies to the same value.
#include <algorithm>
#include <string>
#include <unordered_set>

#include "plain_schemas.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr unsigned kMost = 8;              // alternatives within alternatives, and references
constexpr Py_ssize_t kManyBranches = 256;  // others share their parts among more

struct Alternatives {
  Keyword keyword;
  const char* name;
};
constexpr Alternatives kAlternatives[] = {
    {Keyword::kAllOf, "allOf"}, {Keyword::kAnyOf, "anyOf"}, {Keyword::kOneOf, "oneOf"}};

unsigned kind_of_value(nb::handle value) {
  if (value.is_none()) return kNull;
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True ? kTrue : kFalse;
  if (PyUnicode_Check(value.ptr())) return kString;
  if (is_list(value)) return kArray;
  return is_dict(value) ? kObject : kNumber;
}

// The one keyword of alternatives, where nothing stands beside it: a list of some length, for
// conjunctions of one.
std::optional<Alternatives> sole(unsigned said, auto&& of) {
  if (said != 1) return std::nullopt;
  for (const Alternatives& one : kAlternatives) {
    const nb::handle given = of(one.keyword);
    if (!given.is_valid()) continue;
    const Py_ssize_t size = is_list(given) ? PyList_Size(given.ptr()) : 0;
    const Py_ssize_t most = one.keyword == Keyword::kAllOf ? 1 : kManyBranches;
    if (size < 1 || size > most) return std::nullopt;
    return one;
  }
  return std::nullopt;
}

}  // namespace

// Notes what a plain schema says, and of a reference what it leads to; false for others. Counts the
// references.
bool PlainSchemas::follow(nb::handle given, Said& said, unsigned& depth) {
  nb::object schema = nb::borrow(given);
  for (;; ++depth) {
    said.clear();
    if (depth > kMost || !is_dict(schema) || !read(schema, said)) return false;
    if (!said.has(Keyword::kRef)) return true;
    auto next = target(said.of(Keyword::kRef));
    if (!next) return false;
    schema = std::move(next->first);
  }
}

// The kinds of values that a plain schema may allow; nothing for others.
std::optional<unsigned> PlainSchemas::kinds_of(nb::handle schema, unsigned depth) {
  Said said;
  if (!follow(schema, said, depth)) return std::nullopt;
  if (said.has(Keyword::kAllOf) || said.has(Keyword::kAnyOf) || said.has(Keyword::kOneOf)) {
    return kinds_of_any(said, depth + 1);
  }
  unsigned bits = kAll;
  if (said.has(Keyword::kType)) {
    const auto found = kinds(said.of(Keyword::kType));
    if (!found) return std::nullopt;
    bits = found->bits;
  }
  if (said.has(Keyword::kConst)) bits &= kind_of_value(said.of(Keyword::kConst));
  if (said.has(Keyword::kEnum)) {
    const nb::handle values = said.of(Keyword::kEnum);
    if (!is_list(values)) return std::nullopt;
    unsigned own = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(values.ptr()); ++i) {
      own |= kind_of_value(PyList_GetItem(values.ptr(), i));
    }
    bits &= own;
  }
  return bits;
}

// The members that an object must have and of which it lists the strings, if it is one schema.
std::optional<PlainSchemas::Tags> PlainSchemas::tags_of(nb::handle schema) {
  Said said;
  unsigned hops = 0;
  if (!follow(schema, said, hops)) return std::nullopt;
  const nb::handle properties = said.of(Keyword::kProperties);
  const nb::handle required = said.of(Keyword::kRequired);
  if (said.has(Keyword::kAllOf) || said.has(Keyword::kAnyOf) || said.has(Keyword::kOneOf) ||
      !properties.is_valid() || !is_dict(properties) || !required.is_valid() ||
      !is_list(required)) {
    return std::nullopt;
  }
  Tags found;
  for (Py_ssize_t i = 0; i < PyList_Size(required.ptr()); ++i) {
    const nb::object name = nb::borrow(PyList_GetItem(required.ptr(), i));
    const auto text = text_of(name);
    const nb::object member = text ? member_of(properties, name) : nb::object();
    Said own;
    if (!member.is_valid() || !is_dict(member) || !read(member, own) || own.has(Keyword::kRef)) {
      continue;
    }
    std::vector<nb::handle> values;
    if (own.has(Keyword::kConst)) {
      values.push_back(own.of(Keyword::kConst));
    } else if (own.has(Keyword::kEnum) && is_list(own.of(Keyword::kEnum))) {
      const nb::handle listed = own.of(Keyword::kEnum);
      for (Py_ssize_t k = 0; k < PyList_Size(listed.ptr()); ++k) {
        values.emplace_back(PyList_GetItem(listed.ptr(), k));
      }
    }
    std::unordered_set<std::string> strings;
    bool texts = !values.empty();
    for (const nb::handle value : values) {
      const auto string = text_of(value);
      texts = texts && string;
      if (texts) strings.emplace(*string);
    }
    if (texts) found.emplace_back(std::string(*text), std::move(strings));
  }
  return found;
}

// Says whether some member tells objects apart: each must have it, with strings that no other has.
bool PlainSchemas::told_apart(const std::vector<Tags>& objects) {
  const auto tells = [&](const std::string& name) {
    std::unordered_set<std::string_view> seen;
    for (const Tags& tags : objects) {
      const auto own = std::ranges::find(tags, name, &Tags::value_type::first);
      if (own == tags.end()) return false;
      for (const std::string& string : own->second) {
        if (!seen.insert(string).second) return false;
      }
    }
    return true;
  };
  return std::ranges::any_of(objects.front(), tells, &Tags::value_type::first);
}

// The kinds of alternatives that stand alone, if no two have a value in common.
std::optional<unsigned> PlainSchemas::kinds_of_any(const Said& said, unsigned depth) {
  const auto found = sole(said.count(), [&](Keyword keyword) { return said.of(keyword); });
  if (!found) return std::nullopt;
  const nb::handle branches = said.of(found->keyword);
  unsigned bits = 0;
  nb::object first;  // with objects
  std::vector<Tags> objects;
  for (Py_ssize_t i = 0; i < PyList_Size(branches.ptr()); ++i) {
    const nb::object branch = nb::borrow(PyList_GetItem(branches.ptr(), i));
    const auto own = kinds_of(branch, depth);
    // A branch without a value is not plain; many such could hold each other.
    if (!own || *own == 0 || (bits & *own & ~unsigned{kObject}) != 0) return std::nullopt;
    if (bits & *own) {
      if (objects.empty()) {
        auto tags = tags_of(first);
        if (!tags || tags->empty()) return std::nullopt;
        objects.push_back(std::move(*tags));
      }
      auto tags = tags_of(branch);
      if (!tags || tags->empty()) return std::nullopt;
      objects.push_back(std::move(*tags));
    } else if (*own & kObject) {
      first = branch;
    }
    bits |= *own;
  }
  if (!objects.empty() && !told_apart(objects)) return std::nullopt;
  return bits;
}

std::optional<PlainSchemas::Node> PlainSchemas::alternatives(const Said& said, Place place,
                                                             bool& composite) {
  const auto bits = kinds_of_any(said, 0);
  if (!bits) return std::nullopt;
  const auto found = sole(said.count(), [&](Keyword keyword) { return said.of(keyword); });
  // The schema is not to be changed while others write its parts; what stands in it is kept.
  std::vector<nb::object> branches;
  const nb::handle given = said.of(found->keyword);
  for (Py_ssize_t i = 0; i < PyList_Size(given.ptr()); ++i) {
    branches.push_back(nb::borrow(PyList_GetItem(given.ptr(), i)));
  }
  composite = (*bits & (kArray | kObject)) != 0;
  const Place all = step(place, nb::str(found->name));
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const auto node = attempt(branches[i], step(all, nb::str(std::to_string(i).c_str())));
    if (!node) return std::nullopt;
    nodes.push_back(*node);
  }
  return nodes.size() == 1 ? nodes.front() : grammar_.choice(nodes);
}

}  // namespace formgate::json_schema
