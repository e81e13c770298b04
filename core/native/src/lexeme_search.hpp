// How lexemes can end under a guard: states of the lexer, each with what is left of the guard.
#pragma once

#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"

namespace formgate {

// Pairs of a guard and a state of the lexer looked at for one question.
inline constexpr std::size_t kMostLexemePairs = 16384;

// Whether a lexeme from `state` on, under `guard`, can end as `wanted` says; not known where there
// is too much to look at.
template <typename Wanted>
Lexing::Verdict Lexing::look_for(ExprId guard, std::uint32_t state, Wanted&& wanted) {
  const bool text = lexicons_[states_[state].lexicon].text;  // what comes is well-formed anyway
  const auto demanded = [text](ExprId demand) {
    return text && demand == ExprPool::kTextId ? ExprPool::kAllId : demand;
  };
  std::vector<std::pair<ExprId, std::uint32_t>> demanding{{demanded(guard), state}};
  std::vector<std::uint32_t> free;  // states under no demand any more: they lead on soonest
  std::size_t demands_done = 0;
  std::size_t free_done = 0;
  std::unordered_set<std::uint64_t> seen;
  std::vector<bool> seen_free;
  const auto first_time = [&](ExprId demand, std::uint32_t at) {
    if (demand != ExprPool::kAllId) {
      return seen.insert((static_cast<std::uint64_t>(index_of(demand)) << 32) | at).second;
    }
    if (at >= seen_free.size()) seen_free.resize(states_.size(), false);
    const bool fresh = !seen_free[at];
    seen_free[at] = true;
    return fresh;
  };
  while (demanding.size() + free.size() < kMostLexemePairs) {
    ExprId demand = ExprPool::kAllId;
    std::uint32_t from = 0;
    if (free_done < free.size()) {
      from = free[free_done++];
    } else if (demands_done < demanding.size()) {
      std::tie(demand, from) = demanding[demands_done++];
    } else {
      return Verdict::kNo;
    }
    const LinearForm form = pool_.linear_form(demand);
    for (const Edge& edge : expanded_state(from).edges) {  // states are never moved
      const State& target = states_[edge.target];
      for (const LinearTerm& term : form) {
        if ((edge.bytes & term.bytes).empty() || !pool_.found_live(term.target)) continue;
        for (const Accept& accept : target.accepts) {
          const ExprId left = left_under(term.target, accept.guard, text);
          if (left != ExprPool::kEmptyId && wanted(accept.terminal, left)) return Verdict::kYes;
        }
        const ExprId rest = demanded(term.target);
        if (!target.open || !first_time(rest, edge.target)) continue;
        if (rest == ExprPool::kAllId) {
          free.push_back(edge.target);
        } else {
          demanding.emplace_back(rest, edge.target);
        }
      }
    }
  }
  return Verdict::kUnknown;
}

template <typename Wanted>
bool Lexing::reaches(ExprId guard, std::uint32_t state, Wanted&& wanted) {
  return look_for(guard, state, wanted) == Verdict::kYes;
}

// What was found before of a guard and what it is asked with, or else is found now.
template <typename Find>
bool Lexing::answer(About about, std::uint64_t subject, ExprId guard, Find&& find) {
  Hasher hasher(static_cast<std::uint64_t>(about));
  const Hash128 key = hasher.add(subject).add(index_of(guard)).finish();
  if (const auto it = answers_.find(key); it != answers_.end()) return it->second;
  const bool found = find();
  answers_.emplace(key, found);
  return found;
}

}  // namespace formgate
