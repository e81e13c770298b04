// Lists without repetition: the members of a JSON object, no name twice, the items of an array, no
// value twice, and parts in any order. Also items of which some must meet conditions, which may
// repeat: they are not compared, but counted in the same way.
//
// What may still come depends on what has come, so a state carries data: which of the known keys
// are taken, and which others were used. All of it is content: equal data, equal states. A key of
// an unknown name is captured while it is read. Nothing is enumerated before text leads there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/growing_map.hpp"
#include "formgate/json_spelling.hpp"
#include "formgate/json_value.hpp"
#include "formgate/json_values.hpp"
#include "formgate/name_trie.hpp"
#include "formgate/stable_vector.hpp"
#include "formgate/types.hpp"

namespace formgate {

class ExprPool;
struct LinearTerm;

// Entries that need others, by number: (entry, another one that must come where it does).
class EntryNeeds {
 public:
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  EntryNeeds(std::uint32_t entries, const Pairs& pairs);

  // Whether some need each other.
  bool cyclic() const { return cyclic_; }
  // All that each entry needs, directly or not, as bits; empty where none needs any.
  const std::vector<std::vector<std::uint64_t>>& all() const { return all_; }
  // Takes from the usable entries those that need others, or more than there may be in all, and
  // adds to those required what they need.
  void settle(std::vector<char>& usable, std::vector<char>& required, std::uint32_t max) const;

 private:
  std::uint32_t size_;
  bool cyclic_ = false;
  std::vector<std::vector<std::uint64_t>> all_;
};

// Conditions on entries: of each some literal must hold. A literal is an entry with one of its
// values, by number, or (kGone) without coming at all. See keyed_clauses.cpp.
class EntryClauses {
 public:
  using Bits = std::vector<std::uint64_t>;
  struct Literal {
    std::uint32_t entry;
    std::uint32_t way;
  };
  using Clauses = std::vector<std::vector<Literal>>;
  static constexpr std::uint32_t kGone = kNoIndex;
  static constexpr std::uint32_t kMostTogether = 12;  // conditions that share entries
  static constexpr std::uint32_t kMostWays = 31;      // of one entry
  // Of an entry to come: bits of the values that it may have, and whether it need not come. None:
  // the entry has come, or is past.
  static constexpr std::uint32_t kMayBeGone = 1u << kMostWays;

  EntryClauses() = default;
  EntryClauses(std::uint32_t entries, const Clauses& clauses);

  bool empty() const { return count_ == 0; }
  // Whether no more conditions than are supported share entries, directly or not.
  bool few() const;
  Bits all() const;
  // Takes from open conditions those that an entry with a value, or without coming, meets.
  void meet(Bits& open, std::uint32_t entry, std::uint32_t way) const;
  // Whether entries to come can meet all open conditions.
  bool possible(const Bits& open, const std::vector<std::uint32_t>& options) const;
  // Whether there are texts with some key, of an entry or (`others`) of a cell; and the empty one.
  bool some_texts(std::vector<std::uint32_t> options, bool others) const;
  bool empty_text(std::vector<std::uint32_t> options) const;

 private:
  // What an entry with a value, or without coming, meets of the conditions of its group, as bits.
  struct Met {
    std::uint32_t way = 0;  // a bit, as in options
    std::uint32_t conditions = 0;
  };
  struct Group {
    std::vector<std::uint32_t> entries;
    std::vector<std::uint32_t> clauses;
    std::vector<std::vector<Met>> met;  // by each of the entries
  };
  void settle_group(Group& group) const;
  static bool possible(const Group& group, std::uint32_t open,
                       const std::vector<std::uint32_t>& options);
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> meets_;  // (way, clause)
  std::vector<Group> groups_;
};

class Keyed {
 public:
  // A key known beforehand: by its name, or (with quoted false) by all spellings of it.
  struct Entry {
    std::string name = {};
    ExprId key{};
    ExprId value{};  // what follows the colon; without a colon, nothing
    bool required = false;
    std::vector<ExprId> ways = {};  // other values; the first is number 1
  };
  // Values of a cell that meet conditions, as bits. Each condition named must be met by some key.
  struct Some {
    ExprId value{};
    std::uint64_t meets = 0;
  };
  static constexpr unsigned kMostConditions = 8;
  // Keys of which any number may come, each once.
  struct Cell {
    ExprId keys{};  // between the quotes, if quoted; else texts of JSON values
    ExprId value{};
    bool quoted = true;
    std::vector<Some> some = {};
  };
  struct Table {
    std::vector<Entry> entries;
    std::vector<Cell> cells;
    ExprId colon{};
    ExprId comma{};
    bool named = true;     // entries are known by name, and are no keys of cells
    bool ordered = false;  // entries as they stand, then cells; else any order
    bool canonical = false;
    bool places = false;   // cells are for one key each, in their order, the last for all others
    bool repeats = false;  // with places, and empty keys: values may come again
    EntryNeeds::Pairs needs = {};  // of entries; none in circles where min and max both matter
    // Of named entries, without needs, and where no number of keys is out of reach.
    EntryClauses::Clauses clauses = {};
    std::uint32_t min = 0;
    std::uint32_t max = 0;
    ByteSet allowed = ByteSet::all();  // bytes that names may be spelled with
  };

