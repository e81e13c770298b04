// Tells a caller that a step of decoding takes long, once, while it is still under way.
//
// Most steps take a microsecond, and a lock that is let go for one may take its caller milliseconds
// to get back. So the interpreter's lock is kept for short steps, and let go where one turns out
// to be long, or has to wait for another thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace formgate {

class LongStep {
 public:
  using Call = void (*)(void*);

  // Until its end, `call(context)` is called by this thread if a step of its takes long. The call
  // must not ask for locks.
  LongStep(Call call, void* context) : call_(call), context_(context), outer_(current_) {
    current_ = this;
  }
  ~LongStep() { current_ = outer_; }
  LongStep(const LongStep&) = delete;
  LongStep& operator=(const LongStep&) = delete;

  // Part of a step is done, some tenths of a microsecond, say.
  static void tick() {
    if (current_) current_->count();
  }
  // This thread is about to wait.
  static void wait() {
    if (current_) current_->tell();
  }

 private:
  void count() {
    if (call_ && (++ticks_ & 63) == 0) look();
  }
  void look();
  void tell();

  static thread_local LongStep* current_;

  Call call_;
  void* context_;
  LongStep* outer_;
  std::uint64_t ticks_ = 0;
  std::chrono::steady_clock::time_point begun_{};
};

}  // namespace formgate
