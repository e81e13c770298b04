// Entries of lists that need others: where one comes, so must they.
//
// What an entry needs is closed under needing, once, so that a state knows at a glance what is owed
// (depth-first search from each entry: entries times needs).
#include <algorithm>
#include <bit>

#include "formgate/keyed.hpp"
#include "keyed_helpers.hpp"

namespace formgate {
namespace {

void set(Bits& bits, std::uint32_t i) { bits[i >> 6] |= 1ull << (i & 63); }

}  // namespace

EntryNeeds::EntryNeeds(std::uint32_t entries, const Pairs& pairs) : size_(entries) {
  if (pairs.empty()) return;
  std::vector<std::vector<std::uint32_t>> direct(entries);
  for (const auto& [from, to] : pairs) {
    if (from != to) direct[from].push_back(to);
  }
  all_.assign(entries, Bits((entries + 63) / 64, 0));
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = 0; i < entries; ++i) {
    work = direct[i];
    while (!work.empty()) {
      const std::uint32_t next = work.back();
      work.pop_back();
      if (test(all_[i], next)) continue;
      set(all_[i], next);
      work.insert(work.end(), direct[next].begin(), direct[next].end());
    }
    cyclic_ = cyclic_ || test(all_[i], i);
    all_[i][i >> 6] &= ~(1ull << (i & 63));
  }
}

void EntryNeeds::settle(std::vector<char>& usable, std::vector<char>& required,
                        std::uint32_t max) const {
  if (all_.empty()) return;
  Bits asked((size_ + 63) / 64, 0);
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (!required[i]) continue;
    set(asked, i);
    for (std::size_t w = 0; w < asked.size(); ++w) asked[w] |= all_[i][w];
  }
  const std::vector<char> given = usable;
  for (std::uint32_t i = 0; i < size_; ++i) {
    required[i] = test(asked, i) ? 1 : 0;
    std::uint32_t together = test(asked, i) ? 0 : 1;
    for (std::uint32_t k = 0; k < size_; ++k) {
      if (test(all_[i], k) && !given[k]) usable[i] = 0;
    }
    for (std::size_t w = 0; w < asked.size(); ++w) {
      together += static_cast<std::uint32_t>(std::popcount(asked[w] | all_[i][w]));
    }
    if (together > max) usable[i] = 0;
  }
}

// How many further entries must come if one does that may; kUnbounded where one of them is past.
std::uint32_t Keyed::owing(const State& state, std::uint32_t entry) const {
  const Compiled& table = tables_[state.table];
  std::uint32_t out = 0;
  const auto count = [&](std::uint32_t i) {
    out += table.entries[i].required || test(state.owed, i) ? 0 : 1;
  };
  count(entry);
  const Bits& needs = table.needs[entry];
  for (std::uint32_t w = 0; w < needs.size(); ++w) {
    std::uint64_t missing = needs[w] & ~state.taken[w];
    for (; missing != 0; missing &= missing - 1) {
      const auto i = w * 64 + static_cast<std::uint32_t>(std::countr_zero(missing));
      if (table.ordered && i < entry) return kUnbounded;
      count(i);
    }
  }
  return out;
}

// How many entries there may still be from one on, in order, if it comes.
std::uint32_t Keyed::later(const State& state, std::uint32_t entry) const {
  const Compiled& table = tables_[state.table];
  const auto size = static_cast<std::uint32_t>(table.entries.size());
  if (table.needs.empty()) return size - entry;
  std::uint32_t out = 1;
  for (std::uint32_t i = entry + 1; i < size; ++i) {
    bool can = true;
    for (std::uint32_t w = 0; w <= entry >> 6 && can; ++w) {
      std::uint64_t past = table.needs[i][w] & ~state.taken[w];
      if (w == entry >> 6) past &= (1ull << (entry & 63)) - 1;
      can = past == 0;
    }
    out += can ? 1 : 0;
  }
  return out;
}

// Notes that an entry has come, and what it needs.
void Keyed::take(State& state, std::uint32_t entry) const {
  const Compiled& table = tables_[state.table];
  set(state.taken, entry);
  for (std::size_t w = 0; w < state.owed.size(); ++w) {
    state.owed[w] = (state.owed[w] | table.needs[entry][w]) & ~state.taken[w];
  }
}

// Forgets of entries that are past which of them came, but where one to come needs them.
void Keyed::forget(State& state) const {
  const Compiled& table = tables_[state.table];
  if (table.needs.empty()) {
    state.taken.clear();
    return;
  }
  Bits asked(state.taken.size(), 0);
  for (std::size_t i = state.position; i < table.entries.size(); ++i) {
    for (std::size_t w = 0; w < asked.size(); ++w) asked[w] |= table.needs[i][w];
  }
  for (std::size_t w = 0; w < asked.size(); ++w) state.taken[w] &= asked[w];
}

}  // namespace formgate
