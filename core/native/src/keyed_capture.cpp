// Keys of cells, while they are read: what was read of one, and which keys it must not become.
#include <algorithm>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "keyed_helpers.hpp"
#include "utf8.hpp"

namespace formgate {
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
std::vector<std::string> Keyed::taken(const Record& record) {
  const State& state = states_[record.state];
  std::vector<std::string> out;
  if (record.alone || !tables_[state.table].cells[record.at].quoted) return out;
  const Cell& cell = tables_[state.table].cells[record.at];
  if (pool_.node(cell.keys).kind == Kind::kSpelled && !leaves_others(cell.keys, state.used))
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

// Whether behind each of some names that is a text of a cell more texts go on than there are names.
// Then others are left wherever a text of the cell has come to, though all of them have an end.
bool Keyed::outnumbered(ExprId keys, Set names) {
  constexpr std::uint32_t kSpare = 64;
  const Node node = pool_.node(keys);
  if (node.kind != Kind::kSpelled || node.max != 0) return false;
  const ExprId text{node.a};
  if (!pool_.free_of_context(text)) return false;
  const std::uint32_t wanted = store_.size(names) + kSpare;
  bool out = true;
  store_.for_each(names, [&](Element name) {
    if (store_.is_value(name)) return false;  // as are those that follow
    out = texts_behind(text, name) >= wanted;
    return out;
  });
  return out;
}

// How many texts at least go on behind a name; the most where it is no text itself.
std::uint32_t Keyed::texts_behind(ExprId text, Element name) {
  constexpr unsigned kDepth = 4;
  const std::uint64_t key =
      (static_cast<std::uint64_t>(index_of(text)) << 32) | static_cast<std::uint32_t>(name);
  if (const auto it = texts_behind_.find(key); it != texts_behind_.end()) return it->second;
  ExprId state = text;
  for (char c : store_.string(store_.key_of(name))) {
    state = pool_.raw_step(state, static_cast<std::uint8_t>(c));
    if (state == ExprPool::kEmptyId) break;
  }
  const bool is_text = state != ExprPool::kEmptyId && pool_.nullable(state);
  const std::uint32_t out = is_text ? texts_from(state, kDepth) : kUnbounded;
  texts_behind_.emplace(key, out);
  return out;
}

// How many texts an expression has at least, as its first bytes tell.
std::uint32_t Keyed::texts_from(ExprId text, unsigned depth) {
  if (depth == 0) return 1;
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(text)) << 32) | depth;
  if (const auto it = fewest_texts_.find(key); it != fewest_texts_.end()) return it->second;
  std::uint64_t out = pool_.nullable(text) ? 1 : 0;
  const LinearForm form = pool_.linear_form(text);
  for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
    if (!pool_.found_live(term.target)) continue;
    out += term.bytes.size() * std::uint64_t{texts_from(term.target, depth - 1)};
  }
  const auto found = static_cast<std::uint32_t>(std::min<std::uint64_t>(out, kUnbounded));
  fewest_texts_.emplace(key, found);
  return found;
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
  if (!leaves_others(tables_[states_[state].table].cells[cell].keys, states_[state].used) &&
      !extensible(keys)) {
    const ExprId taken = blocked(record);
    if (taken != kNothing && !pool_.live(pool_.intersect(keys, pool_.complement(taken)))) {
      return kNothing;
    }
  }
  return node(record);
}

}  // namespace formgate
