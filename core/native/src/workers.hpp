// Threads that wait for work: starting one costs more than a batch of masks takes to copy.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace formgate {

// Calls work(0) in the calling thread, and work(1), ..., work(threads - 1) each in a thread of its
// own, or not at all: a thread that wakes up after work(0) has returned comes too late, and a batch
// that comes while another is under way is done by its caller alone. So whatever is to be done must
// be done when work(0) and those that have begun return, which is what is waited for. The threads
// are made when first asked for, stay, and are made anew in a forked child. `work` must not throw.
void run_in_threads(std::size_t threads, const std::function<void(std::size_t)>& work);

// The numbers below `size`, a share for each thread, which takes some at a time; who has none left
// takes from the end of the others' shares. Shares are the same each time, so what threads have
// written stays near the processor that writes it again.
class SharedRange {
 public:
  SharedRange(std::size_t size, std::size_t threads);
  // Gives numbers from `begin` to before `end` to a thread; false: there are none left.
  bool take(std::size_t own, std::size_t& begin, std::size_t& end);

 private:
  static constexpr std::size_t kChunk = 8;
  static std::uint64_t packed(std::size_t begin, std::size_t end) {
    return (static_cast<std::uint64_t>(begin) << 32) | end;
  }
  struct alignas(64) Share {
    std::atomic<std::uint64_t> left{0};
  };
  std::vector<Share> shares_;
};

}  // namespace formgate
