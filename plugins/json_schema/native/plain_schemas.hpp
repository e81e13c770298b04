// Schemas that say what they mean: kinds, members, items, lengths and lists of strings, with
// references among them and alternatives that share no value, are written to a grammar as they
// stand. All others need the Boolean algebra of the Python reader, which writes them in place
// (`Host`) and may come back for parts.
//
// A schema met again becomes a rule, as does one that is met inside itself or is nested deep.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formgate/grammar.hpp"
#include "gil.hpp"

namespace formgate::json_schema {

namespace nb = nanobind;

// Kinds of values, as bits.
enum : unsigned {
  kNull = 1,
  kFalse = 2,
  kTrue = 4,
  kNumber = 8,
  kString = 16,
  kArray = 32,
  kObject = 64,
  kAll = 127,
};

enum class Keyword : std::uint8_t {
  kType,
  kEnum,
  kConst,
  kRef,
  kProperties,
  kRequired,
  kPatterns,
  kAdditional,
  kItems,
  kMinItems,
  kMaxItems,
  kUniqueItems,
  kMinLength,
  kMaxLength,
  kPattern,
  kFormat,
  kMinimum,
  kMaximum,
  kExclusiveMinimum,
  kExclusiveMaximum,
  kMultipleOf,
  kAllOf,
  kAnyOf,
  kOneOf,
  kNot,
  kOther,    // it means something that is not written here
  kApplied,  // such that schemas are applied to the same value
};
constexpr unsigned kMostHops = 8;      // from reference to reference
constexpr std::size_t kManyAlike = 5;  // alternatives that may share values
constexpr std::size_t kKeywords = static_cast<std::size_t>(Keyword::kOther);

// How much of a schema is said by the keywords that are known here.
enum class Heard : std::uint8_t {
  kAll,
  kPart,  // the rest makes it narrower
  kNothing,
};

// What the keywords of a draft are.
struct Words {
  Words(const std::vector<std::string>& active, std::string id, bool lone);
  Words(const Words&) = delete;  // keywords look at names
  Words& operator=(const Words&) = delete;

  std::unordered_map<std::string_view, Keyword> keywords;
  std::vector<std::string> names;  // what the views above look at
  std::string id_keyword;          // names a schema
  bool lone_ref;                   // a reference makes all beside it meaningless
};

// How values are written.
struct Policy {
  std::optional<std::uint32_t> blanks;  // most of them in a row; none: white space is fixed
  std::string comma = ",";
  std::string colon = ":";
  bool ordered = true;
  bool canonical = false;
  bool relaxed = false;  // what cannot be enforced is told and left out
};

class PlainSchemas {
 public:
  using Node = Grammar::Handle;

  // `rules` and `suffix` stand before and after the names of rules; `kept` keeps the grammar and
  // the words alive.
  PlainSchemas(nb::object kept, Grammar& grammar, nb::object root, const Words& words,
               Policy policy, std::string rules, std::string suffix, std::optional<Node> anything);

  // The texts whose values satisfy a schema of the root's document, which stands at a place (as
  // Python has it); nothing where it is not plain. The host's methods write what is not:
  // `other(schema, place, needed, lenient)` returns a node, or None where no value is valid for
  // sure, or, if it is lenient, where there is an error, which may not matter,
  // `both(schemas, needed)` the same of schemas that hold together, each with its place and whether
  // it must not hold,
  // `fault(schema, place)` nothing: it raises where something is no schema, and for nothing else,
  // `body(schema, place, lenient)` the same of what stands somewhere as a rule that is to be
  // defined by it, but False where it is lenient and there is an error, `numbers(integer)` a node,
  // `name(place)` a name for people; `check()` ends what takes too long. `bounded(integer, bounds)`
  // returns the node of the numbers within bounds, by their keywords, `some(integer, numbers)` that
  // of some numbers, `texts(low, high, pattern, format)` that of some strings without their quotes,
  // `keys(patterns, names, rest)` the nodes of what patterns match, that of the names that none
  // matches, if they are asked for and there are any, and of each name the place of its pattern:
  // None for those that are left to `other`, if only to refuse them.
  std::optional<Node> value(nb::handle schema, nb::handle place, nb::handle host);
  // Writes what was put off; says whether there was anything.
  bool drain(nb::handle host);
  // Writes rules that a node leads to though an error left them without a body, which raises it;
  // says whether there were any.
  bool mend(Node node, nb::handle host);
  // Any value at all.
  Node anything(nb::handle host);
  std::optional<Node> known_anything() const { return anything_; }

