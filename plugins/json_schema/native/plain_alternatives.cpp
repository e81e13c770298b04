// Alternatives, written as they stand: a null beside something else, for the most, or objects told
// apart by a member. Of `oneOf` only those that share no value: then exactly one holds where one
// does, and the texts are those of all of them.
//
// Alternatives may be references, and hold others. A schema that leads to itself in this way, which
// is an error, has no kinds: they are found by going through all that applies to the same value.
#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_set>

#include "plain_schemas.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr unsigned kMostApplied = 64;      // schemas applied in each other
constexpr Py_ssize_t kManyBranches = 256;  // others share their parts among more
constexpr std::size_t kManyPairs = 24;     // objects of which each is held against others

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

// The one keyword of alternatives, where nothing but a type stands beside it: a list of some
// length, for conjunctions of one.
template <typename Said>
std::optional<Alternatives> sole(const Said& said) {
  if (said.count() != (said.has(Keyword::kType) ? 2 : 1)) return std::nullopt;
  for (const Alternatives& one : kAlternatives) {
    const nb::handle given = said.of(one.keyword);
    if (!given.is_valid()) continue;
    const Py_ssize_t size = is_list(given) ? PyList_Size(given.ptr()) : 0;
    const Py_ssize_t most = one.keyword == Keyword::kAllOf ? 1 : kManyBranches;
    if (size < 1 || size > most) return std::nullopt;
    return one;
  }
  return std::nullopt;
}

// What a list holds, kept: schemas are not to be changed while others write their parts.
std::vector<nb::object> items_of(nb::handle list) {
  std::vector<nb::object> found;
  for (Py_ssize_t i = 0; i < PyList_Size(list.ptr()); ++i) {
    found.push_back(nb::borrow(PyList_GetItem(list.ptr(), i)));
  }
  return found;
}

// The one string that a pattern stands for which holds nothing but letters, digits and the like.
std::optional<std::unordered_set<std::string>> spelled_by(nb::handle pattern) {
  const auto text = text_of(pattern);
  if (!text || text->size() < 2 || text->front() != '^' || text->back() != '$') return std::nullopt;
  const std::string_view inner = text->substr(1, text->size() - 2);
  const auto plain = [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
           one == '_' || one == '-' || one == ' ';
  };
  if (!std::ranges::all_of(inner, plain)) return std::nullopt;
  return std::unordered_set<std::string>{std::string(inner)};
}

// Whether no string is in two of some sets.
bool disjoint(const std::vector<const std::unordered_set<std::string>*>& sets) {
  std::unordered_set<std::string_view> seen;
  for (const auto* set : sets) {
    for (const std::string& string : *set) {
      if (!seen.insert(string).second) return false;
    }
  }
  return true;
}

}  // namespace

// The kinds of values that a schema may allow, or more; nothing where that cannot be told.
std::optional<unsigned> PlainSchemas::kinds_of(nb::handle schema) {
  if (schema.ptr() == Py_True) return kAll;
  if (!is_dict(schema)) return std::nullopt;
  Record& record = records_[schema.ptr()];
  // While they are being found there are none: it is applied to what it applies to itself.
  if (record.sorted || applied_ >= kMostApplied) return record.kinds;
  record.sorted = true;
  record.schema = nb::borrow(schema);
  const Restored deeper(applied_, applied_ + 1);
  record.kinds = found_kinds(schema);
  return record.kinds;
}

std::optional<unsigned> PlainSchemas::found_kinds(nb::handle schema) {
  Said said;
  if (read(schema, said) == Heard::kNothing) return std::nullopt;
  unsigned bits = kAll;
  if (said.has(Keyword::kRef)) {
    const auto next = target(said.of(Keyword::kRef));
    const auto found = next ? kinds_of(next->first) : std::nullopt;
    if (!found || refers(said)) return found;
    bits = *found;
  }
  for (const Alternatives& one : kAlternatives) {
    if (!said.has(one.keyword)) continue;
    const nb::handle given = said.of(one.keyword);
    if (!is_list(given) || PyList_Size(given.ptr()) > kManyBranches) return std::nullopt;
    const bool all = one.keyword == Keyword::kAllOf;
    unsigned own = 0;
    if (all) own = kAll;
    for (const nb::object& branch : items_of(given)) {
      const auto found = kinds_of(branch);
      if (!found) return std::nullopt;
      own = all ? own & *found : own | *found;
    }
    bits &= own;
  }
  if (said.has(Keyword::kType)) {
    const auto found = kinds(said.of(Keyword::kType));
    if (!found) return std::nullopt;
    bits &= found->bits;
  }
  if (said.has(Keyword::kConst)) bits &= kind_of_value(said.of(Keyword::kConst));
  if (said.has(Keyword::kEnum)) {
    if (!is_list(said.of(Keyword::kEnum))) return std::nullopt;
    unsigned own = 0;
    for (const nb::object& value : items_of(said.of(Keyword::kEnum))) own |= kind_of_value(value);
    bits &= own;
  }
  return bits;
}

