// Sentences of rules over terminals, some of which may not stand side by side; see sentences.cpp.
#pragma once

#include <bitset>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {

class Sentences {
 public:
  static constexpr std::size_t kMostTerminals = 128;  // single bytes
  using Set = std::bitset<kMostTerminals>;

  // `next` are the terminals that may stand behind each. Of what is too large, `superset` says
  // whether sentences that there may be count.
  Sentences(ExprPool& pool, const std::vector<Set>& next, bool superset, CompileContext& context)
      : pool_(pool), next_(next), superset_(superset), context_(context), none_(next.size()) {}
  // The same where each terminal is one of several, `of`, all of which sentences are about.
  Sentences(ExprPool& pool, const std::vector<Set>& next,
            const std::vector<std::vector<std::size_t>>& of, CompileContext& context)
      : Sentences(pool, next, false, context) {
    of_ = &of;
  }

  bool has_any(ExprId start);
  // Whether each terminal of a sentence, wherever it may stand behind others, goes on to the end of
  // some sentence.
  bool all_go_on(ExprId start);

 private:
  using Pairs = std::vector<Set>;  // by first terminal, the last ones

  void find(ExprId start);
  void join(const Pairs& one, const Pairs& other, Pairs& out);
  Pairs pairs(ExprId id);
  void repeat(const Pairs& once, const Node& node, Pairs& out);
  Set before(const Pairs& part, bool may_be_empty, const Set& after) const;
  bool goes_on(ExprId id, const Set& after);
  bool goes_on_repeated(const Node& node, const Set& after);
  Set ways_of(const ByteSet& terminals) const;

  ExprPool& pool_;
  const std::vector<Set>& next_;
  const bool superset_;
  const std::vector<std::vector<std::size_t>>* of_ = nullptr;
  CompileContext& context_;
  const Pairs none_;
  bool given_up_ = false;
  std::unordered_map<std::uint32_t, Pairs> known_;  // of calls
  std::unordered_map<std::uint32_t, Pairs> done_;   // in this round
  // Of calls, the terminals behind which what comes next can stand, of those that were met.
  std::unordered_map<std::uint32_t, std::vector<Set>> contexts_;
  std::vector<std::pair<ExprId, Set>> work_;
};

}  // namespace formgate