  explicit Keyed(ExprPool& pool) : pool_(pool) {}

  // The language of a table, whose parts are decided (ExprPool::decide). Parts without any text
  // cannot come; where they must, nothing matches. Throws Error(kLimit).
  ExprId make(Table table, CompileContext* context = nullptr);
  // The same over fewer bytes, its parts renamed.
  template <typename Visit>
  ExprId restricted(ExprId id, const ByteSet& allowed, Visit&& visit) {
    Table table = given_[tables_[states_[record(id).state].table].given];
    table.allowed = table.allowed & allowed;
    for (Entry& entry : table.entries) {
      if (!table.named) entry.key = visit(entry.key);
      entry.value = visit(entry.value);
      for (ExprId& way : entry.ways) way = visit(way);
    }
    for (Cell& cell : table.cells) {
      cell.keys = visit(cell.keys);
      cell.value = visit(cell.value);
      for (Some& one : cell.some) one.value = visit(one.value);
    }
    table.colon = visit(table.colon);
    table.comma = visit(table.comma);
    return make(std::move(table));
  }

  // Checks tables made while rules that they refer to were not defined yet; all are by now. Throws
  // Error(kLimit | kUnsupported).
  void settle(CompileContext& context);
  // The table without the empty text.
  ExprId without_empty(ExprId id);

  // An equivalent expression one step on, for all parts but captured keys.
  std::vector<LinearTerm> form(ExprId id);
  ExprId step(ExprId id, std::uint8_t byte);
  // The step of a part, by `make()`. Values within values share parts: inside of these, what they
  // lead to is kept until the step is done, or it would be built once for each way to it.
  template <typename Make>
  ExprId step_within(ExprId id, std::uint8_t byte, Make&& make) {
    if (nested_steps_ < 2) return make();
    const std::uint64_t key = std::uint64_t{index_of(id)} << 8 | byte;
    if (const auto it = steps_within_.find(key); it != steps_within_.end()) return it->second;
    const ExprId out = make();
    steps_within_.emplace(key, out);
    return out;
  }
  // After characters that stand for themselves, inside a key.
  ExprId skip(ExprId id, std::string_view text);
  bool inside_key(ExprId id) const;
  ByteSet alphabet(ExprId id);
  // The keys that may come, for people.
  std::string describe(ExprId id) const;

  // --- captured keys (masks.cpp) ---
  bool captures(ExprId id) const;
  // What a captured key is without its data: the keys, and what follows them.
  struct Plain {
    ExprId keys;
    ExprId after;
    std::vector<std::string> taken;  // rests that would make a key that must not come, of `keys`
    bool quoted;
    bool endless;  // other keys remain after any
    bool commas;   // a comma stands between keys
  };
  Plain plain(ExprId id);
  // Where values are under way: the bytes on which one may still become one that must not come, or
  // end.
  ByteSet contested(ExprId id);

  // --- walks of known keys (keyed_walk.cpp) ---
  // Inside a known key: at a node of the table's tree of names.
  bool spells_names(ExprId id) const;
  // The same language, for all but captured keys.
  ExprId expanded(ExprId id);
  std::uint32_t names_node(ExprId id) const;
  // Calls visit(character, node) for the characters that may follow.
  template <typename Visit>
  void visit_names(ExprId id, std::uint32_t at, Visit&& visit) {
    const NameTrie& trie = *tables_[states_[record(id).state].table].trie;
    const std::uint32_t end = trie.end_child(at);
    for (std::uint32_t child = trie.first_child(at); child < end; ++child) {
      if (names_open(id, child)) visit(trie.character(child), child);
    }
  }
  // The bytes of the character that leads to a node, where it may stand for itself.
  std::string_view plain_spelling(ExprId id, std::uint32_t at) const;
  ExprId spelled_character(ExprId id, std::uint32_t value);
  ExprId names_from(ExprId id, std::uint32_t at);
  bool ends_name(ExprId id, std::uint32_t at);
  // What follows the closing quote of the key that ends at a node.
  ExprId after_name(ExprId id, std::uint32_t at);

