// Derivatives of lists without repetition.
#include <algorithm>
#include <deque>

#include "expr_helpers.hpp"
#include "formgate/errors.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

constexpr ExprId kNothing = ExprPool::kEmptyId;
constexpr ExprId kNotYet{kNoIndex};

// Spellings of numbers looked at, to find one whose value is new.
constexpr std::size_t kMostNumbers = 256;

}  // namespace

const Keyed::Record& Keyed::record(ExprId id) const { return records_[pool_.node(id).a]; }

bool Keyed::captures(ExprId id) const { return record(id).part == Part::kCapture; }

std::uint32_t Keyed::reader_of(const JsonReader& reader) {
  const Hash128 hash = Hasher(0x4EAD)
                           .add(reader.text().size())
                           .add(std::string_view(reader.text()))
                           .add(std::string_view(reader.pending()))
                           .finish();
  const auto [it, fresh] = reader_index_.emplace(hash, static_cast<std::uint32_t>(readers_.size()));
  if (fresh) {
    bytes_ += sizeof(JsonReader) + reader.text().size() + 48;
    readers_.push_back(reader);
  }
  return it->second;
}

ExprId Keyed::node(Record given) {
  const State& state = states_[given.state];
  const Compiled& table = tables_[state.table];
  const JsonReader& reader = readers_[given.reader];
  Hasher hasher(0x4EC0 + static_cast<std::uint64_t>(given.part));
  hasher.add(state.hash).add(given.at).add(pool_.node(given.keys).hash);
  hasher.add(reader.text().size()).add(std::string_view(reader.text()));
  hasher.add(std::string_view(reader.pending()));
  given.hash = hasher.finish();
  const auto [it, fresh] =
      record_index_.emplace(given.hash, static_cast<std::uint32_t>(records_.size()));
  if (fresh) {
    bytes_ += sizeof(Record) + 48;
    records_.push_back(given);
  }
  Node node{};
  node.kind = Kind::kKeyed;
  node.a = it->second;
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
      const std::string value = canonical_number(reader.text());
      if (!used(state, value) && pool_.nullable(after(given.state, given.at, &value))) {
        node.flags |= kNullable;
      }
      break;
    }
  }
  return pool_.intern_keyed(node);
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
  const TrieNode& node = tables_[states_[state].table].trie[at];
  const bool some = std::ranges::any_of(
      node.entries, [&](std::uint32_t entry) { return open(states_[state], entry); });
  if (!some) return kNothing;
  Record record;
  record.part = Part::kNames;
  record.state = state;
  record.at = at;
  return this->node(record);
}

ExprId Keyed::character(const Compiled& table, std::uint32_t value) {
  const CharSet one({{value, value}});
  return pool_.restrict_to(pool_.json_chars(one, table.canonical), table.allowed);
}

ExprId Keyed::spelling(const Compiled& table, std::string_view text) {
  std::vector<ExprId> parts;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    const int length = std::max(continuations(lead), 0);
    std::uint32_t value = lead_bits(lead, length);
    for (int k = 1; k <= length; ++k) {
      value =
          (value << 6) | (static_cast<std::uint8_t>(text[i + static_cast<std::size_t>(k)]) & 0x3Fu);
    }
    i += static_cast<std::size_t>(length) + 1;
    parts.push_back(character(table, value));
  }
  ExprId out = ExprPool::kEpsilonId;
  for (std::size_t i = parts.size(); i-- > 0;) out = pool_.concat(parts[i], out);
  return out;
}

// What follows a captured key; without a key, one that is never met again.
ExprId Keyed::after(std::uint32_t state, std::uint32_t cell, const std::string* key) {
  const Compiled& table = tables_[states_[state].table];
  const Cell& own = table.cells[cell];
  const std::uint64_t bit = 1ull << (cell & 63);
  const bool wanted = cell < 64 && (states_[state].wanted & bit) != 0;
  ExprId then = kNothing;
  if (places_left(states_[state]) > 0 && (!wanted || others_left(state, cell, key))) {
    then = pool_.concat(own.value, rest(choose_cell(state, key, 0)));
  }
  if (wanted) {
    then = pool_.unite(then, pool_.concat(own.some, rest(choose_cell(state, key, bit))));
  }
  then = pool_.concat(table.colon, then);
  return own.quoted ? pool_.concat(table.close_quote, then) : then;
}

