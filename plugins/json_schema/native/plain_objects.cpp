// Objects: members by name and by patterns of names, members that must be there, and all others.
#include <string_view>
#include <unordered_set>

#include "plain_schemas.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr std::size_t kMostPatterns = 8;

}  // namespace

std::optional<PlainSchemas::Node> PlainSchemas::object(const Said& said, Place place) {
  // The schema is not to be changed while others write its parts; what stands in it is kept.
  Objects objects;
  if (said.has(Keyword::kProperties)) {
    const nb::handle given = said.of(Keyword::kProperties);
    if (!is_dict(given)) return std::nullopt;
    Py_ssize_t at = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    objects.properties.reserve(static_cast<std::size_t>(PyDict_Size(given.ptr())));
    std::optional<Place> named;
    while (PyDict_Next(given.ptr(), &at, &key, &value)) {
      const nb::object name = nb::borrow(key);
      if (!named) named = step(place, nb::str("properties"));
      objects.properties.push_back({name, {{nb::borrow(value), step(*named, name)}}});
    }
  }
  if (said.has(Keyword::kRequired)) {
    const nb::handle given = said.of(Keyword::kRequired);
    if (!is_list(given)) return std::nullopt;
    std::unordered_set<std::string_view> seen;
    for (Py_ssize_t i = 0; i < PyList_Size(given.ptr()); ++i) {
      objects.required.push_back(nb::borrow(PyList_GetItem(given.ptr(), i)));
      const auto name = text_of(objects.required.back());
      if (!name || !seen.insert(*name).second) return std::nullopt;
    }
  }
  if (said.has(Keyword::kAdditional)) {
    objects.additional = nb::borrow(said.of(Keyword::kAdditional));
    // Where patterns match every name, nothing else looks at it.
    if (!is_dict(objects.additional) && !PyBool_Check(objects.additional.ptr()))
      return std::nullopt;
    objects.additional_place = step(place, nb::str("additionalProperties"));
  }
  if (said.has(Keyword::kPatterns)) {
    const nb::handle given = said.of(Keyword::kPatterns);
    if (policy_.relaxed || !is_dict(given)) return std::nullopt;
    Py_ssize_t at = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    const Place all = step(place, nb::str("patternProperties"));
    while (PyDict_Next(given.ptr(), &at, &key, &value)) {
      const nb::object source = nb::borrow(key);
      if (!text_of(source)) return std::nullopt;
      objects.patterns.push_back({source, nb::borrow(value), step(all, source)});
    }
    if (!match(objects)) return std::nullopt;
  }
  return object(objects);
}

// Finds the names that patterns match, and has their members satisfy what stands with them; false
// where patterns share names, or match but a few, which have places of their own.
bool PlainSchemas::match(Objects& objects) {
  if (objects.patterns.empty()) return true;
  if (objects.patterns.size() > kMostPatterns) return false;
  nb::list sources;
  for (const Pattern& pattern : objects.patterns) {
    const bool known = is_dict(pattern.schema) || PyBool_Check(pattern.schema.ptr());
    if (!known) return false;
    sources.append(pattern.source);
  }
  nb::list names;
  for (const Property& property : objects.properties) {
    if (!text_of(property.name)) return false;
    names.append(property.name);
  }
  for (const nb::object& name : objects.required) names.append(name);
  const bool closed = objects.additional.is_valid() && objects.additional.ptr() == Py_False;
  const nb::object found = ask("keys", sources, names, !closed);
  if (found.is_none()) return false;
  for (std::size_t i = 0; i < objects.patterns.size(); ++i) {
    objects.patterns[i].names = nb::cast<Node>(found[0][i]);
  }
  if (!found[1].is_none()) objects.rest = nb::cast<Node>(found[1]);
  std::size_t at = 0;
  const auto next = [&]() -> const Pattern* {
    const nb::object one = found[2][at++];
    return one.is_none() ? nullptr : &objects.patterns[nb::cast<std::size_t>(one)];
  };
  for (Property& property : objects.properties) {
    const Pattern* pattern = next();
    if (pattern == nullptr || pattern->schema.ptr() == Py_True) continue;
    property.schemas.emplace_back(pattern->schema, pattern->place);
  }
  for (const nb::object& name : objects.required) {
    if (const Pattern* pattern = next()) objects.matched.emplace(*text_of(name), pattern);
  }
  return true;
}

