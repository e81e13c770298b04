// Derivatives of lists without repetition.
#include <algorithm>
#include <utility>

#include "expr_helpers.hpp"
#include "formgate/errors.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "keyed_helpers.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

constexpr ExprId kNotYet{kNoIndex};

}  // namespace

const Keyed::Record& Keyed::record(ExprId id) const { return records_[pool_.node(id).a]; }

bool Keyed::captures(ExprId id) const { return record(id).part == Part::kCapture; }

ExprId Keyed::node(Record given) {
  const State& state = states_[given.state];
  const Compiled& table = tables_[state.table];
  Hasher hasher(0x4EC0 + static_cast<std::uint64_t>(given.part));
  hasher.add(state.hash).add(given.at).add(pool_.node(given.keys).hash);
  if (given.part == Part::kCapture && !table.cells[given.at].quoted) {
    hasher.add(values_[given.reader].hash(store_));
  } else {
    hasher.add(hash_of(readers_[given.reader]));
  }
  given.hash = hasher.finish();
  const auto fresh = static_cast<std::uint32_t>(records_.size());
  const std::uint32_t number = record_index_.find_or_add(
      given.hash, given.state, fresh,
      [&](std::uint32_t other) { return records_[other].hash == given.hash; });
  if (number == fresh) {
    bytes_ += sizeof(Record) + 48;
    records_.push_back(given);
  } else if (records_[number].node != kNotYet) {
    return records_[number].node;
  }
  Node node{};
  node.kind = Kind::kKeyed;
  node.a = number;
  node.flags = table.flags;
  node.depth = table.depth;
  node.hash = given.hash;
  switch (given.part) {
    case Part::kFirst:
    case Part::kRest:
      if (may_end(state)) node.flags |= kNullable;
      break;
    case Part::kNames:
      break;
    case Part::kCapture: {
      node.flags |= kCaptures;
      if (!(pool_.node(given.keys).flags & kText)) node.flags &= static_cast<std::uint8_t>(~kText);
      const Cell& cell = table.cells[given.at];
      if (cell.quoted || !pool_.nullable(given.keys)) break;
      // A long number is no value of its own at each digit. Values that came are rivals.
      if (table.amounts[given.at] == kUnbounded &&
          table.scarce.size() <= state.count + std::size_t{1}) {
        const ExprId then = after(given.state, given.at, JsonValues::kNoElement);
        if (pool_.nullable(then) && !values_[given.reader].is_in(store_, given.rivals)) {
          node.flags |= kNullable;
        }
        break;
      }
      const Element value = store_.value(values_[given.reader].value(store_));
      if (!spoils(given.state, value) && pool_.nullable(after(given.state, given.at, value))) {
        node.flags |= kNullable;
      }
      break;
    }
  }
  return records_[number].node = pool_.intern_keyed(node);
}

ExprId Keyed::first(std::uint32_t state) {
  if (may_end(states_[state]) && !may_go_on(states_[state])) return ExprPool::kEpsilonId;
  Record record;
  record.part = Part::kFirst;
  record.state = state;
  return node(record);
}

ExprId Keyed::rest(std::uint32_t state) {
  if (may_end(states_[state]) && !may_go_on(states_[state])) return ExprPool::kEpsilonId;
  Record record;
  record.part = Part::kRest;
  record.state = state;
  return node(record);
}

ExprId Keyed::names(std::uint32_t state, std::uint32_t at) {
  const NameTrie& trie = *tables_[states_[state].table].trie;
  const bool some = std::ranges::any_of(
      trie.entries(at), [&](std::uint32_t entry) { return open(states_[state], entry); });
  if (!some) return kNothing;
  Record record;
  record.part = Part::kNames;
  record.state = state;
  record.at = at;
  return this->node(record);
}

Keyed::Spelled Keyed::spelled(const Compiled& table, std::uint32_t value) {
  const auto make = [&] {
    const CharSet one({{value, value}});
    const ExprId id = pool_.restrict_to(pool_.json_chars(one, table.canonical), table.allowed);
    return Spelled{id, pool_.alphabet(id), pool_.live(id)};
  };
  if (table.allowed != ByteSet::all()) return make();
  const std::uint64_t key = (static_cast<std::uint64_t>(value) << 1) | table.canonical;
  if (const auto it = characters_.find(key); it != characters_.end()) return it->second;
  bytes_ += sizeof(Spelled) + 24;
  return characters_.emplace(key, make()).first->second;
}

ExprId Keyed::character(const Compiled& table, std::uint32_t value) {
  return spelled(table, value).id;
}

