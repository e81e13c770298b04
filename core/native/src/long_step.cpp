#include "formgate/long_step.hpp"

#include <utility>

namespace formgate {
namespace {

constexpr std::chrono::microseconds kLong{50};

}  // namespace

thread_local LongStep* LongStep::current_ = nullptr;

// The clock is read at the first look, not when the step begins: most steps end before.
void LongStep::look() {
  const auto now = std::chrono::steady_clock::now();
  if (begun_ == std::chrono::steady_clock::time_point{}) {
    begun_ = now;
  } else if (now - begun_ > kLong) {
    tell();
  }
}

void LongStep::tell() {
  if (const Call call = std::exchange(call_, nullptr)) call(context_);
}

}  // namespace formgate
