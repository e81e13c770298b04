// Limits, deadline and cancellation of one compilation.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace formgate {

struct Limits {
  // Expressions explored to decide which intersections and complements are empty.
  std::size_t max_states = 200'000;
  // Nodes of the lowered grammar.
  std::size_t max_nodes = 4'000'000;
  // Nesting of repetitions, alternations and Boolean operators.
  std::size_t max_depth = 500;
  // States visited by one `min_tokens` query.
  std::size_t max_search = 100'000;
  // Steps of one `min_tokens` query through the vocabulary, a byte each. A state may take hundreds
  // of thousands.
  std::size_t max_search_steps = 200'000'000;
  // New expressions that one mask or one token may take.
  std::size_t max_growth = 8'000'000;
};

// A flag another thread may raise; shared so that it outlives whoever dropped it first.
class CancelToken {
 public:
  void cancel() { flag_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> flag_{false};
};

class CompileContext {
 public:
  CompileContext(const Limits& limits, std::optional<double> timeout_s,
                 std::shared_ptr<CancelToken> cancel);
  const Limits& limits() const { return limits_; }
  // Throws Error(kTimeout | kCancelled) when the compilation must stop. Cheap: reads the clock
  // once in 64 calls.
  void tick() {
    if ((++ticks_ & 63) == 0) check();
  }
  void check() const;
  // Lists of keys and items that refer to rules, to be settled once these are defined. Those of a
  // compilation that was given up are left as they are: a later one that has them asks again.
  std::vector<std::uint32_t>& doubtful() { return doubtful_; }

 private:
  Limits limits_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  double timeout_s_ = 0;
  std::shared_ptr<CancelToken> cancel_;
  std::uint64_t ticks_ = 0;
  std::vector<std::uint32_t> doubtful_;
};

// Keeps a slot at a compilation while it is under way, and puts back what it held.
class UnderWay {
 public:
  UnderWay(CompileContext*& slot, CompileContext& context)
      : slot_(slot), before_(std::exchange(slot, &context)) {}
  ~UnderWay() { slot_ = before_; }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  CompileContext*& slot_;
  CompileContext* before_;
};

}  // namespace formgate
