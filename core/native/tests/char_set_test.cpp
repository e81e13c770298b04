#include "formgate/char_set.hpp"

#include <gtest/gtest.h>

#include <random>

#include "formgate/buckets.hpp"
#include "formgate/leaf_dfa.hpp"

namespace formgate {
namespace {

std::string encode(std::uint32_t c) {
  std::string out;
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
  return out;
}

bool accepts(const LeafDfa& dfa, std::string_view text) {
  std::uint32_t state = dfa.start();
  for (char c : text) {
    state = dfa.next(state, static_cast<std::uint8_t>(c));
    if (state == LeafDfa::kDead) return false;
  }
  return dfa.accepting(state);
}

std::vector<CharSet> samples() {
  std::vector<CharSet> out{CharSet::all(),
                           CharSet({{'a', 'z'}}),
                           CharSet({{'\n', '\n'}}).complement(),
                           CharSet({{0x7F, 0x80}}),
                           CharSet({{0x7FF, 0x800}, {0xFFFF, 0x10000}}),
                           CharSet({{0xD000, 0xE100}}),
                           CharSet({{0x10FFFF, 0x10FFFF}})};
  std::mt19937 random(7);
  for (int i = 0; i < 8; ++i) {
    std::vector<Interval> pieces;
    for (int j = 0; j < 12; ++j) {
      const auto low = static_cast<std::uint32_t>(random() % (j % 2 ? 0x900u : kMaxCodePoint));
      pieces.push_back({low, low + static_cast<std::uint32_t>(random() % 5000)});
    }
    out.emplace_back(std::move(pieces));
  }
  return out;
}

TEST(CharSet, NormalisesAndDropsSurrogates) {
  const CharSet set({{'d', 'f'}, {'a', 'c'}, {'x', 'x'}, {0xD7FF, 0xE000}});
  EXPECT_EQ(set.intervals(),
            (std::vector<Interval>{{'a', 'f'}, {'x', 'x'}, {0xD7FF, 0xD7FF}, {0xE000, 0xE000}}));
  EXPECT_TRUE(set.contains('b'));
  EXPECT_FALSE(set.contains(0xD800));
}

TEST(CharSet, ComplementAndIntersectionAgreeWithMembership) {
  const auto all = samples();
  for (const CharSet& a : all) {
    const CharSet inverse = a.complement();
    const CharSet both = a.intersect(all[2]);
    for (std::uint32_t c = 0; c <= kMaxCodePoint; c += 37) {
      if (c >= 0xD800 && c <= 0xDFFF) continue;
      ASSERT_NE(a.contains(c), inverse.contains(c)) << c;
      ASSERT_EQ(both.contains(c), a.contains(c) && all[2].contains(c)) << c;
    }
    EXPECT_TRUE(both.subset_of(a));
    EXPECT_EQ(inverse.complement(), a);
  }
}

TEST(LeafDfa, SpellsExactlyTheCharactersOfAClass) {
  for (const CharSet& set : samples()) {
    const LeafDfa dfa = LeafDfa::of_chars(set);
    for (std::uint32_t c = 0; c <= kMaxCodePoint; c += 1) {
      if (c >= 0xD800 && c <= 0xDFFF) {
        ASSERT_FALSE(accepts(dfa, encode(c)));
        continue;
      }
      ASSERT_EQ(accepts(dfa, encode(c)), set.contains(c)) << c;
    }
    EXPECT_FALSE(accepts(dfa, "\xC0\x80"));  // overlong
    EXPECT_FALSE(accepts(dfa, "\xF4\x90\x80\x80"));
  }
}

TEST(LeafDfa, StringsAreMinimalAndExact) {
  CompileContext context(Limits{}, std::nullopt, nullptr);
  const LeafDfa dfa = LeafDfa::of_strings({"tops", "taps", "tap", "top", "stop", "tops"}, context);
  for (const char* yes : {"tops", "taps", "tap", "top", "stop"}) EXPECT_TRUE(accepts(dfa, yes));
  for (const char* no : {"", "t", "ta", "to", "stops", "tapss"}) EXPECT_FALSE(accepts(dfa, no));
  // t{a,o}p(s?) shares its suffixes: start, t, {a,o}, p, end, and s-t-o-p.
  EXPECT_EQ(dfa.size(), 8u);
  const LeafDfa permuted = LeafDfa::of_strings({"stop", "top", "tap", "taps", "tops"}, context);
  EXPECT_EQ(permuted.hash(), dfa.hash());
}

TEST(LeafDfa, RestrictionDropsForbiddenBytes) {
  CompileContext context(Limits{}, std::nullopt, nullptr);
  const LeafDfa dfa = LeafDfa::of_strings({"ab", "cb", "cd", "e"}, context);
  const LeafDfa part = dfa.restricted(ByteSet::of('c') | ByteSet::of('b') | ByteSet::of('a'));
  EXPECT_TRUE(accepts(part, "ab"));
  EXPECT_TRUE(accepts(part, "cb"));
  EXPECT_FALSE(accepts(part, "cd"));
  EXPECT_FALSE(accepts(part, "e"));
  EXPECT_TRUE(dfa.restricted(ByteSet::of('z')).empty());
}

// Words of a and b of which a third of the b's is left over: state 3 leads to no end.
LeafDfa thirds() {
  const auto ring = [](std::uint32_t next) {
    return std::vector<LeafEdge>{{'a', 'a', next == 1 ? 0u : next - 1}, {'b', 'b', next % 3}};
  };
  std::vector<LeafDfa::State> states{{true, ring(1)}, {false, ring(2)}, {false, ring(3)}, {}};
  states[1].edges.push_back({'c', 'c', 3});
  return LeafDfa::of_states(states);
}

TEST(LeafDfa, StatesMayLeadBack) {
  const LeafDfa dfa = thirds();
  EXPECT_EQ(dfa.size(), 3u);
  EXPECT_FALSE(dfa.ordered());
  for (const char* yes : {"", "a", "bbb", "abababa", "bbabaaabba"}) {
    const auto count = std::ranges::count(std::string_view(yes), 'b');
    EXPECT_EQ(accepts(dfa, yes), count % 3 == 0) << yes;
  }
  EXPECT_FALSE(accepts(dfa, "bcbb"));
  EXPECT_EQ(thirds().hash(), dfa.hash());
  const LeafDfa part = dfa.restricted(ByteSet::of('a'));
  EXPECT_EQ(part.size(), 1u);
  EXPECT_TRUE(accepts(part, "aaa"));
  EXPECT_FALSE(accepts(part, "bbb"));
  EXPECT_TRUE(LeafDfa::of_states(std::vector<LeafDfa::State>(2)).empty());
}

TEST(LeafDfa, LeastCostsAreThoseOfTheBestWay) {
  const LeafDfa dfa = thirds();
  const auto count = [](std::uint8_t, std::uint8_t) { return 1u; };
  EXPECT_EQ(dfa.least_costs(0, 99u, count), (std::vector<unsigned>{0, 2, 1}));
  const auto dear = [](std::uint8_t low, std::uint8_t) { return low == 'a' ? 0.5 : 4.0; };
  EXPECT_EQ(dfa.least_costs(0, 99.0, dear), (std::vector<double>{0, 8, 4}));
  CompileContext context(Limits{}, std::nullopt, nullptr);
  const LeafDfa words = LeafDfa::of_strings({"ab", "cba", "cb"}, context);
  EXPECT_TRUE(words.ordered());
  EXPECT_EQ(words.least_costs(words.start(), 99u, count)[words.start()], 2u);
}

TEST(Buckets, InsideMeansEveryMember) {
  for (const CharSet& set : samples()) {
    BucketSet some = 0;
    BucketSet lacking = kFragmentBucket;
    for (std::uint32_t c = 0; c <= kMaxCodePoint; ++c) {
      if (c >= 0xD800 && c <= 0xDFFF) continue;
      (set.contains(c) ? some : lacking) |= bucket_of(c);
    }
    EXPECT_EQ(buckets_inside(set), some & ~lacking);
  }
  EXPECT_EQ(buckets_inside(CharSet::all()) & kFragmentBucket, 0u);
}

}  // namespace
}  // namespace formgate
