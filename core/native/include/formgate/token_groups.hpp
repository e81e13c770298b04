// Tokens by the buckets of their characters, as a tree of sets.
//
// The tokens of a class are those of the groups whose buckets it has. Groups that agree in their
// highest buckets are one part of the tree, so a class of nearly all characters is a few large
// parts, each a bitmap, where one group at a time would be thousands. Buckets are numbered for
// this: above all others stands whether the last character is incomplete (`kIncompleteBucket`),
// then come quotes and controls, which most classes leave out, and last letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "formgate/types.hpp"

namespace formgate {

using BucketSet = std::uint64_t;

// Rows begin with a cache line: words copied across lines take up to half as long again.
//
// The line is found within plain memory, with where that begins kept before it. Of aligned memory
// glibc asks for more than it gives, so what is freed is too small for the next row of its size.
template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::size_t kLine = 64;
  LineAllocator() = default;
  template <typename U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) {
    auto* const whole = static_cast<std::byte*>(::operator new(n * sizeof(T) + kLine));
    // Memory is aligned for a pointer, so there is room for one.
    std::byte* const line = whole + kLine - reinterpret_cast<std::uintptr_t>(whole) % kLine;
    std::memcpy(line - sizeof(whole), &whole, sizeof(whole));
    return reinterpret_cast<T*>(line);
  }
  void deallocate(T* at, std::size_t) {
    std::byte* whole;
    std::memcpy(&whole, reinterpret_cast<std::byte*>(at) - sizeof(whole), sizeof(whole));
    ::operator delete(whole);
  }
  bool operator==(const LineAllocator&) const = default;
};

// Token i is bit i % 32 of word i / 32.
using Bitmap = std::vector<std::uint32_t, LineAllocator<std::uint32_t>>;

class TokenGroups {
 public:
  // Tokens of the same buckets: they are `ids` from `begin` on.
  struct Group {
    BucketSet buckets;
    BucketSet begun;  // what an incomplete last character can become, kFragmentBucket if nothing
    AsciiSet ascii;
    std::uint32_t begin;
  };
  // A part of the tree, its own parts right behind it; one group if it has none.
  struct Part {
    BucketSet any;     // buckets of some of its tokens
    BucketSet common;  // buckets of all of them
    BucketSet begun;   // what the last characters of incomplete ones can become
    AsciiSet ascii;
    std::uint32_t begin;  // of its tokens, in `ids`
    std::uint32_t end;
    std::uint32_t next;  // the part that follows all of its own
    std::uint32_t set;   // the bitmap of its tokens, or kNone
    std::uint32_t work;  // how long it takes to add all its tokens to a bitmap, in tokens
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  TokenGroups() = default;
  // `groups` in the order of their buckets, then of `begun`; the ASCII characters of each id are in
  // `ascii`.
  TokenGroups(const std::vector<Group>& groups, std::vector<TokenId> ids,
              std::vector<AsciiSet> ascii, std::size_t words);

  std::span<const Part> parts() const { return parts_; }
  std::span<const TokenId> ids() const { return ids_; }
  std::span<const AsciiSet> ascii() const { return ascii_; }  // of the ids
  const Bitmap& set(const Part& part) const { return sets_[part.set]; }
  std::size_t memory_usage() const;

 private:
  void split(std::span<const Group> groups, std::uint32_t end, std::size_t words);
  void add_all(std::uint32_t begin, std::uint32_t end, Bitmap& out) const;

  std::vector<Part> parts_;
  std::vector<TokenId> ids_;
  std::vector<AsciiSet> ascii_;
  std::vector<Bitmap> sets_;
};

}  // namespace formgate
