#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

// Makes the same expressions in each of two pools: from equal seeds, equal ones.
class Maker {
 public:
  Maker(ExprPool& pool, unsigned seed) : pool_(pool), random_(seed) {}

  // Groups in groups, whose states are many, and something with few states.
  ExprId nested_and_small() {
    ExprId body = text(2);
    for (unsigned i = 0; i < 3; ++i) {
      const ExprId open = chars('(', '(');
      const ExprId group = pool_.concat(open, pool_.concat(body, chars(')', ')')));
      const ExprId parts[] = {text(2), pool_.literal("abcab"), group};
      body = pool_.repeat(pool_.unite(parts), below(2), kUnbounded);
    }
    const ExprId other = text(2);
    switch (below(4)) {
      case 0:
        return pool_.intersect(body, pool_.complement(other));
      case 1:
        return pool_.intersect(body, pool_.concat(other, ExprPool::kTextId));
      default:
        return pool_.intersect(
            body, pool_.concat(ExprPool::kTextId, pool_.concat(other, below(2) ? text(1) : any())));
    }
  }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  ExprId chars(std::uint32_t low, std::uint32_t high) {
    return pool_.chars(CharSet({{low, high}}));
  }
  ExprId any() { return pool_.repeat(chars('a', 0x10FFFF), below(2), kUnbounded); }
  ExprId repeated(ExprId id) {
    const std::uint32_t min = below(3);
    return pool_.repeat(id, min, below(2) ? kUnbounded : min + 1 + below(3));
  }
  ExprId text(unsigned depth) {
    switch (depth == 0 ? 0 : below(5)) {
      case 0:
        return chars('a' + below(3), 'c' + (below(2) ? 0 : 0x2000));
      case 1:
        return pool_.unite(text(depth - 1), pool_.concat(text(depth - 1), text(depth - 1)));
      case 2:
        return repeated(text(depth - 1));
      case 3:
        return pool_.literal(
            "a\xE2\x82\xAC"
            "bcaab");
      default:
        return pool_.concat(text(depth - 1), text(depth - 1));
    }
  }

  ExprPool& pool_;
  std::mt19937 random_;
};

// Told by what leads to an end of the small side, and by exploring all, states are live alike.
TEST(Predecessors, AgreeWithExploring) {
  std::size_t states = 0;
  std::size_t dead = 0;
  std::size_t saved = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    ExprPool told;
    ExprPool explored;
    const ExprId here = Maker(told, seed).nested_and_small();
    const ExprId there = Maker(explored, seed).nested_and_small();
    CompileContext context(Limits{}, std::nullopt, nullptr);
    std::unique_lock lock(told.mutex());
    told.decide(here, context, lock);
    static_cast<void>(explored.live(there));
    if (told.node_count() < explored.node_count()) ++saved;
    std::vector<std::pair<ExprId, ExprId>> reached{{here, there}};
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::size_t i = 0; i < reached.size() && i < 400; ++i) {
      const auto [one, other] = reached[i];
      const bool alive = explored.live(other);
      ASSERT_EQ(told.live(one), alive) << seed << " " << told.print(one, 400);
      ++states;
      if (!alive) ++dead;
      for (const unsigned char byte : std::string_view("()abcd\xE2\x82\xAC\x81")) {
        const ExprId next = told.raw_step(one, byte);
        const ExprId same = explored.raw_step(other, byte);
        if (seen.emplace(index_of(next), index_of(same)).second) reached.emplace_back(next, same);
      }
    }
  }
  EXPECT_GT(states, 30000u);
  EXPECT_GT(dead, 1000u);
  EXPECT_GT(saved, 60u);
}

}  // namespace
}  // namespace formgate
