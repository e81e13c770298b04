// Sets of Unicode scalar values as sorted, disjoint, inclusive intervals. Surrogates are never
// members: text is well-formed UTF-8.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "formgate/types.hpp"

namespace formgate {

constexpr std::uint32_t kMaxCodePoint = 0x10FFFF;

struct Interval {
  std::uint32_t low;
  std::uint32_t high;  // inclusive
  bool operator==(const Interval&) const = default;
};

class CharSet {
 public:
  CharSet() = default;
  // Sorts, merges, cuts off what lies beyond U+10FFFF and drops surrogates. O(n log n), or O(n)
  // for sorted input.
  explicit CharSet(std::vector<Interval> intervals);
  static CharSet all();
  static CharSet from_ascii(const ByteSet& bytes);

  CharSet complement() const;
  CharSet intersect(const CharSet& other) const;
  bool contains(std::uint32_t code_point) const;             // O(log n)
  bool covers(std::uint32_t low, std::uint32_t high) const;  // whole interval inside; O(log n)
  bool subset_of(const CharSet& other) const;                // O(n + m)
  bool intersects(const CharSet& other) const;               // O(n + m)
  bool empty() const { return intervals_.empty(); }
  bool ascii_only() const { return intervals_.empty() || intervals_.back().high < 0x80; }
  std::uint32_t size() const;
  const std::vector<Interval>& intervals() const { return intervals_; }
  ByteSet ascii() const;
  // Bytes beyond ASCII with which, in UTF-8, no other characters than those of the set begin; those
  // with which none begin are among them.
  ByteSet leads() const;
  Hash128 hash() const;
  bool operator==(const CharSet&) const = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace formgate
