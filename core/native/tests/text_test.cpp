// Which expressions and automata are known to be well-formed text.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/leaf_dfa.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

bool well_formed(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (!next_character(text, at)) return false;
  }
  return true;
}

// Characters, what looks like some, and parts of both.
const std::vector<std::string>& pieces() {
  static const std::vector<std::string> all = {
      "a",
      "\x7F",
      "\xC3\xA9",
      "\xE2\x82\xAC",
      "\xE3\x81\x81",
      "\xEF\xBE\x82",
      "\xF0\x9F\x98\x80",
      "\xF2\x81\x81\x81",
      "\xF4\x8F\xBF\xBF",
      "\xED\x9F\xBF",
      "\xC3",
      "\xA9",
      "\xC1\x81",
      "\xE0\x80\x80",
      "\xE0\xA0\x80",
      "\xED\xA0\x80",
      "\xF0\x80\x80\x80",
      "\xF4\x90\x80\x80",
      "\xF5\x80\x80\x80",
      "\x81\x81",
      "\xFF",
      "\xE2\x82",
  };
  return all;
}

std::string random_text(std::mt19937& random, std::size_t most) {
  std::string out;
  for (std::size_t n = random() % (most + 1); n > 0; --n)
    out += pieces()[random() % pieces().size()];
  return out;
}

TEST(Text, LiteralsAreTextWhereTheyAreWellFormed) {
  std::mt19937 random(5);
  for (int round = 0; round < 4000; ++round) {
    ExprPool pool;
    const std::string text = random_text(random, 4);
    if (text.empty()) continue;
    ASSERT_EQ(pool.is_text(pool.literal(text)), well_formed(text))
        << ::testing::PrintToString(text);
  }
}

// All texts from a state on, of automata without circles.
void collect(const LeafDfa& dfa, std::uint32_t state, const std::string& before,
             std::vector<std::string>& out) {
  if (dfa.accepting(state)) out.push_back(before);
  dfa.for_each_edge(state, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
    for (unsigned byte = low; byte <= high; ++byte) {
      collect(dfa, target, before + static_cast<char>(byte), out);
    }
  });
}

TEST(Text, AutomataAreTextWhereAllTheirTextsAre) {
  std::mt19937 random(7);
  CompileContext context(Limits{}, std::nullopt, nullptr);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> strings;
    for (std::size_t n = 1 + random() % 4; n > 0; --n) strings.push_back(random_text(random, 3));
    const LeafDfa dfa = LeafDfa::of_strings({strings.begin(), strings.end()}, context);
    for (std::uint32_t state = 0; state < dfa.size(); ++state) {
      std::vector<std::string> rests;
      collect(dfa, state, "", rests);
      ASSERT_EQ(dfa.text_from(state), std::ranges::all_of(rests, well_formed));
    }
  }
}

TEST(Text, ClassesAreText) {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    std::vector<Interval> intervals;
    for (std::size_t n = 1 + random() % 4; n > 0; --n) {
      const auto low = static_cast<std::uint32_t>(random() % 0x110000);
      intervals.push_back(
          {low, std::min(low + static_cast<std::uint32_t>(random() % 5000), kMaxCodePoint)});
    }
    const CharSet set = CharSet(intervals).intersect(CharSet::all());
    if (set.empty()) continue;
    const LeafDfa dfa = LeafDfa::of_chars(set);
    EXPECT_TRUE(dfa.text_from(dfa.start()));
  }
}

}  // namespace
}  // namespace formgate
