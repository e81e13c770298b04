// What is known to be enough is enough, and is known of all that holds it.
#include "formgate/sufficient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace formgate {
namespace {

using Conditions = std::vector<ExprId>;

std::uint32_t below(std::mt19937& draw, std::uint32_t most) {
  return static_cast<std::uint32_t>(draw() % most);
}

Conditions drawn(std::mt19937& draw) {
  std::set<ExprId> out;
  for (auto count = below(draw, 6) + 1; count > 0; --count) out.insert(ExprId{below(draw, 12)});
  return {out.begin(), out.end()};
}

bool holds(const Conditions& all, const Conditions& some) {
  return std::ranges::all_of(some,
                             [&](ExprId id) { return std::ranges::find(all, id) != all.end(); });
}

TEST(SufficientConditions, AreEnoughAndFoundWhateverStandsBesideThem) {
  std::mt19937 draw(7);
  for (int round = 0; round < 500; ++round) {
    // What is enough for each of two: sets of which one must be there as a whole.
    std::vector<std::vector<Conditions>> enough(2);
    for (auto& sets : enough) {
      for (auto count = below(draw, 3) + 1; count > 0; --count) sets.push_back(drawn(draw));
    }
    SufficientConditions known;
    for (int question = 0; question < 60; ++question) {
      const std::uint32_t wanted = below(draw, 2);
      const auto is_enough = [&](const Conditions& all) {
        return std::ranges::any_of(enough[wanted],
                                   [&](const Conditions& some) { return holds(all, some); });
      };
      const Conditions all = drawn(draw);
      if (known.known(ExprId{wanted}, all)) {
        EXPECT_TRUE(is_enough(all));
      } else if (is_enough(all)) {
        known.note(ExprId{wanted}, all, is_enough);
        EXPECT_TRUE(question > 20 || known.known(ExprId{wanted}, all));
      }
    }
    known.clear();
    EXPECT_EQ(known.memory_usage(), 0u);
  }
}

TEST(SufficientConditions, AreThoseThatTwoAnswersShare) {
  SufficientConditions known;
  const ExprId wanted{1};
  const auto always = [](const Conditions& /*few*/) { return true; };
  known.note(wanted, {ExprId{2}, ExprId{3}, ExprId{4}}, always);
  EXPECT_FALSE(known.known(wanted, {ExprId{2}, ExprId{3}, ExprId{5}}));
  known.note(wanted, {ExprId{2}, ExprId{3}, ExprId{6}}, always);
  EXPECT_TRUE(known.known(wanted, {ExprId{2}, ExprId{3}, ExprId{5}}));
  EXPECT_FALSE(known.known(ExprId{9}, {ExprId{2}, ExprId{3}, ExprId{5}}));
  EXPECT_FALSE(known.known(wanted, {ExprId{2}, ExprId{5}}));
}

}  // namespace
}  // namespace formgate
