// Schemas that all apply to the same value and say of it only its kinds and its members: those that
// inherit from others (`allOf`, references). They are written as one, members in the order in which
// their names are met.
#include <algorithm>
#include <string>

#include "plain_schemas.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr unsigned kMostParts = 64;  // schemas that apply to one value

}  // namespace

std::optional<PlainSchemas::Node> PlainSchemas::conjunction(nb::handle schema, const Said& said,
                                                            Place place, bool& composite) {
  const auto cases = cases_of(schema, place);
  if (!cases || cases->front().merged.parts < 2) return std::nullopt;
  const auto several = [](const Property& property) { return !property.simple(); };
  const auto meets = [&](const Case& each) {
    return std::ranges::any_of(each.merged.objects.properties, several);
  };
  if (policy_.relaxed && (cases->size() > 1 || std::ranges::any_of(*cases, meets))) {
    return std::nullopt;
  }
  // Parts of a schema that says nothing itself come in the order of their places in the document.
  const auto strays = [](const Case& each) { return each.merged.strays; };
  if (policy_.ordered && std::ranges::any_of(*cases, strays) && says_nothing_itself(said) &&
      !parts_in_order(said, place)) {
    return std::nullopt;
  }
  // An error in one case does not matter where another one has all its values.
  const Restored lenient(lenient_, lenient_ || cases->size() > 1);
  if (!are_exact(*cases)) return std::nullopt;
  Kinds allowed;
  for (const Case& each : *cases) {
    allowed.bits |= each.merged.allowed.bits;
    if (each.merged.allowed.bits & kNumber) allowed.integer = each.merged.allowed.integer;
  }
  if (!(allowed.bits & kObject)) return std::nullopt;
  std::vector<Node> nodes;
  if (allowed.bits & kNull) nodes.push_back(literal("null"));
  if (allowed.bits & kFalse) nodes.push_back(literal("false"));
  if (allowed.bits & kTrue) nodes.push_back(literal("true"));
  if (allowed.bits & kNumber) nodes.push_back(number(allowed.integer));
  if (allowed.bits & kString) nodes.push_back(any_string());
  if (allowed.bits & kArray) nodes.push_back(list(anything(host_), 0, kUnbounded));
  composite = true;
  for (const Case& each : *cases) {
    if (!(each.merged.allowed.bits & kObject)) continue;
    const auto found = object(each.merged.objects);
    if (!found) return std::nullopt;
    nodes.push_back(*found);
  }
  return nodes.size() == 1 ? nodes.front() : grammar_.choice(nodes);
}

