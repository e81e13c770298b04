#include "formgate/leaf_dfa.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "leaf_dfa_builder.hpp"

namespace formgate {

namespace {

// Scalar values of one UTF-8 length and the fixed bits of their lead byte.
struct LengthClass {
  std::uint32_t low;
  std::uint32_t high;
  std::uint8_t lead;
  unsigned continuations;
};
constexpr LengthClass kLengths[] = {{0x0, 0x7F, 0x00, 0},
                                    {0x80, 0x7FF, 0xC0, 1},
                                    {0x800, 0xFFFF, 0xE0, 2},
                                    {0x10000, 0x10FFFF, 0xF0, 3}};

using Values = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // inclusive ranges
using Key = std::pair<unsigned, Values>;

class CharBuilder {
 public:
  LeafDfa build(const CharSet& chars) {
    accept_ = builder_.state(true, {});
    std::vector<LeafEdge> edges;
    for (const LengthClass& length : kLengths) {
      Values part;
      for (const Interval& piece : chars.intervals()) {
        const std::uint32_t low = std::max(piece.low, length.low);
        const std::uint32_t high = std::min(piece.high, length.high);
        if (low <= high) part.emplace_back(low, high);
      }
      if (!part.empty()) split(length.continuations, length.lead, part, edges);
    }
    return builder_.finish(builder_.state(false, edges));
  }

 private:
  // Appends the edges that read the next byte of the values `part`, `rest` bytes being still to
  // come after it. Recursion depth is at most four.
  void split(unsigned rest, std::uint8_t base, const Values& part, std::vector<LeafEdge>& edges) {
    const unsigned shift = 6 * rest;
    const std::uint32_t span = (1u << shift) - 1;
    std::uint32_t top = 0;
    Values below;
    const auto flush = [&] {
      if (below.empty()) return;
      add_edge(edges, static_cast<std::uint8_t>(base | top), suffix(rest, below));
      below.clear();
    };
    for (const auto& [low, high] : part) {
      for (std::uint32_t t = low >> shift; t <= (high >> shift); ++t) {
        if (t != top) flush();
        top = t;
        below.emplace_back(std::max(low, t << shift) & span,
                           std::min(high, (t << shift) | span) & span);
      }
    }
    flush();
  }

  static void add_edge(std::vector<LeafEdge>& edges, std::uint8_t byte, std::uint32_t target) {
    if (!edges.empty() && edges.back().target == target && edges.back().high + 1 == byte) {
      edges.back().high = byte;
    } else {
      edges.push_back({byte, byte, target});
    }
  }

  // The state that reads `rest` continuation bytes spelling a value of `below`.
  std::uint32_t suffix(unsigned rest, const Values& below) {
    if (rest == 0) return accept_;
    const Key key{rest, below};
    if (auto it = memo_.find(key); it != memo_.end()) return it->second;
    std::vector<LeafEdge> edges;
    split(rest - 1, 0x80, below, edges);
    const std::uint32_t id = builder_.state(false, edges);
    memo_.emplace(key, id);
    return id;
  }

  LeafDfaBuilder builder_;
  std::uint32_t accept_ = 0;
  std::map<Key, std::uint32_t> memo_;
};

}  // namespace

// For each state, from which states of a reader of UTF-8 all its texts go on to an end of a
// character, as bits; the first is that between characters. One pass from the ends.
void LeafDfa::find_text() {
  struct Range {
    std::uint8_t low;
    std::uint8_t high;
    std::uint8_t next;
  };
  // Unicode 15, table 3-7. States 1 to 3 wait for so many more bytes; those after them, for one of
  // fewer values first.
  static const std::vector<Range> reader[8] = {
      {{0x00, 0x7F, 0},
       {0xC2, 0xDF, 1},
       {0xE0, 0xE0, 4},
       {0xE1, 0xEC, 2},
       {0xED, 0xED, 5},
       {0xEE, 0xEF, 2},
       {0xF0, 0xF0, 6},
       {0xF1, 0xF3, 3},
       {0xF4, 0xF4, 7}},
      {{0x80, 0xBF, 0}},
      {{0x80, 0xBF, 1}},
      {{0x80, 0xBF, 2}},
      {{0xA0, 0xBF, 1}},
      {{0x80, 0x9F, 1}},
      {{0x90, 0xBF, 2}},
      {{0x80, 0x8F, 2}},
  };
  text_.assign(size(), 0xFF);
  for (std::uint32_t s = 0; s < size(); ++s) {
    if (accepting(s)) text_[s] = 1;
    for_each_edge(s, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
      for (unsigned from = 0; from < 8; ++from) {
        if (!((text_[s] >> from) & 1)) continue;
        unsigned byte = low;  // the first that is not known to go on
        for (const Range& range : reader[from]) {
          if (byte <= high && byte >= range.low && byte <= range.high &&
              ((text_[target] >> range.next) & 1)) {
            byte = range.high + 1u;
          }
        }
        if (byte <= high) text_[s] &= static_cast<std::uint8_t>(~(1u << from));
      }
    });
  }
}

