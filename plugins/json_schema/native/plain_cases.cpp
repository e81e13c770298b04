// Schemas of objects that apply alternatives beside what they say themselves: one case for each way
// to take the alternatives, and each case is written as one schema.
//
// The texts are those of all cases exactly if no value is of two cases that alternatives keep apart
// (`oneOf`). Where these speak of one member each, a case says of the others' that it is not so.
#include <algorithm>
#include <string>

#include "plain_schemas.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr std::size_t kMostCases = 24;
constexpr std::size_t kMostTurns = 8;
constexpr unsigned kMostLooks = 256;  // at alternatives within alternatives

}  // namespace

// Whether some alternative allows all values of some kinds, so that the others do not matter;
// nothing where it allows all objects alone, which is not written here, and where one of them may
// be no schema, which is told nevertheless.
std::optional<bool> PlainSchemas::are_idle(nb::handle branches, Place place, Kinds allowed,
                                           unsigned& looks) {
  bool idle = false;
  bool idle_for_objects = false;
  bool plain = true;
  for (Py_ssize_t i = 0; i < PyList_Size(branches.ptr()); ++i) {
    if (looks == 0) return std::nullopt;
    --looks;
    Merged merged{{kAll, false}};
    merged.looks = &looks;
    const bool read = merge(PyList_GetItem(branches.ptr(), i), place, merged);
    if (merged.unknown) return std::nullopt;
    const auto& properties = merged.objects.properties;
    plain =
        plain && read && !merged.more && std::ranges::all_of(properties, [](const Property& one) {
          return one.schemas.empty() || is_dict(one.schemas.front().first);
        });
    if (!read || merged.more || !properties.empty() || !merged.needed.empty() ||
        !merged.closed.empty()) {
      continue;
    }
    idle_for_objects = idle_for_objects || (merged.allowed.bits & kObject) != 0;
    idle = idle || (!merged.allowed.integer && (allowed.bits & ~merged.allowed.bits) == 0);
  }
  if (idle ? !plain : idle_for_objects && (allowed.bits & kObject)) return std::nullopt;
  return idle;
}

// Adds one of some alternatives, the one whose turn it is. What the schema itself says of members
// may be placed by now.
bool PlainSchemas::take(nb::handle branches, Keyword keyword, Place place, bool placed,
                        Merged& merged) {
  if (!is_list(branches)) return false;
  if (merged.looks != nullptr) {
    const auto idle = are_idle(branches, place, merged.allowed, *merged.looks);
    merged.unknown = !idle || (*idle && keyword == Keyword::kOneOf);
    merged.more = merged.more || !idle.value_or(true);
    return !merged.unknown;
  }
  if (merged.choices == nullptr) return false;
  Turns& turns = merged.choices->turns;
  const Py_ssize_t count = PyList_Size(branches.ptr());
  if (count == 0 || count > static_cast<Py_ssize_t>(kMostCases)) return false;
  if (keyword == Keyword::kAnyOf) {
    const auto found = merged.choices->idle.try_emplace({branches.ptr(), merged.allowed.bits});
    std::optional<bool>& idle = found.first->second;
    unsigned looks = kMostLooks;
    if (found.second) idle = are_idle(branches, place, merged.allowed, looks);
    if (!idle || *idle) {
      ++merged.parts;
      return idle.has_value();
    }
  }
  if (merged.taken == turns.size()) {
    if (merged.taken == kMostTurns) return false;
    turns.push_back({0, count, keyword == Keyword::kOneOf});
  }
  const std::size_t turn = merged.taken++;
  const Py_ssize_t branch = turns[turn].branch;
  if (branch >= count) return false;  // others have changed the schema meanwhile
  const Place all = step(place, nb::str(keyword == Keyword::kOneOf ? "oneOf" : "anyOf"));
  const Place own = step(all, nb::str(std::to_string(branch).c_str()));
  {
    const Restored inside(merged.chosen, merged.chosen + 1);
    if (!merge(PyList_GetItem(branches.ptr(), branch), own, merged)) return false;
  }
  // Members of which the others speak come behind those of the schema itself.
  if (keyword == Keyword::kOneOf && placed) deny_others(branches, all, turn, merged);
  return true;
}

