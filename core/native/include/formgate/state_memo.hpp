// A memo of bounded size, of what a state and a symbol lead to.
//
// States are numbered as they come up, and mostly asked for one symbol, soon after: so each has one
// cache line, beside those that came up with it. Only what a state has more of is found by a hash.
// A later answer may take the place of an earlier one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "formgate/types.hpp"

namespace formgate {

template <unsigned kBits>  // there are 2^kBits lines, and as many answers found by a hash
class StateMemo {
 public:
  // What is known; null for nothing. Valid until the next `put`.
  const ExprId* find(ExprId state, std::uint32_t symbol) const {
    if (!lines_) return nullptr;
    const std::uint64_t key = key_of(state, symbol);
    const Line& line = lines_[index_of(state) & kMask];
    bool full = true;
    for (const Answer& answer : line) {
      if (answer.key == key) return &answer.target;
      full = full && answer.key >> 32 == key >> 32;
    }
    if (!full) return nullptr;
    const Answer& other = more_[hash(key)];
    return other.key == key ? &other.target : nullptr;
  }

  void put(ExprId state, std::uint32_t symbol, ExprId target) {
    if (!lines_) allocate();
    const std::uint64_t key = key_of(state, symbol);
    Line& line = lines_[index_of(state) & kMask];
    for (Answer& answer : line) {
      if (answer.key >> 32 == key >> 32) continue;
      answer = {key, target};
      return;
    }
    more_[hash(key)] = {key, target};
  }

  // Asks for the line of a state that will be needed soon.
  void prefetch(ExprId state) const {
    if (lines_) __builtin_prefetch(&lines_[index_of(state) & kMask]);
  }

 private:
  static constexpr std::size_t kMask = (std::size_t{1} << kBits) - 1;
  static constexpr std::size_t kLineBytes = 64;
  struct Answer {
    std::uint64_t key;  // zero for none: no state is asked for that has no text
    ExprId target;
  };
  using Line = std::array<Answer, kLineBytes / sizeof(Answer)>;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  static std::uint64_t key_of(ExprId state, std::uint32_t symbol) {
    return (static_cast<std::uint64_t>(index_of(state)) << 32) | symbol;
  }
  static std::size_t hash(std::uint64_t key) {
    return (key * 0x9E3779B97F4A7C15ull) >> (64 - kBits);
  }

  // The system hands out zeroed pages as they are first touched.
  void allocate() {
    memory_.reset(std::calloc((kMask + 1) * (sizeof(Line) + sizeof(Answer)) + kLineBytes, 1));
    if (!memory_) throw std::bad_alloc();
    const auto place = reinterpret_cast<std::uintptr_t>(memory_.get());
    const std::uintptr_t aligned = (place + kLineBytes - 1) & ~std::uintptr_t{kLineBytes - 1};
    more_ = reinterpret_cast<Answer*>(aligned + (kMask + 1) * sizeof(Line));
    lines_ = reinterpret_cast<Line*>(aligned);
  }

  std::unique_ptr<void, Free> memory_;
  Line* lines_ = nullptr;
  Answer* more_ = nullptr;
};

}  // namespace formgate
