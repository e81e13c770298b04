#include "workers.hpp"

#include <algorithm>
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

  bool run(std::size_t threads, const std::function<void(std::size_t)>& work) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (work_ || serving_ > 0) return false;
    try {
      for (; threads_ + 1 < threads; ++threads_) {
        std::thread([this, own = threads_ + 1] { serve(own); }).detach();
      }
    } catch (const std::system_error&) {
      return false;
    }
    work_ = &work;
    wanted_ = threads;
    ++batch_;
    begun_.notify_all();
    lock.unlock();
    work(0);
    lock.lock();
    work_ = nullptr;  // threads that wake up now come too late
    ended_.wait(lock, [this] { return serving_ == 0; });
    return true;
  }

 private:
  void serve(std::size_t own) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (std::size_t seen = 0;;) {
      begun_.wait(lock, [&] { return batch_ != seen && work_ && own < wanted_; });
      seen = batch_;
      const auto* work = work_;
      ++serving_;
      lock.unlock();
      (*work)(own);
      lock.lock();
      if (--serving_ == 0) ended_.notify_one();
    }
  }

  const long owner_;
  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable ended_;
  std::size_t threads_ = 0;
  std::size_t wanted_ = 0;
  std::size_t serving_ = 0;
  std::size_t batch_ = 0;
  const std::function<void(std::size_t)>* work_ = nullptr;
};

}  // namespace

SharedRange::SharedRange(std::size_t size, std::size_t threads)
    : shares_(std::max<std::size_t>(threads, 1)) {
  const std::size_t share = (size + shares_.size() - 1) / shares_.size();
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const std::size_t begin = std::min(size, i * share);
    shares_[i].left.store(packed(begin, std::min(size, begin + share)));
  }
}

bool SharedRange::take(std::size_t own, std::size_t& begin, std::size_t& end) {
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    std::atomic<std::uint64_t>& left = shares_[(own + i) % shares_.size()].left;
    std::uint64_t seen = left.load();
    for (;;) {
      const std::size_t first = seen >> 32;
      const std::size_t last = seen & 0xFFFFFFFF;
      if (first >= last) break;
      const std::size_t count = std::min(kChunk, last - first);
      begin = i == 0 ? first : last - count;
      end = begin + count;
      if (left.compare_exchange_weak(seen, i == 0 ? packed(end, last) : packed(first, begin))) {
        return true;
      }
    }
  }
  return false;
}

void run_in_threads(std::size_t threads, const std::function<void(std::size_t)>& work) {
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
  if (threads > 1 && known->run(threads, work)) return;
  work(0);
}

}  // namespace formgate
