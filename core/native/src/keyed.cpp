// Tables of keys and the states that count them; keyed_form.cpp has the derivatives.
#include "formgate/keyed.hpp"

#include <algorithm>
#include <array>

#include "expr_helpers.hpp"
#include "formgate/errors.hpp"
#include "formgate/expr_pool.hpp"
#include "keyed_helpers.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

// Reads an exponent; false where it has more digits than are summed here.
bool parse_exponent(std::string_view digits, std::int64_t& out) {
  bool negative = false;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  if (digits.size() > 17) return false;
  out = 0;
  for (char c : digits) out = out * 10 + (c - '0');
  if (negative) out = -out;
  return true;
}

// An exponent of more digits than `parse_exponent` takes, plus a number far smaller.
std::string shifted_exponent(std::string_view spelling, std::int64_t by) {
  const bool negative = spelling[0] == '-';
  if (negative || spelling[0] == '+') spelling.remove_prefix(1);
  std::string digits(spelling);
  // Away from zero, or towards it: it does not come there.
  std::int64_t carry = negative ? -by : by;
  for (std::size_t i = digits.size(); i-- > 0 && carry != 0;) {
    const std::int64_t sum = (digits[i] - '0') + carry;
    const std::int64_t digit = ((sum % 10) + 10) % 10;
    digits[i] = static_cast<char>('0' + digit);
    carry = (sum - digit) / 10;
  }
  if (carry > 0) digits.insert(0, std::to_string(carry));
  digits.erase(0, digits.find_first_not_of('0'));
  return (negative ? "-" : "") + digits;
}

}  // namespace

std::string canonical_number(std::string_view spelling) {
  const bool negative = !spelling.empty() && spelling[0] == '-';
  if (negative) spelling.remove_prefix(1);
  const std::size_t mark = spelling.find_first_of("eE");
  std::string digits;
  std::int64_t exponent = 0;
  bool fraction = false;
  for (char c : spelling.substr(0, mark)) {
    if (c == '.') {
      fraction = true;
      continue;
    }
    digits.push_back(c);
    if (fraction) --exponent;
  }
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  std::string out = negative ? "-" : "";
  out += digits;
  std::int64_t given = 0;
  if (mark != std::string_view::npos) {
    const std::string_view rest = spelling.substr(mark + 1);
    if (!parse_exponent(rest, given)) return out + "e" + shifted_exponent(rest, exponent);
  }
  return out + "e" + std::to_string(exponent + given);
}

// --- tables ---

std::shared_ptr<const NameTrie> Keyed::trie_of(const Compiled& table) {
  std::vector<std::string_view> names;
  Hasher hasher(0x7219);
  for (unsigned i = 0; i < 4; ++i) hasher.add(table.allowed.word(i));
  for (const Entry& entry : table.entries) {
    if (!table.named) break;
    names.push_back(entry.name);
    hasher.add(entry.name.size()).add(names.back());
  }
  auto& known = tries_[hasher.finish()];
  if (!known) {
    known = std::make_shared<const NameTrie>(names, table.allowed);
    bytes_ += known->memory_usage() + 48;
  }
  return known;
}

// Whether all texts between keys have a comma.
bool Keyed::has_comma(ExprId comma) {
  if (!has_comma_ || has_comma_->first != comma) {
    const ByteSet others = ByteSet::all() - ByteSet::of(',');
    has_comma_ = {comma, pool_.restrict_to(comma, others) == kNothing};
  }
  return has_comma_->second;
}