// Adds what a schema says, in the order of its text; false where that is more than is written here.
bool PlainSchemas::merge(nb::handle given, Place place, Merged& merged) {
  const nb::object schema = nb::borrow(given);
  if (++merged.parts > kMostParts || !is_dict(schema)) return false;
  Said said;
  if (read(schema, said) == Heard::kNothing) return false;
  const bool lone = words_.lone_ref && said.has(Keyword::kRef);
  const nb::handle properties = said.of(Keyword::kProperties);
  const bool named = !lone && said.has(Keyword::kProperties) && is_dict(properties) &&
                     PyDict_Size(properties.ptr()) != 0;
  bool placed = !named && is_hollow(said.of(Keyword::kRequired));
  Py_ssize_t at = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(schema.ptr(), &at, &key, &value)) {
    const auto name = text_of(key);
    const auto known = name ? words_.keywords.find(*name) : words_.keywords.end();
    if (known == words_.keywords.end()) continue;
    if (lone && known->second != Keyword::kRef) continue;
    const nb::object said_here = nb::borrow(value);
    switch (known->second) {
      case Keyword::kType: {
        const auto found = kinds(said_here);
        if (!found) return false;
        merged.allowed.bits &= found->bits;
        merged.allowed.integer = merged.allowed.integer || found->integer;
        break;
      }
      case Keyword::kProperties:
        if (!is_dict(said_here)) return false;
        if (named && !merge_members(said_here, said.of(Keyword::kRequired), place, merged)) {
          return false;
        }
        placed = placed || named;
        break;
      case Keyword::kRequired:
        if (!named && !merge_members({}, said_here, place, merged)) return false;
        placed = placed || !named;
        break;
      case Keyword::kAdditional:
        if (said_here.ptr() == Py_False) {
          if (said.has(Keyword::kProperties) && !is_dict(properties)) return false;
          merged.closed.push_back(named ? nb::borrow(properties) : nb::object(nb::dict()));
        } else if (said_here.ptr() != Py_True) {
          return false;
        }
        break;
      case Keyword::kRef: {
        const auto next = target(said_here);
        merged.strays = merged.strays || merged.chosen == 0;
        if (!next || !merge(next->first, next->second, merged)) return false;
        break;
      }
      case Keyword::kAllOf: {
        if (!is_list(said_here) || PyList_Size(said_here.ptr()) == 0) return false;
        const Place all = step(place, nb::str("allOf"));
        for (Py_ssize_t i = 0; i < PyList_Size(said_here.ptr()); ++i) {
          const Place own = step(all, nb::str(std::to_string(i).c_str()));
          if (!merge(PyList_GetItem(said_here.ptr(), i), own, merged)) return false;
        }
        break;
      }
      case Keyword::kNot: {
        const auto denied = single_of(said_here, step(place, nb::str("not")));
        if (!denied || denied->kinds.integer || !deny(*denied, merged)) return false;
        merged.allowed.bits &= ~denied->kinds.bits | kObject;
        merged.strays = merged.strays || merged.chosen == 0;
        ++merged.parts;
        break;
      }
      case Keyword::kAnyOf:
      case Keyword::kOneOf:
        if (!take(said_here, known->second, place, placed, merged)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

// Adds members by name, and names that must be there.
bool PlainSchemas::merge_members(nb::handle properties, nb::handle required, Place place,
                                 Merged& merged) {
  if (properties.is_valid()) {
    const Place all = step(place, nb::str("properties"));
    Py_ssize_t at = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(properties.ptr(), &at, &key, &value)) {
      const nb::object name = nb::borrow(key);
      const auto text = text_of(name);
      if (!text) return false;
      const auto found = merged.places.try_emplace(*text, merged.objects.properties.size());
      if (found.second) merged.objects.properties.push_back({name});
      auto& schemas = merged.objects.properties[found.first->second].schemas;
      const auto same = [&](const auto& one) { return one.first.ptr() == value; };
      if (std::ranges::any_of(schemas, same)) continue;  // inherited by two ways
      schemas.emplace_back(nb::borrow(value), step(all, name));
    }
  }
  if (!required.is_valid()) return true;
  if (!is_list(required)) return false;
  std::unordered_set<std::string_view> seen;
  for (Py_ssize_t i = 0; i < PyList_Size(required.ptr()); ++i) {
    const nb::object name = nb::borrow(PyList_GetItem(required.ptr(), i));
    const auto text = text_of(name);
    if (!text || !seen.insert(*text).second) return false;
    if (merged.needed.insert(*text).second) merged.objects.required.push_back(name);
  }
  return true;
}

// Closes an object if some part is closed; false where a part speaks of members that this one has
// no room for.
bool PlainSchemas::close(Merged& merged) {
  if (merged.closed.empty()) return true;
  const auto banned = [&](const nb::object& name) {
    return std::ranges::any_of(
        merged.closed, [&](const nb::object& names) { return !member_of(names, name).is_valid(); });
  };
  if (std::ranges::any_of(merged.objects.required, banned)) return false;
  for (Property& property : merged.objects.properties) {
    if (!banned(property.name)) continue;
    if (!property.schemas.empty()) return false;
    property.banned = true;
  }
  merged.objects.additional = nb::borrow(Py_False);
  return true;
}

// What a member satisfies that several schemas speak of.
std::optional<PlainSchemas::Node> PlainSchemas::both(const Property& property, bool needed) {
  const bool lone = property.schemas.empty() && property.denied.size() == 1 && !needed;
  if (lone) {
    const auto known = denied_.find(property.denied.front().first.ptr());
    if (known != denied_.end()) return known->second.second;
  }
  nb::list schemas;
  for (const auto& [schema, place] : property.schemas) {
    schemas.append(nb::make_tuple(schema, way(place), false));
  }
  for (const auto& [schema, place] : property.denied) {
    schemas.append(nb::make_tuple(schema, way(place), true));
  }
  const nb::object found = ask("both", schemas, needed);
  if (found.is_none()) return std::nullopt;
  const auto node = nb::cast<Node>(found);
  if (lone) {
    const nb::object& schema = property.denied.front().first;
    denied_.emplace(schema.ptr(), std::pair{schema, node});
  }
  return node;
}

// Whether a schema says nothing of kinds and members but by the schemas that it applies.
bool PlainSchemas::says_nothing_itself(const Said& said) {
  if (said.has(Keyword::kAdditional) || !is_hollow(said.of(Keyword::kProperties)) ||
      !is_hollow(said.of(Keyword::kRequired))) {
    return false;
  }
  const auto type = said.has(Keyword::kType) ? kinds(said.of(Keyword::kType)) : std::nullopt;
  return !type || (type->bits == kAll && !type->integer);
}

// Whether the parts of a schema, which says nothing itself, stand in the document in the order in
// which it names them. Parts that do nothing but name others are not looked into.
bool PlainSchemas::parts_in_order(const Said& said, Place place) {
  if (said.count() != 1 || !said.has(Keyword::kAllOf)) return false;
  const nb::object parts = nb::borrow(said.of(Keyword::kAllOf));
  if (!is_list(parts)) return false;
  const Place all = step(place, nb::str("allOf"));
  std::vector<std::size_t> last;
  for (Py_ssize_t i = 0; i < PyList_Size(parts.ptr()); ++i) {
    nb::object part = nb::borrow(PyList_GetItem(parts.ptr(), i));
    Place own = step(all, nb::str(std::to_string(i).c_str()));
    Said own_said;
    if (follow(part, own, own_said) == Heard::kNothing || says_nothing_itself(own_said)) {
      return false;
    }
    std::vector<std::size_t> here = position(own);
    if (here <= last) return false;
    last = std::move(here);
  }
  return true;
}

}  // namespace formgate::json_schema
