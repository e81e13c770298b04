// First, last and follow sets, as in any book on compilers, but over expressions: least fixed point
// over the rules that are called. Likewise the fewest symbols of a sentence.
#include "symbol_follow.hpp"

#include <algorithm>
#include <bitset>
#include <functional>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "formgate/long_step.hpp"

namespace formgate {
namespace {

using Set = std::bitset<128>;

struct Facts {
  Set first;
  Set last;
  bool operator==(const Facts&) const = default;
};

class Follow {
 public:
  Follow(ExprPool& pool, CompileContext& context) : pool_(pool), context_(context), next_(128) {}

  Facts run(ExprId start) {
    const std::vector<ExprId> calls = calls_of(pool_, start, context_);
    bool changed = true;
    while (changed) {
      changed = false;
      done_.clear();
      for (ExprId call : calls) {
        const Facts own = facts(pool_.body(call));
        Facts& slot = known_[index_of(call)];
        if (slot == own) continue;
        slot = own;
        changed = true;
      }
    }
    return facts(start);
  }
  const Set& next(std::size_t terminal) const { return next_[terminal]; }

 private:
  void pair(const Set& before, const Set& after) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i]) next_[i] |= after;
    }
  }

  // Recursion depth is the nesting of the expression, which compilation limits; calls end it.
  Facts facts(ExprId id) {
    if (const auto it = done_.find(index_of(id)); it != done_.end()) return it->second;
    context_.tick();
    const Node node = pool_.node(id);
    Facts out;
    switch (node.kind) {
      case Kind::kEmpty:
      case Kind::kEpsilon:
        break;
      case Kind::kBytes:
        pool_.byte_set(node).for_each([&](std::uint8_t b) { out.first.set(b & 127); });
        out.last = out.first;
        break;
      case Kind::kCall:
        return known_[index_of(id)];
      case Kind::kUnion: {
        const auto list = pool_.members(node);
        for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
          const Facts own = facts(member);
          out.first |= own.first;
          out.last |= own.last;
        }
        break;
      }
      case Kind::kRepeat:
        out = facts(ExprId{node.a});
        if (node.max > 1) pair(out.last, out.first);
        break;
      case Kind::kConcat: {
        bool open = true;  // all so far may be empty
        for (ExprId rest = id; rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
          const ExprId head = pool_.head(rest);
          const Facts own = facts(head);
          pair(out.last, own.first);
          if (open) out.first |= own.first;
          if (!pool_.nullable(head)) {
            open = false;
            out.last.reset();
          }
          out.last |= own.last;
        }
        break;
      }
      default:
        out.first.set();
        out.last.set();
        pair(out.last, out.first);
    }
    done_.emplace(index_of(id), out);
    return out;
  }

  ExprPool& pool_;
  CompileContext& context_;
  std::vector<Set> next_;
  std::unordered_map<std::uint32_t, Facts> known_;  // of calls
  std::unordered_map<std::uint32_t, Facts> done_;   // in this round
};

}  // namespace

std::vector<ExprId> calls_of(ExprPool& pool, ExprId start, CompileContext& context) {
  std::vector<ExprId> out;
  std::vector<ExprId> work{start};
  std::unordered_set<std::uint32_t> seen{index_of(start)};
  const auto visit = [&](ExprId id) {
    if (seen.insert(index_of(id)).second) work.push_back(id);
  };
  while (!work.empty()) {
    context.tick();
    const ExprId id = work.back();
    work.pop_back();
    const Node& node = pool.node(id);
    if (node.kind == Kind::kCall) {
      out.push_back(id);
      visit(pool.body(id));
    } else if (node.kind == Kind::kUnion) {
      for (ExprId member : pool.members(node)) visit(member);
    } else if (node.kind == Kind::kRepeat) {
      visit(ExprId{node.a});
    } else if (node.kind == Kind::kConcat) {
      visit(ExprId{node.a});
      visit(ExprId{node.b});
    }
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<std::vector<bool>> follow_sets(ExprPool& pool, ExprId start, std::size_t terminals,
                                           CompileContext& context) {
  Follow follow(pool, context);
  const Facts all = follow.run(start);
  std::vector<std::vector<bool>> out(terminals + 2, std::vector<bool>(terminals, false));
  for (std::size_t i = 0; i < terminals; ++i) {
    for (std::size_t k = 0; k < terminals; ++k) out[i][k] = follow.next(i)[k];
    out[terminals][i] = all.first[i];
    out[terminals + 1][i] = all.last[i];
  }
  return out;
}

// Finds the values of `start` and of all that it is made of, so that what is put before it later is
// not looked through again: a stack may be as deep as the text is long. The least come first, so
// each is found once (Knuth, "A generalization of Dijkstra's algorithm", 1977). False, with nothing
// kept: there are more than `most` that are not known.
bool Lexing::find_least(ExprId start, std::size_t most) {
  struct Part {
    ExprId id;
    std::uint32_t use = kNoIndex;  // the last of those of it, in `uses`
    std::uint32_t sum = 0;         // of a sequence, of the parts that have come
    bool half = false;             // one of two has
    bool known = false;            // before this
    bool done = false;
  };
  struct Use {
    std::uint32_t user;
    std::uint32_t next;
  };
  using Entry = std::pair<std::uint32_t, std::uint32_t>;  // value, and place in `parts`
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<Part> parts;
  std::vector<Use> uses;
  GrowingMap<std::uint32_t, std::uint32_t> places;
  const auto sum = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(a + b, kUnbounded));
  };
  const auto add = [&](ExprId id) {
    const auto place = static_cast<std::uint32_t>(parts.size());
    const auto [it, fresh] = places.emplace(index_of(id), place);
    if (fresh) parts.push_back({id});
    return it->second;
  };
  const auto use = [&](std::uint32_t user, ExprId id) {
    Part& part = parts[add(id)];
    uses.push_back({user, part.use});
    part.use = static_cast<std::uint32_t>(uses.size() - 1);
  };
  add(start);
  std::size_t fresh = 0;
  for (std::uint32_t at = 0; at < parts.size(); ++at) {
    LongStep::tick();
    const ExprId id = parts[at].id;
    if (const auto it = least_.find(index_of(id)); it != least_.end()) {
      parts[at].known = true;
      queue.emplace(it->second, at);
      continue;
    }
    if (++fresh > most) return false;
    const Node& node = pool_.node(id);
    switch (node.kind) {
      case Kind::kCall:
        use(at, pool_.body(id));
        break;
      case Kind::kUnion:
        for (ExprId member : pool_.members(node)) use(at, member);
        break;
      case Kind::kRepeat:
        if (node.min == 0) queue.emplace(0, at);
        use(at, ExprId{node.a});
        break;
      case Kind::kConcat:
        use(at, ExprId{node.a});
        use(at, ExprId{node.b});
        break;
      case Kind::kEmpty:
        break;
      case Kind::kBytes:
        queue.emplace(1, at);
        break;
      default:
        queue.emplace(sum(pool_.least_characters(id), 0), at);
    }
  }
  while (!queue.empty()) {
    LongStep::tick();
    const auto [value, at] = queue.top();
    queue.pop();
    if (parts[at].done) continue;
    parts[at].done = true;
    if (!parts[at].known) least_.emplace(index_of(parts[at].id), value);
    for (std::uint32_t i = parts[at].use; i != kNoIndex; i = uses[i].next) {
      Part& user = parts[uses[i].user];
      const Node& node = pool_.node(user.id);
      if (node.kind == Kind::kRepeat) {
        queue.emplace(sum(static_cast<std::uint64_t>(value) * node.min, 0), uses[i].user);
      } else if (node.kind != Kind::kConcat) {
        queue.emplace(value, uses[i].user);
      } else {
        user.sum = sum(user.sum, value);
        if (user.half) queue.emplace(user.sum, uses[i].user);
        user.half = true;
      }
    }
  }
  for (const Part& part : parts) {
    if (!part.done) least_.emplace(index_of(part.id), kUnbounded);  // it has no text
  }
  return true;
}

