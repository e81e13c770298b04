// Lists of JSON values without repetition.
//
// A value under way is read beside the expression of what is left of it. Values that must not come
// and that it may still become are its rivals; once it has none, nothing need be watched any more.
// Until then a state lives only if some text leads to another value (keyed_search.cpp).
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "formgate/errors.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "keyed_helpers.hpp"

namespace formgate {
namespace {

// Values counted of each cell, so that few states need to ask whether others are left.
constexpr std::uint32_t kEnough = 64;

// Places that must be filled and have so few values that others may take them.
constexpr std::uint32_t kMostScarce = 1024;

std::vector<ExprId> copied(std::span<const ExprId> members) {
  return {members.begin(), members.end()};
}

}  // namespace

// --- what a value must not become ---

Keyed::Set Keyed::rivals_of(std::uint32_t state) {
  const State& own = states_[state];
  const Compiled& table = tables_[own.table];
  Set out = store_.values(own.used);
  for (std::size_t i = own.count + std::size_t{1}; i < table.scarce.size(); ++i) {
    if (!table.scarce[i]) continue;
    for (Element value : *table.scarce[i]) out = store_.with(out, value);
  }
  return out;
}

Keyed::Set Keyed::rivals_left(Set rivals, const ValueReader& reader) {
  if (rivals == JsonValues::kEmptySet) return rivals;
  return ValueReader::Continued(store_, reader).of(store_, rivals);
}

bool Keyed::spoils(std::uint32_t state, Element value) {
  const State& own = states_[state];
  if (store_.contains(own.used, value)) return true;
  const Compiled& table = tables_[own.table];
  if (table.scarce.size() <= own.count + std::size_t{1}) return false;
  return !places_filled(table, own.count + 1, store_.with(own.used, value));
}

// Whether the places that must be filled can have a value each, no two the same: a matching, grown
// by augmenting paths (Kuhn, "The Hungarian method for the assignment problem", 1955). Places that
// have as many values as there are places never lack one.
bool Keyed::places_filled(const Compiled& table, std::uint32_t from, Set gone) const {
  std::unordered_map<std::uint32_t, std::uint32_t> owner;  // of values
  std::unordered_set<std::uint32_t> tried;
  // Recursion depth is at most the number of scarce places, which is limited.
  const auto place = [&](auto&& self, std::uint32_t i) -> bool {
    for (Element element : *table.scarce[i]) {
      const auto value = static_cast<std::uint32_t>(element);
      if (store_.contains(gone, element) || !tried.insert(value).second) continue;
      const auto it = owner.find(value);
      if (it != owner.end() && !self(self, it->second)) continue;
      owner[value] = i;
      return true;
    }
    return false;
  };
  for (std::uint32_t i = from; i < table.scarce.size(); ++i) {
    tried.clear();
    if (table.scarce[i] && !place(place, i)) return false;
  }
  return true;
}

// --- values under way ---

ExprId Keyed::capture_value(std::uint32_t state, std::uint32_t cell, ExprId keys,
                            ValueReader reader, Set rivals) {
  if (keys == kNothing || !pool_.live(keys)) return kNothing;
  if (reader.in_zeros(store_) && zeros_only(keys)) reader.drop_zeros(store_);
  rivals = rivals_left(rivals, reader);
  if (rivals != JsonValues::kEmptySet && !other_value(state, cell, keys, reader, rivals)) {
    return kNothing;
  }
  const auto [it, fresh] =
      value_index_.emplace(reader.hash(store_), static_cast<std::uint32_t>(values_.size()));
  if (fresh) {
    bytes_ += sizeof(ValueReader) + 48;
    values_.push_back(std::move(reader));
  }
  Record record;
  record.part = Part::kCapture;
  record.state = state;
  record.at = cell;
  record.keys = keys;
  record.reader = it->second;
  record.rivals = rivals;
  return node(record);
}

// No text begins with another byte, values that must not come included.
ByteSet Keyed::first_bytes(ExprId id) {
  ByteSet out;
  if (!(pool_.node(id).flags & kCaptures)) {
    for (const LinearTerm& term : pool_.linear_form(id)) out = out | term.bytes;
    return out;
  }
  const ExprId first = pool_.head(id);
  if (first != id) {
    // A value that must not come ends here for others than itself.
    const bool ends = pool_.nullable(first) || (pool_.node(first).flags & kCaptures) != 0;
    return ends ? first_bytes(first) | first_bytes(pool_.tail(id)) : first_bytes(first);
  }
  const Node node = pool_.node(id);
  if (node.kind == Kind::kUnion) {
    for (const ExprId member : copied(pool_.members(node))) out = out | first_bytes(member);
    return out;
  }
  if (node.kind != Kind::kKeyed || !captures(id)) return ByteSet::all();
  const Record own = record(id);
  out = first_bytes(own.keys);
  if (!pool_.nullable(own.keys)) return out;
  return out | first_bytes(after(own.state, own.at, JsonValues::kNoElement));
}

ByteSet Keyed::contested(ExprId id) {
  const ByteSet out = contested_in(pool_.head(id));
  return out == ByteSet::all() ? first_bytes(id) : out;
}

// All bytes where what follows may come, too.
ByteSet Keyed::contested_in(ExprId first) {
  const Node node = pool_.node(first);
  if (!(node.flags & kCaptures)) return {};
  if (node.kind == Kind::kUnion) {
    ByteSet out;
    for (const ExprId member : copied(pool_.members(node))) {
      out = out | contested_in(pool_.head(member));
    }
    return out;
  }
  if (node.kind != Kind::kKeyed || !captures(first)) return ByteSet::all();
  const Record own = record(first);
  if (tables_[states_[own.state].table].cells[own.at].quoted) return {};
  if (own.rivals == JsonValues::kEmptySet) return {};
  ByteSet bytes = first_bytes(own.keys);
  if (pool_.nullable(own.keys)) {
    const ExprId then = after(own.state, own.at, JsonValues::kNoElement);
    if (pool_.nullable(then)) return ByteSet::all();
    return bytes | first_bytes(then);
  }
  const ValueReader& reader = values_[own.reader];
  ByteSet out;
  if (reader.in_string()) {
    const ValueReader::Continued read(store_, reader);
    store_.for_each(own.rivals, [&](Element rival) {
      read.may_become(store_.value_of(rival), &out);
      return true;
    });
    return out;
  }
  bytes.for_each([&](std::uint8_t byte) {
    ValueReader next = reader;
    next.push(store_, byte);
    const ValueReader::Continued read(store_, next);
    store_.for_each(own.rivals, [&](Element rival) {
      const bool contested = read.may_become(store_.value_of(rival));
      if (contested) out.insert(byte);
      return !contested;
    });
  });
  return out;
}

// --- how many there are ---

// Counts what cells have; false where places that must be filled cannot be. Until rules are
// defined, what refers to them has values without end.
bool Keyed::measure(Compiled& table, CompileContext* context, bool defined) {
  const std::uint32_t enough = std::max(table.min, kEnough);
  std::vector<std::vector<Element>> values(table.cells.size());
  for (std::size_t j = 0; j < table.cells.size(); ++j) {
    if (table.cells[j].quoted) continue;
    if (!defined && pool_.node(table.cells[j].keys).flags & kCalls) continue;
    table.amounts[j] = values_of(table.cells[j].keys, enough, context, &values[j]);
  }
  table.scarce.clear();
  if (!table.places || table.cells.empty()) return true;
  std::size_t scarce = 0;
  for (std::size_t i = 0; i < table.min; ++i) {
    const std::size_t j = std::min(i, table.cells.size() - 1);
    const bool few = table.amounts[j] < table.min;
    if (i > j && !few) break;
    if (i > j && i - j > table.amounts[j]) return false;
    table.scarce.emplace_back();
    if (few) table.scarce.back() = values[j];
    if (few && ++scarce > kMostScarce) {
      throw Error(ErrorKind::kLimit,
                  "a list without repetition must have more than " + std::to_string(kMostScarce) +
                      " items that are of few values each; lower its least number of items");
    }
  }
  while (!table.scarce.empty() && !table.scarce.back()) table.scarce.pop_back();
  return places_filled(table, 0, {});
}

void Keyed::settle(CompileContext& context) {
  std::vector<std::uint32_t> given = std::exchange(context.doubtful(), {});
  given.insert(given.end(), doubtful_.begin(), doubtful_.end());
  doubtful_.clear();
  for (std::uint32_t number : given) {
    Compiled& table = tables_[number];
    if (!table.doubtful) continue;
    bool possible = measure(table, &context, true);
    table.capacity = capacity_of(table);
    possible = possible &&
               (table.capacity == kUnbounded || table.entries.size() + table.capacity >= table.min);
    if (!possible) {
      throw Error(ErrorKind::kUnsupported,
                  "a list without repetition must have " + std::to_string(table.min) +
                      " items, more than its items, which recurse, have values; lower its least "
                      "number of items");
    }
    table.doubtful = false;
  }
}

}  // namespace formgate
