#include "formgate/growing_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace formgate {
namespace {

Hash128 hash_of(std::uint64_t value) { return Hasher(7).add(value).finish(); }

TEST(GrowingMap, HoldsWhatAMapHolds) {
  GrowingMap<std::uint64_t, std::string> map;
  std::map<std::uint64_t, std::string> judge;
  EXPECT_EQ(map.find(0), map.end());
  std::uint64_t random = 1;
  for (int i = 0; i < 20000; ++i) {
    random = avalanche(random + 1);
    const std::uint64_t key = random % 8000;
    const std::string value = std::to_string(i);
    const auto [it, fresh] = map.emplace(key, value);
    EXPECT_EQ(fresh, judge.emplace(key, value).second);
    EXPECT_EQ(it->second, judge.at(key));
  }
  EXPECT_EQ(map.size(), judge.size());
  for (std::uint64_t key = 0; key < 9000; ++key) {
    ASSERT_EQ(map.contains(key), judge.contains(key));
    if (judge.contains(key)) EXPECT_EQ(map.find(key)->second, judge.at(key));
  }
  map.clear();
  EXPECT_EQ(map.size(), 0u);
  EXPECT_FALSE(map.contains(judge.begin()->first));
}

TEST(GrowingMap, KeepsReferencesWhileItGrows) {
  GrowingMap<std::uint64_t, int> map;
  int& first = map[1];
  first = 5;
  for (std::uint64_t key = 2; key < 50000; ++key) map[key] = 1;
  EXPECT_EQ(&first, &map.find(1)->second);
  EXPECT_EQ(first, 5);
}

TEST(GrowingIndex, FindsWhatWasAdded) {
  GrowingIndex index;
  std::vector<std::uint64_t> things;
  const auto add = [&](std::uint64_t thing) {
    const auto fresh = static_cast<std::uint32_t>(things.size());
    const std::uint32_t number = index.find_or_add(
        hash_of(thing), fresh, [&](std::uint32_t other) { return things[other] == thing; });
    if (number == fresh) things.push_back(thing);
    return number;
  };
  for (std::uint64_t thing = 0; thing < 30000; ++thing) {
    if (thing % 700 == 0) index.grow_ahead();
    EXPECT_EQ(add(thing), thing);
  }
  for (std::uint64_t thing = 0; thing < 30000; ++thing) EXPECT_EQ(add(thing), thing);
  EXPECT_EQ(things.size(), 30000u);
}

TEST(AnchoredIndex, FindsWhatWasAddedWhateverItsAnchor) {
  AnchoredIndex index;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> things;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> judge;
  std::uint64_t random = 1;
  for (int i = 0; i < 60000; ++i) {
    random = avalanche(random + 1);
    // Many of one anchor, a few of each of the others, and some without.
    const std::uint64_t kind = random % 8;
    if (i % 900 == 0) index.touch_ahead(random % 5000);
    const auto own = static_cast<std::uint32_t>(random >> 8) % 3000;
    const std::uint32_t anchor = kind == 0 ? kNoIndex : kind < 3 ? 77 : own;
    const std::uint64_t thing = (random >> 40) % 500;
    const auto fresh = static_cast<std::uint32_t>(things.size());
    const std::pair<std::uint32_t, std::uint64_t> whole(anchor, thing);
    const std::uint32_t number =
        index.find_or_add(Hasher(7).add(thing).add(anchor).finish(), anchor, fresh,
                          [&](std::uint32_t other) { return things[other] == whole; });
    if (number == fresh) things.push_back(whole);
    EXPECT_EQ(judge.emplace(whole, fresh).first->second, number);
  }
  EXPECT_EQ(things.size(), judge.size());
  EXPECT_GT(index.memory_usage(), things.size() * 8);
}

// Equal halves of hashes, equal lines: only the caller tells the things apart.
TEST(AnchoredIndex, AsksWhereHashesAgree) {
  AnchoredIndex index;
  for (std::uint32_t thing = 0; thing < 40; ++thing) {
    const auto add = [&] {
      return index.find_or_add(hash_of(0), 5, thing,
                               [&](std::uint32_t other) { return other == thing; });
    };
    EXPECT_EQ(add(), thing);
    EXPECT_EQ(add(), thing);
  }
}

}  // namespace
}  // namespace formgate
