// Threads that wait for work: starting one costs more than a batch of masks takes to copy.
#pragma once

#include <cstddef>
#include <functional>

namespace formgate {

// Calls work(0), ..., work(parts - 1), the first by the calling thread, and returns when all have
// ended. The threads are made when first asked for, stay, and are made anew in a forked child. A
// batch that comes while another is under way is done by its caller alone. `work` must not throw.
void run_parts(std::size_t parts, const std::function<void(std::size_t)>& work);

}  // namespace formgate
