// The interpreter's lock, let go while native code works, and threads that end at taking it.
#pragma once

#include <Python.h>

#include "formgate/long_step.hpp"

#if defined(__GLIBCXX__) && defined(__linux__)
#include <cxxabi.h>
#define FORMGATE_FORCED_UNWIND 1
#endif

namespace formgate::bindings {

// Keeps a thread from doing anything until its process ends, which is about to happen.
[[noreturn]] void park() noexcept;

// Calls what may run Python. While the interpreter ends, Python before 3.14 ends other threads
// where they take the lock, by `pthread_exit`, whose unwinding would meet destructors that may not
// be left so, and handlers that may not keep it, and abort the process. Such a thread is parked
// instead, as Python 3.14 does: an unwinding that is caught must go on, so the handler is never
// left.
template <class Call>
auto in_python(const Call& call) {
#ifdef FORMGATE_FORCED_UNWIND
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    park();
  }
#else
  return call();
#endif
}

void take_lock_back(PyThreadState* thread) noexcept;

class GilRelease {
 public:
  GilRelease() : thread_(PyEval_SaveThread()) {}
  ~GilRelease() { take_lock_back(thread_); }
  // Calls what needs the lock, and lets it go once more.
  template <class Call>
  auto with_lock(const Call& call) {
    take_lock_back(thread_);
    const auto out = in_python(call);
    thread_ = PyEval_SaveThread();
    return out;
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* thread_;
};

// Lets the interpreter's lock go where a step takes long. Made before the pool's mutex is taken, so
// that the one is never waited for while the other is held.
class Interruptible {
 public:
  Interruptible() : step_([](void* self) { static_cast<Interruptible*>(self)->let_go(); }, this) {}
  ~Interruptible() {
    if (thread_) take_lock_back(thread_);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  void let_go() { thread_ = PyEval_SaveThread(); }

  PyThreadState* thread_ = nullptr;
  LongStep step_;
};

}  // namespace formgate::bindings
