#include "plain_schemas.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

constexpr unsigned kDeep = 24;        // schemas within schemas that are written at once
constexpr std::uint32_t kOften = 63;  // schemas after which the deadline is looked at

const std::unordered_map<std::string_view, Keyword>& plain_keywords() {
  static const std::unordered_map<std::string_view, Keyword> known = {
      {"type", Keyword::kType},
      {"enum", Keyword::kEnum},
      {"const", Keyword::kConst},
      {"$ref", Keyword::kRef},
      {"properties", Keyword::kProperties},
      {"required", Keyword::kRequired},
      {"patternProperties", Keyword::kPatterns},
      {"additionalProperties", Keyword::kAdditional},
      {"items", Keyword::kItems},
      {"minItems", Keyword::kMinItems},
      {"maxItems", Keyword::kMaxItems},
      {"uniqueItems", Keyword::kUniqueItems},
      {"minLength", Keyword::kMinLength},
      {"maxLength", Keyword::kMaxLength},
      {"pattern", Keyword::kPattern},
      {"format", Keyword::kFormat},
      {"minimum", Keyword::kMinimum},
      {"maximum", Keyword::kMaximum},
      {"exclusiveMinimum", Keyword::kExclusiveMinimum},
      {"exclusiveMaximum", Keyword::kExclusiveMaximum},
      {"multipleOf", Keyword::kMultipleOf},
      {"allOf", Keyword::kAllOf},
      {"anyOf", Keyword::kAnyOf},
      {"oneOf", Keyword::kOneOf},
      {"not", Keyword::kNot},
      {"if", Keyword::kApplied},
      {"then", Keyword::kApplied},
      {"else", Keyword::kApplied},
      {"dependencies", Keyword::kApplied},
      {"dependentSchemas", Keyword::kApplied},
      {"$dynamicRef", Keyword::kApplied},
      {"$recursiveRef", Keyword::kApplied},
  };
  return known;
}

}  // namespace

Words::Words(const std::vector<std::string>& active, std::string id, bool lone)
    : names(active), id_keyword(std::move(id)), lone_ref(lone) {
  for (const std::string& name : names) {
    const auto known = plain_keywords().find(name);
    keywords.emplace(name, known == plain_keywords().end() ? Keyword::kOther : known->second);
  }
}

PlainSchemas::PlainSchemas(nb::object kept, Grammar& grammar, nb::object root, const Words& words,
                           Policy policy, std::string rules, std::string suffix,
                           std::optional<Node> anything)
    : kept_(std::move(kept)),
      grammar_(grammar),
      root_(std::move(root)),
      words_(words),
      policy_(std::move(policy)),
      rules_(std::move(rules)),
      suffix_(std::move(suffix)),
      anything_(anything) {}

std::optional<PlainSchemas::Node> PlainSchemas::value(nb::handle schema, nb::handle place,
                                                      nb::handle host) {
  const Restored hosted(host_, host);
  steps_.push_back({std::nullopt, nb::borrow(place)});
  return attempt(schema, static_cast<Place>(steps_.size() - 1));
}

bool PlainSchemas::drain(nb::handle host) {
  const Restored hosted(host_, host);
  const bool any = !waiting_.empty();
  while (!waiting_.empty()) {
    Record& record = *waiting_.front();
    waiting_.pop_front();
    Said said;
    read(record.schema, said);
    define(record, write(record, said), false);
  }
  return any;
}

bool PlainSchemas::mend(Node node, nb::handle host) {
  if (broken_.empty()) return false;
  const Restored hosted(host_, host);
  const auto missing = grammar_.undefined(node);
  bool any = false;
  for (std::size_t i = 0; i < broken_.size(); ++i) {
    Record& record = *broken_[i];
    if (!record.broken || !missing.contains(name_of(record))) continue;
    record.broken = false;
    any = true;
    define(record, std::nullopt, false);
  }
  return any;
}

// --- schemas

std::optional<PlainSchemas::Node> PlainSchemas::member(nb::handle schema, Place place,
                                                       bool needed) {
  if (schema.ptr() == Py_True) return anything(host_);
  if (!is_dict(schema)) return std::nullopt;  // nothing at all, or no schema
  if (const auto found = attempt(schema, place)) return found;
  return other(schema, place, needed, lenient_);
}

