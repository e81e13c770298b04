#include "formgate/buckets.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace formgate {
namespace {

struct Run {
  std::uint32_t first;
  std::uint8_t bucket;
};

constexpr Run kRuns[] = {
#include "bucket_table.inc"
};
constexpr std::size_t kRunCount = std::size(kRuns);

// Buckets of ASCII are just those that `kAsciiBuckets` has, and none has the bit of another set.
constexpr bool table_agrees() {
  bool parted = false;
  for (const Run& run : kRuns) {
    parted = parted || run.first == 0x80;
    const BucketSet own = 1ull << run.bucket;
    if (own >= kIncompleteBucket || ((kAsciiBuckets & own) != 0) != (run.first < 0x80))
      return false;
  }
  return parted;
}
static_assert(table_agrees(), "kAsciiBuckets is of another table: see make_bucket_tables.py");

std::size_t run_index(std::uint32_t code_point) {
  const Run* it = std::upper_bound(std::begin(kRuns), std::end(kRuns), code_point,
                                   [](std::uint32_t c, const Run& run) { return c < run.first; });
  return static_cast<std::size_t>(it - std::begin(kRuns)) - 1;
}

std::uint32_t run_end(std::size_t index) {
  return index + 1 < kRunCount ? kRuns[index + 1].first - 1 : kMaxCodePoint;
}

BucketSet bit(std::size_t index) { return 1ull << kRuns[index].bucket; }

// The last run of each bucket.
constexpr auto kLastRun = [] {
  std::array<std::size_t, 64> last{};
  for (std::size_t i = 0; i < kRunCount; ++i) last[kRuns[i].bucket] = i;
  return last;
}();

// Made when the library is loaded: a fork while a thread makes it would leave it half made.
const auto kAscii = [] {
  std::array<BucketSet, 128> table{};
  for (std::uint32_t c = 0; c < 128; ++c) table[c] = bit(run_index(c));
  return table;
}();

}  // namespace

BucketSet bucket_of(std::uint32_t code_point) {
  return code_point < 128 ? kAscii[code_point] : bit(run_index(code_point));
}

BucketSet buckets_touching(std::uint32_t low, std::uint32_t high) {
  BucketSet set = 0;
  for (std::size_t i = run_index(low); i < kRunCount && kRuns[i].first <= high; ++i) set |= bit(i);
  return set;
}

BucketSet buckets_touched(const CharSet& chars) {
  BucketSet set = 0;
  for (const Interval& piece : chars.intervals()) set |= buckets_touching(piece.low, piece.high);
  return set;
}

BucketSet buckets_inside(const CharSet& chars) {
  BucketSet outside = kFragmentBucket;
  BucketSet seen = 0;
  std::size_t j = 0;
  const auto& intervals = chars.intervals();
  for (std::size_t i = 0; i < kRunCount; ++i) {
    if (j == intervals.size()) {  // the class has ended, as most have with ASCII
      for (std::size_t bucket = 0; bucket < kLastRun.size(); ++bucket) {
        if (kLastRun[bucket] >= i) outside |= 1ull << bucket;
      }
      break;
    }
    // Surrogates stand inside a run of the table but in no class: runs break there.
    std::uint32_t low = kRuns[i].first;
    const std::uint32_t high = run_end(i);
    seen |= bit(i);
    if (outside & bit(i)) continue;
    while (low <= high) {
      if (low >= 0xD800 && low <= 0xDFFF) low = 0xE000;
      if (low > high) break;
      while (j < intervals.size() && intervals[j].high < low) ++j;
      if (j == intervals.size() || intervals[j].low > low) {
        outside |= bit(i);
        break;
      }
      low = intervals[j].high + 1;
    }
  }
  return seen & ~outside;
}

}  // namespace formgate