ExprId Keyed::make(Table given, CompileContext* context) {
  Hasher hasher(0x4E1ED);
  hasher.add(given.named).add(given.ordered).add(given.canonical).add(given.places);
  hasher.add(given.repeats).add(given.min).add(given.max);
  for (unsigned i = 0; i < 4; ++i) hasher.add(given.allowed.word(i));
  const auto hash_of = [this](ExprId id) { return pool_.node(id).hash; };
  hasher.add(hash_of(given.colon)).add(hash_of(given.comma)).add(given.entries.size());
  hasher.add(given.needs.size());
  for (const auto& [from, to] : given.needs) hasher.add(from).add(to);
  hasher.add(given.clauses.size());
  for (const auto& clause : given.clauses) {
    hasher.add(clause.size());
    for (const auto& [entry, way] : clause) hasher.add(entry).add(way);
  }
  for (const Entry& entry : given.entries) {
    hasher.add(entry.name.size()).add(std::string_view(entry.name)).add(entry.required);
    if (!given.named) hasher.add(hash_of(entry.key));
    hasher.add(hash_of(entry.value)).add(entry.ways.size());
    for (ExprId way : entry.ways) hasher.add(hash_of(way));
  }
  for (const Cell& cell : given.cells) {
    hasher.add(hash_of(cell.keys)).add(hash_of(cell.value)).add(cell.quoted);
    hasher.add(cell.some.size());
    for (const Some& one : cell.some) hasher.add(hash_of(one.value)).add(one.meets);
  }
  const Hash128 hash = hasher.finish();
  std::vector<std::uint32_t>& doubtful = context ? context->doubtful() : doubtful_;
  State start;
  if (const auto it = table_index_.find(hash); it != table_index_.end()) {
    if (it->second == kNoIndex) return kNothing;
    if (tables_[it->second].doubtful) doubtful.push_back(it->second);
    start.table = it->second;
    start.taken.assign((tables_[it->second].entries.size() + 63) / 64, 0);
    if (!tables_[it->second].needs.empty()) start.owed = start.taken;
    start.unmet = tables_[it->second].clauses.all();
    start.wanted = tables_[it->second].wanted;
    return first(intern_state(std::move(start)));
  }

  Compiled table{};
  table.given = static_cast<std::uint32_t>(given_.size());
  table.colon = given.colon;
  table.comma = given.comma;
  table.named = given.named;
  table.ordered = given.ordered;
  table.canonical = given.canonical;
  table.places = given.places;
  table.repeats = given.repeats;
  table.min = given.min;
  table.max = given.max;
  table.allowed = given.allowed;
  table.hash = hash;
  const ExprId quote = pool_.bytes(ByteSet::of('"') & given.allowed);
  table.open_quote = table.close_quote = quote;
  const bool spaced = pool_.live(given.colon);
  bool possible = true;
  const std::size_t open_before = pool_.open_alphabets();
  table.flags = kText;
  const auto note = [&](ExprId id) {
    const Node& node = pool_.node(id);
    table.flags |= node.flags & kCalls;
    if (!(node.flags & kText)) table.flags &= static_cast<std::uint8_t>(~kText);
    table.depth = std::max(table.depth, deeper(node.depth));
    table.alphabet = table.alphabet | pool_.alphabet(id);
  };
  std::vector<char> live;
  std::vector<char> asked;
  std::array<std::optional<Spelled>, 128> ascii;
  const auto spelled_once = [&](std::uint32_t value) {
    if (value >= ascii.size()) return spelled(table, value);
    if (!ascii[value]) ascii[value] = spelled(table, value);
    return *ascii[value];
  };
  table.entries.reserve(given.entries.size());
  for (const Entry& entry : given.entries) {
    if (given.named && !given.cells.empty()) table.names.push_back(entry.name);
    const auto lives = [this](ExprId value) { return pool_.live(value); };
    bool usable = spaced && (lives(entry.value) || std::ranges::any_of(entry.ways, lives));
    if (given.named) {
      usable = usable && quote != kNothing;
      ByteSet alphabet;
      for (std::size_t i = 0; i < entry.name.size() && usable;) {
        const Spelled one = spelled_once(character_at(entry.name, i));
        usable = one.live;
        alphabet = alphabet | one.alphabet;
      }
      if (usable) table.alphabet = table.alphabet | alphabet;
    } else {
      usable = usable && pool_.live(entry.key);
      if (usable) note(entry.key);
    }
    live.push_back(usable ? 1 : 0);
    asked.push_back(entry.required ? 1 : 0);
  }
  const EntryNeeds needs(static_cast<std::uint32_t>(given.entries.size()), given.needs);
  needs.settle(live, asked, pool_.live(given.comma) ? given.max : std::min(given.max, 1u));
  std::vector<std::uint32_t> places(live.size(), kNoIndex);
  for (std::size_t i = 0; i < live.size(); ++i) {
    if (!live[i]) {
      possible = possible && !asked[i];
      continue;
    }
    places[i] = static_cast<std::uint32_t>(table.entries.size());
    note(given.entries[i].value);
    for (ExprId way : given.entries[i].ways) note(way);
    table.entries.push_back(given.entries[i]);
    table.entries.back().required = asked[i] != 0;
  }
  if (!given.needs.empty() && possible) {
    EntryNeeds::Pairs kept;
    for (const auto& [from, to] : given.needs) {
      if (live[from]) kept.emplace_back(places[from], places[to]);
    }
    table.needs = EntryNeeds(static_cast<std::uint32_t>(table.entries.size()), kept).all();
  }
  const auto varied = [](const Entry& entry) { return !entry.ways.empty(); };
  if (possible && (!given.clauses.empty() || std::ranges::any_of(given.entries, varied))) {
    possible = set_clauses(table, given, places);
  }
  std::ranges::sort(table.names);
  for (const Cell& cell : given.cells) {
    for (const Some& one : cell.some) table.wanted |= one.meets;
  }
  for (const Cell& cell : given.cells) {
    std::vector<Some> some;
    for (const Some& one : cell.some) {
      if (pool_.live(one.value)) some.push_back(one);
    }
    const ExprId keys = given.named ? without(cell.keys, table.names) : cell.keys;
    const bool usable =
        spaced && pool_.live(keys) && (!cell.quoted || quote != kNothing) && pool_.live(cell.value);
    if (!usable && table.places) {  // no more keys than places before it
      table.max = std::min(table.max, static_cast<std::uint32_t>(table.cells.size()));
      break;
    }
    if (!usable) continue;
    for (const Some& one : some) note(one.value);
    table.cells.push_back(cell);
    table.cells.back().keys = keys;
    table.cells.back().some = std::move(some);
    note(cell.keys);
    note(cell.value);
  }
  note(table.colon);
  if (pool_.live(table.comma)) {
    note(table.comma);
  } else {
    table.max = std::min(table.max, 1u);
  }
  if (quote != kNothing) table.alphabet.insert('"');
  table.open = pool_.open_alphabets() != open_before;
  const auto required = static_cast<std::uint32_t>(
      std::ranges::count_if(table.entries, [](const Entry& entry) { return entry.required; }));
  table.amounts.assign(table.cells.size(), kUnbounded);
  table.doubtful = std::ranges::any_of(table.cells, [this](const Cell& cell) {
    return !cell.quoted && (pool_.node(cell.keys).flags & kCalls);
  });
  if (!table.repeats) possible = measure(table, context, !table.doubtful) && possible;
  table.capacity = capacity_of(table);
  table.endless = std::ranges::all_of(
      table.cells, [this](const Cell& cell) { return cell.quoted && extensible(cell.keys); });
  table.commas = has_comma(table.comma);
  const bool enough =
      table.capacity == kUnbounded || table.entries.size() + table.capacity >= table.min;
  const std::uint32_t wanted = fewest(table, State(), table.wanted, kNoIndex);
  possible = possible && wanted != kUnbounded && required + wanted <= table.max &&
             table.min <= table.max && enough;
  const auto number = static_cast<std::uint32_t>(tables_.size());
  table_index_.emplace(hash, possible ? number : kNoIndex);
  if (!possible) return kNothing;
  table.trie = trie_of(table);
  if (table.doubtful) doubtful.push_back(number);
  for (const Entry& entry : given.entries) bytes_ += 2 * (sizeof(Entry) + entry.name.size());
  start.table = number;
  start.wanted = table.wanted;
  start.taken.assign((table.entries.size() + 63) / 64, 0);
  if (!table.needs.empty()) start.owed = start.taken;
  start.unmet = table.clauses.all();
  for (const Bits& bits : table.needs) bytes_ += sizeof(Bits) + bits.size() * 8;
  given_.push_back(std::move(given));
  tables_.push_back(std::move(table));
  const std::uint32_t fresh = intern_state(std::move(start));
  // Conditions may be met by nothing but a list without keys.
  if (!tables_[number].clauses.empty() && !may_end(states_[fresh]) && !may_go_on(states_[fresh])) {
    table_index_[hash] = kNoIndex;
    return kNothing;
  }
  return first(fresh);
}

