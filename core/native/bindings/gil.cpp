#include "gil.hpp"

#include <chrono>
#include <thread>

#if defined(__GLIBCXX__) && defined(__linux__)
#include <cxxabi.h>
#define FORMGATE_FORCED_UNWIND 1
#endif

namespace formgate::bindings {

void park() noexcept {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void take_lock_back(PyThreadState* thread) noexcept {
#ifdef FORMGATE_FORCED_UNWIND
  try {
    PyEval_RestoreThread(thread);
  } catch (const abi::__forced_unwind&) {
    // Never left: an unwinding that is caught must go on.
    park();
  }
#else
  PyEval_RestoreThread(thread);
#endif
}

}  // namespace formgate::bindings
