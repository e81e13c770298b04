// Lists without repetition, as walks of a vocabulary look at them.
#include <algorithm>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"

namespace formgate {

bool Keyed::spells_names(ExprId id) const { return record(id).part == Part::kNames; }

ExprId Keyed::expanded(ExprId id) { return body(pool_.node(id).a); }

std::uint32_t Keyed::names_node(ExprId id) const { return record(id).at; }

bool Keyed::names_open(ExprId id, std::uint32_t at) {
  const State& state = states_[record(id).state];
  return std::ranges::any_of(tables_[state.table].trie->entries(at),
                             [&](std::uint32_t entry) { return open(state, entry); });
}

// Empty where the character has to be escaped, or where bytes are lacking.
std::string_view Keyed::plain_spelling(ExprId id, std::uint32_t at) const {
  return tables_[states_[record(id).state].table].trie->spelling(at);
}

ExprId Keyed::spelled_character(ExprId id, std::uint32_t value) {
  return spelled_character(states_[record(id).state].table, value);
}

ExprId Keyed::spelled_character(std::uint32_t table, std::uint32_t value) {
  const auto it = tables_[table].spelled.find(value);
  if (it != tables_[table].spelled.end()) return it->second;
  const ExprId out = character(tables_[table], value);
  tables_[table].spelled.emplace(value, out);
  return out;
}

ExprId Keyed::names_from(ExprId id, std::uint32_t at) { return names(record(id).state, at); }

bool Keyed::ends_name(ExprId id, std::uint32_t at) {
  const State& state = states_[record(id).state];
  const std::uint32_t entry = tables_[state.table].trie->entry(at);
  return entry != kNoIndex && open(state, entry);
}

ExprId Keyed::after_name(ExprId id, std::uint32_t at) { return after_name(record(id).state, at); }

bool Keyed::inside_key(ExprId id) const {
  const Record& own = record(id);
  return own.part == Part::kNames ||
         (own.part == Part::kCapture && tables_[states_[own.state].table].cells[own.at].quoted);
}

ExprId Keyed::skip(ExprId id, std::string_view text) {
  const Record own = record(id);
  if (own.part == Part::kNames) {
    const NameTrie& trie = *tables_[states_[own.state].table].trie;
    std::uint32_t at = own.at;
    for (const char c : text) {
      std::uint32_t child = trie.first_child(at);
      const std::uint32_t end = trie.end_child(at);
      while (child < end && trie.spelling(child) != std::string_view(&c, 1)) ++child;
      if (child == end) return ExprPool::kEmptyId;
      at = child;
    }
    return names(own.state, at);
  }
  ExprId keys = own.keys;
  Reading reading = readers_[own.reader];
  for (const char c : text) {
    keys = pool_.raw_step(keys, static_cast<std::uint8_t>(c));
    if (keys == ExprPool::kEmptyId) return keys;
    push(reading, static_cast<std::uint8_t>(c));
  }
  return capture(own.state, own.at, keys, reading, &own);
}

}  // namespace formgate