ExprId Keyed::without_empty(ExprId id) {
  const Record own = record(id);
  const State& state = states_[own.state];
  const bool fresh = state.count == 0 && state.position == 0 &&
                     state.used == JsonValues::kEmptySet &&
                     std::ranges::all_of(state.taken, [](std::uint64_t word) { return word == 0; });
  if (own.part != Part::kFirst || !fresh) return body(pool_.node(id).a);
  Table table = given_[tables_[state.table].given];
  table.min = std::max(table.min, 1u);
  return make(std::move(table));
}

// --- states ---

std::uint32_t Keyed::intern_state(State state) {
  const Compiled& table = tables_[state.table];
  const auto size = static_cast<std::uint32_t>(table.entries.size());
  if (table.ordered) forget(state);
  state.left = 0;
  state.until = size;
  for (std::uint32_t i = state.position; i < size; ++i) {
    const bool owed = !state.owed.empty() && test(state.owed, i);
    if (!owed && (!table.entries[i].required || (!table.ordered && test(state.taken, i)))) continue;
    ++state.left;
    state.until = std::min(state.until, i);
  }
  Hasher hasher(0x57A7);
  hasher.add(table.hash).add(state.position).add(state.count).add(state.wanted);
  for (std::uint64_t word : state.taken) hasher.add(word);
  for (std::uint64_t word : state.owed) hasher.add(word);
  for (std::uint64_t word : state.unmet) hasher.add(word);
  state.entries_open.clear();
  hasher.add(store_.hash(state.used));
  state.hash = hasher.finish();
  const auto [it, fresh] =
      state_index_.emplace(state.hash, static_cast<std::uint32_t>(states_.size()));
  if (fresh) {
    bytes_ += sizeof(State) + (state.taken.size() + state.owed.size()) * 8 + 48;
    states_.push_back(std::move(state));
  }
  return it->second;
}

