#include "formgate/compile_context.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "formgate/errors.hpp"

namespace formgate {

CompileContext::CompileContext(const Limits& limits, std::optional<double> timeout_s,
                               std::shared_ptr<CancelToken> cancel)
    : limits_(limits), cancel_(std::move(cancel)) {
  if (timeout_s) {
    timeout_s_ = *timeout_s;
    // A year stands for "never"; larger values would overflow the clock.
    const double bounded = std::min(std::max(timeout_s_, 0.0), 3.2e7);
    deadline_ = std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                    std::chrono::duration<double>(bounded));
  }
}

void CompileContext::check() const {
  if (cancel_ && cancel_->cancelled()) {
    throw Error(ErrorKind::kCancelled, "compilation was cancelled");
  }
  if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) {
    std::string seconds(32, '\0');
    seconds.resize(static_cast<std::size_t>(
        std::snprintf(seconds.data(), seconds.size(), "%.3g", timeout_s_)));
    throw Error(ErrorKind::kTimeout, "compilation did not finish within " + seconds +
                                         " s; raise timeout_s or simplify the grammar");
  }
}

}  // namespace formgate
