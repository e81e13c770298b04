// What must come at least before lists without repetition end, for bounds of how far that is.
//
// It is read off the state: entries that must come, keys and values to the least number, and the
// rest of what is under way. Which others may come is not asked, so that the answer takes no look
// at most of a table, and no state is made.
#include <algorithm>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"

namespace formgate {

// A value that comes for certain; or one of several, of which the bytes alone are known.
void Keyed::leave_value(const Compiled& table, ExprId value, bool whole, Left& out) const {
  out.parts.push_back(table.colon);
  if (whole) {
    out.parts.push_back(value);
  } else if (!pool_.nullable(value)) {
    ++out.bytes;
  }
}

// Members that must come, without some entries, and without one more if one is under way.
void Keyed::leave_members(const State& state, const std::vector<std::uint32_t>& but, bool one,
                          bool comma, Left& out) {
  const Compiled& table = tables_[state.table];
  std::uint32_t members = 0;
  for (std::uint32_t i = state.position; i < table.entries.size(); ++i) {
    const bool owed = !state.owed.empty() && ((state.owed[i >> 6] >> (i & 63)) & 1);
    const bool taken = !table.ordered && ((state.taken[i >> 6] >> (i & 63)) & 1);
    if (taken || !(owed || table.entries[i].required) || std::ranges::find(but, i) != but.end())
      continue;
    const Entry& entry = table.entries[i];
    ++members;
    if (table.named) {
      out.bytes += entry.name.size() + 2;
    } else {
      out.parts.push_back(entry.key);
    }
    leave_value(table, entry.value, entry.ways.empty(), out);
  }
  const std::uint32_t there = state.count + members + (one ? 1 : 0);
  std::uint32_t more = table.min > there ? table.min - there : 0;
  if (more == 0 && members == 0 && !one && !may_end(state)) more = 1;
  if (more > 0) {
    const bool quoted = table.named && std::ranges::all_of(table.cells, [](const Cell& cell) {
                          return cell.quoted;
                        });
    const auto empty = [this](ExprId value) { return pool_.nullable(value); };
    const bool blank =
        std::ranges::any_of(table.entries,
                            [&](const Entry& entry) {
                              return empty(entry.value) || std::ranges::any_of(entry.ways, empty);
                            }) ||
        std::ranges::any_of(table.cells, [&](const Cell& cell) {
          return empty(cell.value) || std::ranges::any_of(cell.some, [&](const Some& some) {
                   return empty(some.value);
                 });
        });
    for (std::uint32_t i = 0; i < more; ++i) out.parts.push_back(table.colon);
    // No two names are the same, so one of them at most is empty.
    if (quoted) out.bytes += 3 * std::size_t{more} - 1;
    if (!blank) out.bytes += more;
  }
  const std::uint32_t commas = members + more;
  for (std::uint32_t i = comma || one ? 0 : 1; i < commas; ++i) out.parts.push_back(table.comma);
}

Keyed::Left Keyed::left(std::uint32_t record) {
  const Record own = records_[record];
  const State& state = states_[own.state];
  const Compiled& table = tables_[state.table];
  Left out;
  switch (own.part) {
    case Part::kFirst:
    case Part::kRest:
      if (!may_end(state)) leave_members(state, {}, false, own.part == Part::kRest, out);
      break;
    case Part::kNames: {
      std::vector<std::uint32_t> ways;
      for (std::uint32_t entry : table.trie->entries(own.at)) {
        if (open(state, entry)) ways.push_back(entry);
      }
      out.parts.push_back(table.close_quote);
      if (ways.size() == 1) {
        const Entry& entry = table.entries[ways[0]];
        leave_value(table, entry.value, entry.ways.empty(), out);
      } else {
        out.parts.push_back(table.colon);
      }
      leave_members(state, ways, true, true, out);
      break;
    }
    case Part::kCapture: {
      const Cell& cell = table.cells[own.at];
      out.parts.push_back(own.keys);
      if (cell.quoted) out.parts.push_back(table.close_quote);
      leave_value(table, cell.value, cell.some.empty(), out);
      leave_members(state, {}, true, true, out);
      break;
    }
  }
  return out;
}

}  // namespace formgate