ExprId Keyed::spelling(const Compiled& table, std::string_view text) {
  std::vector<ExprId> parts;
  for (std::size_t i = 0; i < text.size();) {
    parts.push_back(character(table, character_at(text, i)));
  }
  ExprId out = ExprPool::kEpsilonId;
  for (std::size_t i = parts.size(); i-- > 0;) out = pool_.concat(parts[i], out);
  return out;
}

// What follows a captured key; without a key, one that is never met again.
ExprId Keyed::after(std::uint32_t state, std::uint32_t cell, Element key) {
  if (key != JsonValues::kNoElement) return after_key(state, cell, key);
  const std::uint64_t place = (static_cast<std::uint64_t>(state) << 32) | cell;
  if (const auto it = afters_.find(place); it != afters_.end()) return it->second;
  const ExprId out = after_key(state, cell, key);
  afters_.emplace(place, out);
  bytes_ += 24;
  return out;
}

ExprId Keyed::after_key(std::uint32_t state, std::uint32_t cell, Element key) {
  const Compiled& table = tables_[states_[state].table];
  const Cell& own = table.cells[cell];
  ExprId then = kNothing;
  if (fits(states_[state], cell, 0)) {
    then = pool_.concat(own.value, rest(choose_cell(state, key, 0)));
  }
  for (const Some& one : own.some) {
    const std::uint64_t met = one.meets & states_[state].wanted;
    if (met == 0 || !fits(states_[state], cell, met)) continue;
    then = pool_.unite(then, pool_.concat(one.value, rest(choose_cell(state, key, met))));
  }
  then = pool_.concat(table.colon, then);
  return own.quoted ? pool_.concat(table.close_quote, then) : then;
}

// The next key and all that follows; empty where none may come.
ExprId Keyed::key(std::uint32_t state) {
  const std::uint32_t number = states_[state].table;
  std::vector<ExprId> ways;
  std::vector<ExprId> quoted;
  if (tables_[number].named) {
    quoted.push_back(names(state, 0));
  } else {
    const std::vector<Entry>& entries = tables_[number].entries;
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      if (!open(states_[state], i)) continue;
      const ExprId then = pool_.concat(tables_[number].colon,
                                       pool_.concat(entries[i].value, rest(choose(state, i))));
      ways.push_back(pool_.concat(entries[i].key, then));
    }
  }
  if (cells_open(states_[state])) {
    const bool places = tables_[number].places;
    const auto size = static_cast<std::uint32_t>(tables_[number].cells.size());
    const std::uint32_t place = std::min(states_[state].count, size - 1);
    for (std::uint32_t j = places ? place : 0; j < (places ? place + 1 : size); ++j) {
      const Cell cell = tables_[number].cells[j];
      if (!cell_open(states_[state], j)) continue;
      if (cell.quoted) {
        const ExprId keys = without(cell.keys, states_[state].used);
        quoted.push_back(capture(state, j, keys, Reading(), nullptr));
      } else if (tables_[number].repeats) {
        ways.push_back(after(state, j, JsonValues::kNoElement));
      } else {
        ways.push_back(capture_value(state, j, cell.keys, ValueReader(), rivals_of(state)));
      }
    }
  }
  ways.push_back(pool_.concat(tables_[number].open_quote, pool_.unite(quoted)));
  return pool_.unite(ways);
}

ExprId Keyed::without(ExprId keys, Set names) {
  const bool one = keys == ExprPool::kEpsilonId;
  if (names == JsonValues::kEmptySet || (!one && leaves_others(keys, names))) return keys;
  std::vector<std::string> texts;
  store_.for_each(names, [&](Element name) {
    if (!store_.is_value(name)) texts.push_back(store_.string(store_.key_of(name)));
    return !store_.is_value(name);
  });
  return without(keys, texts);
}

ExprId Keyed::without(ExprId keys, const std::vector<std::string>& names) {
  if (keys == ExprPool::kEpsilonId) {
    return std::ranges::find(names, "") == names.end() ? keys : kNothing;
  }
  if (keys == kNothing || pool_.node(keys).kind != Kind::kSpelled || names.empty()) return keys;
  if (extensible(keys))
    return keys;  // whatever is used, others are left: nothing need be known early
  std::vector<ExprId> texts;
  for (const std::string& name : names) texts.push_back(pool_.literal(name));
  return pool_.spelled_within(keys, pool_.complement(pool_.unite(texts)));
}

// --- derivatives ---

