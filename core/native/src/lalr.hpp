// The LALR(1) automaton of a grammar; see lalr.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formgate/compile_context.hpp"

namespace formgate {

// Rows of bits, all of one width.
class BitRows {
 public:
  BitRows() = default;
  BitRows(std::size_t rows, std::size_t bits) : width_((bits + 63) / 64), data_(rows * width_) {}

  void set(std::size_t row, std::size_t bit) { data_[row * width_ + bit / 64] |= 1ull << bit % 64; }
  bool test(std::size_t row, std::size_t bit) const {
    return (data_[row * width_ + bit / 64] >> bit % 64) & 1;
  }
  // Whether something was added.
  bool add(std::size_t row, const BitRows& from, std::size_t other) {
    std::uint64_t grown = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      const std::uint64_t word = from.data_[other * width_ + i];
      std::uint64_t& own = data_[row * width_ + i];
      grown |= word & ~own;
      own |= word;
    }
    return grown != 0;
  }
  void keep(std::size_t row, const BitRows& from, std::size_t other) {
    for (std::size_t i = 0; i < width_; ++i) {
      data_[row * width_ + i] &= from.data_[other * width_ + i];
    }
  }
  void assign(std::size_t row, const BitRows& from, std::size_t other) {
    for (std::size_t i = 0; i < width_; ++i) {
      data_[row * width_ + i] = from.data_[other * width_ + i];
    }
  }

 private:
  std::size_t width_ = 0;
  std::vector<std::uint64_t> data_;
};

// Pairs of numbers, by the first of each; those of one keep their order.
template <typename Value>
class Relation {
 public:
  Relation(std::size_t count, const std::vector<std::pair<std::uint32_t, Value>>& pairs)
      : first_(count + 1, 0), values_(pairs.size()) {
    for (const auto& [from, value] : pairs) ++first_[from + 1];
    for (std::size_t i = 0; i < count; ++i) first_[i + 1] += first_[i];
    std::vector<std::size_t> filled(first_);
    for (const auto& [from, value] : pairs) values_[filled[from]++] = value;
  }
  Relation() = default;

  std::size_t size() const { return first_.size() - 1; }
  std::span<const Value> operator[](std::size_t i) const {
    return {values_.data() + first_[i], first_[i + 1] - first_[i]};
  }
  std::span<Value> operator[](std::size_t i) {
    return {values_.data() + first_[i], first_[i + 1] - first_[i]};
  }

 private:
  std::vector<std::size_t> first_{0};
  std::vector<Value> values_;
};

// Symbols are numbers: terminals, the last of which is the end of the text, then heads.
struct LalrGrammar {
  struct Production {
    std::uint32_t head;
    std::vector<std::uint32_t> body;
    std::int64_t priority = 0;
  };
  std::vector<std::string> names;  // of the symbols
  std::uint32_t terminals = 0;
  std::uint32_t start = 0;
  std::vector<Production> productions;  // no two alike
  std::vector<bool> dead;               // terminals that no text is a lexeme of
};

// The grammar without the productions that no sentence needs; nothing where all are needed. Those
// out of the start's reach count as needed.
std::optional<LalrGrammar> needed_part(const LalrGrammar& grammar);

[[noreturn]] void lalr_too_large(const std::string& what, std::size_t most);

class Lalr {
 public:
  // Throws Error(kLimit) for too many states, Error(kGrammar) where reductions collide.
  Lalr(LalrGrammar grammar, CompileContext& context);

  struct Edge {
    std::uint32_t symbol;
    std::uint32_t target;
    std::uint32_t transition;  // number of those on heads, else kNoIndex
  };
  struct Reduction {
    std::uint32_t production;
    std::vector<std::uint32_t> dropped = {};  // look-aheads that another action has
  };
  struct Transition {
    std::uint32_t from;
    std::uint32_t head;
  };
  enum class Action : std::uint8_t { kNone, kShift, kReduce };

