// Liveness relative to the vocabulary for languages with a stack; see stack_spelling.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/vocabulary.hpp"

namespace formgate {

class StackSpelling {
 public:
  // Throws Error(kLimit) where the vocabulary has too many places inside tokens.
  StackSpelling(ExprPool& pool, const Vocabulary& vocabulary, const Limits& limits);

  // Solves the rules that an expression calls. Throws Error(kTimeout | kCancelled).
  void add(ExprId root, CompileContext* context);
  // Whether some text of the expression can be spelled by whole tokens. Its calls must be added.
  // Throws as `add`, and Error(kLimit) where a part has more states than Limits.max_states.
  bool spellable(ExprId id, CompileContext* context);

 private:
  using Set = std::vector<std::uint64_t>;  // of places
  using Relation = std::vector<Set>;       // from each place, where text can lead
  struct Edge {
    std::uint8_t byte;
    std::uint32_t place;
  };

  Relation none() const { return Relation(edges_.size(), Set(words_)); }
  Relation same() const;
  Relation then(const Relation& a, const Relation& b) const;
  static bool unite(Relation& into, const Relation& from);
  Relation relation(ExprId id);
  Relation compute(ExprId id);
  Relation explore(ExprId id) const;
  bool holds_keys(ExprId id);
  Relation repeated(const Relation& once, std::uint32_t min, std::uint32_t max) const;
  const Set& before(ExprId id);
  void calls_of(ExprId id, std::vector<ExprId>& out) const;

  ExprPool& pool_;
  std::size_t max_states_;
  CompileContext* context_ = nullptr;
  std::vector<std::vector<Edge>> edges_;  // by place; place 0 is between tokens
  std::size_t words_ = 0;
  bool settled_ = true;  // relations of calls are final
  std::unordered_map<std::uint32_t, Relation> calls_;
  std::unordered_map<std::uint32_t, std::shared_ptr<const Relation>> known_;
  std::unordered_map<std::uint32_t, bool> holds_keys_;
  std::unordered_map<std::uint32_t, Set>
      before_;  // places from which all of a spine can be spelled
};

}  // namespace formgate