std::uint32_t Lexing::least_of(ExprId id) {
  if (const auto it = least_.find(index_of(id)); it != least_.end()) return it->second;
  find_least(id, kUnbounded);
  return least_.find(index_of(id))->second;
}

bool Lexing::tells_least(ExprId id, std::size_t most) {
  const Node& node = pool_.node(id);
  if (node.kind == Kind::kLexed) return find_least(stacks_[node.b].rest, most);
  return !in(id) && find_least(id, most);
}

// A lower bound will do: guards upon guards nest without end where each lexeme leaves one behind.
// What they have in common is looked at once, or readings that nest in each other would multiply.
template <typename OfReading>
std::uint32_t Lexing::least_over_readings(ExprId id, OfReading&& of_reading) {
  constexpr unsigned kDeepest = 64;
  std::unordered_map<std::uint32_t, std::uint32_t> known;
  const auto least = [&](auto&& self, ExprId state, unsigned depth) -> std::uint32_t {
    if (depth > kDeepest) return 0;
    const Node& node = pool_.node(state);
    if (node.kind == Kind::kLexed) return of_reading(node);
    if (node.kind != Kind::kAnd && node.kind != Kind::kUnion) return 0;
    if (const auto it = known.find(index_of(state)); it != known.end()) return it->second;
    std::uint32_t out = node.kind == Kind::kAnd ? 0 : kUnbounded;
    for (ExprId member : pool_.members(node)) {
      if (!(pool_.node(member).flags & kCalls)) continue;
      const std::uint32_t own = self(self, member, depth + 1);
      out = node.kind == Kind::kAnd ? std::max(out, own) : std::min(out, own);
    }
    known.emplace(index_of(state), out);
    return out;
  };
  return least(least, id, 0);
}

std::uint32_t Lexing::least_symbols(ExprId id) {
  return least_over_readings(id,
                             [this](const Node& node) { return least_of(stacks_[node.b].rest); });
}

std::uint32_t Lexing::least_text(ExprId id) {
  return least_over_readings(id, [this](const Node& node) {
    const std::uint32_t stack = node.b;
    if (node.a == kNoIndex) return least_of(stacks_[stack].rest);
    const Lexicon& lexicon = lexicons_[stacks_[stack].lexicon];
    std::uint64_t out = kUnbounded;
    for (const Item& item : states_[node.a].items) {
      const bool ignored = lexicon.terminals[item.terminal].ignored;
      const ExprId rest = ignored ? stacks_[stack].rest : rest_after(stack, item.terminal);
      if (rest == ExprPool::kEmptyId) continue;
      const std::uint64_t after = least_of(rest);
      for (const Thread& thread : item.threads) {
        out = std::min(out, pool_.least_characters(thread.rest) + after);
      }
    }
    return static_cast<std::uint32_t>(out);
  });
}

std::uint32_t Lexing::terminals_under_way(ExprId id) {
  const auto own = [this](ExprId reading) -> std::size_t {
    const Node& node = pool_.node(reading);
    if (node.kind != Kind::kLexed || node.a == kNoIndex) return 1;
    return states_[node.a].items.size();
  };
  const Node& node = pool_.node(id);
  if (node.kind != Kind::kAnd && node.kind != Kind::kUnion) {
    return static_cast<std::uint32_t>(own(id));
  }
  std::size_t out = 0;
  for (ExprId member : pool_.members(node)) out += own(member);
  return static_cast<std::uint32_t>(out);
}

}  // namespace formgate
