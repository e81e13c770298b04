// Conditions that some members of a list must meet.
//
// Which members meet them is open until the last can only be met by what is left: by keys of cells,
// of which there may be few, in places, of which there may be few, too.
#include <algorithm>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "keyed_helpers.hpp"

namespace formgate {
std::uint32_t fewest_members(const std::vector<CellWays>& cells, std::uint64_t wanted) {
  constexpr std::uint64_t kAll = (1u << Keyed::kMostConditions) - 1;
  std::vector<std::uint32_t> fewest(kAll + 1, kUnbounded);  // by what is met
  fewest[kAll & ~wanted] = 0;
  for (const CellWays& cell : cells) {
    if (cell.meets.empty()) continue;
    for (std::uint32_t key = 0; key < std::min(cell.keys, Keyed::kMostConditions); ++key) {
      const std::vector<std::uint32_t> before = fewest;
      for (std::uint64_t met = 0; met <= kAll; ++met) {
        if (before[met] == kUnbounded) continue;
        for (std::uint64_t way : cell.meets) {
          std::uint32_t& slot = fewest[met | (way & kAll)];
          slot = std::min(slot, before[met] + 1);
        }
      }
      if (fewest == before) break;
    }
  }
  return fewest[kAll];
}

// Sets of conditions still wanted, by the number of items: each item leaves them, or meets some.
std::uint32_t fewest_items(const std::vector<CellWays>& places, std::size_t from,
                           std::uint64_t wanted) {
  if (wanted == 0) return 0;
  if (places.empty()) return kUnbounded;
  std::vector<std::uint64_t> open{wanted};
  const std::size_t last = places.size() - 1;
  const std::size_t most = (from < last ? last - from : 0) + Keyed::kMostConditions;
  for (std::size_t count = 1; count <= most; ++count) {
    const std::size_t before = open.size();
    for (std::size_t i = 0; i < before; ++i) {
      for (std::uint64_t way : places[std::min(from + count - 1, last)].meets) {
        const std::uint64_t left = open[i] & ~way;
        if (left == 0) return static_cast<std::uint32_t>(count);
        if (std::ranges::find(open, left) == open.end()) open.push_back(left);
      }
    }
  }
  return kUnbounded;
}

std::uint32_t Keyed::fewest(const Compiled& table, const State& state, std::uint64_t wanted,
                            std::uint32_t cell) {
  if (wanted == 0) return 0;
  std::vector<CellWays> ways;
  for (std::uint32_t j = 0; j < table.cells.size(); ++j) {
    ways.emplace_back();
    for (const Some& one : table.cells[j].some) ways.back().meets.push_back(one.meets);
    if (ways.back().meets.empty() || table.repeats) continue;
    ways.back().keys = keys_left(table.cells[j].keys, state.used);
    if (j == cell && ways.back().keys <= kMostConditions) {
      ways.back().keys -= std::min(ways.back().keys, 1u);
    }
  }
  if (table.repeats) return fewest_items(ways, state.count + (cell != kNoIndex ? 1 : 0), wanted);
  return fewest_members(ways, wanted);
}

// How many keys a cell has beside those used, up to more than conditions need.
std::uint32_t Keyed::keys_left(ExprId keys, Set used) {
  constexpr std::uint32_t kMany = kMostConditions + 1;
  const ExprId left = without(keys, used);
  if (left == kNothing) return 0;
  if (left == ExprPool::kEpsilonId) return 1;
  if (pool_.node(left).kind != Kind::kSpelled || extensible(left)) return kMany;
  const ExprId root{pool_.node(left).a};
  if (!pool_.live(root)) return 0;
  // Texts of expressions, parts before wholes; a circle has texts without end.
  constexpr std::uint32_t kOpen = kNoIndex;
  std::vector<ExprId> work{root};
  while (!work.empty()) {
    const ExprId at = work.back();
    const auto known = text_counts_.find(index_of(at));
    const bool open = known != text_counts_.end() && known->second == kOpen;
    if (known != text_counts_.end() && !open) {
      work.pop_back();
      continue;
    }
    std::uint32_t count = pool_.nullable(at) ? 1 : 0;
    const LinearForm form = pool_.linear_form(at);
    for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
      if (!pool_.live(term.target)) continue;
      const auto below = text_counts_.find(index_of(term.target));
      if (below == text_counts_.end()) {
        if (!open) work.push_back(term.target);
        continue;
      }
      count = std::min(kMany, count + std::min(kMany, below->second) * term.bytes.size());
    }
    text_counts_[index_of(at)] = open ? count : kOpen;
    if (open) work.pop_back();
  }
  return text_counts_.find(index_of(root))->second;
}

bool Keyed::fits(const State& state, std::uint32_t cell, std::uint64_t met) {
  const Compiled& table = tables_[state.table];
  const std::uint32_t more = fewest(table, state, state.wanted & ~met, cell);
  if (more == kUnbounded) return false;
  return table.max == kUnbounded || state.count + 1 + state.left + more <= table.max;
}

bool Keyed::cell_open(const State& state, std::uint32_t cell) {
  const Cell& own = tables_[state.table].cells[cell];
  if (fits(state, cell, 0)) return true;
  return std::ranges::any_of(own.some, [&](const Some& one) {
    return (one.meets & state.wanted) != 0 && fits(state, cell, one.meets);
  });
}

}  // namespace formgate