std::optional<PlainSchemas::Node> PlainSchemas::other(nb::handle schema, Place place, bool needed,
                                                      bool lenient) {
  const nb::object found = ask("other", schema, way(place), needed, lenient);
  if (found.is_none()) return std::nullopt;
  return nb::cast<Node>(found);
}

std::optional<PlainSchemas::Node> PlainSchemas::attempt(nb::handle given, Place place) {
  nb::object schema = nb::borrow(given);
  Said said;
  Record* met = nullptr;
  for (unsigned hops = 0;; ++hops) {
    if (hops > kMostHops || !is_dict(schema)) return std::nullopt;
    Record& record = records_[schema.ptr()];
    if (record.number == 0) {
      said.clear();
      record.other = read(schema, said) != Heard::kAll;
    }
    if (record.number != 0 || record.other || !refers(said)) {
      met = &record;
      break;
    }
    if (!record.schema.is_valid()) record.schema = schema;
    auto next = target(said.of(Keyword::kRef));
    if (!next) return std::nullopt;
    std::tie(schema, place) = std::move(*next);
  }
  Record& record = *met;
  const bool fresh = record.number == 0;
  if (fresh) {
    record.schema = schema;
    record.place = place;
    record.number = ++schemas_;
    if ((schemas_ & kOften) == 0) ask("check");
  }
  if (record.asked) {  // what is wanted is not the rule, but its body
    record.asked = false;
    return std::nullopt;
  }
  if (record.node) {
    if (record.broken) {
      if (lenient_) return std::nullopt;
      record.broken = false;
      waiting_.push_back(&record);
    }
    if (!record.shared) {
      // Met again: what was written in place the first time is a rule from now on.
      const Node first = *record.node;
      grammar_.define(name_of(record), first);
      rule_of(record);
    }
    return record.node;
  }
  if (record.other) return std::nullopt;
  if (record.busy || depth_ >= kDeep) {
    if (!record.busy) waiting_.push_back(&record);
    return rule_of(record);
  }
  if (!fresh) read(schema, said);  // an error, which did not matter there, ended its writing
  std::optional<Node> found;
  try {
    found = write(record, said);
  } catch (...) {
    if (record.node) set_broken(record);
    throw;
  }
  if (!record.node) {
    record.node = found;
    return found;
  }
  if (define(record, found, lenient_)) return record.node;  // it met itself
  set_broken(record);
  return std::nullopt;
}

void PlainSchemas::set_broken(Record& record) {
  record.broken = true;
  broken_.push_back(&record);
}

// Gives a rule that stands somewhere already its body, which others write where it is not plain;
// false where there is an error, which may not matter.
bool PlainSchemas::define(Record& record, std::optional<Node> found, bool lenient) {
  if (!found) {
    record.asked = true;
    const nb::object own = ask("body", record.schema, way(record.place), lenient);
    record.asked = false;
    if (own.ptr() == Py_False) return false;
    if (!own.is_none()) found = nb::cast<Node>(own);
  }
  grammar_.define(name_of(record), found ? *found : grammar_.choice({}));
  return true;
}

// Writes what is plain but perhaps for its parts.
std::optional<PlainSchemas::Node> PlainSchemas::write(Record& record, const Said& said) {
  bool composite = false;
  std::optional<Node> found;
  {
    const Restored busy(record.busy, true);
    const Restored deeper(depth_, depth_ + 1);
    found = body(record.schema, said, record.place, composite);
  }
  record.other = !found;
  if (!record.node) record.shared = found && !composite;  // scalars need no rule
  return found;
}

// Notes what a schema says, and how much that is of it.
Heard PlainSchemas::read(nb::handle schema, Said& said) const {
  Heard heard = Heard::kAll;
  Py_ssize_t at = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  const bool inner = schema.ptr() != root_.ptr();
  while (PyDict_Next(schema.ptr(), &at, &key, &value)) {
    const auto name = text_of(key);
    if (!name) {
      heard = Heard::kNothing;
      continue;
    }
    const auto found = words_.keywords.find(*name);
    if (found == words_.keywords.end()) {
      // Inside, these are the root of another document.
      if (inner && (*name == "$schema" || *name == words_.id_keyword)) heard = Heard::kNothing;
    } else if (found->second == Keyword::kOther) {
      heard = std::max(heard, Heard::kPart);
    } else if (found->second == Keyword::kApplied) {
      heard = Heard::kNothing;
    } else {
      said.set(found->second, value);
    }
  }
  return said.has(Keyword::kRef) && words_.lone_ref ? Heard::kAll : heard;
}