// Whether a cell has other keys than those used and one more.
bool Keyed::others_left(std::uint32_t state, std::uint32_t cell, const std::string* key) {
  const ExprId keys = tables_[states_[state].table].cells[cell].keys;
  if (keys != ExprPool::kEpsilonId &&
      (pool_.node(keys).kind != Kind::kSpelled || extensible(keys))) {
    return true;
  }
  std::vector<std::string> names = sets_[states_[state].used];
  if (key) names.push_back(*key);
  return without(keys, names) != kNothing;
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
    const std::vector<Cell>& cells = tables_[number].cells;
    for (std::uint32_t j = 0; j < cells.size(); ++j) {
      if (after(state, j, nullptr) == kNothing) continue;  // no place is left for its keys
      const ExprId keys = without(cells[j].keys, sets_[states_[state].used]);
      (cells[j].quoted ? quoted : ways).push_back(capture(state, j, keys, JsonReader()));
    }
  }
  ways.push_back(pool_.concat(tables_[number].open_quote, pool_.unite(quoted)));
  return pool_.unite(ways);
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

// Rests of the key under way, as bytes, that would make it one that must not come.
std::vector<std::string> Keyed::taken(const Record& record) const {
  const State& state = states_[record.state];
  std::vector<std::string> out;
  if (!tables_[state.table].cells[record.at].quoted) return out;
  const Cell& cell = tables_[state.table].cells[record.at];
  if (pool_.node(cell.keys).kind == Kind::kSpelled && !extensible(cell.keys))
    return out;  // left out
  const std::string& text = readers_[record.reader].text();
  const auto collect = [&](const std::vector<std::string>& sorted) {
    for (auto it = std::ranges::lower_bound(sorted, text);
         it != sorted.end() && it->starts_with(text); ++it) {
      out.push_back(it->substr(text.size()));
    }
  };
  collect(tables_[state.table].names);
  collect(sets_[state.used]);
  return out;
}

// The same, as they are spelled.
ExprId Keyed::blocked(const Record& record) {
  const std::uint32_t number = states_[record.state].table;
  const std::string pending = readers_[record.reader].pending();
  std::vector<ExprId> rests;
  for (const std::string& left : taken(record)) {
    std::size_t inside = 0;  // bytes of a character that is begun
    while (inside < left.size() && is_continuation(static_cast<std::uint8_t>(left[inside]))) {
      ++inside;
    }
    ExprId rest = pool_.concat(pool_.literal(left.substr(0, inside)),
                               spelling(tables_[number], left.substr(inside)));
    // Escapes of upper and lower case are one to the reader; what is left of them is too.
    for (char c : pending) {
      ExprId next = kNothing;
      for (const LinearTerm& term : pool_.linear_form(rest)) {
        if (term.bytes.contains(static_cast<std::uint8_t>(c))) next = term.target;
      }
      rest = next;
    }
    rests.push_back(rest);
  }
  return pool_.unite(rests);
}

bool Keyed::extensible(ExprId keys) const {
  const Node& own = pool_.node(keys);
  if (own.kind == Kind::kSpelled) return own.max == 0 && pool_.endless(ExprId{own.a});
  ExprId last = keys;
  while (pool_.node(last).kind == Kind::kConcat) last = ExprId{pool_.node(last).b};
  const Node& node = pool_.node(last);
  return node.kind == Kind::kRepeat && node.max == kUnbounded && !(node.flags & kBoolean) &&
         !(pool_.node(keys).flags & kBoolean);
}

ExprId Keyed::capture(std::uint32_t state, std::uint32_t cell, ExprId keys,
                      const JsonReader& reader) {
  if (keys == kNothing || !pool_.live(keys)) return kNothing;
  Record record;
  record.part = Part::kCapture;
  record.state = state;
  record.at = cell;
  record.keys = keys;
  record.reader = reader_of(reader);
  if (!tables_[states_[state].table].cells[cell].quoted) {
    return some_number_left(record) ? node(record) : kNothing;
  }
  if (!extensible(keys)) {
    const ExprId taken = blocked(record);
    if (taken != kNothing && !pool_.live(pool_.intersect(keys, pool_.complement(taken)))) {
      return kNothing;
    }
  }
  return node(record);
}

