// Schemas of objects that apply alternatives beside what they say themselves: one case for each way
// to take the alternatives, and each case is written as one schema.
//
// The texts are those of all cases exactly if no value is of two cases that alternatives keep apart
// (`oneOf`). Cases that are part of others by `anyOf` need not be written.
#include <algorithm>
#include <string>

#include "plain_schemas.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr std::size_t kMostCases = 24;
constexpr std::size_t kMostTurns = 8;
constexpr std::size_t kManyAlike = 5;  // cases that may share values

}  // namespace

// Adds one of some alternatives, the one whose turn it is.
bool PlainSchemas::take(nb::handle branches, Keyword keyword, Place place, Merged& merged) {
  if (merged.turns == nullptr || !is_list(branches)) return false;
  const Py_ssize_t count = PyList_Size(branches.ptr());
  if (count == 0 || count > static_cast<Py_ssize_t>(kMostCases)) return false;
  if (merged.taken == merged.turns->size()) {
    if (merged.taken == kMostTurns) return false;
    merged.turns->push_back({0, count, keyword == Keyword::kOneOf});
  }
  const Py_ssize_t branch = (*merged.turns)[merged.taken++].branch;
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
  Turns turns;
  do {
    if (found.size() == kMostCases) return std::nullopt;
    Merged merged{{kAll, false}, &turns};
    if (!merge(schema, place, merged) || merged.allowed.bits == 0) return std::nullopt;
    merged.turns = nullptr;
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

// Whether one case has all texts of another one: members have names in the same order.
bool PlainSchemas::has_all(const Merged& one, const Merged& other) {
  const auto same = [](const Property& left, const Property& right) {
    const auto alike = [](const auto& own, const auto& theirs) {
      return own.first.ptr() == theirs.first.ptr();
    };
    return *text_of(left.name) == *text_of(right.name) &&
           std::ranges::equal(left.schemas, right.schemas, alike);
  };
  const auto& properties = one.objects.properties;
  const auto& theirs = other.objects.properties;
  if ((other.allowed.bits & ~one.allowed.bits) != 0 ||
      (one.allowed.integer != other.allowed.integer && (other.allowed.bits & kNumber)) ||
      one.closed.empty() != other.closed.empty() || properties.size() > theirs.size() ||
      !std::equal(properties.begin(), properties.end(), theirs.begin(), same)) {
    return false;
  }
  // What has no schema of its own comes after what has one, and what must be there first.
  const auto unnamed = [&](const Merged& merged) {
    std::vector<std::string_view> found;
    for (const nb::object& name : merged.objects.required) {
      if (!one.places.contains(*text_of(name))) found.push_back(*text_of(name));
    }
    return found;
  };
  const auto own = unnamed(one);
  const auto needed = unnamed(other);
  if (properties.size() < theirs.size() && (!one.closed.empty() || !own.empty())) return false;
  return own.size() <= needed.size() && std::equal(own.begin(), own.end(), needed.begin()) &&
         std::ranges::all_of(one.needed, [&](auto name) { return other.needed.contains(name); });
}

// Leaves out cases that are part of others; false where it is not certain that the texts of those
// that remain are those of the schema.
bool PlainSchemas::drop_cases(std::vector<Case>& cases) {
  std::vector<Case> kept;
  for (Case& each : cases) {
    const auto within = [&](const Case& other) {
      return !keeps_apart(each, other) && has_all(other.merged, each.merged);
    };
    if (std::ranges::any_of(kept, within)) continue;
    std::erase_if(kept, [&](const Case& other) {
      return !keeps_apart(each, other) && has_all(each.merged, other.merged);
    });
    kept.push_back(std::move(each));
  }
  cases = std::move(kept);
  std::vector<Members> members;
  for (const Case& each : cases) members.push_back(members_of(each.merged));
  const bool many = cases.size() > kManyAlike;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const bool must = keeps_apart(cases[i], cases[k]);
      const unsigned shared = cases[i].merged.allowed.bits & cases[k].merged.allowed.bits;
      if (must && (shared & ~kObject)) return false;
      if (shared & kNumber) return false;
      if ((must || many) && (shared & kObject) && !apart(members[i], members[k]) &&
          !apart(members[k], members[i])) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace formgate::json_schema
