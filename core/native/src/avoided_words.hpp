// What text needs before it can lead astray.
#pragma once

#include <cstdint>
#include <vector>

#include "formgate/expr_pool.hpp"

namespace formgate {

struct AvoidedWords {
  GrowingMap<std::uint32_t, std::uint32_t> numbers;  // of states
  std::vector<std::vector<AsciiSet>> needs;          // of each: all characters of one of these sets
  LoopSet text;                                      // characters that it is true of

  // Whether no token below a node of the trie leads astray from a state.
  bool covers(ExprId state, const TrieNode& node, const AsciiSet& below);
};

}  // namespace formgate
