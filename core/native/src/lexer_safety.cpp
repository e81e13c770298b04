// Whether a lexer can come to a point where no text leads on.
//
// Cutting text into lexemes may leave no way out: after /a+/ no "a" can follow as a lexeme of its
// own. Usually any terminal can come after any that it may follow, by some lexeme, at once or after
// an ignored one; then every parser state has a way on. This is looked for in the lexer in which
// all terminals compete: if a lexeme ends as a terminal there, it does so where fewer compete, too,
// and guards only weaken. For each terminal a set of guards is kept under which some of its lexemes
// are left, closed under what may follow. Where that fails, states are explored instead
// (liveness.cpp).
#include <algorithm>

#include "expr_helpers.hpp"
#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"
#include "symbol_follow.hpp"

namespace formgate {
namespace {

// Pairs of a guard and a state of the lexer looked at for one question; no answer means no.
constexpr std::size_t kMostPairs = 16384;

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

// Whether a lexeme of `wanted` can come under `guard`, at once or after an ignored one, and how it
// is left then.
bool Lexing::connect(std::uint32_t start, ExprId guard, std::uint16_t wanted, ExprId& after) {
  const std::uint32_t index = states_[start].lexicon;
  const auto take = [&](std::uint16_t terminal, ExprId left) {
    if (terminal != wanted) return false;
    const auto& known = safeties_[index].guards[wanted];
    // A guard that is known already makes the closure smaller.
    if (after == kNoExpr || std::ranges::find(known, left) != known.end()) after = left;
    return true;
  };
  after = kNoExpr;
  if (reaches(guard, start, take)) return true;
  return reaches(guard, start, [&](std::uint16_t terminal, ExprId left) {
    return lexicons_[index].terminals[terminal].ignored && reaches(left, start, take);
  });
}

// Whether the text may end under `guard`, at once or after an ignored lexeme.
bool Lexing::ends_under(std::uint32_t start, ExprId guard) {
  const std::uint32_t index = states_[start].lexicon;
  if (pool_.nullable(guard)) return true;
  return reaches(guard, start, [&](std::uint16_t terminal, ExprId left) {
    return lexicons_[index].terminals[terminal].ignored && pool_.nullable(left);
  });
}

// Every terminal must be reachable after every one that it may follow, however that was left.
bool Lexing::close_guards(std::uint32_t index, CompileContext& context) {
  constexpr std::size_t kMostGuards = 16;  // of one terminal
  Safety& safety = safeties_[index];
  const std::size_t count = lexicons_[index].terminals.size();
  std::vector<std::pair<std::uint16_t, ExprId>> work;
  // All that may come next after a terminal, and so all that can compete there.
  const auto start_of = [&](std::size_t before) {
    const Symbols& next = safety.follow[before];
    const auto& around = lexicons_[index].track.around;
    Symbols competing(count, !lexicons_[index].contextual);
    Symbols vain(count, false);
    for (std::size_t i = 0; i < count; ++i) {
      competing[i] = competing[i] || next[i] || lexicons_[index].terminals[i].ignored;
      if (competing[i] || around.empty() || !around[before][i]) continue;
      competing[i] = true;
      vain[i] = true;
    }
    return start_state(index, competing, vain);
  };
  const auto visit = [&](std::size_t before, ExprId guard) {
    const Symbols& next = safety.follow[before];
    const std::uint32_t start = start_of(before);
    std::vector<ExprId> after(count, kNoExpr);
    std::vector<ExprId> separators;
    auto missing = static_cast<std::size_t>(std::ranges::count(next, true));
    // One search finds them all.
    const auto take = [&](std::uint16_t terminal, ExprId left) {
      if (lexicons_[index].terminals[terminal].ignored) {
        if (std::ranges::find(separators, left) == separators.end()) separators.push_back(left);
      } else if (next[terminal]) {
        const auto& known = safety.guards[terminal];
        missing -= after[terminal] == kNoExpr;
        // A guard that is known already makes the closure smaller.
        if (after[terminal] == kNoExpr || std::ranges::find(known, left) != known.end()) {
          after[terminal] = left;
        }
      }
      return missing == 0;
    };
    reaches(guard, start, take);
    for (std::size_t i = 0; missing != 0 && i < separators.size() && i < kMostGuards; ++i) {
      reaches(separators[i], start, take);
    }
    if (missing != 0) return false;
    for (std::uint16_t i = 0; i < count; ++i) {
      auto& known = safety.guards[i];
      if (!next[i] || std::ranges::find(known, after[i]) != known.end()) continue;
      known.push_back(after[i]);
      work.emplace_back(i, after[i]);
      if (known.size() > kMostGuards) return false;
    }
    return true;
  };
  if (!visit(count, ExprPool::kAllId)) return false;
  while (!work.empty()) {
    context.tick();
    const auto [terminal, guard] = work.back();
    work.pop_back();
    if (safety.follow[count + 1][terminal] && !ends_under(start_of(terminal), guard)) return false;
    if (!visit(terminal, guard)) return false;
  }
  return true;
}

void Lexing::decide_safety(std::uint32_t index, ExprId rest, CompileContext& context) {
  if (safeties_.contains(index)) return;
  Lexicon& lexicon = lexicons_[index];
  Safety& safety = safeties_[index];
  safety.guards.resize(lexicon.terminals.size());
  if (lexicon.symbol_bytes != 1) return;
  safety.follow = follow_sets(pool_, rest, lexicon.terminals.size(), context);
  lexicon.safe = close_guards(index, context);
}

// Whether the parser's state surely has some text under a guard.
bool Lexing::viable_under(ExprId guard, std::uint32_t stack) {
  const std::uint32_t index = stacks_[stack].lexicon;
  if (!lexicons_[index].safe) return false;
  const std::uint32_t start = expanded(stack).start;
  if (pool_.nullable(stacks_[stack].rest) && ends_under(start, guard)) return true;
  // Where only what the parser takes competes, the lexer's start says what that is.
  const std::uint32_t competing = lexicons_[index].contextual ? start : stack;
  const std::uint64_t key = (static_cast<std::uint64_t>(competing) << 32) | index_of(guard);
  if (const auto it = viable_.find(key); it != viable_.end()) return it->second;
  const std::vector<std::pair<std::uint16_t, ExprId>> next = stacks_[stack].next;
  const bool found = std::ranges::any_of(next, [&](const auto& entry) {
    const auto& known = safeties_[index].guards[entry.first];
    ExprId after;
    return connect(start, guard, entry.first, after) &&
           std::ranges::find(known, after) != known.end();
  });
  return viable_[key] = found;
}

// Whether a lexeme begun so can end as a terminal (one of those wanted, if any are named) and be
// left as others expect, whatever the parser's state.
bool Lexing::leads_on(std::uint32_t state, const std::vector<bool>* wanted) {
  const std::uint32_t index = states_[state].lexicon;
  if (!lexicons_[index].safe) return false;
  if (!wanted && states_[state].leads_on != Verdict::kUnknown) {
    return states_[state].leads_on == Verdict::kYes;
  }
  const bool found = reaches(ExprPool::kAllId, state, [&](std::uint16_t terminal, ExprId after) {
    const auto& known = safeties_[index].guards[terminal];
    return (!wanted || (*wanted)[terminal]) && std::ranges::find(known, after) != known.end();
  });
  if (!wanted) states_[state].leads_on = found ? Verdict::kYes : Verdict::kNo;
  return found;
}

}  // namespace formgate