  // In which order members may come where a key ends, given its canonical text: the grammar's; any;
  // or any, but were they to come in the order of their texts, this key would come too late.
  enum class Order : std::uint8_t { kGiven, kAny, kTooLate };

  // Whether every way to go on leaves infinitely many keys.
  bool extensible(ExprId keys) const;
  bool outnumbered(ExprId keys, JsonValues::Set names);
  bool leaves_others(ExprId keys, JsonValues::Set names) {
    return extensible(keys) || outnumbered(keys, names);
  }
  std::uint32_t texts_from(ExprId text, unsigned depth);
  std::uint32_t texts_behind(ExprId text, JsonValues::Element name);

  // What must come at least before a text ends (keyed_left.cpp): expressions, in some order, and
  // further bytes.
  struct Left {
    std::vector<ExprId> parts;
    std::size_t bytes = 0;
  };
  Left left(std::uint32_t record);  // Node::a

  std::size_t memory_usage() const { return bytes_ + store_.memory_usage(); }

 private:
  ByteSet first_bytes(ExprId id);
  ByteSet contested_in(ExprId first);
  using Element = JsonValues::Element;
  using Set = JsonValues::Set;
  struct Compiled {
    std::uint32_t given;  // index of the table as it was given
    std::vector<Entry> entries;
    std::vector<Cell> cells;
    std::vector<std::vector<std::uint64_t>> needs;  // EntryNeeds::all
    EntryClauses clauses;
    std::vector<std::uint32_t> options;    // by entry, where there are clauses
    std::vector<std::string> names;        // of all entries, sorted; none without cells
    std::shared_ptr<const NameTrie> trie;  // of the entries; shared where they have the same names
    std::unordered_map<std::uint32_t, ExprId> spelled;  // characters, once asked for
    ExprId colon;
    ExprId comma;
    ExprId open_quote;
    ExprId close_quote;
    bool named;
    bool ordered;
    bool canonical;
    bool places;
    bool repeats;
    bool doubtful;  // to be settled
    std::uint32_t min;
    std::uint32_t max;
    std::uint32_t capacity;  // how many keys the cells have, kUnbounded if many
    bool endless;            // the cells have keys without end, whatever was read of one
    bool commas;             // a comma is in every text between keys
    std::uint64_t wanted;    // conditions that keys of cells must meet
    // By place, up to the least number of keys: all its values, where others may take them away.
    std::vector<std::optional<std::vector<Element>>> scarce;
    std::vector<std::uint32_t> amounts;  // of values, by cell: kUnbounded if without end
    ByteSet allowed;
    ByteSet alphabet;
    bool open;  // the alphabet lacks those of calls that were not defined
    std::uint8_t flags;
    std::uint16_t depth;
    Hash128 hash;
  };
  using Bits = std::vector<std::uint64_t>;
  // What has come.
  struct State {
    std::uint32_t table = 0;
    std::uint32_t position = 0;  // entries before it are past, if ordered
    Bits taken = {};             // else, and of those past what others need
    Bits owed = {};              // what has come needs these, which have not
    Bits unmet = {};             // conditions on entries
    Set used{};                  // keys of cells
    std::uint32_t count = 0;     // of keys, up to where more make no difference
    std::uint64_t wanted = 0;    // conditions that are not met yet
    std::uint32_t left = 0;      // required entries, and those owed, that have not come
    std::uint32_t until = 0;     // the last entry that may come, if ordered
    Hash128 hash = {};
    // By entry, where there are clauses: whether they let it come next (1), or not (-1), once
    // asked.
    mutable std::vector<signed char> entries_open = {};
  };
  enum class Part : std::uint8_t {
    kFirst,    // keys, or nothing
    kRest,     // after a key and its value: a comma and more, or nothing
    kNames,    // inside a known key
    kCapture,  // inside a key of a cell
  };
  // What was read of a key: its text, and an escape that is not complete.
  struct Reading {
    JsonValues::Bytes text{};
    JsonReader escape = {};  // without text
  };
  struct Record {
    Part part = Part::kFirst;
    bool alone = false;  // no key that must not come begins like the one under way
    std::uint32_t state = 0;
    std::uint32_t at = 0;      // node of the trie, or cell
    std::uint32_t reader = 0;  // what of the key was read
    Set rivals{};              // values that must not come, which it may still become
    ExprId keys{};             // what of it is left
    ExprId node{kNoIndex};     // what it stands for, once that is known
    ExprId body{kNoIndex};     // the same as an expression of other kinds, once asked for
    Hash128 hash = {};
  };
  struct HashOfHash {
    std::size_t operator()(const Hash128& hash) const { return hash.lo; }
  };

