// Whether a lexer can come to a point where no text leads on.
//
// Cutting text into lexemes may leave no way out: after /a+/ no "a" can follow as a lexeme of its
// own. Usually there are ignored terminals that fit after any lexeme and before any other, and then
// every state has a way on: to a lexeme's end, over a separator, to any lexeme the parser takes.
// This is looked for in the lexer in which all terminals compete: if a lexeme ends as a terminal
// there, it does so where fewer compete, too, since guards only weaken. Where such ways are not
// found, states are explored instead (liveness.cpp).
#include <algorithm>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"

namespace formgate {
namespace {

// Pairs of a guard and a state of the lexer looked at for one question; no answer means no.
constexpr std::size_t kMostPairs = 512;

}  // namespace

// Whether a lexeme from `state` on, under `guard`, can end as `wanted` says.
template <typename Wanted>
bool Lexing::reaches(ExprId guard, std::uint32_t state, Wanted&& wanted) {
  std::vector<std::pair<ExprId, std::uint32_t>> order{{guard, state}};
  std::unordered_map<std::uint64_t, bool> seen;
  const bool text = lexicons_[states_[state].lexicon].text;  // what comes is well-formed
  for (std::size_t i = 0; i < order.size() && order.size() < kMostPairs; ++i) {
    const auto [demand, from] = order[i];
    const LinearForm found = pool_.linear_form(demand);
    const std::vector<LinearTerm> form(found.begin(), found.end());
    const std::vector<Edge> edges = expanded_state(from).edges;
    for (const Edge& edge : edges) {
      for (const LinearTerm& term : form) {
        if ((edge.bytes & term.bytes).empty() || !pool_.live(term.target)) continue;
        const std::vector<Accept> accepts = states_[edge.target].accepts;
        for (const Accept& accept : accepts) {
          ExprId both = pool_.intersect(term.target, accept.guard);
          if (text) both = pool_.intersect(both, ExprPool::kTextId);
          if (pool_.live(both) && wanted(accept.terminal, both)) return true;
        }
        const std::uint64_t key =
            (static_cast<std::uint64_t>(index_of(term.target)) << 32) | edge.target;
        if (states_[edge.target].open && seen.emplace(key, true).second) {
          order.emplace_back(term.target, edge.target);
        }
      }
    }
  }
  return false;
}

// Whether an ignored terminal can follow where the text to come is under `guard`.
bool Lexing::separable(std::uint32_t index, ExprId guard) {
  Safety& safety = safeties_[index];
  const auto [it, fresh] = safety.separable.emplace(index_of(guard), false);
  if (!fresh) return it->second;
  const bool found = reaches(guard, safety.start, [&](std::uint16_t terminal, ExprId after) {
    if (!lexicons_[index].terminals[terminal].ignored) return false;
    if (std::ranges::find(safety.after, after) == safety.after.end()) {
      if (safety.fixed || safety.after.size() >= 8) return false;
      safety.after.push_back(after);
    }
    return true;
  });
  return safeties_[index].separable[index_of(guard)] = found;
}

void Lexing::decide_safety(std::uint32_t index, CompileContext& context) {
  if (safeties_.contains(index)) return;
  Lexicon& lexicon = lexicons_[index];
  Safety& safety = safeties_[index];
  safety.start = start_state(index, std::vector<bool>(lexicon.terminals.size(), true));
  safety.after.push_back(ExprPool::kAllId);
  if (std::ranges::none_of(lexicon.terminals, [](const auto& t) { return t.ignored; })) return;
  for (std::size_t i = 0; i < safety.after.size(); ++i) {
    for (std::uint16_t wanted = 0; wanted < lexicon.terminals.size(); ++wanted) {
      context.tick();
      const LexTerminal& terminal = lexicon.terminals[wanted];
      if (terminal.ignored || terminal.pattern == ExprPool::kEmptyId) continue;
      const bool found =
          reaches(safety.after[i], safety.start, [&](std::uint16_t own, ExprId after) {
            return own == wanted && separable(index, after);
          });
      if (!found) return;
    }
  }
  safety.fixed = true;
  lexicon.safe = true;
}

// Whether a lexeme begun so can end and be followed by any other: as some terminal (`wanted` null),
// or as one of those wanted.
bool Lexing::leads_on(std::uint32_t state, const std::vector<bool>* wanted) {
  const std::uint32_t index = states_[state].lexicon;
  if (!lexicons_[index].safe) return false;
  if (!wanted && states_[state].leads_on != Verdict::kUnknown) {
    return states_[state].leads_on == Verdict::kYes;
  }
  const bool found = reaches(ExprPool::kAllId, state, [&](std::uint16_t terminal, ExprId after) {
    return (!wanted || (*wanted)[terminal]) && separable(index, after);
  });
  if (!wanted) states_[state].leads_on = found ? Verdict::kYes : Verdict::kNo;
  return found;
}

}  // namespace formgate
