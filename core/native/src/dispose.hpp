// Frees large structures beside the work: millions of small blocks take up to half a second.
#pragma once

#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace formgate {

// Destroys the object on a thread of its own. It must hold nothing of the interpreter's.
template <typename T>
void dispose(T object) {
  auto held = std::make_unique<T>(std::move(object));
  try {
    std::thread([own = std::move(held)]() mutable { own.reset(); }).detach();
  } catch (const std::system_error&) {
    // No thread is to be had: what was moved is destroyed here.
  }
}

}  // namespace formgate
