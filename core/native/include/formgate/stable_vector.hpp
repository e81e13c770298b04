// A vector whose elements stay where they are when it grows.
//
// Elements lie in blocks, each as large as all before it, so an index leads to its block by the
// place of its highest bit. A std::deque has blocks of 512 bytes, which it looks up in a table as
// long as it has blocks: that costs a second memory access for each, an allocation for every few
// elements, and two cache lines for most elements as large as one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "formgate/ready_memory.hpp"

namespace formgate {

// An empty one holds no memory.
template <typename T>
class StableVector {
 public:
  template <typename Owner, typename Element>
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    using reference = Element&;
    using pointer = Element*;
    using iterator_category = std::forward_iterator_tag;

    Iterator() = default;
    Iterator(Owner* owner, std::size_t index) : owner_(owner), index_(index) {}
    Element& operator*() const { return (*owner_)[index_]; }
    Element* operator->() const { return &(*owner_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {owner_, index_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    Owner* owner_ = nullptr;
    std::size_t index_ = 0;
  };
  using iterator = Iterator<StableVector, T>;
  using const_iterator = Iterator<const StableVector, const T>;

  StableVector() = default;
  StableVector(std::initializer_list<T> elements) {
    for (const T& element : elements) push_back(element);
  }
  StableVector(StableVector&& other) noexcept { swap(other); }
  StableVector& operator=(StableVector&& other) noexcept {
    StableVector taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~StableVector() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::size_t i = size_; i-- > 0;) std::destroy_at(place(i));
    }
    for (T* block : blocks_) {
      if (block) ::operator delete(block, std::align_val_t{kAlignment});
    }
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t index) { return *place(index); }
  const T& operator[](std::size_t index) const { return *place(index); }
  T& back() { return *place(size_ - 1); }
  const T& back() const { return *place(size_ - 1); }
  iterator begin() { return {this, 0}; }
  iterator end() { return {this, size_}; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size_}; }

  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    const unsigned high = highest_bit(size_ + kFirst);
    make_block(high);
    T* const out = std::construct_at(place(size_), std::forward<Arguments>(arguments)...);
    ++size_;
    return *out;
  }
  // Touches the memory of the next elements.
  void touch_ahead(std::size_t count) {
    const std::size_t end = size_ + count;
    while (touched_ < end) {
      touched_ = std::max(touched_, size_);
      const unsigned high = highest_bit(touched_ + kFirst);
      const std::size_t last = std::min(end, (std::size_t{2} << high) - kFirst);
      make_block(high);
      touch_pages(place(touched_), place(last - 1) + 1);
      touched_ = last;
    }
  }
  void push_back(const T& element) { emplace_back(element); }
  void push_back(T&& element) { emplace_back(std::move(element)); }

  void swap(StableVector& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(size_, other.size_);
    std::swap(touched_, other.touched_);
  }

 private:
  static constexpr unsigned kFirstBits = 3;
  static constexpr std::size_t kFirst = std::size_t{1} << kFirstBits;
  static constexpr std::size_t kAlignment = alignof(T) > 64 ? alignof(T) : 64;  // a cache line
  static constexpr std::size_t kBlocks = 32 - kFirstBits;  // for 2^32 - 8 elements

  // Of a number other than 0; std::bit_width would ask whether it is.
  static unsigned highest_bit(std::uint64_t number) {
    return 63u - static_cast<unsigned>(__builtin_clzll(number));
  }
  void make_block(unsigned high) {
    T*& block = blocks_[high - kFirstBits];
    if (block) return;
    const std::size_t bytes = sizeof(T) << high;
    block = static_cast<T*>(::operator new(bytes, std::align_val_t{kAlignment}));
  }
  T* place(std::size_t index) const {
    const std::size_t number = index + kFirst;
    const unsigned high = highest_bit(number);
    return blocks_[high - kFirstBits] + (number ^ (std::size_t{1} << high));
  }

  std::array<T*, kBlocks> blocks_{};
  std::size_t size_ = 0;
  std::size_t touched_ = 0;  // elements that `touch_ahead` has seen to
};

}  // namespace formgate