  // --- what must come (keyed_left.cpp) ---
  void leave_members(const State& state, const std::vector<std::uint32_t>& but, bool one,
                     bool comma, Left& out);
  void leave_value(const Compiled& table, ExprId value, bool whole, Left& out) const;

  const Record& record(ExprId id) const;
  std::uint32_t intern_state(State state);
  ExprId node(Record record);
  ExprId first(std::uint32_t state);
  ExprId rest(std::uint32_t state);
  ExprId names(std::uint32_t state, std::uint32_t at);
  // `before` is the state the last byte was read in; none where the key begins.
  ExprId capture(std::uint32_t state, std::uint32_t cell, ExprId keys, const Reading& reading,
                 const Record* before);
  void push(Reading& reading, std::uint8_t byte);
  const std::string& text_of(const Reading& reading) const;
  Hash128 hash_of(const Reading& reading) const;
  ExprId key(std::uint32_t state);
  ExprId body(std::uint32_t record);
  ExprId after(std::uint32_t state, std::uint32_t cell, Element key);
  ExprId after_key(std::uint32_t state, std::uint32_t cell, Element key);
  // Fewest keys of cells that meet conditions, after those of a state and one more of a cell (or
  // kNoIndex); kUnbounded where there are not enough.
  std::uint32_t fewest(const Compiled& table, const State& state, std::uint64_t wanted,
                       std::uint32_t cell);
  std::uint32_t keys_left(ExprId keys, Set used);
  // Whether the rest can be completed after a key of a cell whose value meets some conditions.
  bool fits(const State& state, std::uint32_t cell, std::uint64_t met);
  bool cell_open(const State& state, std::uint32_t cell);
  struct Spelled {
    ExprId id;
    ByteSet alphabet;
    bool live;
  };
  Spelled spelled(const Compiled& table, std::uint32_t value);
  ExprId character(const Compiled& table, std::uint32_t value);
  ExprId spelling(const Compiled& table, std::string_view text);
  ExprId blocked(const Record& record);
  std::vector<std::string> taken(const Record& record);
  bool begins_another(const Record& record) const;
  bool names_open(ExprId id, std::uint32_t at);
  ExprId spelled_character(std::uint32_t table, std::uint32_t value);
  ExprId names_step(std::uint32_t record, std::uint8_t byte);
  ExprId after_name(std::uint32_t state, std::uint32_t at);
  ExprId value_step(ExprId id, std::uint8_t byte);
  ExprId own_value_step(const Record& record, std::uint8_t byte);
  // --- values (keyed_values.cpp) ---
  ExprId capture_value(std::uint32_t state, std::uint32_t cell, ExprId keys, ValueReader reader,
                       Set rivals);
  bool other_value(std::uint32_t state, std::uint32_t cell, ExprId keys, const ValueReader& reader,
                   Set rivals);
  Set rivals_of(std::uint32_t state);
  Set rivals_left(Set rivals, const ValueReader& reader);
  bool spoils(std::uint32_t state, Element value);
  bool places_filled(const Compiled& table, std::uint32_t from, Set gone) const;
  bool zeros_only(ExprId keys);
  bool grows(ExprId keys, const ValueReader& reader);
  Order order_of(ExprId keys, std::string_view key) const;
  class Endless;
  bool many(ExprId keys, std::uint32_t enough);
  bool many_lists(ExprId first, std::uint32_t enough);
  // Distinct values, up to so many; kUnbounded where there is no end of them.
  std::uint32_t values_of(ExprId keys, std::uint32_t enough, CompileContext* context,
                          std::vector<Element>* out);
  bool measure(Compiled& table, CompileContext* context, bool defined);
  // Keys known by their text, without some.
  ExprId without(ExprId keys, Set names);
  ExprId without(ExprId keys, const std::vector<std::string>& names);

