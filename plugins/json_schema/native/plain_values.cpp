// What plain schemas say of values, as nodes.
#include <algorithm>
#include <unordered_set>

#include "plain_schemas.hpp"
#include "python_values.hpp"

namespace formgate::json_schema {
namespace {

// More strings, or longer ones, than these are read where a deadline can interrupt it.
constexpr std::size_t kMany = 4096;
constexpr std::size_t kManyBytes = 1u << 18;

constexpr unsigned kInteger = 128;  // beside the kinds

constexpr auto kBounds = {Keyword::kMinimum, Keyword::kMaximum, Keyword::kExclusiveMinimum,
                          Keyword::kExclusiveMaximum, Keyword::kMultipleOf};

unsigned kind_of(std::string_view name) {
  if (name == "string") return kString;
  if (name == "object") return kObject;
  if (name == "array") return kArray;
  if (name == "number" || name == "integer") return kNumber;
  if (name == "boolean") return kFalse | kTrue;
  if (name == "null") return kNull;
  return 0;
}

}  // namespace

std::optional<PlainSchemas::Node> PlainSchemas::body(nb::handle schema, const Said& said,
                                                     Place place, bool& composite) {
  if (said.has(Keyword::kRef) || said.has(Keyword::kNot)) {
    return conjunction(schema, said, place, composite);
  }
  if (said.has(Keyword::kAllOf) || said.has(Keyword::kAnyOf) || said.has(Keyword::kOneOf)) {
    const auto found = alternatives(said, place, composite);
    return found ? found : conjunction(schema, said, place, composite);
  }
  Kinds allowed{kAll, false};
  if (said.has(Keyword::kType)) {
    const auto found = kinds(said.of(Keyword::kType));
    if (!found) return std::nullopt;
    allowed = *found;
  }
  const auto said_any = [&](std::initializer_list<Keyword> keywords) {
    return std::any_of(keywords.begin(), keywords.end(), [&](Keyword k) { return said.has(k); });
  };
  const bool texts =
      said_any({Keyword::kMinLength, Keyword::kMaxLength, Keyword::kPattern, Keyword::kFormat});
  const bool bounds = said_any(kBounds);
  const bool items =
      said_any({Keyword::kItems, Keyword::kMinItems, Keyword::kMaxItems, Keyword::kUniqueItems});
  const bool members = said_any(
      {Keyword::kProperties, Keyword::kRequired, Keyword::kAdditional, Keyword::kPatterns});
  std::vector<Node> nodes;
  if (said_any({Keyword::kEnum, Keyword::kConst})) {
    if (texts || bounds || items || members || !listed(said, allowed, nodes)) return std::nullopt;
    return nodes.size() == 1 ? nodes.front() : grammar_.choice(nodes);
  }
  // What is said of kinds that there are not is left to others, who check it, but for what is
  // often said.
  if ((texts && !(allowed.bits & kString) &&
       (said.has(Keyword::kPattern) || !texts_are_formed(said))) ||
      (bounds && !(allowed.bits & kNumber)) || (items && !(allowed.bits & kArray)) ||
      (members && !(allowed.bits & kObject))) {
    return std::nullopt;
  }
  if (allowed.bits == kAll && !allowed.integer && !texts && !bounds && !items && !members) {
    return anything(host_);
  }
  if (allowed.bits & kNull) nodes.push_back(literal("null"));
  if (allowed.bits & kFalse) nodes.push_back(literal("false"));
  if (allowed.bits & kTrue) nodes.push_back(literal("true"));
  if (bounds) {
    if (!numbers(said, allowed.integer, nodes)) return std::nullopt;
  } else if (allowed.bits & kNumber) {
    nodes.push_back(number(allowed.integer));
  }
  if ((allowed.bits & kString) && !strings(said, nodes)) return std::nullopt;
  composite = (allowed.bits & (kArray | kObject)) != 0;
  if (allowed.bits & kArray) {
    const auto found = array(said, place);
    if (!found) return std::nullopt;
    nodes.push_back(*found);
  }
  if (allowed.bits & kObject) {
    const auto found = object(said, place);
    if (!found) return std::nullopt;
    nodes.push_back(*found);
  }
  return nodes.size() == 1 ? nodes.front() : grammar_.choice(nodes);
}

std::optional<PlainSchemas::Kinds> PlainSchemas::kinds(nb::handle type) {
  Kinds found;
  unsigned named = 0;  // with a bit of its own for integers
  const auto add = [&](nb::handle one) {
    const auto name = text_of(one);
    const unsigned bits = name ? kind_of(*name) : 0;
    const unsigned own = name && *name == "integer" ? kInteger : bits;
    if (bits == 0 || (named & own) != 0) return false;
    named |= own;
    found.bits |= bits;
    return true;
  };
  if (is_list(type)) {
    const Py_ssize_t size = PyList_Size(type.ptr());
    for (Py_ssize_t i = 0; i < size; ++i) {
      if (!add(PyList_GetItem(type.ptr(), i))) return std::nullopt;
    }
  } else if (!add(type)) {
    return std::nullopt;
  }
  found.integer = (named & (kInteger | kNumber)) == kInteger;
  if (found.bits == 0) return std::nullopt;
  return found;
}

// Values one by one, if they are no arrays and no objects.
bool PlainSchemas::listed(const Said& said, Kinds allowed, std::vector<Node>& nodes) {
  if (said.has(Keyword::kEnum) && said.has(Keyword::kConst)) return false;
  std::vector<nb::handle> values;
  if (said.has(Keyword::kConst)) {
    values.push_back(said.of(Keyword::kConst));
  } else {
    const nb::handle given = said.of(Keyword::kEnum);
    if (!is_list(given) || static_cast<std::size_t>(PyList_Size(given.ptr())) > kMany) return false;
    for (Py_ssize_t i = 0; i < PyList_Size(given.ptr()); ++i) {
      values.emplace_back(PyList_GetItem(given.ptr(), i));
    }
  }
  unsigned bits = 0;
  std::vector<std::string_view> texts;
  nb::list numerals;
  for (const nb::handle one : values) {
    if (const auto text = text_of(one)) {
      bits |= kString;
      texts.push_back(*text);
    } else if (one.is_none()) {
      bits |= kNull;
    } else if (PyBool_Check(one.ptr())) {
      bits |= one.ptr() == Py_True ? kTrue : kFalse;
    } else if (!is_list(one) && !is_dict(one)) {
      bits |= kNumber;
      numerals.append(one);
    } else {
      return false;
    }
  }
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  if (bytes > kManyBytes) return false;
  // Numbers that are not allowed are checked, too.
  if ((bits & kNumber) && !(allowed.bits & kNumber)) return false;
  bits &= allowed.bits;
  if (bits == 0) return false;
  if (bits & kNull) nodes.push_back(literal("null"));
  if (bits & kFalse) nodes.push_back(literal("false"));
  if (bits & kTrue) nodes.push_back(literal("true"));
  if (bits & kNumber) {
    const nb::object found = ask("some", allowed.integer, numerals);
    if (found.is_none()) return false;
    nodes.push_back(nb::cast<Node>(found));
  }
  if (bits & kString) {
    if (std::all_of(texts.begin(), texts.end(), [&](auto one) { return one == texts.front(); })) {
      nodes.push_back(quoted(grammar_.literal(std::string(texts.front()))));
    } else {
      CompileContext context(Limits{}, std::nullopt, nullptr);
      nodes.push_back(quoted(grammar_.strings(
          std::make_shared<const LeafDfa>(LeafDfa::of_strings(std::move(texts), context)))));
    }
  }
  return true;
}

// Says whether the keywords for strings are of the right form.
bool PlainSchemas::texts_are_formed(const Said& said) {
  const auto formed = [&](Keyword keyword, auto&& form) {
    return !said.has(keyword) || form(said.of(keyword)).has_value();
  };
  return formed(Keyword::kMinLength, count_of) && formed(Keyword::kMaxLength, count_of) &&
         formed(Keyword::kPattern, text_of) && formed(Keyword::kFormat, text_of);
}

bool PlainSchemas::numbers(const Said& said, bool integer, std::vector<Node>& nodes) {
  nb::object given[kBounds.size()];
  std::size_t at = 0;
  for (const Keyword keyword : kBounds) {
    const nb::handle one = said.of(keyword);
    if (one.is_none()) return false;  // this means none below
    given[at++] = one.is_valid() ? nb::borrow(one) : nb::none();
  }
  const nb::object found =
      ask("bounded", integer, given[0], given[1], given[2], given[3], given[4]);
  if (found.is_none()) return false;
  nodes.push_back(nb::cast<Node>(found));
  return true;
}

bool PlainSchemas::strings(const Said& said, std::vector<Node>& nodes) {
  std::uint32_t low = 0;
  std::uint32_t high = kUnbounded;
  if (said.has(Keyword::kMinLength)) {
    const auto found = count_of(said.of(Keyword::kMinLength));
    if (!found) return false;
    low = *found;
  }
  if (said.has(Keyword::kMaxLength)) {
    const auto found = count_of(said.of(Keyword::kMaxLength));
    if (!found) return false;
    high = *found;
  }
  if (low > high) return false;
  if (said.has(Keyword::kPattern) || said.has(Keyword::kFormat)) {
    const auto found = texts(said, low, high);
    if (found) nodes.push_back(quoted(*found));
    return found.has_value();
  }
  const bool any = low == 0 && high == kUnbounded;
  nodes.push_back(any ? any_string() : quoted(grammar_.repeat(any_char(), low, high)));
  return true;
}

std::optional<PlainSchemas::Node> PlainSchemas::texts(const Said& said, std::uint32_t low,
                                                      std::uint32_t high) {
  nb::object given[2] = {nb::none(), nb::none()};
  std::size_t at = 0;
  for (const Keyword keyword : {Keyword::kPattern, Keyword::kFormat}) {
    if (said.has(keyword)) {
      if (!text_of(said.of(keyword))) return std::nullopt;
      given[at] = nb::borrow(said.of(keyword));
    }
    ++at;
  }
  const nb::object most = high == kUnbounded ? nb::none() : nb::object(nb::int_(high));
  const nb::object found = ask("texts", nb::int_(low), most, given[0], given[1]);
  if (found.is_none()) return std::nullopt;
  return nb::cast<Node>(found);
}

std::optional<PlainSchemas::Node> PlainSchemas::array(const Said& said, Place place) {
  std::uint32_t low = 0;
  std::uint32_t high = kUnbounded;
  if (said.has(Keyword::kMinItems)) {
    const auto found = count_of(said.of(Keyword::kMinItems));
    if (!found) return std::nullopt;
    low = *found;
  }
  if (said.has(Keyword::kMaxItems)) {
    const auto found = count_of(said.of(Keyword::kMaxItems));
    if (!found) return std::nullopt;
    high = *found;
  }
  if (said.has(Keyword::kUniqueItems) && said.of(Keyword::kUniqueItems).ptr() != Py_False) {
    return std::nullopt;
  }
  if (low > high || high == 0) return std::nullopt;
  if (!said.has(Keyword::kItems)) return list(anything(host_), low, high);
  const nb::handle items = said.of(Keyword::kItems);
  const auto rest = member(items, step(place, nb::str("items")), low > 0);
  if (!rest) return std::nullopt;
  return list(*rest, low, high);
}

// --- nodes

PlainSchemas::Node PlainSchemas::list(Node rest, std::uint32_t low, std::uint32_t high) {
  make_style();
  const std::uint32_t most = high == kUnbounded ? kUnbounded : high - 1;
  const Node more =
      grammar_.repeat(grammar_.sequence({*comma_, rest}), low > 1 ? low - 1 : 0, most);
  Node inside = grammar_.sequence({*opened_, grammar_.sequence({rest, more}), *opened_});
  if (low == 0) inside = grammar_.choice({inside, *opened_});
  return grammar_.sequence({literal("["), inside, literal("]")});
}

PlainSchemas::Node PlainSchemas::members(Grammar::Keys keys, std::uint32_t low) {
  make_style();
  Node inside = 0;
  if (keys.entries.empty() && keys.cells.empty()) {
    inside = grammar_.choice({});
  } else {
    keys.colon = *colon_;
    keys.comma = *comma_;
    keys.ordered = policy_.ordered;
    keys.canonical = policy_.canonical;
    keys.min = std::max(low, 1u);
    inside = grammar_.sequence({*opened_, grammar_.keyed(std::move(keys)), *opened_});
  }
  if (low == 0) inside = grammar_.choice({inside, *opened_});
  return grammar_.sequence({literal("{"), inside, literal("}")});
}

PlainSchemas::Node PlainSchemas::anything(nb::handle host) {
  if (anything_) return *anything_;
  const Restored hosted(host_, host);
  const std::string name = rules_ + "any value" + suffix_;
  anything_ = grammar_.rule(name);
  std::vector<Node> ways = {literal("null"), literal("false"), literal("true"),
                            number(false),   any_string(),     list(*anything_, 0, kUnbounded)};
  Grammar::Keys keys;
  if (!keys_) keys_ = grammar_.json_text(*any_text_, policy_.canonical, true);
  keys.cells.push_back({*keys_, *anything_});
  ways.push_back(members(std::move(keys), 0));
  grammar_.define(name, grammar_.choice(ways));
  return *anything_;
}

PlainSchemas::Node PlainSchemas::quoted(Node text) {
  const auto known = quoted_.find(text);
  if (known != quoted_.end()) return known->second;
  const Node quote = literal("\"");
  return quoted_[text] =
             grammar_.sequence({quote, grammar_.json_text(text, policy_.canonical, false), quote});
}

PlainSchemas::Node PlainSchemas::any_char() {
  if (!any_char_) any_char_ = grammar_.chars(CharSet({{0, kMaxCodePoint}}));
  return *any_char_;
}

PlainSchemas::Node PlainSchemas::any_string() {
  if (!any_string_) {
    any_text_ = grammar_.repeat(any_char(), 0, kUnbounded);
    any_string_ = quoted(*any_text_);
  }
  return *any_string_;
}

PlainSchemas::Node PlainSchemas::number(bool integer) {
  std::optional<Node>& known = numbers_[integer ? 1 : 0];
  if (!known) known = nb::cast<Node>(ask("numbers", integer));
  return *known;
}

PlainSchemas::Node PlainSchemas::literal(std::string_view text) {
  const auto known = literals_.find(text);
  if (known != literals_.end()) return known->second;
  return literals_[text] = grammar_.literal(std::string(text));
}

void PlainSchemas::make_style() {
  if (opened_) return;
  if (!policy_.blanks) {
    opened_ = grammar_.literal("");
    comma_ = grammar_.literal(policy_.comma);
    colon_ = grammar_.literal(policy_.colon);
    return;
  }
  const Node blank = grammar_.chars(CharSet({{0x09, 0x09}, {0x20, 0x20}}));
  const Node blanks = grammar_.repeat(blank, 0, *policy_.blanks);
  const Node line = grammar_.choice({grammar_.literal("\n"), grammar_.literal("\r\n")});
  const Node rest = grammar_.repeat(grammar_.sequence({line, blanks}), 0, 1);
  opened_ = grammar_.sequence({blanks, rest});
  comma_ = grammar_.sequence({*opened_, grammar_.literal(","), *opened_});
  colon_ = grammar_.sequence({*opened_, grammar_.literal(":"), *opened_});
}

}  // namespace formgate::json_schema
