// Deterministic byte automata: minimal acyclic ones for finite languages, which are character
// classes in UTF-8 and literal sets, and ready ones for languages that have too many states to be
// written as expressions, such as multiples of a number.
//
// States of the former are hash-consed bottom-up, so every such automaton is minimal and the
// numbering is canonical for its language. String sets use the incremental construction for sorted
// input of Daciuk, Mihov, Watson and Watson, "Incremental Construction of Minimal Acyclic
// Finite-State Automata" (Computational Linguistics 26(1), 2000): linear time, memory proportional
// to the result plus a register of states. Character classes split intervals along UTF-8 boundaries
// with a memo per (remaining bytes, interval set).
//
// Storage: six bytes an edge and four a state; a look-up is a binary search over a state's edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "formgate/char_set.hpp"
#include "formgate/compile_context.hpp"
#include "formgate/types.hpp"

namespace formgate {

struct LeafEdge {
  std::uint8_t low;
  std::uint8_t high;
  std::uint32_t target;
  bool operator==(const LeafEdge&) const = default;
};

class LeafDfa {
 public:
  static constexpr std::uint32_t kDead = 0xFFFFFFFFu;

  // UTF-8 spellings of the members; the set must not be empty.
  static LeafDfa of_chars(const CharSet& chars);
  // The given byte strings, any order, duplicates allowed; at least one.
  static LeafDfa of_strings(std::vector<std::string_view> strings, CompileContext& context);
  struct State {
    bool accepting = false;
    std::vector<LeafEdge> edges = {};  // in byte order, of disjoint bytes
  };
  // The automaton of these states, which may lead back, from the first one: without what leads to
  // no end, not minimised. Linear in the edges.
  static LeafDfa of_states(std::span<const State> states);
  // This automaton without the edges on bytes outside `allowed`; may have no accepting state.
  LeafDfa restricted(const ByteSet& allowed) const;

  std::uint32_t start() const { return start_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size()) - 1; }
  bool empty() const { return start_ == kDead; }
  // Whether the successors of every state have smaller numbers than it: so one pass in order goes
  // from the ends to the start. What has been given by its states may lead back.
  bool ordered() const { return ordered_; }
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
  // Whether all texts from a state on are surely well-formed UTF-8.
  bool text_from(std::uint32_t state) const {
    return ascii_only_ || (!text_.empty() && (text_[state] & 1));
  }
  Hash128 hash() const { return hash_; }
  // The least sum of what edges cost, `cost(low, high)`, on the way from each state to an end, of
  // the states up to `last` at least. Costs are not negative. One pass in order, or as many as the
  // longest of the least ways has edges.
  template <typename Sum, typename Cost>
  std::vector<Sum> least_costs(std::uint32_t last, Sum endless, Cost&& cost) const {
    std::vector<Sum> of(ordered_ ? last + std::size_t{1} : size(), endless);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t s = 0; s < of.size(); ++s) {
        Sum own = accepting(s) ? Sum{0} : of[s];
        for_each_edge(s, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
          if (of[target] != endless) own = std::min<Sum>(own, of[target] + cost(low, high));
        });
        changed = changed || (own != of[s] && !ordered_);
        of[s] = own;
      }
    }
    return of;
  }
  std::size_t memory_usage() const;

 private:
  friend class LeafDfaBuilder;
  void find_text();
  std::uint32_t start_ = kDead;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<std::uint8_t> low_;
  std::vector<std::uint8_t> high_;
  std::vector<std::uint32_t> target_;
  std::vector<std::uint64_t> accepting_;
  std::vector<std::uint8_t> text_;  // by state; see find_text
  bool ascii_only_ = true;
  bool ordered_ = true;
  Hash128 hash_;
};

}  // namespace formgate