 private:
  using Place = std::uint32_t;
  struct Step {  // of a way through the document; a start has the way as Python has it
    std::optional<Place> parent;
    nb::object step;
    nb::object way = {};  // as Python has it, once somebody asked
  };
  class Said {  // the values of a schema's keywords, kept alive; most are not there
   public:
    Said() = default;
    ~Said() { clear(); }
    Said(const Said&) = delete;
    Said& operator=(const Said&) = delete;
    nb::handle of(Keyword keyword) const { return values_[static_cast<std::size_t>(keyword)]; }
    bool has(Keyword keyword) const { return of(keyword).is_valid(); }
    unsigned count() const { return static_cast<unsigned>(std::popcount(there_)); }
    void set(Keyword keyword, nb::handle value) {
      const auto place = static_cast<std::size_t>(keyword);
      const nb::handle before =
          values_[place];  // keys of classes of their own may be spelled alike
      values_[place] = value.inc_ref();
      before.dec_ref();
      there_ |= 1u << place;
    }
    void clear() {
      for (; there_ != 0; there_ &= there_ - 1) {
        nb::handle& value = values_[static_cast<std::size_t>(std::countr_zero(there_))];
        value.dec_ref();
        value = {};
      }
    }

   private:
    static_assert(kKeywords <= 32);
    std::array<nb::handle, kKeywords> values_ = {};
    std::uint32_t there_ = 0;
  };
  struct Record {
    nb::object schema = {};
    Place place = 0;           // where it was met first
    std::uint32_t number = 0;  // from 1; none where only references were followed
    std::optional<Node> node = {};
    bool shared = false;  // the node may stand in several places
    bool busy = false;
    bool other = false;   // it is not plain
    bool asked = false;   // of others, who may come back for it at once
    bool sorted = false;  // its kinds were asked for
    bool broken = false;  // the node is a rule that an error left without a body
    std::optional<unsigned> kinds = {};
  };
  struct Kinds {
    unsigned bits = 0;
    bool integer = false;
  };
  using Strings = std::unordered_set<std::string>;
  // What objects of a schema have: at least this.
  struct Members {
    nb::object properties = {};  // a dict, or nothing
    std::vector<nb::object> required = {};
    bool closed = false;                                         // there are no others
    std::vector<std::pair<nb::object, nb::object>> denied = {};  // names, and what they are not

    nb::object member(nb::handle name) const;
  };
  using Group = std::vector<Members>;  // of one alternative, which may have several itself
  struct Branch {
    nb::object schema;
    unsigned kinds;
  };
  // A member of a known name: schemas that it must satisfy, and their places.
  struct Property {
    nb::object name;
    std::vector<std::pair<nb::object, Place>> schemas = {};
    std::vector<std::pair<nb::object, Place>> denied = {};  // that it must not satisfy
    bool banned = false;                                    // it must not be there

    bool simple() const { return schemas.size() == 1 && denied.empty(); }
  };
  // All that a schema says of objects, where that is of one member: the schema that it satisfies,
  // or nothing for anything, and whether it must be there.
  struct Single {
    nb::object name;
    nb::object schema = {};
    Place place = 0;
    bool needed = true;
    Kinds kinds{kAll, false};  // of all values that the schema allows
  };
  struct Pattern {  // of names
    nb::object source;
    nb::object schema;  // what members so named satisfy
    Place place = 0;
    Node names = 0;
  };
  // What is said of objects. Names are looked at in the objects that are kept.
  struct Objects {
    std::vector<Property> properties = {};
    std::vector<nb::object> required = {};  // in their order, none twice
    nb::object additional = {};             // what others satisfy; nothing for anything
    Place additional_place = 0;
    std::vector<Pattern> patterns = {};
    std::optional<Node> rest = {};  // names that no pattern matches, where there are patterns
    std::unordered_map<std::string_view, const Pattern*> matched = {};  // of those required
  };
  struct Turn {  // one of some alternatives
    Py_ssize_t branch;
    Py_ssize_t count;
    bool exclusive;            // a value may be of one alone
    std::uint32_t denied = 0;  // others of which it cannot be then, as bits
  };
  using Turns = std::vector<Turn>;
  struct Choices {
    Turns turns;  // what to take of alternatives, in their order; those met first are new
    // Whether alternatives do not matter, beside values of some kinds.
    std::map<std::pair<PyObject*, unsigned>, std::optional<bool>> idle;
    std::map<PyObject*, std::vector<std::optional<Single>>> singles;  // by their lists
  };
  // What schemas say that all apply to the same value, of which objects may be said more.
  struct Merged {
    Kinds allowed;
    Choices* choices = nullptr;
    std::size_t taken = 0;
    unsigned chosen = 0;  // alternatives that hold the part that is merged
    Objects objects = {};
    std::unordered_map<std::string_view, std::size_t> places = {};  // of properties
    std::unordered_set<std::string_view> needed = {};
    std::vector<nb::object> closed = {};  // the properties beside which there are no others
    unsigned parts = 0;
    bool strays = false;        // some part stands elsewhere or is denied, whatever is taken
    unsigned* looks = nullptr;  // alternatives are looked at, not taken: so many times at most
    bool more = false;          // these say something
    bool unknown = false;       // or perhaps nothing
  };
  // Schemas that all apply, with one taken of each alternatives that they hold.
  struct Case {
    Merged merged;
    Turns turns;
  };

