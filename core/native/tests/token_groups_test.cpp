// Rows of bits lie on cache lines, and what one of them leaves serves the next.
#include "formgate/token_groups.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace formgate {
namespace {

bool on_a_line(const Bitmap& row) { return reinterpret_cast<std::uintptr_t>(row.data()) % 64 == 0; }

TEST(Bitmap, BeginsWithACacheLineWhateverItsSize) {
  std::vector<Bitmap> rows;
  for (std::size_t words = 1; words < 300; ++words) {
    rows.emplace_back(words, static_cast<std::uint32_t>(words));
    EXPECT_TRUE(on_a_line(rows.back())) << words;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {  // no row lies in another
    EXPECT_EQ(rows[i], Bitmap(i + 1, static_cast<std::uint32_t>(i + 1)));
  }
}

TEST(Bitmap, KeepsItsLineAsItGrowsAndIsMoved) {
  Bitmap row;
  for (std::uint32_t word = 0; word < 5000; ++word) row.push_back(word);
  Bitmap moved = std::move(row);
  EXPECT_TRUE(on_a_line(moved));
  for (std::uint32_t word = 0; word < 5000; ++word) EXPECT_EQ(moved[word], word);
  moved.shrink_to_fit();
  EXPECT_TRUE(on_a_line(moved));
}

}  // namespace
}  // namespace formgate