LeafDfa LeafDfa::of_chars(const CharSet& chars) { return CharBuilder().build(chars); }

LeafDfa LeafDfa::of_strings(std::vector<std::string_view> strings, CompileContext& context) {
  std::size_t comparisons = 0;  // sorting a million strings takes a second
  std::sort(strings.begin(), strings.end(), [&](std::string_view a, std::string_view b) {
    if ((++comparisons & 0xFFF) == 0) context.check();
    return a < b;
  });
  strings.erase(std::unique(strings.begin(), strings.end()), strings.end());

  // `path[d]` is the unfinished state after d bytes of the previous string.
  struct Open {
    bool accepting = false;
    std::vector<LeafEdge> edges;
  };
  LeafDfaBuilder builder;
  std::vector<Open> path(1);
  std::size_t depth = 0;
  const auto close_to = [&](std::size_t target_depth) {
    for (; depth > target_depth; --depth) {
      const std::uint32_t id = builder.state(path[depth].accepting, path[depth].edges);
      path[depth - 1].edges.back().target = id;
      path[depth].accepting = false;
      path[depth].edges.clear();
    }
  };
  std::string_view previous;
  for (std::string_view text : strings) {
    context.tick();
    std::size_t common = 0;
    while (common < previous.size() && common < text.size() && previous[common] == text[common]) {
      ++common;
    }
    close_to(common);
    if (path.size() <= text.size()) path.resize(text.size() + 1);
    for (; depth < text.size(); ++depth) {
      const auto byte = static_cast<std::uint8_t>(text[depth]);
      path[depth].edges.push_back({byte, byte, kDead});
    }
    path[depth].accepting = true;
    previous = text;
  }
  close_to(0);
  return builder.finish(builder.state(path[0].accepting, path[0].edges));
}

LeafDfa LeafDfa::of_states(std::span<const State> states) {
  std::vector<std::vector<std::uint32_t>> before(states.size());
  std::vector<bool> live(states.size());
  std::vector<std::uint32_t> work;
  for (std::uint32_t s = 0; s < states.size(); ++s) {
    for (const LeafEdge& edge : states[s].edges) before[edge.target].push_back(s);
    live[s] = states[s].accepting;
    if (live[s]) work.push_back(s);
  }
  while (!work.empty()) {
    const std::uint32_t s = work.back();
    work.pop_back();
    for (std::uint32_t other : before[s]) {
      if (live[other]) continue;
      live[other] = true;
      work.push_back(other);
    }
  }
  if (states.empty() || !live[0]) return LeafDfa();
  std::vector<std::uint32_t> renamed(states.size(), kDead);
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < states.size(); ++s) {
    if (live[s]) renamed[s] = count++;
  }
  LeafDfaBuilder builder;
  std::vector<LeafEdge> edges;
  for (std::uint32_t s = 0; s < states.size(); ++s) {
    if (!live[s]) continue;
    edges.clear();
    for (const LeafEdge& edge : states[s].edges) {
      if (live[edge.target]) edges.push_back({edge.low, edge.high, renamed[edge.target]});
    }
    builder.add(states[s].accepting, edges);
  }
  return builder.finish(0);
}

LeafDfa LeafDfa::restricted(const ByteSet& allowed) const {
  LeafDfaBuilder builder;
  std::vector<std::uint32_t> renamed(size(), kDead);
  std::vector<LeafEdge> edges;
  const auto narrow = [&](std::uint32_t s) {
    edges.clear();
    for_each_edge(s, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
      if (renamed[target] == kDead) return;
      for (unsigned byte = low; byte <= high; ++byte) {
        const auto b = static_cast<std::uint8_t>(byte);
        if (!allowed.contains(b)) continue;
        if (!edges.empty() && edges.back().target == renamed[target] &&
            edges.back().high + 1 == b) {
          edges.back().high = b;
        } else {
          edges.push_back({b, b, renamed[target]});
        }
      }
    });
  };
  if (!ordered_) {  // state 0 is the start
    std::iota(renamed.begin(), renamed.end(), 0);
    std::vector<State> states(size());
    for (std::uint32_t s = 0; s < size(); ++s) {
      narrow(s);
      states[s] = {accepting(s), edges};
    }
    return of_states(states);
  }
  // Successors have smaller numbers than their states, so one pass in order suffices.
  for (std::uint32_t s = 0; s < size(); ++s) {
    narrow(s);
    if (!edges.empty() || accepting(s)) renamed[s] = builder.state(accepting(s), edges);
  }
  if (start_ == kDead || renamed[start_] == kDead) return LeafDfa();
  return builder.finish(renamed[start_]);
}

std::size_t LeafDfa::memory_usage() const {
  return offsets_.capacity() * 4 + low_.capacity() + high_.capacity() + target_.capacity() * 4 +
         accepting_.capacity() * 8 + text_.capacity();
}

}  // namespace formgate
