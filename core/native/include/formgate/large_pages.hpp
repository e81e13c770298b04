// Memory for large arrays that are read all over, in large pages where the system has them.
//
// An array of some megabytes meets a page fault for every 4 KiB when it is first written, and
// misses the processor's table of pages when it is walked; on Linux, pages of 2 MiB can be asked
// for (madvise(2), MADV_HUGEPAGE). Only pages that the array fills are: none is taken for its end.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace formgate {

template <typename T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{1} << 21;

  LargePages() = default;
  template <typename U>
  LargePages(const LargePages<U>& /*other*/) {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) {
    if (count > std::size_t(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    const std::size_t size = count * sizeof(T);
    if (size < kPage) return static_cast<T*>(::operator new(size));
    const std::size_t whole = size / kPage * kPage;
    void* const out = ::operator new(size, std::align_val_t{kPage});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(out, whole, MADV_HUGEPAGE);  // advice only: without it all works as well
#else
    (void)whole;
#endif
    return static_cast<T*>(out);
  }

  void deallocate(T* data, std::size_t count) {
    if (count * sizeof(T) < kPage) {
      ::operator delete(data);
    } else {
      ::operator delete(data, std::align_val_t{kPage});
    }
  }

  template <typename U>
  bool operator==(const LargePages<U>& /*other*/) const {
    return true;
  }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace formgate
