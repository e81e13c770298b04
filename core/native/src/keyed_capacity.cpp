// How many keys the cells of a list without repetition have.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"

namespace formgate {

// Counts the keys of the cells, where it matters whether there are enough: as many as there must be
// members always are, since each member uses one key at most.
std::uint32_t Keyed::capacity_of(const Compiled& table) {
  constexpr std::size_t kMostKeys = 4096;
  if (table.cells.empty()) return 0;
  if (table.min < 2 || table.places) return kUnbounded;
  std::uint32_t count = 0;
  for (std::size_t j = 0; j < table.cells.size(); ++j) {
    const Cell& cell = table.cells[j];
    if (cell.quoted ? extensible(cell.keys) : table.amounts[j] == kUnbounded) return kUnbounded;
    if (!cell.quoted) {
      if (table.amounts[j] >= table.min - count) return kUnbounded;
      count += table.amounts[j];
      continue;
    }
    // Most keys can be spelled without escapes, and those that cannot are looked for only where
    // there are too few others.
    std::set<std::string> found;
    for (const bool escapes : {false, true}) {
      std::set<std::tuple<ExprId, std::string, std::string>> seen;
      std::vector<std::pair<ExprId, JsonReader>> work{{cell.keys, JsonReader()}};
      for (std::size_t steps = 0; !work.empty(); ++steps) {
        if (steps > 16 * kMostKeys || work.size() > kMostKeys) return kUnbounded;
        const auto [keys, reader] = std::move(work.back());
        work.pop_back();
        if (escapes && !seen.emplace(keys, reader.text(), reader.pending()).second) continue;
        if (pool_.nullable(keys) && !std::ranges::binary_search(table.names, reader.text())) {
          found.insert(reader.text());
          if (found.size() >= table.min - count) return kUnbounded;
        }
        const LinearForm form = pool_.linear_form(keys);
        for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
          if (!pool_.live(term.target)) continue;
          term.bytes.for_each([&](std::uint8_t b) {
            if (b == '\\' && !escapes) return;
            JsonReader next = reader;
            next.push(b);
            work.emplace_back(term.target, std::move(next));
          });
        }
      }
    }
    count += static_cast<std::uint32_t>(found.size());
  }
  return count;
}

}  // namespace formgate
