// Conditions on entries of lists: of each some literal must hold, an entry with one of its values
// or an entry that does not come.
//
// Which are not met yet is part of a state, so independent conditions need not be multiplied out:
// they add up. A state lives only if what may still come can meet all that are open. Conditions
// that share entries, directly or not, are a group; groups are told one by one, each by the sets of
// its open conditions that its entries, one after the other, lead to (dynamic programming, at most
// 2^kMostTogether sets).
#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_set>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "keyed_helpers.hpp"

namespace formgate {
namespace {

bool none(const Bits& bits) {
  return std::ranges::all_of(bits, [](std::uint64_t word) { return word == 0; });
}

}  // namespace

EntryClauses::EntryClauses(std::uint32_t entries, const Clauses& clauses)
    : count_(static_cast<std::uint32_t>(clauses.size())), meets_(entries) {
  std::vector<std::uint32_t> group(entries);
  std::iota(group.begin(), group.end(), 0u);
  const auto root = [&group](std::uint32_t i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
  };
  for (std::uint32_t c = 0; c < count_; ++c) {
    for (const Literal& one : clauses[c]) {
      meets_[one.entry].emplace_back(one.way, c);
      group[root(one.entry)] = root(clauses[c].front().entry);
    }
  }
  std::vector<std::uint32_t> number(entries, kNoIndex);
  const auto group_of = [&](std::uint32_t entry) -> Group& {
    std::uint32_t& at = number[root(entry)];
    if (at == kNoIndex) {
      at = static_cast<std::uint32_t>(groups_.size());
      groups_.emplace_back();
    }
    return groups_[at];
  };
  for (std::uint32_t i = 0; i < entries; ++i) {
    if (!meets_[i].empty()) group_of(i).entries.push_back(i);
  }
  for (std::uint32_t c = 0; c < count_; ++c) {
    if (clauses[c].empty()) {
      groups_.push_back({{}, {c}, {}});  // never met
    } else {
      group_of(clauses[c].front().entry).clauses.push_back(c);
    }
  }
  for (Group& one : groups_) settle_group(one);
}

bool EntryClauses::few() const {
  return std::ranges::all_of(
      groups_, [](const Group& group) { return group.clauses.size() <= kMostTogether; });
}

EntryClauses::Bits EntryClauses::all() const {
  Bits out((count_ + 63) / 64, 0);
  for (std::uint32_t c = 0; c < count_; ++c) out[c >> 6] |= 1ull << (c & 63);
  return out;
}

void EntryClauses::meet(Bits& open, std::uint32_t entry, std::uint32_t way) const {
  for (const auto& [own, clause] : meets_[entry]) {
    if (own == way) open[clause >> 6] &= ~(1ull << (clause & 63));
  }
}

void EntryClauses::settle_group(Group& group) const {
  for (std::uint32_t entry : group.entries) {
    std::vector<Met>& own = group.met.emplace_back();
    for (const auto& [way, clause] : meets_[entry]) {
      const auto place = std::ranges::find(group.clauses, clause) - group.clauses.begin();
      const std::uint32_t bit = way == kGone ? kMayBeGone : 1u << way;
      auto at = std::ranges::find(own, bit, &Met::way);
      if (at == own.end()) at = own.insert(own.end(), {bit, 0});
      if (place < std::ptrdiff_t{kMostTogether}) at->conditions |= 1u << place;
    }
  }
}

bool EntryClauses::possible(const Bits& open, const std::vector<std::uint32_t>& options) const {
  return std::ranges::all_of(groups_, [&](const Group& group) {
    std::uint32_t start = 0;
    for (std::size_t k = 0; k < group.clauses.size(); ++k) {
      if (test(open, group.clauses[k])) start |= 1u << k;
    }
    return start == 0 || possible(group, start, options);
  });
}

// Most often the ways that meet most are enough; else all sets are found that can be left open.
bool EntryClauses::possible(const Group& group, std::uint32_t open,
                            const std::vector<std::uint32_t>& options) {
  std::vector<std::vector<std::uint32_t>> met;  // by entries, what a way that there is may meet
  std::uint32_t left = open;
  for (std::size_t e = 0; e < group.entries.size(); ++e) {
    const std::uint32_t given = options[group.entries[e]];
    std::vector<std::uint32_t> own;
    std::uint32_t most = 0;
    for (const Met& one : group.met[e]) {
      const std::uint32_t conditions = given & one.way ? one.conditions & open : 0;
      if (conditions == 0) continue;
      if (std::popcount(conditions & left) > std::popcount(most & left)) most = conditions;
      if (std::ranges::none_of(own, [&](auto other) { return !(conditions & ~other); })) {
        std::erase_if(own, [&](auto other) { return !(other & ~conditions); });
        own.push_back(conditions);
      }
    }
    left &= ~most;
    if (left == 0) return true;
    if (!own.empty()) met.push_back(std::move(own));
  }
  std::uint32_t ever = 0;
  for (const auto& own : met) {
    for (std::uint32_t conditions : own) ever |= conditions;
  }
  if (open & ~ever) return false;
  std::vector<std::uint32_t> reached{open};
  std::vector<std::uint32_t> next;
  std::unordered_set<std::uint32_t> seen;
  for (const auto& own : met) {
    next.clear();
    seen.clear();
    for (std::uint32_t before : reached) {
      for (std::uint32_t conditions : own) {
        const std::uint32_t after = before & ~conditions;
        if (after == 0) return true;
        if (seen.insert(after).second) next.push_back(after);
      }
    }
    std::swap(reached, next);
  }
  return false;
}

bool EntryClauses::some_texts(std::vector<std::uint32_t> options, bool others) const {
  const Bits open = all();
  if (others) return possible(open, options);
  for (std::uint32_t& own : options) {
    const std::uint32_t given = own;
    own &= ~kMayBeGone;
    if (own != 0 && possible(open, options)) return true;
    own = given;
  }
  return false;
}

bool EntryClauses::empty_text(std::vector<std::uint32_t> options) const {
  for (std::uint32_t& own : options) own &= kMayBeGone;
  return possible(all(), options);
}

// Conditions over the entries that are left; false where they cannot be met.
bool Keyed::set_clauses(Compiled& table, const Table& given,
                        const std::vector<std::uint32_t>& places) {
  EntryClauses::Clauses kept;
  for (const auto& clause : given.clauses) {
    std::vector<EntryClauses::Literal> literals;
    bool met = false;
    for (const EntryClauses::Literal& one : clause) {
      const std::uint32_t place = places[one.entry];
      if (place == kNoIndex) {
        met = met || one.way == EntryClauses::kGone;
      } else {
        literals.push_back({place, one.way});
      }
    }
    if (!met) kept.push_back(std::move(literals));
  }
  table.clauses = EntryClauses(static_cast<std::uint32_t>(table.entries.size()), kept);
  for (const Entry& entry : table.entries) {
    std::uint32_t own = pool_.live(entry.value) ? 1u : 0u;
    for (std::size_t k = 0; k < entry.ways.size(); ++k) {
      if (pool_.live(entry.ways[k])) own |= 2u << k;
    }
    if (!entry.required) own |= EntryClauses::kMayBeGone;
    table.options.push_back(own);
  }
  return table.clauses.possible(table.clauses.all(), table.options);
}

Keyed::Bits Keyed::unmet_after(const State& state, std::uint32_t entry, std::uint32_t way) const {
  const Compiled& table = tables_[state.table];
  Bits out = state.unmet;
  if (none(out)) return out;
  table.clauses.meet(out, entry, way);
  for (std::uint32_t i = state.position; table.ordered && i < entry; ++i) {
    table.clauses.meet(out, i, EntryClauses::kGone);
  }
  return out;
}

Keyed::Bits Keyed::unmet_without(const State& state) const {
  const Compiled& table = tables_[state.table];
  Bits out = state.unmet;
  if (none(out)) return out;
  for (std::uint32_t i = state.position; i < table.entries.size(); ++i) {
    if (table.ordered || !test(state.taken, i)) table.clauses.meet(out, i, EntryClauses::kGone);
  }
  return out;
}

std::vector<std::uint32_t> Keyed::options_left(const State& state) const {
  const Compiled& table = tables_[state.table];
  std::vector<std::uint32_t> out = table.options;
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    if (table.ordered ? i < state.position : test(state.taken, i)) out[i] = 0;
  }
  return out;
}

bool Keyed::way_open(const State& state, std::uint32_t entry, std::uint32_t way) const {
  const Compiled& table = tables_[state.table];
  if (!((table.options[entry] >> way) & 1)) return false;
  const Bits unmet = unmet_after(state, entry, way);
  if (none(unmet)) return true;
  std::vector<std::uint32_t> options = options_left(state);
  for (std::uint32_t i = table.ordered ? 0 : entry; i <= entry; ++i) options[i] = 0;
  return table.clauses.possible(unmet, options);
}

bool Keyed::some_way_open(const State& state, std::uint32_t entry) const {
  if (state.entries_open.empty()) state.entries_open.assign(tables_[state.table].entries.size(), 0);
  signed char& known = state.entries_open[entry];
  if (known == 0) {
    known = -1;
    const auto ways = static_cast<std::uint32_t>(tables_[state.table].entries[entry].ways.size());
    for (std::uint32_t w = 0; w <= ways && known < 0; ++w) {
      if (way_open(state, entry, w)) known = 1;
    }
  }
  return known > 0;
}

}  // namespace formgate