ExprId Keyed::body(std::uint32_t index) {
  if (records_[index].body != kNotYet) return records_[index].body;
  const Record record = records_[index];
  const std::uint32_t number = states_[record.state].table;
  ExprId out = kNothing;
  switch (record.part) {
    case Part::kFirst:
      out = key(record.state);
      break;
    case Part::kRest:
      out = pool_.concat(tables_[number].comma, key(record.state));
      break;
    case Part::kNames: {
      std::vector<ExprId> ways;
      const NameTrie& trie = *tables_[number].trie;
      const std::uint32_t end = trie.end_child(record.at);
      for (std::uint32_t child = trie.first_child(record.at); child < end; ++child) {
        const ExprId below = names(record.state, child);
        if (below == kNothing) continue;
        ways.push_back(pool_.concat(character(tables_[number], trie.character(child)), below));
      }
      const std::uint32_t entry = trie.entry(record.at);
      if (entry != kNoIndex && open(states_[record.state], entry)) {
        const ExprId then = after_name(record.state, record.at);
        ways.push_back(pool_.concat(tables_[number].close_quote, then));
      }
      out = pool_.unite(ways);
      break;
    }
    case Part::kCapture:
      break;
  }
  records_[index].body = out;
  return out;
}

std::vector<LinearTerm> Keyed::form(ExprId id) {
  const std::uint32_t index = pool_.node(id).a;
  if (records_[index].part != Part::kCapture) {
    const LinearForm own = pool_.linear_form(body(index));
    return {own.begin(), own.end()};
  }
  ByteSet bytes;
  for (const LinearTerm& term : pool_.linear_form(records_[index].keys)) bytes = bytes | term.bytes;
  const ExprId then = after(records_[index].state, records_[index].at, JsonValues::kNoElement);
  for (const LinearTerm& term : pool_.linear_form(then)) bytes = bytes | term.bytes;
  std::vector<LinearTerm> out;
  bytes.for_each([&](std::uint8_t b) {
    const ExprId target = step(id, b);
    if (target != kNothing) out.push_back({ByteSet::of(b), target});
  });
  return out;
}

// Dead successors are kNothing.
ExprId Keyed::step(ExprId id, std::uint8_t byte) {
  const std::uint32_t index = pool_.node(id).a;
  const auto plain_step = [this, byte](ExprId from) { return pool_.raw_step(from, byte); };
  if (records_[index].part == Part::kNames) return names_step(index, byte);
  if (records_[index].part != Part::kCapture) return plain_step(body(index));
  const Record record = records_[index];
  if (!tables_[states_[record.state].table].cells[record.at].quoted) return value_step(id, byte);
  ExprId out = kNothing;
  if (const ExprId keys = plain_step(record.keys); keys != kNothing) {
    Reading reading = readers_[record.reader];
    push(reading, byte);
    out = capture(record.state, record.at, keys, reading, &record);
  }
  if (!pool_.nullable(record.keys) || byte != '"') return out;
  const std::string key = store_.string(readers_[record.reader].text);
  if (used(states_[record.state], key)) return out;
  return pool_.unite(out, plain_step(after(record.state, record.at, store_.key(key))));
}

ExprId Keyed::value_step(ExprId id, std::uint8_t byte) {
  struct Nested {
    explicit Nested(Keyed& own) : keyed(own) { ++keyed.nested_steps_; }
    ~Nested() {
      if (--keyed.nested_steps_ == 0 && !keyed.steps_within_.empty()) keyed.steps_within_.clear();
    }
    Keyed& keyed;
  };
  const Nested nested(*this);
  return step_within(id, byte, [&] { return own_value_step(records_[pool_.node(id).a], byte); });
}

ExprId Keyed::own_value_step(const Record& record, std::uint8_t byte) {
  ExprId out = kNothing;
  if (const ExprId keys = pool_.raw_step(record.keys, byte); keys != kNothing) {
    ValueReader reader = values_[record.reader];
    reader.push(store_, byte);
    out = capture_value(record.state, record.at, keys, std::move(reader), record.rivals);
  }
  if (!pool_.nullable(record.keys)) return out;
  // Mostly the value goes on, and what it is need not be known.
  const ExprId then = after(record.state, record.at, JsonValues::kNoElement);
  if (tables_[states_[record.state].table].amounts[record.at] == kUnbounded &&
      pool_.raw_step(then, byte) == kNothing) {
    return out;
  }
  const Element value = store_.value(values_[record.reader].value(store_));
  if (spoils(record.state, value)) return out;
  return pool_.unite(out, pool_.raw_step(after(record.state, record.at, value), byte));
}

