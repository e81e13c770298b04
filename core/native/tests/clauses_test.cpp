// Conditions on entries of lists, against all ways to choose their values.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "formgate/keyed.hpp"

namespace formgate {
namespace {

using Literal = EntryClauses::Literal;

bool by_trying(const EntryClauses::Clauses& clauses, const EntryClauses::Bits& open,
               const std::vector<std::uint32_t>& options) {
  std::vector<std::uint32_t> chosen(options.size(), EntryClauses::kMostWays + 1);
  const auto met = [&](const std::vector<Literal>& clause) {
    for (const Literal& one : clause) {
      const std::uint32_t way =
          one.way == EntryClauses::kGone ? std::uint32_t{EntryClauses::kMostWays} : one.way;
      if (chosen[one.entry] == way) return true;
    }
    return false;
  };
  const auto all = [&] {
    for (std::size_t c = 0; c < clauses.size(); ++c) {
      if (((open[c >> 6] >> (c & 63)) & 1) && !met(clauses[c])) return false;
    }
    return true;
  };
  const auto search = [&](const auto& self, std::size_t entry) -> bool {
    if (entry == options.size()) return all();
    if (options[entry] == 0) return self(self, entry + 1);
    for (std::uint32_t way = 0; way <= EntryClauses::kMostWays; ++way) {
      if (!((options[entry] >> way) & 1)) continue;
      chosen[entry] = way;
      if (self(self, entry + 1)) return true;
    }
    chosen[entry] = EntryClauses::kMostWays + 1;
    return false;
  };
  return search(search, 0);
}

TEST(Clauses, ArePossibleWhereSomeChoiceMeetsThem) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  int possible = 0;
  const int rounds = 20'000;
  for (int round = 0; round < rounds; ++round) {
    const std::uint32_t entries = 1 + below(6);
    EntryClauses::Clauses clauses(1 + below(8));
    for (auto& clause : clauses) {
      for (std::uint32_t count = below(4); count > 0; --count) {
        clause.push_back({below(entries), below(3) == 0 ? EntryClauses::kGone : below(3)});
      }
    }
    const EntryClauses conditions(entries, clauses);
    std::vector<std::uint32_t> options(entries);
    for (std::uint32_t& one : options) {
      one = below(8) | (below(2) == 0 ? EntryClauses::kMayBeGone : 0);
    }
    EntryClauses::Bits open = conditions.all();
    open[0] &= random();
    const bool expected = by_trying(clauses, open, options);
    possible += expected ? 1 : 0;
    ASSERT_EQ(conditions.possible(open, options), expected) << round;
  }
  EXPECT_GT(possible, rounds / 5);
  EXPECT_LT(possible, rounds * 4 / 5);
}

}  // namespace
}  // namespace formgate
