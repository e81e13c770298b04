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
#include <bitset>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostTerminals = 128;  // single bytes
constexpr std::size_t kMostStates = 1024;    // of a terminal's own lexer
constexpr std::size_t kMostGuards = 16;      // that its lexemes are left under
constexpr std::size_t kMostPairs = 1024;     // of a guard and a state, looked at for one question
constexpr std::uint32_t kMostPowers = 8;     // of what must be repeated more often
constexpr std::size_t kDeepest = 500;        // nesting of what is left to parse

using Set = std::bitset<kMostTerminals>;
using Pairs = std::vector<Set>;  // by first terminal, the last ones

class Sentences {
 public:
  Sentences(ExprPool& pool, const std::vector<Set>& next, CompileContext& context)
      : pool_(pool), next_(next), context_(context), none_(next.size()) {}

  bool has_any(ExprId start) {
    if (pool_.node(start).depth > kDeepest) return true;
    collect(start);
    bool changed = true;
    while (changed) {
      changed = false;
      done_.clear();
      for (ExprId call : calls_) {
        Pairs own = pairs(pool_.body(call));
        Pairs& slot = known_.try_emplace(index_of(call), none_).first->second;
        if (slot == own) continue;
        slot = std::move(own);
        changed = true;
      }
    }
    done_.clear();
    return given_up_ || pool_.nullable(start) || any(pairs(start));
  }

 private:
  static bool any(const Pairs& all) {
    return std::ranges::any_of(all, [](const Set& lasts) { return lasts.any(); });
  }

  void collect(ExprId start) {
    std::vector<ExprId> work{start};
    std::unordered_set<std::uint32_t> seen{index_of(start)};
    const auto visit = [&](ExprId id) {
      if (seen.insert(index_of(id)).second) work.push_back(id);
    };
    while (!work.empty()) {
      context_.tick();
      const ExprId id = work.back();
      work.pop_back();
      const Node& node = pool_.node(id);
      if (node.kind == Kind::kCall) {
        calls_.push_back(id);
        visit(pool_.body(id));
      } else if (node.kind == Kind::kUnion) {
        for (ExprId member : pool_.members(node)) visit(member);
      } else if (node.kind == Kind::kRepeat) {
        visit(ExprId{node.a});
      } else if (node.kind == Kind::kConcat) {
        visit(ExprId{node.a});
        visit(ExprId{node.b});
      }
    }
    // Callees mostly come before their callers then.
    std::ranges::reverse(calls_);
  }

  // Adds the pairs of a sentence of `one` and then one of `other`.
  void join(const Pairs& one, const Pairs& other, Pairs& out) {
    context_.tick();
    for (std::size_t first = 0; first < one.size(); ++first) {
      Set following;
      for (std::size_t last = 0; last < one.size(); ++last) {
        if (one[first][last]) following |= next_[last];
      }
      for (std::size_t second = 0; second < one.size(); ++second) {
        if (following[second]) out[first] |= other[second];
      }
    }
  }

  static void add(const Pairs& more, Pairs& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] |= more[i];
  }

  // Those of the sentences that are not empty. Recursion depth is the nesting of the expression.
  Pairs pairs(ExprId id) {
    if (const auto it = done_.find(index_of(id)); it != done_.end()) return it->second;
    context_.tick();
    const Node node = pool_.node(id);
    Pairs out = none_;
    switch (node.kind) {
      case Kind::kEmpty:
      case Kind::kEpsilon:
        break;
      case Kind::kBytes:
        pool_.byte_set(node).for_each([&](std::uint8_t b) {
          if (b < out.size()) out[b].set(b);
        });
        break;
      case Kind::kCall: {
        const auto it = known_.find(index_of(id));
        return it == known_.end() ? none_ : it->second;
      }
      case Kind::kUnion: {
        const auto list = pool_.members(node);
        for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
          add(pairs(member), out);
        }
        break;
      }
      case Kind::kRepeat: {  // at least so often, or a few times: a superset
        const Pairs once = pairs(ExprId{node.a});
        out = once;
        const bool open = pool_.nullable(ExprId{node.a});
        for (std::uint32_t i = 1; i < std::min(node.min, kMostPowers) && !open; ++i) {
          Pairs longer = none_;
          join(out, once, longer);
          out = std::move(longer);
        }
        const bool more = node.max > 1 && (open || node.max > std::min(node.min, kMostPowers));
        for (Pairs before = none_; more && out != before;) {
          before = out;
          join(before, once, out);
        }
        break;
      }
      case Kind::kConcat: {
        bool open = true;  // all so far may be empty
        for (ExprId rest = id; rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
          const ExprId head = pool_.head(rest);
          const Pairs own = pairs(head);
          Pairs longer = none_;
          join(out, own, longer);
          if (open) add(own, longer);
          if (pool_.nullable(head)) {
            add(out, longer);
          } else {
            open = false;
          }
          out = std::move(longer);
        }
        break;
      }
      default:
        given_up_ = true;
    }
    done_.emplace(index_of(id), out);
    return out;
  }

  ExprPool& pool_;
  const std::vector<Set>& next_;
  CompileContext& context_;
  const Pairs none_;
  bool given_up_ = false;
  std::vector<ExprId> calls_;
  std::unordered_map<std::uint32_t, Pairs> known_;  // of calls
  std::unordered_map<std::uint32_t, Pairs> done_;   // in this round
};

}  // namespace

// The guards under which a terminal alone leaves its lexemes; nothing for too many.
std::optional<std::vector<ExprId>> Lexing::guards_alone(std::uint32_t start) {
  std::vector<ExprId> out;
  std::vector<std::uint32_t> work{start};
  std::unordered_set<std::uint32_t> seen{start};
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (i > kMostStates || out.size() > kMostGuards) return std::nullopt;
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
    if (i > kMostPairs) return true;
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
  if (lexicons_[index].symbol_bytes != 1 || count > kMostTerminals) return false;
  const Symbols none(count, false);
  std::vector<std::uint32_t> starts;
  for (std::size_t i = 0; i < count; ++i) {
    Symbols alone = none;
    alone[i] = true;
    starts.push_back(start_state(index, alone, none));
  }
  std::vector<Set> next(count);
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
  return !Sentences(pool_, next, context).has_any(stack.rest);
}

}  // namespace formgate
