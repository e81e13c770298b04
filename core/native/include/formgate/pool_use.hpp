// What the memory of a pool is used for, and who leaves it once it has outgrown its use.
//
// A pool holds what the grammars of its engines were lowered to, and what their outputs derived
// since, which goes only as a whole, with the pool. A pool has outgrown its use when it exceeds the
// budget and more than half of it serves no engine that is kept. Those that are kept then leave it,
// idle ones too, and the pool lives as long as states of it do. So all pools that engines keep take
// the budget and twice what these engines were lowered to, or less; and what is lowered once more
// is never more than what was derived meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace formgate {

class Engine;
class KeptEngine;

class PoolUse {
 public:
  using Engines = std::vector<std::shared_ptr<const Engine>>;

  // Guards who is where. Nothing else is locked or freed while it is held.
  static std::mutex& mutex();

  // Bytes of the pool, as it is now. Needs the pool's mutex.
  void note(std::size_t bytes) { bytes_.store(bytes, std::memory_order_relaxed); }
  // Bytes of an empty pool.
  void begin(std::size_t bytes) {
    note(bytes);
    kept_.store(bytes, std::memory_order_relaxed);
  }
  bool outgrown(std::size_t budget) const {
    const std::size_t bytes = bytes_.load(std::memory_order_relaxed);
    return bytes > budget && bytes / 2 > kept_.load(std::memory_order_relaxed);
  }

  // These need `mutex()`. What is left is to be freed after it is released.
  void enter(const KeptEngine& engine, std::size_t bytes);
  void leave(const KeptEngine& engine, std::size_t bytes);
  Engines vacate();

 private:
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> kept_{0};  // of these: what the engines that are kept here took
  std::unordered_set<const KeptEngine*> kept_engines_;
};

}  // namespace formgate
