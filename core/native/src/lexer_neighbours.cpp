// Whether what is left to parse has no text at all, since its lexemes cannot stand side by side.
//
// After /a+/ no "a" can follow as a lexeme of its own. Where recursion from the centre leads to
// such a pair only, states have no end: each is one more x to be matched by a y. So the sentences
// are looked at instead: those in which each terminal can follow the one before it, at once or
// after ignored ones, are the intersection of the rules with a regular set; of each expression over
// terminals it is found which terminals its sentences may begin and end with (Bar-Hillel, Perles
// and Shamir, 1961, with a state for each terminal). A least fixed point over the rules; if the
// start has no pair, there is no sentence.
//
// Pairs are judged by each terminal alone: where fewer compete, lexemes are left freer. What takes
// too long to judge may follow. So there may be sentences and yet no text, but not the reverse.
#include <optional>
#include <unordered_set>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"
#include "sentences.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostStatesBetween = 1024;  // of a terminal's own lexer
constexpr std::size_t kMostGuardsBetween = 16;    // that its lexemes are left under
constexpr std::size_t kMostNeighbours = 1024;  // of a guard and a state, looked at for one question

}  // namespace

// The guards under which a terminal alone leaves its lexemes; nothing for too many.
std::optional<std::vector<ExprId>> Lexing::guards_alone(std::uint32_t start) {
  std::vector<ExprId> out;
  std::vector<std::uint32_t> work{start};
  std::unordered_set<std::uint32_t> seen{start};
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (i > kMostStatesBetween || out.size() > kMostGuardsBetween) return std::nullopt;
    for (const Edge& edge : expanded_state(work[i]).edges) {  // states are never moved
      for (const Accept& accept : states_[edge.target].accepts) {
        if (std::ranges::find(out, accept.guard) == out.end()) out.push_back(accept.guard);
      }
      if (states_[edge.target].open && seen.insert(edge.target).second) {
        work.push_back(edge.target);
      }
    }
  }
  return out;
}

// Whether some lexeme that begins in a state may come under a guard.
bool Lexing::may_come(ExprId guard, std::uint32_t start) {
  const bool text = lexicons_[states_[start].lexicon].text;
  std::vector<std::pair<ExprId, std::uint32_t>> work{{guard, start}};
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (i > kMostNeighbours) return true;
    const auto [demand, from] = work[i];
    const LinearForm form = pool_.linear_form(demand);
    for (const Edge& edge : expanded_state(from).edges) {
      for (const LinearTerm& term : form) {
        if ((edge.bytes & term.bytes).empty() || !pool_.found_live(term.target)) continue;
        for (const Accept& accept : states_[edge.target].accepts) {
          if (left_under(term.target, accept.guard, text) != ExprPool::kEmptyId) return true;
        }
        const std::uint64_t key =
            (static_cast<std::uint64_t>(index_of(term.target)) << 32) | edge.target;
        if (states_[edge.target].open && seen.insert(key).second) {
          work.emplace_back(term.target, edge.target);
        }
      }
    }
  }
  return false;
}

bool Lexing::surely_empty(ExprId id, CompileContext& context) {
  const Node& node = pool_.node(id);
  if (node.kind == Kind::kAnd) {
    const auto list = pool_.members(node);
    const std::vector<ExprId> members(list.begin(), list.end());
    return std::ranges::any_of(members, [&](ExprId each) {
      return pool_.node(each).kind == Kind::kLexed && surely_empty(each, context);
    });
  }
  if (node.kind != Kind::kLexed) return false;
  const Stack& stack = stacks_[node.b];
  const std::uint32_t index = stack.lexicon;
  const std::size_t count = lexicons_[index].terminals.size();
  if (lexicons_[index].symbol_bytes != 1 || count > Sentences::kMostTerminals) return false;
  const Symbols none(count, false);
  std::vector<std::uint32_t> starts;
  for (std::size_t i = 0; i < count; ++i) {
    Symbols alone = none;
    alone[i] = true;
    starts.push_back(start_state(index, alone, none));
  }
  std::vector<Sentences::Set> next(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::vector<ExprId>> guards = guards_alone(starts[i]);
    for (std::size_t k = 0; k < count; ++k) {
      context.tick();
      next[i][k] = !guards || std::ranges::any_of(*guards, [&](ExprId guard) {
        return may_come(guard, starts[k]);
      });
    }
  }
  // At once, or after ignored ones.
  for (std::size_t by = 0; by < count; ++by) {
    if (!lexicons_[index].terminals[by].ignored) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (next[i][by]) next[i] |= next[by];
    }
  }
  return !Sentences(pool_, next, true, context).has_any(stack.rest);
}

}  // namespace formgate