// Notes what a schema says, and of a reference what it leads to, with its place.
Heard PlainSchemas::follow(nb::object& schema, Place& place, Said& said) {
  for (unsigned hops = 0; hops <= kMostHops; ++hops) {
    said.clear();
    if (!is_dict(schema)) break;
    const Heard heard = read(schema, said);
    if (!refers(said) || heard == Heard::kNothing) return heard;
    auto next = target(said.of(Keyword::kRef));
    if (!next) break;
    std::tie(schema, place) = std::move(*next);
  }
  said.clear();
  return Heard::kNothing;
}

// The strings that a schema lists, where it lists values and all are strings.
std::optional<PlainSchemas::Strings> PlainSchemas::strings_of(nb::handle given) {
  nb::object schema = nb::borrow(given);
  Said said;
  Place place = 0;
  if (follow(schema, place, said) == Heard::kNothing) return std::nullopt;
  std::vector<nb::object> values;
  if (said.has(Keyword::kConst)) {
    values.push_back(nb::borrow(said.of(Keyword::kConst)));
  } else if (said.has(Keyword::kEnum) && is_list(said.of(Keyword::kEnum))) {
    values = items_of(said.of(Keyword::kEnum));
  } else if (said.has(Keyword::kPattern) && kinds_of(schema) == kString) {
    return spelled_by(said.of(Keyword::kPattern));
  }
  if (values.empty()) return std::nullopt;
  Strings found;
  for (const nb::object& value : values) {
    const auto text = text_of(value);
    if (!text) return std::nullopt;
    found.emplace(*text);
  }
  return found;
}

// --- what tells alternatives apart

nb::object PlainSchemas::Members::member(nb::handle name) const {
  return properties.is_valid() ? json_schema::member_of(properties, name) : nb::object();
}

// Adds what objects of a schema have, for each of its alternatives; false where that is not told.
bool PlainSchemas::objects_of(nb::handle given, Group& found, unsigned depth) {
  nb::object schema = nb::borrow(given);
  Said said;
  Place place = 0;
  const Heard heard = follow(schema, place, said);
  if (heard == Heard::kNothing || depth > kMostHops) return false;
  if (const auto among = sole(said)) {
    return std::ranges::all_of(items_of(said.of(among->keyword)), [&](const nb::object& branch) {
      const auto kinds = kinds_of(branch);
      return kinds && (!(*kinds & kObject) || objects_of(branch, found, depth + 1));
    });
  }
  if (said.has(Keyword::kAllOf) || said.has(Keyword::kAnyOf) || said.has(Keyword::kOneOf)) {
    if (const auto cases = cases_of(schema, place)) {
      for (const Case& each : *cases) {
        if (each.merged.allowed.bits & kObject) found.push_back(members_of(each.merged));
      }
      return found.size() <= kManyBranches;
    }
  }
  found.push_back(members_of(schema, said, heard == Heard::kAll));
  return found.size() <= kManyBranches;
}

PlainSchemas::Members PlainSchemas::members_of(nb::handle schema, const Said& said, bool whole) {
  Merged merged{{kAll, false}};
  if (merge(schema, 0, merged)) return members_of(merged);
  Members found;
  // The rest makes it narrower.
  if (said.has(Keyword::kProperties) && is_dict(said.of(Keyword::kProperties))) {
    found.properties = nb::borrow(said.of(Keyword::kProperties));
  }
  if (said.has(Keyword::kRequired) && is_list(said.of(Keyword::kRequired))) {
    for (nb::object& name : items_of(said.of(Keyword::kRequired))) {
      if (text_of(name)) found.required.push_back(std::move(name));
    }
  }
  found.closed =
      whole && said.of(Keyword::kAdditional).ptr() == Py_False && !said.has(Keyword::kPatterns);
  return found;
}

