// Memory that is ready before it is needed.
//
// The system hands out a page when it is first touched, which may take as long as a small mask (two
// microseconds in a virtual machine). What a compilation touches, decoding need not wait for.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace formgate {

constexpr std::size_t kSmallPage = 4096;

// Touches each page of some memory that holds nothing yet.
inline void touch_pages(void* begin, void* end) {
  auto* const first = static_cast<volatile std::byte*>(begin);
  auto* const last = static_cast<volatile std::byte*>(end);
  if (first >= last) return;
  for (auto* at = first; at < last; at += kSmallPage) *at = std::byte{};
  last[-1] = std::byte{};
}

// Sees that the next allocations of this thread find touched memory: what is allocated and freed
// again lies at the end of the heap, where glibc takes memory from that it has nowhere else. Less
// than it hands back to the system (M_TRIM_THRESHOLD), or takes apart from the heap
// (M_MMAP_THRESHOLD), both 128 KiB and more.
inline void touch_heap() {
#ifdef __GLIBC__
  constexpr std::size_t kBytes = std::size_t{96} << 10;
  auto* const memory = static_cast<std::byte*>(std::malloc(kBytes));
  if (!memory) return;
  touch_pages(memory, memory + kBytes);
  std::free(memory);
#endif
}

}  // namespace formgate
