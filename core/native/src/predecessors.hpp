// Which intersections of two languages have a text, where the automaton of one is small.
//
// A state of x & y is live where some text of what is left of x leads a state of y's automaton to
// an accepting one. The states of y for which there is such a text are found by recursion over the
// expression x, backwards: those before a concatenation are those before its first part that lead
// to those before the rest; of a repetition they are a least fixed point. That is the intersection
// of a grammar with a regular language (Bar-Hillel, Perles and Shamir, "On Formal Properties of
// Simple Phrase Structure Grammars", 1961) as predecessor sets (Bouajjani, Esparza and Maler,
// CONCUR 1997), for grammars without recursion.
//
// Cost: linear in the size of x for each set that comes up, while the states of x & y may be as
// many as those of both multiplied; and x, written with repetitions in repetitions, has many.
// Parts that several states of x have in common are looked at once.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/expr_node.hpp"
#include "formgate/growing_map.hpp"
#include "formgate/stable_vector.hpp"
#include "formgate/types.hpp"

namespace formgate {

class ExprPool;

class Predecessors {
 public:
  explicit Predecessors(ExprPool& pool) : pool_(pool) {}

  // The verdict on an intersection of two, if the automaton of one is known and the other is made
  // without Boolean operators, calls or look-around.
  std::optional<bool> live(ExprId id);
  // Builds an automaton for an intersection of two, where one is small, and says whether `live`
  // knows the intersection, and so its derivatives, then. What else is to be decided then, inside
  // of that automaton, is added to `more`, and its own states are decided.
  bool learn(ExprId id, std::vector<ExprId>& more, CompileContext& context,
             std::unique_lock<std::mutex>* lock);
  std::size_t memory_usage() const { return bytes_; }

 private:
  static constexpr std::size_t kMostStates = 64;
  using Set = std::uint64_t;  // of states of an automaton
  struct Automaton {
    std::size_t size = 0;
    Set accepting = 0;
    std::vector<ByteSet> groups;  // bytes that lead from each state to the same
    std::vector<Set> before;      // by group and state: what leads there
    bool given_up = false;        // for some expression it took too many steps
  };
  struct Growing;  // an automaton while its states are explored
  struct Key {
    std::uint32_t automaton;
    std::uint32_t expr;  // for an automaton of strings its number, all states at once
    Set after;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const {
      const std::uint64_t ids = (static_cast<std::uint64_t>(key.automaton) << 32) | key.expr;
      return static_cast<std::size_t>((ids * 0x9E3779B97F4A7C15ull) ^
                                      (key.after * 0xC2B2AE3D27D4EB4Full));
    }
  };

  bool explore_next(Growing& growing) const;
  std::uint32_t add(const Growing& growing, std::vector<ExprId>& more);
  bool plain(ExprId id) const;
  // The states from which some text of an expression leads into `after`; none where the expression
  // has parts of other kinds, or takes too many steps.
  std::optional<Set> before(std::uint32_t automaton, ExprId id, Set after);
  std::optional<Set> before_new(std::uint32_t automaton, ExprId id, Set after);
  std::optional<Set> before_concat(std::uint32_t automaton, ExprId id, Set after);
  std::optional<Set> before_repeat(std::uint32_t automaton, ExprId id, Set after);
  std::optional<Set> before_leaf(std::uint32_t automaton, ExprId id, Set after);
  Set before_bytes(const Automaton& automaton, const ByteSet& bytes, Set after) const;

  ExprPool& pool_;
  StableVector<Automaton> automata_;
  // Which state of which automaton an expression is.
  GrowingMap<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> states_;
  GrowingMap<Key, Set, HashOfKey> before_;
  GrowingMap<Key, std::vector<Set>, HashOfKey> leaves_;
  std::size_t steps_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace formgate