PlainSchemas::Members PlainSchemas::members_of(const Merged& merged) {
  Members found;
  nb::dict properties;
  for (const Property& one : merged.objects.properties) {
    for (const auto& [schema, place] : one.denied) found.denied.emplace_back(one.name, schema);
    const auto banned = [&](const nb::object& closed) {
      return !member_of(closed, one.name).is_valid();
    };
    if (one.schemas.empty() || std::ranges::any_of(merged.closed, banned)) continue;
    const auto lists = [&](const auto& said) { return strings_of(said.first).has_value(); };
    auto most = one.schemas.begin();
    if (one.schemas.size() > 1) most = std::ranges::find_if(one.schemas, lists);
    properties[one.name] = (most == one.schemas.end() ? one.schemas.front() : *most).first;
  }
  found.closed = !merged.closed.empty();
  found.properties = std::move(properties);
  found.required = merged.objects.required;
  return found;
}

// Whether a schema surely allows some strings: it lists them, and says nothing else.
bool PlainSchemas::are_listed(nb::handle schema, const Strings& strings) {
  Said said;
  if (!is_dict(schema) || read(schema, said) != Heard::kAll) return false;
  if (said.count() != 1 || !said.has(Keyword::kEnum) || !is_list(said.of(Keyword::kEnum))) {
    return false;
  }
  std::unordered_set<std::string_view> listed;
  const std::vector<nb::object> values = items_of(said.of(Keyword::kEnum));
  for (const nb::object& value : values) {
    if (const auto text = text_of(value)) listed.insert(*text);
  }
  return std::ranges::all_of(strings, [&](const auto& one) { return listed.contains(one); });
}

// Says whether no object is of both: one must have a member that the other cannot have, or not
// with such a value.
bool PlainSchemas::apart(const Members& one, const Members& other) {
  return std::ranges::any_of(one.required, [&](const nb::object& name) {
    const nb::object theirs = other.member(name);
    if (!theirs.is_valid() && other.closed) return true;
    const nb::object own = one.member(name);
    if (!own.is_valid()) return false;
    if (theirs.is_valid()) {
      const auto kinds = kinds_of(own);
      const auto their_kinds = kinds_of(theirs);
      if (kinds && their_kinds && (*kinds & *their_kinds) == 0) return true;
    }
    const auto strings = strings_of(own);
    if (!strings) return false;
    const auto denied = [&](const auto& no) {
      return *text_of(no.first) == *text_of(name) && are_listed(no.second, *strings);
    };
    if (std::ranges::any_of(other.denied, denied)) return true;
    if (!theirs.is_valid()) return false;
    Said said;
    if (is_dict(theirs) && read(theirs, said) != Heard::kNothing && said.has(Keyword::kNot) &&
        are_listed(said.of(Keyword::kNot), *strings)) {
      return true;
    }
    const auto their_strings = strings_of(theirs);
    return their_strings && disjoint({&*strings, &*their_strings});
  });
}

bool PlainSchemas::apart(const Group& one, const Group& other) {
  return std::ranges::all_of(one, [&](const Members& left) {
    return std::ranges::all_of(
        other, [&](const Members& right) { return apart(left, right) || apart(right, left); });
  });
}

// Says whether some member tells objects apart: each must have it, with strings that it has in no
// other alternative.
bool PlainSchemas::told_apart(const std::vector<Group>& groups) {
  const auto strings_in = [&](const Group& group, const nb::object& name, Strings& strings) {
    return std::ranges::all_of(group, [&](const Members& one) {
      const auto same = [&](const nb::object& own) { return *text_of(own) == *text_of(name); };
      if (std::ranges::none_of(one.required, same)) return false;
      const nb::object member = one.member(name);
      auto found = member.is_valid() ? strings_of(member) : std::nullopt;
      if (found) strings.merge(*found);
      return found.has_value();
    });
  };
  return std::ranges::any_of(groups.front().front().required, [&](const nb::object& name) {
    std::vector<Strings> found(groups.size());
    std::vector<const Strings*> sets;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!strings_in(groups[i], name, found[i])) return false;
      sets.push_back(&found[i]);
    }
    return disjoint(sets);
  });
}

bool PlainSchemas::share_no_objects(const std::vector<Branch>& branches) {
  std::vector<Group> groups;
  std::size_t all = 0;
  for (const Branch& branch : branches) {
    if (!(branch.kinds & kObject)) continue;
    Group& group = groups.emplace_back();
    if (!objects_of(branch.schema, group, 0) || group.empty()) return false;
    all += group.size();
  }
  if (told_apart(groups)) return true;
  if (all > kManyPairs) return false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!apart(groups[i], groups[k])) return false;
    }
  }
  return true;
}

