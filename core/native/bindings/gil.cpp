#include "gil.hpp"

#include <chrono>
#include <thread>

namespace formgate::bindings {

void park() noexcept {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void take_lock_back(PyThreadState* thread) noexcept {
  in_python([thread] { PyEval_RestoreThread(thread); });
}

}  // namespace formgate::bindings
