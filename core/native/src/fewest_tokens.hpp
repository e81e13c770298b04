// Lower bounds of how many tokens it takes to end; see fewest_tokens.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/vocabulary.hpp"

namespace formgate {

class FewestTokens {
 public:
  // For states from which all bytes to come are in `alphabet`. `more` are texts of tokens beyond
  // those of the vocabulary that match text.
  FewestTokens(ExprPool& pool, const Vocabulary& vocabulary, const ByteSet& alphabet,
               const std::vector<std::string_view>& more);

  // No more than the fewest tokens from a state to the end.
  std::size_t bound(ExprId id);

 private:
  using Costs = std::unordered_map<std::uint32_t, double>;
  double cost(ExprId id, Costs& known);
  double cost_here(ExprId id, const Costs& known);
  double cost_of_leaf(const Node& node);
  template <typename Visit>
  void for_each_part(const Node& node, Visit&& visit) const;
  void solve_calls(ExprId id);

  ExprPool& pool_;
  double cost_of_byte_[256];
  double least_ = 0;  // of all bytes
  Costs known_;
  Costs calls_;
  std::unordered_map<std::uint32_t, bool> searched_;               // for calls
  std::unordered_map<std::uint32_t, std::vector<double>> leaves_;  // by automaton
};

}  // namespace formgate
