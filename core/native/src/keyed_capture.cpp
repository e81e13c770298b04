// Keys of cells, while they are read: what was read of one, and which keys it must not become.
#include <algorithm>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

constexpr ExprId kNothing = ExprPool::kEmptyId;

}  // namespace

void Keyed::push(Reading& reading, std::uint8_t byte) {
  reading.escape.push(byte);
  for (const char c : reading.escape.take()) reading.text = store_.extended(reading.text, c);
}

// Good until the next call.
const std::string& Keyed::text_of(const Reading& reading) const {
  auto& [known, text] = text_;
  const JsonValues::Bytes asked = reading.text;
  if (asked == known) return text;
  if (asked != JsonValues::kNoBytes && store_.without_last(asked) == known) {
    text += store_.last(asked);
  } else {
    text = store_.string(asked);
  }
  known = asked;
  return text;
}

Hash128 Keyed::hash_of(const Reading& reading) const {
  return Hasher(0x4EAD)
      .add(store_.hash(reading.text))
      .add(std::string_view(reading.escape.pending()))
      .finish();
}

std::uint32_t Keyed::reader_of(const Reading& reading) {
  const auto [it, fresh] =
      reader_index_.emplace(hash_of(reading), static_cast<std::uint32_t>(readers_.size()));
  if (fresh) {
    bytes_ += sizeof(Reading) + 48;
    readers_.push_back(reading);
  }
  return it->second;
}

// Rests of the key under way, as bytes, that would make it one that must not come.
std::vector<std::string> Keyed::taken(const Record& record) const {
  const State& state = states_[record.state];
  std::vector<std::string> out;
  if (record.alone || !tables_[state.table].cells[record.at].quoted) return out;
  const Cell& cell = tables_[state.table].cells[record.at];
  if (pool_.node(cell.keys).kind == Kind::kSpelled && !extensible(cell.keys))
    return out;  // left out
  const std::string& text = text_of(readers_[record.reader]);
  const std::vector<std::string>& names = tables_[state.table].names;
  for (auto it = std::ranges::lower_bound(names, text); it != names.end() && it->starts_with(text);
       ++it) {
    out.push_back(it->substr(text.size()));
  }
  store_.for_each_from(state.used, text, [&](Element key) {
    out.push_back(store_.string(store_.key_of(key)).substr(text.size()));
    return true;
  });
  return out;
}

// Whether a key that must not come begins with the text under way.
bool Keyed::begins_another(const Record& record) const {
  const State& state = states_[record.state];
  const std::vector<std::string>& names = tables_[state.table].names;
  if (names.empty() && store_.size(state.used) == 0) return false;
  const std::string& text = text_of(readers_[record.reader]);
  const auto it = std::ranges::lower_bound(names, text);
  if (it != names.end() && it->starts_with(text)) return true;
  bool found = false;
  store_.for_each_from(state.used, text, [&](Element) {
    found = true;
    return false;
  });
  return found;
}

// The same, as they are spelled.
ExprId Keyed::blocked(const Record& record) {
  const std::uint32_t number = states_[record.state].table;
  const std::string pending = readers_[record.reader].escape.pending();
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

ExprId Keyed::capture(std::uint32_t state, std::uint32_t cell, ExprId keys, const Reading& reading,
                      const Record* before) {
  if (keys == kNothing || !pool_.live(keys)) return kNothing;
  Record record;
  record.part = Part::kCapture;
  record.state = state;
  record.at = cell;
  record.keys = keys;
  record.reader = reader_of(reading);
  // Once nothing begins so, nothing does: long keys are not looked up at each byte.
  record.alone = (before && before->alone) || !begins_another(record);
  if (!extensible(keys)) {
    const ExprId taken = blocked(record);
    if (taken != kNothing && !pool_.live(pool_.intersect(keys, pool_.complement(taken)))) {
      return kNothing;
    }
  }
  return node(record);
}

}  // namespace formgate