  bool open(const State& state, std::uint32_t entry);
  // --- conditions on entries (keyed_clauses.cpp) ---
  Bits unmet_after(const State& state, std::uint32_t entry, std::uint32_t way) const;
  Bits unmet_without(const State& state) const;  // if no entry comes any more
  bool way_open(const State& state, std::uint32_t entry, std::uint32_t way) const;
  bool some_way_open(const State& state, std::uint32_t entry) const;
  std::vector<std::uint32_t> options_left(const State& state) const;
  bool set_clauses(Compiled& table, const Table& given, const std::vector<std::uint32_t>& places);
  std::uint32_t owing(const State& state, std::uint32_t entry) const;
  std::uint32_t later(const State& state, std::uint32_t entry) const;
  void take(State& state, std::uint32_t entry) const;
  void forget(State& state) const;
  bool cells_open(const State& state);
  std::uint32_t places_left(const State& state);  // for keys that need not come
  bool may_end(const State& state) const;
  bool may_go_on(const State& state);
  std::uint32_t capacity_left(const State& state) const;
  std::uint32_t capacity_of(const Compiled& table);
  std::uint32_t choose(std::uint32_t state, std::uint32_t entry, std::uint32_t way = 0);
  std::uint32_t choose_cell(std::uint32_t state, Element key, std::uint64_t met);
  bool used(const State& state, const std::string& key);
  std::uint32_t reader_of(const Reading& reading);
  std::shared_ptr<const NameTrie> trie_of(const Compiled& table);
  bool has_comma(ExprId comma);

  ExprPool& pool_;
  std::vector<Table> given_;
  std::vector<Compiled> tables_;
  std::optional<std::pair<ExprId, bool>> has_comma_;  // what was asked last
  std::vector<std::uint32_t> doubtful_;               // tables made outside of what is lowered
  GrowingMap<std::uint64_t, Spelled> characters_;  // by character and spelling; all bytes allowed
  StableVector<State> states_;
  StableVector<Record> records_;
  StableVector<Reading> readers_{{}};
  // The text asked for last: the next is mostly one byte longer.
  mutable std::pair<JsonValues::Bytes, std::string> text_{};
  StableVector<ValueReader> values_;  // under way
  JsonValues store_;
  GrowingMap<Hash128, std::uint32_t, HashOfHash> value_index_;
  GrowingMap<Hash128, bool, HashOfHash> other_values_;
  GrowingMap<std::uint32_t, bool> zeros_only_;
  GrowingMap<std::uint64_t, ExprId> afters_;  // by state and cell, of keys never met again
  GrowingMap<std::uint32_t, bool> grows_;     // of values under way
  std::unordered_map<std::uint64_t, ExprId> steps_within_;  // by part and byte, of one step
  unsigned nested_steps_ = 0;
  GrowingMap<std::uint32_t, std::uint32_t> text_counts_;   // of expressions
  GrowingMap<std::uint64_t, std::uint32_t> fewest_texts_;  // of expressions, looked at so deep
  GrowingMap<std::uint64_t, std::uint32_t> texts_behind_;  // by expression and name
  GrowingMap<Hash128, std::uint32_t, HashOfHash> table_index_;
  GrowingMap<Hash128, std::shared_ptr<const NameTrie>, HashOfHash> tries_;  // by names and bytes
  GrowingMap<Hash128, std::uint32_t, HashOfHash> state_index_;
  AnchoredIndex record_index_;  // by their states
  GrowingMap<Hash128, std::uint32_t, HashOfHash> reader_index_;
  std::size_t bytes_ = 0;
};

// Fewest members that meet all conditions wanted: of each cell so many keys, each in one of its
// ways. kUnbounded where there are not enough. Conditions are the first kMostConditions bits.
struct CellWays {
  std::vector<std::uint64_t> meets;
  std::uint32_t keys;
};
std::uint32_t fewest_members(const std::vector<CellWays>& cells, std::uint64_t wanted);
// The same where keys have a cell for each place, from one on, the last cell for all others.
std::uint32_t fewest_items(const std::vector<CellWays>& places, std::size_t from,
                           std::uint64_t wanted);

// The value of a number's spelling, the same for all spellings of one value but those with
// exponents of 18 or more digits.
std::string canonical_number(std::string_view spelling);

}  // namespace formgate