// What a schema says of the one member of which alone it speaks.
std::optional<PlainSchemas::Single> PlainSchemas::single_of(nb::handle given, Place place) {
  nb::object schema = nb::borrow(given);
  Said said;
  if (follow(schema, place, said) != Heard::kAll) return std::nullopt;
  Single found;
  found.needed = !is_hollow(said.of(Keyword::kRequired));
  const bool named = !is_hollow(said.of(Keyword::kProperties));
  unsigned known = 0;
  for (const Keyword one : {Keyword::kType, Keyword::kRequired, Keyword::kProperties}) {
    known += said.has(one) ? 1 : 0;
  }
  if (said.count() != known) return std::nullopt;
  // What is empty must be so in its way.
  const nb::handle required = said.of(Keyword::kRequired);
  const nb::handle properties = said.of(Keyword::kProperties);
  if ((required.is_valid() && !is_list(required)) ||
      (properties.is_valid() && !is_dict(properties))) {
    return std::nullopt;
  }
  if (said.has(Keyword::kType)) {
    const auto type = kinds(said.of(Keyword::kType));
    if (!type || !(type->bits & kObject)) return std::nullopt;
    found.kinds = *type;
  }
  if (found.needed) {
    if (PyList_Size(required.ptr()) != 1) return std::nullopt;
    found.name = nb::borrow(PyList_GetItem(required.ptr(), 0));
    if (!text_of(found.name)) return std::nullopt;
  }
  if (!named) return found.needed ? std::optional(found) : std::nullopt;
  if (PyDict_Size(properties.ptr()) != 1) return std::nullopt;
  Py_ssize_t at = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  PyDict_Next(properties.ptr(), &at, &key, &value);
  const nb::object name = nb::borrow(key);
  nb::object member = nb::borrow(value);
  const auto text = text_of(name);
  if (!text || (found.needed && *text != *text_of(found.name))) return std::nullopt;
  found.name = name;
  if (member.ptr() == Py_True || (is_dict(member) && is_hollow(member))) {
    return found.needed ? std::optional(found) : std::nullopt;
  }
  if (!is_dict(member)) return std::nullopt;
  found.schema = std::move(member);
  found.place = step(step(place, nb::str("properties")), found.name);
  return found;
}

bool PlainSchemas::apart(const Single& one, const Single& other) {
  const auto members = [](const Single& single) {
    nb::dict properties;
    if (single.schema.is_valid()) properties[single.name] = single.schema;
    return Members{std::move(properties), {single.name}, false};
  };
  return apart(members(one), members(other));
}

// Takes away what is of the others, too, where these speak of one member each, as does the one that
// is taken.
void PlainSchemas::deny_others(nb::handle branches, Place place, std::size_t turn, Merged& merged) {
  auto& singles = merged.choices->singles[branches.ptr()];
  if (singles.empty()) {
    for (Py_ssize_t i = 0; i < PyList_Size(branches.ptr()); ++i) {
      const Place own = step(place, nb::str(std::to_string(i).c_str()));
      singles.push_back(single_of(PyList_GetItem(branches.ptr(), i), own));
      if (singles.back() && !singles.back()->needed) singles.back().reset();
    }
  }
  Turn& taken = merged.choices->turns[turn];
  taken.denied = 0;
  const auto branch = static_cast<std::size_t>(taken.branch);
  if (branch >= singles.size() || !singles[branch]) return;
  for (std::size_t i = 0; i < std::min(singles.size(), kMostCases); ++i) {
    if (i == branch || !singles[i] || apart(*singles[branch], *singles[i])) continue;
    if (deny(*singles[i], merged)) taken.denied |= 1u << i;
  }
}

// Takes away what a schema of one member allows; false where nothing of the object is left.
bool PlainSchemas::deny(const Single& single, Merged& merged) {
  const auto lacks = [&](const nb::object& closed) {
    return !member_of(closed, single.name).is_valid();
  };
  const auto known = merged.places.find(*text_of(single.name));
  if (known == merged.places.end() && std::ranges::any_of(merged.closed, lacks)) {
    return single.needed;  // there is no such member
  }
  Property& property = known == merged.places.end()
                           ? merged.objects.properties.emplace_back(Property{single.name})
                           : merged.objects.properties[known->second];
  if (known == merged.places.end()) {
    merged.places.emplace(*text_of(property.name), merged.objects.properties.size() - 1);
  }
  if (single.schema.is_valid()) {
    property.denied.emplace_back(single.schema, single.place);
  } else {
    property.banned = true;
  }
  if (!single.needed && merged.needed.insert(*text_of(property.name)).second) {
    merged.objects.required.push_back(property.name);
  }
  return true;
}

