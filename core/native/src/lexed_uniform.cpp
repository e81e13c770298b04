// What lexer states become by whole characters.
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "lexed_building.hpp"
#include "utf8.hpp"

namespace formgate {

// Adds the bits that an automaton reads with `rest` continuation bytes to the end of a character,
// in order. False: something else may come.
bool LexedMasks::ends_of(const LeafDfa& dfa, std::uint32_t state, int rest,
                         std::vector<Interval>& out) {
  const std::uint32_t span = 1u << (6 * (rest - 1));
  const auto add = [&](std::uint32_t low, std::uint32_t high) {
    if (!out.empty() && out.back().high + 1 == low) {
      out.back().high = high;
    } else {
      out.push_back({low, high});
    }
  };
  bool all = true;
  dfa.for_each_edge(state, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
    all = all && low >= 0x80 && high < 0xC0 && dfa.accepting(target) == (rest == 1) &&
          dfa.has_edges(target) == (rest > 1);
    if (!all) return;
    std::vector<Interval> below;  // the same for all bytes of the edge
    if (rest > 1) all = ends_of(dfa, target, rest - 1, below);
    if (rest == 1 || (below.size() == 1 && below[0].low == 0 && below[0].high == span - 1)) {
      add((low & 0x3Fu) * span, (high & 0x3Fu) * span + span - 1);
      return;
    }
    for (std::uint32_t b = low & 0x3Fu; b <= (high & 0x3Fu); ++b) {
      for (const Interval& one : below) add(b * span + one.low, b * span + one.high);
    }
  });
  return all;
}

// The same where nothing but one class is read, whose characters all lead to one state: no states
// within characters are made, of which a large class has hundreds.
std::optional<LexedMasks::Ways> LexedMasks::ways_of_class(std::uint32_t from, int rest) {
  const Lexing::State& state = pool_.lexing().states_[from];
  if (state.items.size() != 1 || state.items[0].threads.size() != 1) return std::nullopt;
  const Lexing::Item& item = state.items[0];
  const bool prefix = item.prefix != ExprPool::kEmptyId && item.prefix != ExprPool::kAllId;
  if (prefix || item.threads[0].demand != ExprPool::kAllId || !item.trackers.empty() ||
      !item.keywords.empty()) {
    return std::nullopt;
  }
  const Node leaf = pool_.node(pool_.head(item.threads[0].rest));
  if (leaf.kind != Kind::kLeaf || !pool_.free_of_context(item.threads[0].rest)) return std::nullopt;
  const LeafDfa& dfa = pool_.automaton(leaf);
  std::vector<Interval> bits;
  if (!ends_of(dfa, leaf.b, rest, bits) || bits.empty()) return std::nullopt;
  std::uint32_t target = from;
  for (int i = rest - 1; i >= 0 && target != kNoIndex; --i) {
    target = moves(target).next[0x80 | ((bits[0].low >> (6 * i)) & 0x3F)];
  }
  if (target == kNoIndex) return std::nullopt;
  Ways out;
  for (const Interval& one : bits) out.push_back({target, one});
  return out;
}

// What `rest` continuation bytes lead to from within a character, by the bits they add.
const LexedMasks::Ways& LexedMasks::ways(std::uint32_t from, int rest) {
  const std::uint64_t key = (static_cast<std::uint64_t>(from) << 2) | static_cast<unsigned>(rest);
  if (const auto it = ways_.find(key); it != ways_.end()) return it->second;
  if (auto known = ways_of_class(from, rest)) {
    bytes_ += sizeof(Ways) + 32 + known->size() * sizeof(known->front());
    return ways_.emplace(key, std::move(*known)).first->second;
  }
  Ways out;
  const std::uint32_t span = 1u << (6 * (rest - 1));
  const auto add = [&](std::uint32_t target, std::uint32_t low, std::uint32_t high) {
    if (!out.empty() && out.back().first == target && out.back().second.high + 1 == low) {
      out.back().second.high = high;
    } else {
      out.push_back({target, {low, high}});
    }
  };
  for (std::uint32_t b = 0x80; b < 0xC0; ++b) {
    const std::uint32_t next = moves(from).next[b];
    if (next == kNoIndex) continue;
    const std::uint32_t base = (b & 0x3F) * span;
    if (rest == 1) {
      add(next, base, base);
    } else {
      for (const auto& [target, range] : ways(next, rest - 1)) {
        add(target, base + range.low, base + range.high);
      }
    }
  }
  bytes_ += sizeof(Ways) + 32 + out.size() * sizeof(out[0]);
  return ways_.emplace(key, std::move(out)).first->second;
}

// The characters that lead on, by where they lead.
std::map<std::uint32_t, std::vector<Interval>> LexedMasks::targets_of(std::uint32_t state) {
  std::map<std::uint32_t, std::vector<Interval>> out;
  for (std::uint32_t b = 0; b < 0xF5; ++b) {
    const std::uint32_t next = moves(state).next[b];
    const int length = continuations(static_cast<std::uint8_t>(b));
    if (next == kNoIndex || length < 0) continue;
    if (length == 0) {
      out[next].push_back({b, b});
      continue;
    }
    const std::uint32_t base = lead_bits(static_cast<std::uint8_t>(b), length) << (6 * length);
    for (const auto& [target, range] : ways(next, length)) {
      out[target].push_back({base + range.low, base + range.high});
    }
  }
  return out;
}

const LexedMasks::Uniform& LexedMasks::uniform(std::uint32_t state) {
  if (const auto it = uniform_.find(state); it != uniform_.end()) return it->second;
  Uniform out;
  std::uint64_t most = 0;
  const auto targets = targets_of(state);
  for (const auto& [target, intervals] : targets) {
    std::uint64_t size = 0;
    for (const Interval& interval : intervals) size += interval.high - interval.low + 1;
    if (size <= most) continue;
    most = size;
    out.target = target;
    out.set = CharSet(intervals).intersect(CharSet::all());
  }
  bytes_ += sizeof(Uniform) + out.set.intervals().size() * sizeof(Interval);
  return uniform_.emplace(state, std::move(out)).first->second;
}

// Bytes that begin characters which a state reads beside those of a set.
ByteSet LexedMasks::read_beyond(std::uint32_t state, const CharSet& set) {
  std::vector<Interval> read;
  for (const auto& [target, intervals] : targets_of(state)) {
    read.insert(read.end(), intervals.begin(), intervals.end());
  }
  if (read.empty()) return {};
  const CharSet others = CharSet(std::move(read)).intersect(set.complement());
  ByteSet out;
  for (unsigned b = 0; b < 256; ++b) {
    const auto byte = static_cast<std::uint8_t>(b);
    if (!beginning_with(byte).intersect(others).empty()) out.insert(byte);
  }
  return out;
}

}  // namespace formgate
