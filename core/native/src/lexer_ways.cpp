// What leads on from a state of the lexer or of the parser, where lexer_safety.cpp has found that
// text goes on after every lexeme: then a few lexemes tell, and no states of the parser.
#include <algorithm>
#include <deque>
#include <limits>
#include <unordered_set>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"
#include "formgate/long_step.hpp"
#include "lexeme_search.hpp"

namespace formgate {

// Whether text surely goes on after a lexeme, whatever the parser's state is.
bool Lexing::goes_on(std::uint32_t index, std::uint16_t terminal, ExprId guard) {
  if (!lexicons_[index].safe) return false;
  if (lexicons_[index].terminals[terminal].ignored) return skips(index, guard);
  const std::uint64_t subject = (static_cast<std::uint64_t>(index) << 32) | terminal;
  return answer(About::kGoneOn, subject, guard, [&] {
    const Symbols& next = safeties_[index].follow[terminal];
    if (std::ranges::count(next, true) == 0) return ends_under(start_after(index, terminal), guard);
    return covered(index, terminal, guard) || extend(index, terminal, guard);
  });
}

// Whether the parser's state surely has some text under a guard.
bool Lexing::viable_under(ExprId guard, std::uint32_t stack) {
  const std::uint32_t index = stacks_[stack].lexicon;
  if (!lexicons_[index].safe) return false;
  const std::uint32_t start = expanded(stack).start;
  if (pool_.nullable(stacks_[stack].rest) && ends_under(start, guard)) return true;
  // Where only what the parser takes competes, the lexer's start says what that is.
  const bool known_by_start = lexicons_[index].contextual;
  const About about = known_by_start ? About::kViableStart : About::kViableStack;
  return answer(about, known_by_start ? start : stack, guard, [&] {
    const std::vector<std::pair<std::uint16_t, ExprId>> next = stacks_[stack].next;
    return std::ranges::any_of(next, [&](const auto& entry) {
      ExprId after;
      return connect(start, guard, entry.first, after) && goes_on(index, entry.first, after);
    });
  });
}

// Whether a lexeme begun so can end as a terminal (one of those wanted, if any are named) and be
// left as others expect, whatever the parser's state.
bool Lexing::leads_on(std::uint32_t state, const std::vector<bool>* wanted) {
  const std::uint32_t index = states_[state].lexicon;
  if (!lexicons_[index].safe) return false;
  if (!wanted && states_[state].leads_on != Verdict::kUnknown) {
    return states_[state].leads_on == Verdict::kYes;
  }
  if (wanted) {
    return reaches(ExprPool::kAllId, state, [&](std::uint16_t terminal, ExprId after) {
      return (*wanted)[terminal] && goes_on(index, terminal, after);
    });
  }
  const bool found = find_way_on(state);
  if (!found) states_[state].leads_on = Verdict::kNo;
  return found;
}

// Looks for a way from a state to one that arrives; nothing is looked for behind one that does not
// for certain. `met`: the states on it, without that one; else all that were looked at. The latest
// states come first, since ways are mostly found at the first attempt, in turns with the earliest
// ones, since others go astray.
template <typename Arrives>
bool Lexing::find_way(std::uint32_t state, std::size_t most, Arrives&& arrives,
                      std::vector<std::uint32_t>& met) {
  met.assign(1, state);
  std::vector<std::size_t> before{0};  // where the way to a state comes from
  std::deque<std::size_t> open{0};
  std::unordered_set<std::uint32_t> seen{state};
  bool latest = true;
  while (!open.empty() && met.size() < most) {
    LongStep::tick();
    const std::size_t at = latest ? open.back() : open.front();
    if (latest) {
      open.pop_back();
    } else {
      open.pop_front();
    }
    latest = !latest;
    for (const Edge& edge : expanded_state(met[at]).edges) {  // states are never moved
      const Verdict arrived = arrives(edge.target);
      if (arrived == Verdict::kYes) {
        std::vector<std::uint32_t> way;
        for (std::size_t i = at;; i = before[i]) {
          way.push_back(met[i]);
          if (i == 0) break;
        }
        met = std::move(way);
        return true;
      }
      if (arrived == Verdict::kNo || !states_[edge.target].open) continue;
      if (!seen.insert(edge.target).second) continue;
      open.push_back(met.size());
      met.push_back(edge.target);
      before.push_back(at);
    }
  }
  return false;
}

// Looks for a way from a state to the end of a lexeme that the text surely goes on after: every
// state on it leads on as well.
bool Lexing::find_way_on(std::uint32_t state) {
  const std::uint32_t index = states_[state].lexicon;
  const bool text = lexicons_[index].text;
  const auto arrives = [&](std::uint32_t to) {
    const State& target = states_[to];
    const bool leads = (target.open && target.leads_on == Verdict::kYes) ||
                       std::ranges::any_of(target.accepts, [&](const Accept& accept) {
                         const ExprId left = left_under(ExprPool::kAllId, accept.guard, text);
                         return left != ExprPool::kEmptyId && goes_on(index, accept.terminal, left);
                       });
    return leads ? Verdict::kYes : Verdict::kUnknown;
  };
  std::vector<std::uint32_t> met;
  if (!find_way(state, kMostLexemePairs, arrives, met)) return false;
  for (std::uint32_t each : met) states_[each].leads_on = Verdict::kYes;
  return true;
}

// Whether a lexeme begun so can become a terminal, by a byte or more.
bool Lexing::becomes(std::uint32_t state, std::uint16_t terminal) {
  const auto known = [&](std::uint32_t at) {
    const std::vector<Verdict>& verdicts = states_[at].becomes;
    return verdicts.empty() ? Verdict::kUnknown : verdicts[terminal];
  };
  if (known(state) != Verdict::kUnknown) return known(state) == Verdict::kYes;
  const auto arrives = [&](std::uint32_t to) {
    const bool ends = std::ranges::count(states_[to].accepts, terminal, &Accept::terminal) > 0;
    return ends ? Verdict::kYes : known(to);
  };
  std::vector<std::uint32_t> met;
  const bool found = find_way(state, std::numeric_limits<std::size_t>::max(), arrives, met);
  for (std::uint32_t each : met) {
    std::vector<Verdict>& verdicts = states_[each].becomes;
    if (verdicts.empty()) {
      verdicts.assign(lexicons_[states_[each].lexicon].terminals.size(), Verdict::kUnknown);
      bytes_ += verdicts.size() * sizeof(Verdict);
    }
    verdicts[terminal] = found ? Verdict::kYes : Verdict::kNo;
  }
  return found;
}

// Whether a lexeme begun so can end, under a guard, as any terminal, and be left as others expect.
bool Lexing::leads_under(std::uint32_t state, ExprId guard) {
  const std::uint32_t index = states_[state].lexicon;
  if (!lexicons_[index].safe || !lexicons_[index].contextual) return false;
  return answer(About::kLed, state, guard, [&] {
    return reaches(guard, state, [&](std::uint16_t terminal, ExprId after) {
      return goes_on(index, terminal, after);
    });
  });
}

bool Lexing::surely_live(ExprId id) {
  const Node& node = pool_.node(id);
  if (node.kind != Kind::kAnd) return false;
  ExprId state = ExprPool::kEmptyId;
  std::vector<ExprId> guards;
  for (ExprId member : pool_.members(node)) {
    if (!(pool_.node(member).flags & kCalls)) {
      guards.push_back(member);
    } else if (state == ExprPool::kEmptyId) {
      state = member;
    } else {
      return false;
    }
  }
  if (state == ExprPool::kEmptyId) return false;
  const ExprId guard = pool_.intersect(guards);
  if (!pool_.free_of_context(guard)) return false;
  return surely_live_under(state, guard);
}

bool Lexing::surely_live_under(ExprId state, ExprId guard) {
  const Node node = pool_.node(state);
  if (node.kind == Kind::kLexed) {
    return node.a == kNoIndex ? viable_under(guard, node.b) : leads_under(node.a, guard);
  }
  if (node.kind != Kind::kUnion) return false;
  // One of the readings is enough. They may have guards of their own.
  const std::vector<ExprId> readings(pool_.members(node).begin(), pool_.members(node).end());
  return std::ranges::any_of(readings, [&](ExprId reading) {
    return pool_.node(reading).kind == Kind::kLexed ? surely_live_under(reading, guard)
                                                    : surely_live(pool_.intersect(guard, reading));
  });
}

}  // namespace formgate
