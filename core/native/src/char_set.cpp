#include "formgate/char_set.hpp"

#include <algorithm>

namespace formgate {
namespace {

constexpr std::uint32_t kSurrogateLow = 0xD800;
constexpr std::uint32_t kSurrogateHigh = 0xDFFF;

// Appends `piece` to sorted `out`, merging with the last interval where they touch.
void append(std::vector<Interval>& out, Interval piece) {
  if (!out.empty() && piece.low <= out.back().high + 1) {
    out.back().high = std::max(out.back().high, piece.high);
  } else {
    out.push_back(piece);
  }
}

// Appends an interval minus the surrogates.
void append_scalars(std::vector<Interval>& out, Interval piece) {
  if (piece.high < kSurrogateLow || piece.low > kSurrogateHigh) {
    append(out, piece);
    return;
  }
  if (piece.low < kSurrogateLow) append(out, {piece.low, kSurrogateLow - 1});
  if (piece.high > kSurrogateHigh) append(out, {kSurrogateHigh + 1, piece.high});
}

}  // namespace

CharSet::CharSet(std::vector<Interval> intervals) {
  const auto by_low = [](const Interval& a, const Interval& b) { return a.low < b.low; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), by_low)) {
    std::sort(intervals.begin(), intervals.end(), by_low);
  }
  intervals_.reserve(intervals.size());
  for (Interval piece : intervals) {
    piece.high = std::min(piece.high, kMaxCodePoint);
    if (piece.low <= piece.high) append_scalars(intervals_, piece);
  }
}

CharSet CharSet::all() { return CharSet({{0, kMaxCodePoint}}); }

CharSet CharSet::from_ascii(const ByteSet& bytes) {
  std::vector<Interval> intervals;
  bytes.for_each([&](std::uint8_t byte) {
    if (byte < 0x80) intervals.push_back({byte, byte});
  });
  return CharSet(std::move(intervals));
}

CharSet CharSet::complement() const {
  std::vector<Interval> out;
  std::uint32_t next = 0;
  for (const Interval& piece : intervals_) {
    if (piece.low > next) out.push_back({next, piece.low - 1});
    next = piece.high + 1;
  }
  if (next <= kMaxCodePoint) out.push_back({next, kMaxCodePoint});
  return CharSet(std::move(out));
}

CharSet CharSet::intersect(const CharSet& other) const {
  std::vector<Interval> out;
  for (std::size_t i = 0, j = 0; i < intervals_.size() && j < other.intervals_.size();) {
    const Interval& a = intervals_[i];
    const Interval& b = other.intervals_[j];
    const std::uint32_t low = std::max(a.low, b.low);
    const std::uint32_t high = std::min(a.high, b.high);
    if (low <= high) out.push_back({low, high});
    if (a.high < b.high) {
      ++i;
    } else {
      ++j;
    }
  }
  CharSet result;
  result.intervals_ = std::move(out);
  return result;
}

bool CharSet::contains(std::uint32_t code_point) const { return covers(code_point, code_point); }

bool CharSet::covers(std::uint32_t low, std::uint32_t high) const {
  auto it = std::upper_bound(intervals_.begin(), intervals_.end(), low,
                             [](std::uint32_t value, const Interval& i) { return value < i.low; });
  if (it == intervals_.begin()) return false;
  --it;
  return it->low <= low && high <= it->high;
}

bool CharSet::subset_of(const CharSet& other) const {
  std::size_t j = 0;
  for (const Interval& piece : intervals_) {
    while (j < other.intervals_.size() && other.intervals_[j].high < piece.low) ++j;
    if (j == other.intervals_.size() || other.intervals_[j].low > piece.low ||
        other.intervals_[j].high < piece.high) {
      return false;
    }
  }
  return true;
}

bool CharSet::intersects(const CharSet& other) const {
  for (std::size_t i = 0, j = 0; i < intervals_.size() && j < other.intervals_.size();) {
    if (intervals_[i].high < other.intervals_[j].low) {
      ++i;
    } else if (other.intervals_[j].high < intervals_[i].low) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

std::uint32_t CharSet::size() const {
  std::uint32_t total = 0;
  for (const Interval& piece : intervals_) total += piece.high - piece.low + 1;
  return total;
}

ByteSet CharSet::leads() const {
  ByteSet out = ByteSet::range(0x80, 0xFF);
  for (std::uint32_t lead = 0xC2; lead <= 0xF4; ++lead) {
    const unsigned rest = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    const std::uint32_t least = rest == 1 ? 0x80 : rest == 2 ? 0x800 : 0x10000;
    const std::uint32_t base = (lead & (0x3Fu >> rest)) << (6 * rest);
    const std::uint32_t low = std::max(base, least);
    const std::uint32_t high = std::min(base + (1u << (6 * rest)) - 1, kMaxCodePoint);
    // Surrogates are no characters.
    const bool whole = lead == 0xED ? covers(low, 0xD7FF) : covers(low, high);
    if (!whole) out = out - ByteSet::of(static_cast<std::uint8_t>(lead));
  }
  return out;
}

ByteSet CharSet::ascii() const {
  ByteSet out;
  for (const Interval& piece : intervals_) {
    for (std::uint32_t c = piece.low; c <= piece.high && c < 0x80; ++c) {
      out.insert(static_cast<std::uint8_t>(c));
    }
  }
  return out;
}

Hash128 CharSet::hash() const {
  Hasher hasher(0xC1A55);
  for (const Interval& piece : intervals_) {
    hasher.add((static_cast<std::uint64_t>(piece.low) << 32) | piece.high);
  }
  return hasher.finish();
}

}  // namespace formgate