bool Keyed::may_end(const State& state) const {
  if (state.count < tables_[state.table].min || state.left != 0 || state.wanted != 0) return false;
  const Bits unmet = unmet_without(state);
  return std::ranges::all_of(unmet, [](std::uint64_t word) { return word == 0; });
}

std::uint32_t Keyed::places_left(const State& state) {
  const Compiled& table = tables_[state.table];
  if (table.max == kUnbounded) return kUnbounded;
  const std::uint32_t held =
      state.count + state.left + fewest(table, state, state.wanted, kNoIndex);
  return table.max > held ? table.max - held : 0;
}

bool Keyed::may_go_on(const State& state) {
  if (cells_open(state)) return true;
  const auto size = static_cast<std::uint32_t>(tables_[state.table].entries.size());
  for (std::uint32_t i = state.position; i < size; ++i) {
    if (open(state, i)) return true;
  }
  return false;
}

std::uint32_t Keyed::capacity_left(const State& state) const {
  const std::uint32_t all = tables_[state.table].capacity;
  if (all == kUnbounded) return all;
  const std::uint32_t gone = store_.size(state.used);
  return all > gone ? all - gone : 0;
}

bool Keyed::cells_open(const State& state) {
  const Compiled& table = tables_[state.table];
  if (table.cells.empty() || state.count >= table.max) return false;
  if (table.ordered) {
    const std::uint64_t reach = static_cast<std::uint64_t>(state.count) + capacity_left(state);
    if (state.left != 0 || reach < table.min) return false;
    const Bits unmet = unmet_without(state);
    if (std::ranges::any_of(unmet, [](std::uint64_t word) { return word != 0; })) return false;
  }
  const auto size = static_cast<std::uint32_t>(table.cells.size());
  if (table.repeats) return cell_open(state, std::min(state.count, size - 1));
  for (std::uint32_t j = 0; j < size; ++j) {
    if (cell_open(state, j)) return true;
  }
  return false;
}

// Whether an entry may come next, and the rest be completed after it.
bool Keyed::open(const State& state, std::uint32_t entry) {
  const Compiled& table = tables_[state.table];
  if (state.count >= table.max) return false;
  if (table.ordered ? entry < state.position || entry > state.until : test(state.taken, entry)) {
    return false;
  }
  if (!table.options.empty() && !some_way_open(state, entry)) return false;
  if (!table.needs.empty()) {
    const std::uint32_t more = owing(state, entry);
    if (more == kUnbounded || more > places_left(state)) return false;
  } else if (!table.entries[entry].required && places_left(state) == 0) {
    return false;
  }
  if (!table.ordered || state.count + 1 >= table.min) return true;
  const std::uint64_t most = static_cast<std::uint64_t>(state.count) + capacity_left(state);
  return most + later(state, entry) >= table.min;
}

std::uint32_t Keyed::choose(std::uint32_t state, std::uint32_t entry, std::uint32_t way) {
  State next = states_[state];
  const Compiled& table = tables_[next.table];
  if (!table.clauses.empty()) next.unmet = unmet_after(next, entry, way);
  if (!table.needs.empty()) take(next, entry);
  if (table.ordered) {
    next.position = entry + 1;
  } else {
    next.taken[entry >> 6] |= 1ull << (entry & 63);
  }
  const std::uint32_t most = table.max == kUnbounded ? table.min : table.max;
  next.count = std::min(next.count + 1, most);
  const bool more = next.count < table.max && !table.cells.empty();
  if (!more) next.used = {};
  return intern_state(std::move(next));
}

std::uint32_t Keyed::choose_cell(std::uint32_t state, Element key, std::uint64_t met) {
  State next = states_[state];
  next.wanted &= ~met;
  const Compiled& table = tables_[next.table];
  if (table.ordered) {
    next.unmet = unmet_without(next);
    next.position = static_cast<std::uint32_t>(table.entries.size());
  }
  std::uint32_t most = table.max == kUnbounded ? table.min : table.max;
  if (table.places) most = std::max(most, static_cast<std::uint32_t>(table.cells.size()));
  next.count = std::min(next.count + 1, most);
  if (key != JsonValues::kNoElement) next.used = store_.with(next.used, key);
  const bool more = next.count < table.max && !table.cells.empty();
  if (!more) next.used = {};
  return intern_state(std::move(next));
}

bool Keyed::used(const State& state, const std::string& key) {
  return std::ranges::binary_search(tables_[state.table].names, key) ||
         store_.contains(state.used, store_.key(key));
}

}  // namespace formgate
