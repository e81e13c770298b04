#include "formgate/row_table.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace formgate {
namespace {

RowItem shared(std::uint64_t number) {
  return {RowItem::Kind::kShared, {{1, 2}, {number, avalanche(number)}}};
}

// Batches over so many keys, some masks of their own, some items without a row; a table that is
// written as told holds for each item what it asked for.
void run(std::uint32_t most, std::uint64_t keys, unsigned seed) {
  std::mt19937 draw(seed);
  RowTable table(most);
  std::vector<std::int64_t> content;
  std::int64_t alone = -1;
  for (int batch = 0; batch < 300; ++batch) {
    std::vector<RowItem> items;
    std::vector<std::int64_t> wanted;
    for (std::uint32_t count = draw() % 12; count > 0; --count) {
      const auto kind = draw() % 8;
      if (kind == 0) {
        items.push_back({});
        wanted.push_back(0);
      } else if (kind == 1) {
        items.push_back({RowItem::Kind::kAlone, {}});
        wanted.push_back(alone--);
      } else {
        const std::uint64_t key = draw() % keys;
        items.push_back(shared(key));
        wanted.push_back(static_cast<std::int64_t>(key) + 1);
      }
    }
    std::vector<std::int32_t> rows(items.size(), 77);
    const auto fresh = table.place(items, rows.data());
    const std::set<std::int64_t> distinct(wanted.begin(), wanted.end());
    EXPECT_LE(table.size(), std::max<std::size_t>({most, content.size(), distinct.size()}));
    content.resize(std::max<std::size_t>(content.size(), table.size()));
    if (draw() % 10 == 0) continue;  // nothing was written: nothing of it may be relied on
    for (const std::uint32_t i : fresh) content[static_cast<std::size_t>(rows[i])] = wanted[i];
    table.commit();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].kind == RowItem::Kind::kNone) {
        EXPECT_EQ(rows[i], -1);
      } else {
        ASSERT_LT(rows[i], static_cast<std::int64_t>(table.size()));
        EXPECT_EQ(content[static_cast<std::size_t>(rows[i])], wanted[i]);
      }
    }
  }
}

TEST(RowTable, HoldsWhatEachItemAskedFor) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    run(1, 3, seed);
    run(4, 9, seed);
    run(7, 40, seed);
    run(1000, 30, seed);
  }
}

TEST(RowTable, WritesEachMaskOnceWhereThereIsRoom) {
  RowTable table(100);
  std::set<std::uint64_t> seen;
  std::mt19937 draw(1);
  for (int batch = 0; batch < 100; ++batch) {
    std::vector<RowItem> items;
    std::set<std::uint64_t> fresh;
    for (int i = 0; i < 9; ++i) {
      const std::uint64_t key = draw() % 50;
      items.push_back(shared(key));
      if (seen.insert(key).second) fresh.insert(key);
    }
    std::vector<std::int32_t> rows(items.size());
    EXPECT_EQ(table.place(items, rows.data()).size(), fresh.size());
    table.commit();
  }
}

TEST(RowTable, LetsTheOldestGo) {
  RowTable table(3);
  std::int32_t row = 0;
  const auto place = [&](std::uint64_t key) {
    const RowItem item = shared(key);
    const bool fresh = !table.place({&item, 1}, &row).empty();
    table.commit();
    return fresh;
  };
  for (const std::uint64_t key : {1, 2, 3}) EXPECT_TRUE(place(key));
  EXPECT_FALSE(place(1));
  EXPECT_TRUE(place(4));  // instead of 2
  EXPECT_FALSE(place(1));
  EXPECT_FALSE(place(3));
  EXPECT_TRUE(place(2));
  EXPECT_EQ(table.size(), 3u);
}

}  // namespace
}  // namespace formgate
