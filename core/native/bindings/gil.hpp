// The interpreter's lock, let go while native code works.
#pragma once

#include <Python.h>

namespace formgate::bindings {

// Stays here, without the lock, until the process ends.
[[noreturn]] void park() noexcept;

// Takes the lock back. While the interpreter ends, Python before 3.14 ends other threads here, by
// `pthread_exit`, whose unwinding would meet destructors that may not be left so, and abort the
// process. Such a thread is parked instead, as Python 3.14 does: the process is about to end.
void take_lock_back(PyThreadState* thread) noexcept;

class GilRelease {
 public:
  GilRelease() : thread_(PyEval_SaveThread()) {}
  ~GilRelease() { take_lock_back(thread_); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace formgate::bindings