ExprId Keyed::names_step(std::uint32_t index, std::uint8_t byte) {
  const Record record = records_[index];
  const std::uint32_t number = states_[record.state].table;
  const NameTrie& trie = *tables_[number].trie;
  std::vector<ExprId> ways;
  const std::uint32_t end = trie.end_child(record.at);
  for (std::uint32_t child = trie.first_child(record.at); child < end; ++child) {
    const std::string_view spelling = trie.spelling(child);
    const bool plain = !spelling.empty() && static_cast<std::uint8_t>(spelling[0]) == byte;
    if (!plain && byte != '\\') continue;
    const ExprId below = names(record.state, child);
    if (below == kNothing) continue;
    const ExprId left = pool_.raw_step(spelled_character(number, trie.character(child)), byte);
    if (left != kNothing) ways.push_back(pool_.concat(left, below));
  }
  const std::uint32_t entry = trie.entry(record.at);
  if (byte == '"' && entry != kNoIndex && open(states_[record.state], entry)) {
    ways.push_back(after_name(record.state, record.at));
  }
  return pool_.unite(ways);
}

// What follows the closing quote of the key that ends at a node.
ExprId Keyed::after_name(std::uint32_t state, std::uint32_t at) {
  const std::uint32_t number = states_[state].table;
  const std::uint32_t entry = tables_[number].trie->entry(at);
  const auto then = [&](std::uint32_t way) {
    const ExprId more = rest(choose(state, entry, way));
    const Entry& own = tables_[number].entries[entry];
    return pool_.concat(way == 0 ? own.value : own.ways[way - 1], more);
  };
  if (tables_[number].options.empty()) return pool_.concat(tables_[number].colon, then(0));
  std::vector<ExprId> ways;
  const auto count = static_cast<std::uint32_t>(tables_[number].entries[entry].ways.size());
  for (std::uint32_t w = 0; w <= count; ++w) {
    if (way_open(states_[state], entry, w)) ways.push_back(then(w));
  }
  return pool_.concat(tables_[number].colon, pool_.unite(ways));
}

ByteSet Keyed::alphabet(ExprId id) {
  Compiled& table = tables_[states_[record(id).state].table];
  if (!table.open) return table.alphabet;
  const std::size_t before = pool_.open_alphabets();
  ByteSet out = table.alphabet | pool_.alphabet(table.colon) | pool_.alphabet(table.comma);
  for (const Entry& entry : table.entries) {
    out = out | pool_.alphabet(entry.value);
    for (ExprId way : entry.ways) out = out | pool_.alphabet(way);
    if (!table.named) out = out | pool_.alphabet(entry.key);
  }
  for (const Cell& cell : table.cells) {
    out = out | pool_.alphabet(cell.keys) | pool_.alphabet(cell.value);
    for (const Some& one : cell.some) out = out | pool_.alphabet(one.value);
  }
  if (pool_.open_alphabets() == before) {
    table.alphabet = out;
    table.open = false;
  }
  return out;
}

std::string Keyed::describe(ExprId id) const {
  Keyed& keyed = pool_.keyed();  // what is asked of it is kept
  constexpr std::size_t kMostNames = 8;
  const Record& own = record(id);
  const State& state = states_[own.state];
  const Compiled& table = tables_[state.table];
  std::string out;
  if (own.part == Part::kCapture) {
    if (!table.cells[own.at].quoted) return "item";
    out = "key ";
    out += store_.string(readers_[own.reader].text);
    return out;
  }
  std::size_t shown = 0;
  for (std::uint32_t i = 0; table.named && i < table.entries.size(); ++i) {
    if (!keyed.open(state, i)) continue;
    if (++shown > kMostNames) {
      out += "|...";
      break;
    }
    if (!out.empty()) out += '|';
    out += table.entries[i].name;
  }
  if (table.repeats) return "items";
  if (keyed.cells_open(state)) out += out.empty() ? "other keys" : "|other keys";
  return out.empty() ? "list" : out;
}

Keyed::Plain Keyed::plain(ExprId id) {
  const Record own = record(id);
  Plain out;
  out.keys = own.keys;
  out.after = after(own.state, own.at, JsonValues::kNoElement);
  const Compiled& table = tables_[states_[own.state].table];
  out.quoted = table.cells[own.at].quoted;
  // Inside an escape, what is left to spell is no text by itself.
  const bool between = out.quoted && readers_[own.reader].escape.pending().empty();
  out.taken = taken(own);
  const Set used = states_[own.state].used;
  const bool others = extensible(own.keys) || leaves_others(table.cells[own.at].keys, used);
  if (!out.taken.empty() && !(between && others)) {
    out.keys = pool_.intersect(own.keys, pool_.complement(blocked(own)));
    out.taken.clear();
  }
  const std::size_t gone = store_.size(used);
  out.endless = true;
  for (std::size_t j = 0; j < table.cells.size(); ++j) {
    const Cell& cell = table.cells[j];
    out.endless =
        out.endless && (cell.quoted ? extensible(cell.keys) : table.amounts[j] >= gone + 2);
  }
  out.commas = table.commas && (table.wanted == 0 || table.endless);
  return out;
}

}  // namespace formgate