// Whether what members satisfy are schemas, at a glance: of members that no value has.
bool PlainSchemas::are_schemas(const Merged& merged) {
  return std::ranges::all_of(merged.objects.properties, [](const Property& one) {
    return std::ranges::all_of(one.schemas, [](const auto& said) {
      return is_dict(said.first) || PyBool_Check(said.first.ptr());
    });
  });
}

// All ways to take the alternatives of a schema; nothing where some case says more than objects are
// written by here, or none is possible.
std::optional<std::vector<PlainSchemas::Case>> PlainSchemas::cases_of(nb::handle schema,
                                                                      Place place) {
  std::vector<Case> found;
  Choices choices;
  Turns& turns = choices.turns;
  do {
    if (found.size() == kMostCases) return std::nullopt;
    Merged merged{{kAll, false}, &choices};
    if (!merge(schema, place, merged) || merged.allowed.bits == 0) return std::nullopt;
    merged.choices = nullptr;
    const auto cannot_be = [&](const Property& property) {
      return property.banned && merged.needed.contains(*text_of(property.name));
    };
    if (std::ranges::any_of(merged.objects.properties, cannot_be)) return std::nullopt;
    const bool objects = (merged.allowed.bits & kObject) != 0;
    if (objects ? !close(merged) : !are_schemas(merged)) return std::nullopt;
    found.push_back({std::move(merged), turns});
    while (!turns.empty() && ++turns.back().branch == turns.back().count) turns.pop_back();
  } while (!turns.empty());
  return found;
}

namespace {

// What two cases take of the first alternatives of which they do not take the same.
template <typename Case>
auto parting(const Case& one, const Case& other) {
  std::size_t at = 0;
  while (one.turns[at].branch == other.turns[at].branch) ++at;
  return std::pair{one.turns[at], other.turns[at]};
}

}  // namespace

// Whether two cases speak of the same members in another order: the order of one alone would count.
bool PlainSchemas::differ_in_order(const Merged& one, const Merged& other) {
  const auto& properties = one.objects.properties;
  const auto& theirs = other.objects.properties;
  if (properties.size() != theirs.size() || one.needed != other.needed) return false;
  const auto known = [&](const Property& property) {
    return other.places.contains(*text_of(property.name));
  };
  if (!std::ranges::all_of(properties, known)) return false;
  const auto same = [](const nb::object& left, const nb::object& right) {
    return *text_of(left) == *text_of(right);
  };
  return !std::ranges::equal(properties, theirs, same, &Property::name, &Property::name) ||
         !std::ranges::equal(one.objects.required, other.objects.required, same);
}

// Whether one case may say all that another one does: it would be dropped, and its order with it.
bool PlainSchemas::may_be_within(const Merged& one, const Merged& other) {
  const auto is_needed = [&](std::string_view name) { return one.needed.contains(name); };
  const auto is_known = [&](const Property& property) {
    return (property.denied.empty() && !property.banned) ||
           one.places.contains(*text_of(property.name));
  };
  return std::ranges::all_of(other.needed, is_needed) &&
         std::ranges::all_of(other.objects.properties, is_known);
}

// Whether the texts of some cases are surely those of the schema.
bool PlainSchemas::are_exact(const std::vector<Case>& cases) {
  std::vector<Members> members;
  for (const Case& each : cases) members.push_back(members_of(each.merged));
  const bool many = cases.size() > kManyAlike;  // those that are parts of others are looked for
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const Merged& one = cases[i].merged;
      const Merged& other = cases[k].merged;
      const auto [mine, theirs] = parting(cases[i], cases[k]);
      // Each says of the other's objects that they are none of its own.
      const bool denied = (mine.denied >> theirs.branch & theirs.denied >> mine.branch & 1u) != 0;
      const unsigned shared = one.allowed.bits & other.allowed.bits;
      if ((mine.exclusive && (shared & ~kObject)) || (shared & kNumber) ||
          differ_in_order(one, other)) {
        return false;
      }
      const bool part = many && (may_be_within(one, other) || may_be_within(other, one));
      if (((mine.exclusive && !denied) || part) && (shared & kObject) &&
          !apart(members[i], members[k]) && !apart(members[k], members[i])) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace formgate::json_schema
