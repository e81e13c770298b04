#include "workers.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace formgate {
namespace {

long process() {
#ifdef _WIN32
  return 0;
#else
  return static_cast<long>(getpid());
#endif
}

class Workers {
 public:
  explicit Workers(long owner) : owner_(owner) {}
  long owner() const { return owner_; }

  bool run(std::size_t parts, const std::function<void(std::size_t)>& work) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (work_) return false;
    try {
      for (; threads_ + 1 < parts; ++threads_) {
        std::thread([this, own = threads_ + 1] { serve(own); }).detach();
      }
    } catch (const std::system_error&) {
      return false;
    }
    work_ = &work;
    parts_ = parts;
    left_ = parts - 1;
    ++batch_;
    begun_.notify_all();
    lock.unlock();
    work(0);
    lock.lock();
    ended_.wait(lock, [this] { return left_ == 0; });
    work_ = nullptr;
    return true;
  }

 private:
  void serve(std::size_t own) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (std::size_t seen = 0;;) {
      begun_.wait(lock, [&] { return batch_ != seen && work_ && own < parts_; });
      seen = batch_;
      const auto* work = work_;
      lock.unlock();
      (*work)(own);
      lock.lock();
      if (--left_ == 0) ended_.notify_one();
    }
  }

  const long owner_;
  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable ended_;
  std::size_t threads_ = 0;
  std::size_t parts_ = 0;
  std::size_t left_ = 0;
  std::size_t batch_ = 0;
  const std::function<void(std::size_t)>* work_ = nullptr;
};

}  // namespace

void run_parts(std::size_t parts, const std::function<void(std::size_t)>& work) {
  // Never destroyed: its threads wait for as long as the process lives.
  static std::atomic<Workers*> workers{nullptr};
  Workers* known = workers.load();
  if (!known || known->owner() != process()) {
    auto* fresh = new Workers(process());
    if (workers.compare_exchange_strong(known, fresh)) {
      known = fresh;
    } else {
      delete fresh;
    }
  }
  if (parts > 1 && known->run(parts, work)) return;
  for (std::size_t i = 0; i < parts; ++i) work(i);
}

}  // namespace formgate
