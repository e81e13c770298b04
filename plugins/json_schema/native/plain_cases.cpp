// Schemas of objects that apply alternatives beside what they say themselves: one case for each way
// to take the alternatives, and each case is written as one schema.
//
// The texts are those of all cases exactly if no value is of two cases that alternatives keep apart
// (`oneOf`).
#include <algorithm>
#include <string>

#include "plain_schemas.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr std::size_t kMostCases = 24;
constexpr std::size_t kMostTurns = 8;

}  // namespace

// Whether some alternative allows all values of some kinds, so that the others do not matter;
// nothing where one of them may be no schema, which is told nevertheless.
std::optional<bool> PlainSchemas::are_idle(nb::handle branches, Place place, Kinds allowed) {
  const auto says_nothing = [&](const Merged& merged) {
    return merged.objects.properties.empty() && merged.needed.empty() && merged.closed.empty() &&
           !merged.allowed.integer && (allowed.bits & ~merged.allowed.bits) == 0;
  };
  bool idle = false;
  bool plain = true;
  for (Py_ssize_t i = 0; i < PyList_Size(branches.ptr()); ++i) {
    Merged merged{{kAll, false}};
    const bool read = merge(PyList_GetItem(branches.ptr(), i), place, merged);
    plain = plain && read && std::ranges::all_of(merged.objects.properties, [](const auto& one) {
              return is_dict(one.schemas.front().first);
            });
    idle = idle || (read && says_nothing(merged));
  }
  if (idle && !plain) return std::nullopt;
  return idle;
}

// Adds one of some alternatives, the one whose turn it is.
bool PlainSchemas::take(nb::handle branches, Keyword keyword, Place place, Merged& merged) {
  if (merged.choices == nullptr || !is_list(branches)) return false;
  auto& [turns, known] = *merged.choices;
  const Py_ssize_t count = PyList_Size(branches.ptr());
  if (count == 0 || count > static_cast<Py_ssize_t>(kMostCases)) return false;
  if (keyword == Keyword::kAnyOf) {
    const auto found = known.try_emplace({branches.ptr(), merged.allowed.bits});
    std::optional<bool>& idle = found.first->second;
    if (found.second) idle = are_idle(branches, place, merged.allowed);
    if (!idle || *idle) {
      ++merged.parts;
      return idle.has_value();
    }
  }
  if (merged.taken == turns.size()) {
    if (merged.taken == kMostTurns) return false;
    turns.push_back({0, count, keyword == Keyword::kOneOf});
  }
  const Py_ssize_t branch = turns[merged.taken++].branch;
  if (branch >= count) return false;  // others have changed the schema meanwhile
  const Place all = step(place, nb::str(keyword == Keyword::kOneOf ? "oneOf" : "anyOf"));
  const Place own = step(all, nb::str(std::to_string(branch).c_str()));
  const Restored inside(merged.chosen, merged.chosen + 1);
  return merge(PyList_GetItem(branches.ptr(), branch), own, merged);
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
    if ((merged.allowed.bits & kObject) && !close(merged)) return std::nullopt;
    found.push_back({std::move(merged), turns});
    while (!turns.empty() && ++turns.back().branch == turns.back().count) turns.pop_back();
  } while (!turns.empty());
  return found;
}

namespace {

template <typename Case>
bool keeps_apart(const Case& one, const Case& other) {
  std::size_t at = 0;
  while (one.turns[at].branch == other.turns[at].branch) ++at;
  return one.turns[at].exclusive;
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

// Whether the texts of some cases are surely those of the schema.
bool PlainSchemas::are_exact(const std::vector<Case>& cases) {
  std::vector<Members> members;
  for (const Case& each : cases) members.push_back(members_of(each.merged));
  const bool many = cases.size() > kManyAlike;  // some may be parts of others
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const Merged& one = cases[i].merged;
      const Merged& other = cases[k].merged;
      const bool must = keeps_apart(cases[i], cases[k]);
      const unsigned shared = one.allowed.bits & other.allowed.bits;
      if ((must && (shared & ~kObject)) || (shared & kNumber) ||
          ((must || many) && (shared & kObject) && !apart(members[i], members[k]) &&
           !apart(members[k], members[i])) ||
          differ_in_order(one, other)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace formgate::json_schema
