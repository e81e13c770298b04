#include "formgate/stable_vector.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formgate/types.hpp"

namespace formgate {
namespace {

// Across the ends of many blocks, elements keep their places, their order and their values.
TEST(StableVector, ElementsStayWhereTheyAre) {
  StableVector<std::string> texts;
  std::vector<const std::string*> places;
  EXPECT_TRUE(texts.empty());
  for (std::size_t i = 0; i < 3000; ++i) {
    places.push_back(&texts.emplace_back(std::to_string(i)));
    EXPECT_EQ(&texts.back(), places.back());
    EXPECT_EQ(texts.size(), i + 1);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(&texts[i], places[i]);
    EXPECT_EQ(texts[i], std::to_string(i));
  }
  std::size_t seen = 0;
  for (const std::string& text : texts) EXPECT_EQ(text, std::to_string(seen++));
  EXPECT_EQ(seen, places.size());
}

// One as large as a cache line lies in one.
TEST(StableVector, ElementsAreAligned) {
  struct Line {
    std::uint64_t words[8];
  };
  struct alignas(128) Wide {
    char byte;
  };
  StableVector<Line> lines;
  StableVector<Wide> wide;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&lines.emplace_back()) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wide.emplace_back()) % 128, 0u);
  }
}

// Elements that cannot be moved are made in place, and each is destroyed once.
TEST(StableVector, OwnsItsElements) {
  struct Counted {
    explicit Counted(int& count) : alive(count) { ++alive; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --alive; }
    int& alive;
  };
  int alive = 0;
  {
    StableVector<Counted> one;
    for (int i = 0; i < 50; ++i) one.emplace_back(alive);
    const Counted* const first = &one[0];
    StableVector<Counted> other(std::move(one));
    EXPECT_EQ(&other[0], first);
    EXPECT_EQ(alive, 50);
    StableVector<Counted> third;
    third.emplace_back(alive);
    third = std::move(other);
    EXPECT_EQ(third.size(), 50u);
    EXPECT_EQ(alive, 50);
    third = {};
    EXPECT_EQ(alive, 0);
    third.emplace_back(alive);
  }
  EXPECT_EQ(alive, 0);
}

// Touching memory that holds nothing yet changes nothing, however much it is.
TEST(StableVector, MemoryIsTouchedAhead) {
  std::uint64_t random = 1;
  StableVector<std::string> out;
  std::vector<std::string> judge;
  for (int i = 0; i < 3000; ++i) {
    random = avalanche(random + 1);
    if (random % 16 == 0) out.touch_ahead((random >> 8) % 2000);
    judge.push_back(std::string(random % 40, 'x'));
    out.push_back(judge.back());
    if (random % 512 == 1) {
      out = {};
      judge.clear();
    }
  }
  ASSERT_EQ(out.size(), judge.size());
  for (std::size_t i = 0; i < judge.size(); ++i) EXPECT_EQ(out[i], judge[i]);
  StableVector<std::string> moved(std::move(out));
  moved.touch_ahead(10);
  out.touch_ahead(10);  // NOLINT: it is empty
  out.push_back("y");
  EXPECT_EQ(moved.size(), judge.size());
  EXPECT_EQ(out[0], "y");
}

// What an element's constructor throws leaves the others as they were.
TEST(StableVector, FailedElementsAreNone) {
  struct Fussy {
    explicit Fussy(int given) : value(std::make_unique<int>(given)) {
      if (given == 8) throw 8;
    }
    std::unique_ptr<int> value;
  };
  StableVector<Fussy> out;
  for (int i = 0; i < 12; ++i) {
    if (i == 8) {
      EXPECT_THROW(out.emplace_back(i), int);
    } else {
      out.emplace_back(i);
    }
  }
  ASSERT_EQ(out.size(), 11u);
  EXPECT_EQ(*out[7].value, 7);
  EXPECT_EQ(*out[8].value, 9);
}

}  // namespace
}  // namespace formgate
