// A memo of bounded size, of what a state and a symbol lead to.
//
// States are numbered as they come up, and mostly asked for one symbol, soon after: so each has one
// cache line, beside those that came up with it. Only what a state has more of is found by a hash.
// A later answer may take the place of an earlier one. The memo grows with the numbers, so that a
// few states touch little memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "formgate/types.hpp"

namespace formgate {

template <unsigned kBits>  // there are up to 2^kBits lines, and as many answers found by a hash
class StateMemo {
 public:
  // What is known; null for nothing. Valid until the next `put`.
  const ExprId* find(ExprId state, std::uint32_t symbol) const {
    if (!lines_) return nullptr;
    const std::uint64_t key = key_of(state, symbol);
    const Line& line = lines_[index_of(state) & mask_];
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
    const std::uint64_t key = key_of(state, symbol);
    if (!lines_ || (index_of(state) > mask_ && bits_ < kBits)) grow(index_of(state));
    Line& line = lines_[index_of(state) & mask_];
    for (Answer& answer : line) {
      if (answer.key >> 32 == key >> 32) continue;
      answer = {key, target};
      return;
    }
    more_[hash(key)] = {key, target};
  }

  // Asks for the line of a state that will be needed soon.
  void prefetch(ExprId state) const {
    if (lines_) __builtin_prefetch(&lines_[index_of(state) & mask_]);
  }

 private:
  static constexpr unsigned kFewestBits = 6;
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
  std::size_t hash(std::uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15ull) >> (64 - bits_);
  }

  // Makes room for a state, eight times as much as there was or more, and keeps what is known.
  void grow(std::size_t state) {
    unsigned bits = lines_ ? std::min(bits_ + 3, kBits) : kFewestBits;
    while (bits < kBits && state >> bits != 0) ++bits;
    const std::size_t count = std::size_t{1} << bits;
    std::unique_ptr<void, Free> memory(
        std::calloc(count * (sizeof(Line) + sizeof(Answer)) + kLineBytes, 1));
    if (!memory) throw std::bad_alloc();
    const auto place = reinterpret_cast<std::uintptr_t>(memory.get());
    const std::uintptr_t aligned = (place + kLineBytes - 1) & ~std::uintptr_t{kLineBytes - 1};
    auto* more = reinterpret_cast<Answer*>(aligned + count * sizeof(Line));
    auto* lines = reinterpret_cast<Line*>(aligned);
    const std::size_t old = lines_ ? mask_ + 1 : 0;
    std::copy_n(lines_, old, lines);  // no two states shared a line yet
    bits_ = bits;
    mask_ = count - 1;
    for (std::size_t i = 0; i < old; ++i) {
      if (more_[i].key != 0) more[hash(more_[i].key)] = more_[i];
    }
    lines_ = lines;
    more_ = more;
    memory_ = std::move(memory);  // frees what was
  }

  std::unique_ptr<void, Free> memory_;
  Line* lines_ = nullptr;
  Answer* more_ = nullptr;
  std::size_t mask_ = 0;  // of the lines
  unsigned bits_ = 0;
};

}  // namespace formgate
