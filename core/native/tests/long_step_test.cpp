// Steps that take long, or wait for another thread, tell their caller once.
#include "formgate/long_step.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

void count(void* context) { ++*static_cast<int*>(context); }

// Ticks until it is told, or for a second.
void work(const int& told) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (told == 0 && std::chrono::steady_clock::now() < end) LongStep::tick();
}

TEST(LongStep, TellsOnceWhereItTakesLong) {
  int told = 0;
  {
    const LongStep step(count, &told);
    LongStep::tick();
    EXPECT_EQ(told, 0);
    work(told);
    EXPECT_EQ(told, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int i = 0; i < 10'000; ++i) LongStep::tick();
    LongStep::wait();
    EXPECT_EQ(told, 1);
  }
  LongStep::wait();
  EXPECT_EQ(told, 1);
}

TEST(LongStep, BelongsToItsThreadAndEndsWithItsScope) {
  int outer = 0;
  int inner = 0;
  const LongStep step(count, &outer);
  std::thread([] { LongStep::wait(); }).join();
  {
    const LongStep nested(count, &inner);
    LongStep::wait();
  }
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(outer, 0);
  LongStep::wait();
  EXPECT_EQ(outer, 1);
}

TEST(LongStep, TellsBeforeItWaitsForAPoolInUse) {
  ExprPool pool;
  int told = 0;
  {
    const LongStep step(count, &told);
    pool.acquire().unlock();
    EXPECT_EQ(told, 0);
    std::unique_lock<std::mutex> held = pool.acquire();
    std::atomic<int> others{0};
    std::thread waiting([&] {
      const LongStep own([](void* context) { ++*static_cast<std::atomic<int>*>(context); },
                         &others);
      const std::unique_lock<std::mutex> taken = pool.acquire();
      EXPECT_EQ(others, 1);
    });
    // It is told while the mutex is still held.
    while (others == 0) std::this_thread::yield();
    held.unlock();
    waiting.join();
  }
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace formgate