// Breadth first, so that short spellings come first. What is not found counts as not there.
bool Keyed::some_number_left(const Record& record) {
  const State& state = states_[record.state];
  if (sets_[state.used].empty()) return true;
  struct Way {
    ExprId keys;
    std::string text;
  };
  std::deque<Way> work{{record.keys, readers_[record.reader].text()}};
  for (std::size_t looked = 0; !work.empty() && looked < kMostNumbers; ++looked) {
    const Way way = work.front();
    work.pop_front();
    if (pool_.nullable(way.keys) && !used(states_[record.state], canonical_number(way.text))) {
      return true;
    }
    const LinearForm form = pool_.linear_form(way.keys);
    for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
      if (!pool_.live(term.target)) continue;
      term.bytes.for_each(
          [&](std::uint8_t b) { work.push_back({term.target, way.text + static_cast<char>(b)}); });
    }
  }
  return false;
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
      const TrieNode& node = tables_[number].trie[record.at];
      for (const Child& child : node.children) {
        const ExprId below = names(record.state, child.node);
        if (below == kNothing) continue;
        ways.push_back(pool_.concat(character(tables_[number], child.character), below));
      }
      if (node.entry != kNoIndex && open(states_[record.state], node.entry)) {
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
  const ExprId then = after(records_[index].state, records_[index].at, nullptr);
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
  const bool quoted = tables_[states_[record.state].table].cells[record.at].quoted;
  ExprId out = kNothing;
  if (const ExprId keys = plain_step(record.keys); keys != kNothing) {
    JsonReader reader = readers_[record.reader];
    reader.push(byte);
    out = capture(record.state, record.at, keys, reader);
  }
  if (!pool_.nullable(record.keys) || (quoted && byte != '"')) return out;
  const std::string& text = readers_[record.reader].text();
  const std::string key = quoted ? text : canonical_number(text);
  if (used(states_[record.state], key)) return out;
  return pool_.unite(out, plain_step(after(record.state, record.at, &key)));
}

ExprId Keyed::names_step(std::uint32_t index, std::uint8_t byte) {
  const Record record = records_[index];
  const std::uint32_t number = states_[record.state].table;
  const TrieNode& node = tables_[number].trie[record.at];
  std::vector<ExprId> ways;
  for (const Child& child : node.children) {
    const std::string& spelling = tables_[number].trie[child.node].spelling;
    const bool plain = !spelling.empty() && static_cast<std::uint8_t>(spelling[0]) == byte;
    if (!plain && byte != '\\') continue;
    const ExprId below = names(record.state, child.node);
    if (below == kNothing) continue;
    const ExprId left = pool_.raw_step(spelled_character(number, child.character), byte);
    if (left != kNothing) ways.push_back(pool_.concat(left, below));
  }
  if (byte == '"' && node.entry != kNoIndex && open(states_[record.state], node.entry)) {
    ways.push_back(after_name(record.state, record.at));
  }
  return pool_.unite(ways);
}

// What follows the closing quote of the key that ends at a node.
ExprId Keyed::after_name(std::uint32_t state, std::uint32_t at) {
  const std::uint32_t number = states_[state].table;
  const std::uint32_t entry = tables_[number].trie[at].entry;
  const ExprId then = rest(choose(state, entry));
  const Compiled& table = tables_[number];
  return pool_.concat(table.colon, pool_.concat(table.entries[entry].value, then));
}

ByteSet Keyed::alphabet(ExprId id) const {
  return tables_[states_[record(id).state].table].alphabet;
}

std::string Keyed::describe(ExprId id) const {
  constexpr std::size_t kMostNames = 8;
  const Record& own = record(id);
  const State& state = states_[own.state];
  const Compiled& table = tables_[state.table];
  std::string out;
  if (own.part == Part::kCapture) {
    out = "key ";
    out += readers_[own.reader].text();
    return out;
  }
  std::size_t shown = 0;
  for (std::uint32_t i = 0; table.named && i < table.entries.size(); ++i) {
    if (!open(state, i)) continue;
    if (++shown > kMostNames) {
      out += "|...";
      break;
    }
    if (!out.empty()) out += '|';
    out += table.entries[i].name;
  }
  if (cells_open(state)) out += out.empty() ? "other keys" : "|other keys";
  return out.empty() ? "list" : out;
}

Keyed::Plain Keyed::plain(ExprId id) {
  const Record own = record(id);
  Plain out;
  out.keys = own.keys;
  out.after = after(own.state, own.at, nullptr);
  // Inside a character or an escape, what is left to spell is no text by itself.
  const bool between = readers_[own.reader].pending().empty();
  out.taken = taken(own);
  const bool inside = std::ranges::any_of(out.taken, [](const std::string& key) {
    return !key.empty() && is_continuation(static_cast<std::uint8_t>(key[0]));
  });
  if (!out.taken.empty() && !(between && !inside && extensible(own.keys))) {
    out.keys = pool_.intersect(own.keys, pool_.complement(blocked(own)));
    out.taken.clear();
  }
  const Compiled& table = tables_[states_[own.state].table];
  out.quoted = table.cells[own.at].quoted;
  out.endless = table.endless;
  out.commas = table.commas && (table.wanted == 0 || table.endless);
  return out;
}

}  // namespace formgate
