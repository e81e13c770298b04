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
  // Counts are put into members of their own if `parting` says so.
  Maker(ExprPool& pool, unsigned seed, bool parting = false)
      : pool_(pool), random_(seed), parting_(parting) {}

  ExprId counted() {
    const ExprId character{pool_.node(ExprPool::kTextId).a};
    std::vector<ExprId> parts;
    const unsigned way = below(4);
    if (way < 3) {
      const std::uint32_t min = below(14);
      const std::uint32_t max = way == 0 ? kUnbounded : std::max(min, 8 + below(12));
      parts.push_back(pool_.repeat(character, min, max));
    }
    if (way > 1) {
      const ExprId body = below(2) ? pool_.concat(letter(), letter()) : letter();
      const ExprId again = pool_.repeat(body, 1 + below(9), kUnbounded);
      parts.push_back(below(2) ? again : pool_.concat(letter(), again));
    }
    for (unsigned i = 1 + below(3); i > 0; --i) parts.push_back(text(3));
    return joined(std::move(parts));
  }

  // With counts of narrow characters, and with counts that something follows.
  ExprId followed() {
    std::vector<ExprId> parts;
    for (unsigned i = 1 + below(2); i > 0; --i) {
      const std::uint32_t min = below(12);
      const std::uint32_t max = below(4) ? std::max(min, 7 + below(9)) : kUnbounded;
      const ExprId body = below(3) ? letter() : pool_.concat(letter(), letter());
      ExprId member = pool_.repeat(body, min, max);
      if (below(3)) member = pool_.concat(member, below(2) ? letter() : text(2));
      parts.push_back(below(2) ? member : pool_.concat(letter(), member));
    }
    for (unsigned i = 1 + below(2); i > 0; --i) parts.push_back(text(2));
    return joined(std::move(parts));
  }

 private:
  ExprId joined(std::vector<ExprId> parts) {
    const std::size_t before = parts.size();
    if (parting_) pool_.part_counts(parts);
    parted += parts.size() - before;
    return pool_.intersect(parts);
  }

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  ExprId letter() {
    constexpr std::pair<std::uint32_t, std::uint32_t> kRanges[] = {
        {'a', 'a'}, {'b', 'b'}, {'a', 'b'}, {0xE9, 0x20AC}, {0, 0x10FFFF}};
    const auto [low, high] = kRanges[below(5)];
    return pool_.chars(CharSet({{low, high}}));
  }

  ExprId text(unsigned depth) {
    if (depth == 0) return letter();
    switch (below(7)) {
      case 0:
        return letter();
      case 1:
        return pool_.concat(text(depth - 1), text(depth - 1));
      case 2:
        return pool_.unite(text(depth - 1), text(depth - 1));
      case 3: {
        const std::uint32_t min = below(3);
        return pool_.repeat(text(depth - 1), min, below(2) ? kUnbounded : min + below(9));
      }
      case 4:
        return pool_.concat(ExprPool::kTextId, pool_.concat(text(depth - 1), ExprPool::kTextId));
      case 5:
        return pool_.intersect(ExprPool::kTextId, pool_.complement(text(depth - 1)));
      default:
        return pool_.repeat(pool_.concat(letter(), letter()), 0, kUnbounded);
    }
  }

  ExprPool& pool_;
  std::mt19937 random_;
  bool parting_;

 public:
  std::size_t parted = 0;  // counts with a member of their own
};

// Decided by a pool that measures what it can, and by one that explores all, the states that some
// texts lead to are live and accept alike.
struct Compared {
  std::size_t states = 0;
  std::size_t dead = 0;
};
void compare(ExprPool& measured, ExprId here, ExprPool& explored, ExprId there, unsigned seed,
             Compared& counts) {
  CompileContext context(Limits{}, std::nullopt, nullptr);
  std::unique_lock lock(measured.mutex());
  measured.decide(here, context, lock);
  std::vector<std::pair<ExprId, ExprId>> states{{here, there}};
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i = 0; i < states.size() && i < 300; ++i) {
    const auto [one, other] = states[i];
    const bool alive = explored.live(other);
    ASSERT_EQ(measured.live(one), alive) << seed << " " << measured.print(one, 400);
    ASSERT_EQ(measured.nullable(one), explored.nullable(other)) << seed;
    ++counts.states;
    if (!alive) ++counts.dead;
    for (const unsigned char byte : std::string_view("abc\xC3\xE2\x82\xA9")) {
      const ExprId next = measured.raw_step(one, byte);
      const ExprId further = explored.raw_step(other, byte);
      if (!seen.emplace(index_of(next), index_of(further)).second) continue;
      states.emplace_back(next, further);
    }
  }
}

TEST(CountedStates, AreLiveAsTheirExplorationSays) {
  Compared counts;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    ExprPool measured;
    ExprPool explored;
    const ExprId here = Maker(measured, seed).counted();
    const ExprId there = Maker(explored, seed).counted();
    compare(measured, here, explored, there, seed, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.states, 20000u);
  EXPECT_GT(counts.dead, 1000u);
}

TEST(CountedStates, MeanTheSameWithTheirCountsApart) {
  Compared counts;
  std::size_t parted = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    ExprPool measured;
    ExprPool explored;
    Maker maker(measured, seed, true);
    const ExprId here = maker.followed();
    parted += maker.parted;
    const ExprId there = Maker(explored, seed).followed();
    compare(measured, here, explored, there, seed, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(parted, 500u);
  EXPECT_GT(counts.states, 20000u);
  EXPECT_GT(counts.dead, 1000u);
}

TEST(CountedStates, CostWhatTheirCoreDoes) {
  ExprPool pool;
  const ExprId text = ExprPool::kTextId;
  const ExprId character{pool.node(text).a};
  const auto within = [&](std::string_view word) {
    return pool.concat(text, pool.concat(pool.literal(word), text));
  };
  const ExprId core = pool.intersect(within("abc"), within("bcd"));
  const ExprId id = pool.intersect(core, pool.repeat(character, 10000, 20000));
  Limits limits;
  limits.max_states = 1000;
  CompileContext context(limits, std::nullopt, nullptr);
  std::unique_lock lock(pool.mutex());
  pool.decide(id, context, lock);
  EXPECT_TRUE(pool.live(id));
  EXPECT_FALSE(pool.live(pool.intersect(core, pool.repeat(character, 0, 3))));
  EXPECT_TRUE(pool.live(pool.intersect(core, pool.repeat(character, 0, 4))));
}

TEST(CountedStates, CostNoMoreForWhatFollowsTheCount) {
  ExprPool pool;
  const ExprId text = ExprPool::kTextId;
  const auto within = [&](std::string_view word) {
    return pool.concat(text, pool.concat(pool.literal(word), text));
  };
  const ExprId lower = pool.chars(CharSet({{'a', 'z'}}));
  const ExprId counted = pool.concat(
      pool.literal("z"), pool.concat(pool.repeat(lower, 5000, 9000), pool.literal("z9")));
  std::vector<ExprId> members{within("abc"), within("bcd"), counted};
  pool.part_counts(members);
  const ExprId id = pool.intersect(members);
  Limits limits;
  limits.max_states = 1000;
  CompileContext context(limits, std::nullopt, nullptr);
  std::unique_lock lock(pool.mutex());
  pool.decide(id, context, lock);
  EXPECT_TRUE(pool.live(id));
  EXPECT_FALSE(pool.live(pool.walk(id, "z9")));
}

}  // namespace
}  // namespace formgate
