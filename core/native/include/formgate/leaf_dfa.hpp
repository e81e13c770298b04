// Minimal acyclic byte automata for finite languages: character classes in UTF-8 and literal sets.
//
// States are hash-consed bottom-up, so every automaton is minimal and the numbering is canonical
// for its language. String sets use the incremental construction for sorted input of Daciuk,
// Mihov, Watson and Watson, "Incremental Construction of Minimal Acyclic Finite-State Automata"
// (Computational Linguistics 26(1), 2000): linear time, memory proportional to the result plus a
// register of states. Character classes split intervals along UTF-8 boundaries with a memo per
// (remaining bytes, interval set).
//
// Storage: six bytes an edge and four a state; a look-up is a binary search over a state's edges.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "formgate/char_set.hpp"
#include "formgate/compile_context.hpp"
#include "formgate/types.hpp"

namespace formgate {

class LeafDfa {
 public:
  static constexpr std::uint32_t kDead = 0xFFFFFFFFu;

  // UTF-8 spellings of the members; the set must not be empty.
  static LeafDfa of_chars(const CharSet& chars);
  // The given byte strings, any order, duplicates allowed; at least one.
  static LeafDfa of_strings(std::vector<std::string_view> strings, CompileContext& context);
  // This automaton without the edges on bytes outside `allowed`; may have no accepting state.
  LeafDfa restricted(const ByteSet& allowed) const;

  std::uint32_t start() const { return start_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size()) - 1; }
  bool empty() const { return start_ == kDead; }
  bool accepting(std::uint32_t state) const { return (accepting_[state >> 6] >> (state & 63)) & 1; }
  bool has_edges(std::uint32_t state) const { return offsets_[state] != offsets_[state + 1]; }
  std::uint32_t next(std::uint32_t state, std::uint8_t byte) const {
    std::uint32_t begin = offsets_[state];
    std::uint32_t end = offsets_[state + 1];
    while (begin < end) {
      const std::uint32_t middle = (begin + end) / 2;
      if (high_[middle] < byte) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin < offsets_[state + 1] && low_[begin] <= byte ? target_[begin] : kDead;
  }
  // Calls visit(low, high, target) for each edge, in byte order.
  template <typename Visit>
  void for_each_edge(std::uint32_t state, Visit&& visit) const {
    for (std::uint32_t i = offsets_[state]; i < offsets_[state + 1]; ++i) {
      visit(low_[i], high_[i], target_[i]);
    }
  }
  bool ascii_only() const { return ascii_only_; }
  Hash128 hash() const { return hash_; }
  std::size_t memory_usage() const;

 private:
  friend class LeafDfaBuilder;
  std::uint32_t start_ = kDead;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<std::uint8_t> low_;
  std::vector<std::uint8_t> high_;
  std::vector<std::uint32_t> target_;
  std::vector<std::uint64_t> accepting_;
  bool ascii_only_ = true;
  Hash128 hash_;
};

}  // namespace formgate