// What a reference within the document leads to by way of objects without a name of their own.
std::optional<std::pair<nb::object, PlainSchemas::Place>> PlainSchemas::target(
    nb::handle reference) {
  const auto text = text_of(reference);
  if (!text || text->empty() || text->front() != '#') return std::nullopt;
  std::string rest(text->substr(1));
  if (rest.find_first_of("%~") != std::string::npos) return std::nullopt;
  if (!rest.empty() && rest.front() != '/') return std::nullopt;  // an anchor
  if (!is_dict(root_)) return std::nullopt;
  steps_.push_back({std::nullopt, nb::make_tuple(nb::none(), "")});
  auto place = static_cast<Place>(steps_.size() - 1);
  nb::object found = root_;
  const nb::str own_name(words_.id_keyword.c_str(), words_.id_keyword.size());
  const nb::str draft("$schema");
  for (std::size_t begin = 0; begin < rest.size();) {
    const std::size_t end = std::min(rest.find('/', begin + 1), rest.size());
    nb::object name = nb::str(rest.data() + begin + 1, end - begin - 1);
    begin = end;
    found = member_of(found, name);
    if (!found.is_valid() || !is_dict(found)) return std::nullopt;
    if (member_of(found, own_name).is_valid() || member_of(found, draft).is_valid()) {
      return std::nullopt;
    }
    place = step(place, std::move(name));
  }
  return std::pair{std::move(found), place};
}

// --- rules and places

PlainSchemas::Node PlainSchemas::rule_of(Record& record) {
  if (!record.shared) {
    record.node = grammar_.rule(name_of(record));
    record.shared = true;
  }
  return *record.node;
}

std::string PlainSchemas::name_of(const Record& record) {
  const auto where = nb::cast<std::string>(ask("name", way(record.place)));
  return rules_ + where + " (schema " + std::to_string(record.number) + suffix_ + ")";
}

PlainSchemas::Place PlainSchemas::step(Place parent, nb::object name) {
  steps_.push_back({parent, std::move(name)});
  return static_cast<Place>(steps_.size() - 1);
}

// Where a place is in the text of the document: places in the objects and lists around it.
std::vector<std::size_t> PlainSchemas::position(Place place) {
  std::vector<nb::object> steps;
  for (; steps_[place].parent; place = *steps_[place].parent) steps.push_back(steps_[place].step);
  nb::object start = steps_[place].step;
  while (!start[0].is_none()) {
    steps.push_back(start[1]);
    start = start[0];
  }
  std::vector<std::size_t> found;
  nb::object value = root_;
  for (auto next = steps.rbegin(); next != steps.rend(); ++next) {
    const std::string name(text_of(*next).value_or(""));
    if (is_dict(value)) {
      auto& order = orders_[value.ptr()];
      if (order.empty()) {
        for (const auto& [key, unused] : nb::borrow<nb::dict>(value)) {
          order.emplace(text_of(key).value_or(""), order.size());
        }
      }
      const auto known = order.find(name);
      found.push_back(known == order.end() ? order.size() : known->second);
      value = member_of(value, *next);
    } else if (is_list(value)) {
      const std::size_t at = std::stoul(name);  // it is one of ours
      if (at >= static_cast<std::size_t>(PyList_Size(value.ptr()))) break;
      found.push_back(at);
      value = nb::borrow(PyList_GetItem(value.ptr(), static_cast<Py_ssize_t>(at)));
    }
    if (!value.is_valid()) break;  // others have changed the schema meanwhile
  }
  return found;
}

nb::object PlainSchemas::way(Place place) {
  std::vector<Place> missing;
  while (steps_[place].parent && !steps_[place].way.is_valid()) {
    missing.push_back(place);
    place = *steps_[place].parent;
  }
  nb::object found = steps_[place].parent ? steps_[place].way : steps_[place].step;
  for (auto next = missing.rbegin(); next != missing.rend(); ++next) {
    found = steps_[*next].way = nb::make_tuple(found, steps_[*next].step);
  }
  return found;
}

}  // namespace formgate::json_schema