  const LalrGrammar& grammar() const { return grammar_; }
  std::uint32_t end() const { return grammar_.terminals - 1; }
  std::size_t states() const { return edges_.size(); }
  // By symbol; the first state is that of the beginning.
  const std::vector<Edge>& edges(std::uint32_t state) const { return edges_[state]; }
  const Edge* edge(std::uint32_t state, std::uint32_t symbol) const {
    const std::vector<Edge>& edges = edges_[state];
    const Edge* at = edges.data();
    for (std::size_t count = edges.size(); count > 1;) {  // halved without jumps
      const std::size_t half = count / 2;
      at += at[half].symbol <= symbol ? half : 0;
      count -= half;
    }
    return !edges.empty() && at->symbol == symbol ? at : nullptr;
  }
  const std::vector<Reduction>& reductions(std::uint32_t state) const { return reduced_[state]; }
  // The transitions that one of these, counted from 0, leads on to.
  std::span<const std::uint32_t> lookback(std::uint32_t state, std::size_t place) const {
    return lookback_[first_reduction_[state] + place];
  }
  using Item = std::pair<std::uint32_t, std::uint32_t>;  // production, dot
  const std::vector<Item>& kernel(std::uint32_t state) const { return kernels_[state]; }
  // The symbol that leads to a state; kNoIndex for the first.
  std::uint32_t access(std::uint32_t state) const { return access_[state]; }
  const std::vector<Transition>& transitions() const { return transitions_; }
  // Those that begin alike stand together.
  const std::vector<std::uint32_t>& productions_of(std::uint32_t head) const {
    return by_head_[head];
  }
  // How many symbols a production begins with as the one before it in that list does: who follows
  // one production after the other need not follow these again.
  std::size_t shared(std::uint32_t production) const { return shared_[production]; }
  // Whether a state has an action for a terminal.
  bool accepts(std::uint32_t state, std::uint32_t terminal) const {
    return accepted_.test(state, terminal);
  }
  // Whether every stack with the state on top can take the terminal, where every production is
  // needed and `is_overruled` says no.
  bool surely_accepts(std::uint32_t state, std::uint32_t terminal) const {
    return certain_.test(state, terminal);
  }
  // Likewise: whether every stack that can take one terminal can take the other, but for what its
  // top shifts.
  bool implies(std::uint32_t one, std::uint32_t other) const;
  // What is done, and the state shifted or the production reduced.
  std::pair<Action, std::uint32_t> action(std::uint32_t state, std::uint32_t terminal) const;
  // Whether some terminal has two actions in some state.
  bool has_conflicts() const { return conflicts_; }
  // Whether priorities decide between reductions somewhere.
  bool is_overruled() const { return overruled_; }
  // What the parser does with a sequence of terminals: whether it takes them all. For tests.
  bool takes(const std::vector<std::uint32_t>& terminals, std::vector<std::uint32_t>& stack) const;

 private:
  struct Included {
    std::uint32_t item;  // by which
    std::uint32_t source;
  };

  void build();
  const std::vector<std::uint32_t>& closure(std::uint32_t head);
  void order_productions();
  void find_nullable();
  void find_reads();
  void relate();
  void find_follow();
  void find_accepted();
  void resolve();
  void find_certain();
  void close(BitRows& sets, const Relation<std::uint32_t>& relation);
  bool tail_nullable(std::uint32_t production, std::size_t from) const;

  LalrGrammar grammar_;
  CompileContext& context_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::vector<Item>> kernels_;
  std::vector<std::vector<Reduction>> reduced_;
  std::vector<std::uint32_t> access_;
  std::vector<Transition> transitions_;
  std::vector<std::vector<std::uint32_t>> by_head_;   // by symbol; sorted by body
  std::vector<std::size_t> shared_;                   // by production
  std::vector<std::vector<std::uint32_t>> closures_;  // by symbol; empty: not known
  std::vector<bool> nullable_;                        // by symbol
  std::vector<std::size_t> tails_;  // by production: from here on all may be empty
  Relation<Included> includes_;
  Relation<std::uint32_t> lookback_;  // transitions, by reduction, numbered by state
  std::vector<std::pair<std::uint32_t, std::uint32_t>> reduction_places_;
  BitRows reads_;
  BitRows follow_;
  BitRows lookaheads_;  // by reduction, numbered by state
  BitRows accepted_;
  BitRows certain_;
  std::vector<std::uint32_t> first_reduction_;  // by state
  bool conflicts_ = false;
  bool overruled_ = false;
};

}  // namespace formgate