  // Calls the host, which runs Python.
  template <class... Arguments>
  nb::object ask(const char* name, const Arguments&... arguments) const {
    return bindings::in_python([&] { return host_.attr(name)(arguments...); });
  }
  std::optional<Node> attempt(nb::handle schema, Place place);
  std::optional<Node> member(nb::handle schema, Place place, bool needed);
  std::optional<Node> other(nb::handle schema, Place place, bool needed, bool lenient);
  std::optional<Node> write(Record& record, const Said& said);
  bool define(Record& record, std::optional<Node> found, bool lenient);
  void set_broken(Record& record);
  Heard read(nb::handle schema, Said& said) const;
  // Whether a schema is a reference and nothing else.
  bool refers(const Said& said) const {
    return said.has(Keyword::kRef) && (words_.lone_ref || said.count() == 1);
  }
  std::optional<std::pair<nb::object, Place>> target(nb::handle reference);
  std::optional<Node> body(nb::handle schema, const Said& said, Place place, bool& composite);
  static std::optional<Kinds> kinds(nb::handle type);
  std::optional<unsigned> kinds_of(nb::handle schema);
  std::optional<unsigned> found_kinds(nb::handle schema);
  Heard follow(nb::object& schema, Place& place, Said& said);
  std::optional<Strings> strings_of(nb::handle schema);
  bool objects_of(nb::handle schema, Group& found, unsigned depth);
  Members members_of(nb::handle schema, const Said& said, bool whole);
  bool apart(const Members& one, const Members& other);
  bool apart(const Group& one, const Group& other);
  bool told_apart(const std::vector<Group>& groups);
  bool share_no_strings(const std::vector<Branch>& branches);
  bool share_no_objects(const std::vector<Branch>& branches);
  bool share_no_arrays(const std::vector<Branch>& branches);
  std::optional<Node> alternatives(const Said& said, Place place, bool& composite);
  std::optional<Node> conjunction(nb::handle schema, const Said& said, Place place,
                                  bool& composite);
  std::optional<std::vector<Case>> cases_of(nb::handle schema, Place place);
  static bool differ_in_order(const Merged& one, const Merged& other);
  static bool may_be_within(const Merged& one, const Merged& other);
  bool are_exact(const std::vector<Case>& cases);
  static bool are_schemas(const Merged& merged);
  std::optional<bool> are_idle(nb::handle branches, Place place, Kinds allowed, unsigned& looks);
  Members members_of(const Merged& merged);
  bool merge(nb::handle schema, Place place, Merged& merged);
  bool take(nb::handle branches, Keyword keyword, Place place, bool placed, Merged& merged);
  std::optional<Single> single_of(nb::handle schema, Place place);
  bool apart(const Single& one, const Single& other);
  void deny_others(nb::handle branches, Place place, std::size_t turn, Merged& merged);
  static bool deny(const Single& single, Merged& merged);
  bool are_listed(nb::handle schema, const Strings& strings);
  bool merge_members(nb::handle properties, nb::handle required, Place place, Merged& merged);
  bool close(Merged& merged);
  bool listed(const Said& said, Kinds allowed, std::vector<Node>& nodes);
  bool numbers(const Said& said, bool integer, std::vector<Node>& nodes);
  bool strings(const Said& said, std::vector<Node>& nodes);
  static bool texts_are_formed(const Said& said);
  std::optional<Node> texts(const Said& said, std::uint32_t low, std::uint32_t high);
  std::optional<Node> array(const Said& said, Place place);
  std::optional<Node> object(const Said& said, Place place);
  bool match(Objects& objects);
  std::optional<Node> object(const Objects& objects);
  std::optional<Node> both(const Property& property, bool needed);
  Node list(Node rest, std::uint32_t low, std::uint32_t high);
  Node members(Grammar::Keys keys, std::uint32_t low);
  Node quoted(Node text);
  Node any_string();
  Node any_char();
  Node number(bool integer);
  Node literal(std::string_view text);
  Node rule_of(Record& record);
  std::string name_of(const Record& record);
  Place step(Place parent, nb::object name);
  nb::object way(Place place);
  std::vector<std::size_t> position(Place place);
  static bool says_nothing_itself(const Said& said);
  bool parts_in_order(const Said& said, Place place);
  void make_style();

  nb::object kept_;  // what the grammar and the words belong to
  Grammar& grammar_;
  nb::object root_;
  const Words& words_;
  const Policy policy_;
  const std::string rules_;
  const std::string suffix_;
  nb::handle host_;  // while a call from Python lasts
  std::unordered_map<PyObject*, Record> records_;
  std::vector<Step> steps_;
  std::deque<Record*> waiting_;  // elements of the map stay where they are
  std::vector<Record*> broken_;
  std::unordered_map<std::string_view, Node> literals_;
  std::optional<Node> opened_, comma_, colon_, anything_, any_char_, any_text_, any_string_, keys_;
  std::optional<Node> numbers_[2];
  std::unordered_map<Node, Node> quoted_;                              // strings by their texts
  std::unordered_map<PyObject*, std::pair<nb::object, Node>> denied_;  // what is not of a schema
  // Where names stand in objects of the document.
  std::unordered_map<PyObject*, std::unordered_map<std::string, std::size_t>> orders_;
  std::uint32_t schemas_ = 0;
  unsigned depth_ = 0;
  bool lenient_ = false;  // what is written now may be written by others after all
  unsigned applied_ = 0;  // schemas applied within each other whose kinds are being found
};

}  // namespace formgate::json_schema