std::optional<PlainSchemas::Node> PlainSchemas::object(const Objects& objects) {
  std::unordered_set<std::string_view> required;
  for (const nb::object& name : objects.required) required.insert(*text_of(name));
  const bool closed = objects.additional.is_valid() && objects.additional.ptr() == Py_False;
  if (closed) {
    // Where what must be there cannot be, nothing of the object is reached.
    std::size_t known = 0;
    for (const Property& property : objects.properties) {
      const auto text = text_of(property.name);
      known += text && required.contains(*text) && !objects.matched.contains(*text) ? 1 : 0;
    }
    known += objects.matched.size();
    if (known < required.size()) return std::nullopt;
  }
  // Where what must be there can have no value, nothing of the object is reached either.
  for (const Property& property : objects.properties) {
    const auto text = text_of(property.name);
    if (!text || !required.contains(*text)) continue;
    if (property.simple() ? property.schemas.front().first.ptr() != Py_False
                          : both(property, true).has_value()) {
      continue;
    }
    if (lenient_) return std::nullopt;
    for (const Property& other : objects.properties) {  // what is no schema is told
      for (const auto& [schema, own] : other.schemas) ask("fault", schema, way(own));
    }
    return std::nullopt;
  }
  const auto additional_value = [&](bool must) -> std::optional<Node> {
    if (!objects.additional.is_valid()) return anything(host_);
    return member(objects.additional, objects.additional_place, must);
  };
  Grammar::Keys keys;
  keys.entries.reserve(objects.properties.size());
  for (const Property& property : objects.properties) {
    const auto text = text_of(property.name);
    if (!text) return std::nullopt;
    if (property.banned && closed) continue;
    const bool must = required.erase(*text) != 0;
    std::optional<Node> value;
    if (property.banned) {
      value = grammar_.choice({});
    } else if (property.simple()) {
      value = member(property.schemas.front().first, property.schemas.front().second, must);
    } else {
      value = both(property, must);
    }
    if (!value) return std::nullopt;
    Grammar::Entry& entry = keys.entries.emplace_back();
    entry.name = std::string(*text);
    entry.value = *value;
    entry.required = must;
  }
  for (const nb::object& given : objects.required) {
    const auto name = *text_of(given);
    if (!required.contains(name)) continue;  // it is a property
    const auto matched = objects.matched.find(name);
    const auto value = matched == objects.matched.end()
                           ? additional_value(true)
                           : member(matched->second->schema, matched->second->place, true);
    if (!value) return std::nullopt;
    Grammar::Entry& entry = keys.entries.emplace_back();
    entry.name = std::string(name);
    entry.value = *value;
    entry.required = true;
  }
  for (const Pattern& pattern : objects.patterns) {
    if (pattern.schema.ptr() == Py_False) continue;
    const auto value = member(pattern.schema, pattern.place, false);
    if (!value) return std::nullopt;
    keys.cells.push_back({grammar_.json_text(pattern.names, policy_.canonical, true), *value});
  }
  if (!closed && (objects.patterns.empty() || objects.rest)) {
    const auto value = additional_value(false);
    if (!value) return std::nullopt;
    any_string();
    if (!keys_) keys_ = grammar_.json_text(*any_text_, policy_.canonical, true);
    const Node names =
        objects.rest ? grammar_.json_text(*objects.rest, policy_.canonical, true) : *keys_;
    keys.cells.push_back({names, *value});
  }
  return members(std::move(keys), static_cast<std::uint32_t>(objects.required.size()));
}

}  // namespace formgate::json_schema