bool PlainSchemas::share_no_strings(const std::vector<Branch>& branches) {
  std::vector<Strings> found;
  for (const Branch& branch : branches) {
    if (!(branch.kinds & kString)) continue;
    auto strings = strings_of(branch.schema);
    if (!strings) return false;
    found.push_back(std::move(*strings));
  }
  std::vector<const Strings*> sets;
  for (const Strings& one : found) sets.push_back(&one);
  return disjoint(sets);
}

// Arrays have no value in common if no item could be of both and one of them must have an item.
bool PlainSchemas::share_no_arrays(const std::vector<Branch>& branches) {
  unsigned seen = 0;
  unsigned empty = 0;  // that may be
  for (const Branch& branch : branches) {
    if (!(branch.kinds & kArray)) continue;
    nb::object schema = branch.schema;
    Said said;
    Place place = 0;
    if (follow(schema, place, said) != Heard::kAll || !said.has(Keyword::kItems)) return false;
    const auto items = kinds_of(said.of(Keyword::kItems));
    if (!items || (seen & *items) != 0) return false;
    seen |= *items;
    const auto low =
        count_of(said.has(Keyword::kMinItems) ? said.of(Keyword::kMinItems) : nb::handle(Py_None));
    if ((!low || *low == 0) && ++empty > 1) return false;
  }
  return true;
}

std::optional<PlainSchemas::Node> PlainSchemas::alternatives(const Said& said, Place place,
                                                             bool& composite) {
  const auto found = sole(said);
  if (!found) return std::nullopt;
  std::vector<Branch> branches;
  unsigned bits = 0;
  unsigned shared = 0;
  std::size_t arrays = 0;
  std::size_t objects = 0;
  for (nb::object& branch : items_of(said.of(found->keyword))) {
    const auto kinds = kinds_of(branch);
    // A branch without a value is not plain; many such could hold each other.
    if (!kinds || *kinds == 0) return std::nullopt;
    shared |= bits & *kinds;
    bits |= *kinds;
    arrays += (*kinds & kArray) != 0 ? 1 : 0;
    objects += (*kinds & kObject) != 0 ? 1 : 0;
    branches.push_back({std::move(branch), *kinds});
  }
  if (said.has(Keyword::kType)) {
    const auto type = kinds(said.of(Keyword::kType));
    if (!type || type->integer || (bits & ~type->bits) != 0) return std::nullopt;
  }
  if ((shared & kNumber) || ((shared & kString) && !share_no_strings(branches))) {
    return std::nullopt;
  }
  if (found->keyword == Keyword::kOneOf) {
    if ((shared & (kNull | kFalse | kTrue)) || ((shared & kArray) && !share_no_arrays(branches)) ||
        ((shared & kObject) && !share_no_objects(branches))) {
      return std::nullopt;
    }
  } else if (((shared & kArray) && arrays > kManyAlike) ||
             ((shared & kObject) && objects > kManyAlike && !share_no_objects(branches))) {
    return std::nullopt;  // of those that are alike, some may be parts of others
  }
  // An error in one alternative does not matter where another one has all its values.
  if (shared != 0 && policy_.relaxed) return std::nullopt;
  const bool matters = !lenient_;  // what only one alternative has
  const Restored lenient(lenient_, lenient_ || shared != 0);
  composite = (bits & (kArray | kObject)) != 0;
  const Place all = step(place, nb::str(found->name));
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const Place own = step(all, nb::str(std::to_string(i).c_str()));
    auto node = attempt(branches[i].schema, own);
    if (!node) {
      // Parts of a schema that says nothing itself come in another order where it stands alone.
      nb::object schema = branches[i].schema;
      Place leads = own;
      Said own_said;
      follow(schema, leads, own_said);
      const nb::handle parts = own_said.of(Keyword::kAllOf);
      if (policy_.ordered && own_said.count() == 1 && parts.is_valid() && is_list(parts) &&
          PyList_Size(parts.ptr()) > 1) {
        return std::nullopt;
      }
      // Whether a list without repetition may hold itself is seen in the alternatives together,
      // and so is what one has in common with others.
      if (branches[i].kinds & (kArray | shared)) return std::nullopt;
      node = other(branches[i].schema, own, false, !matters);
      if (!node && !matters) return std::nullopt;
    }
    if (node) nodes.push_back(*node);
  }
  if (nodes.empty()) return std::nullopt;
  return nodes.size() == 1 ? nodes.front() : grammar_.choice(nodes);
}

}  // namespace formgate::json_schema
