// Sentences of rules over terminals, some of which may not stand side by side.
//
// They are the intersection of the rules with a regular set. Of each expression over terminals it
// is found which terminals its sentences may begin and end with (Bar-Hillel, Perles and Shamir,
// 1961, with a state for each terminal): a least fixed point over the rules. From that follows, for
// a place in a rule and what may come after the rule, behind which terminals the rest can stand.
#include "sentences.hpp"

#include <algorithm>

#include "symbol_follow.hpp"

namespace formgate {
namespace {

constexpr std::uint32_t kMostPowers = 8;     // of what must be repeated more often
constexpr std::size_t kDeepest = 500;        // nesting of what is left to parse
constexpr std::size_t kMostContexts = 2048;  // of calls

bool any(const std::vector<Sentences::Set>& all) {
  return std::ranges::any_of(all, [](const Sentences::Set& lasts) { return lasts.any(); });
}

void add(const std::vector<Sentences::Set>& more, std::vector<Sentences::Set>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] |= more[i];
}

}  // namespace

void Sentences::find(ExprId start) {
  const std::vector<ExprId> calls = calls_of(pool_, start, context_);
  bool changed = true;
  while (changed) {
    changed = false;
    done_.clear();
    for (ExprId call : calls) {
      Pairs own = pairs(pool_.body(call));
      Pairs& slot = known_.try_emplace(index_of(call), none_).first->second;
      if (slot == own) continue;
      slot = std::move(own);
      changed = true;
    }
  }
  done_.clear();
}

bool Sentences::has_any(ExprId start) {
  if (pool_.node(start).depth > kDeepest) return true;
  find(start);
  return given_up_ || pool_.nullable(start) || any(pairs(start));
}

bool Sentences::all_go_on(ExprId start) {
  if (pool_.node(start).depth > kDeepest) return false;
  find(start);
  if (!pool_.nullable(start) && !any(pairs(start))) return false;
  work_.emplace_back(start, Set().set());
  std::size_t visits = 0;
  while (!work_.empty()) {
    const auto [id, after] = work_.back();
    work_.pop_back();
    if (++visits > kMostContexts || !goes_on(id, after)) return false;
  }
  return !given_up_;
}

// What the terminals of a set are: themselves, or what each may be.
Sentences::Set Sentences::ways_of(const ByteSet& terminals) const {
  Set out;
  terminals.for_each([&](std::uint8_t b) {
    if (!of_) {
      if (b < kMostTerminals) out.set(b);
    } else if (b < of_->size()) {
      for (std::size_t way : (*of_)[b]) out.set(way);
    }
  });
  return out;
}

// Adds the pairs of a sentence of `one` and then one of `other`.
void Sentences::join(const Pairs& one, const Pairs& other, Pairs& out) {
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

// At least so often, or a few times: those of too many rounds are all, or none.
void Sentences::repeat(const Pairs& once, const Node& node, Pairs& out) {
  out = none_;
  const std::uint32_t least = std::min(node.min, kMostPowers);
  if (node.max == 0 || (least < node.min && !superset_)) return;
  out = once;
  const bool open = pool_.nullable(ExprId{node.a});
  for (std::uint32_t i = 1; i < least && !open; ++i) {
    Pairs longer = none_;
    join(out, once, longer);
    out = std::move(longer);
  }
  const std::uint32_t done = std::max(open ? 1 : least, 1u);
  std::uint32_t rounds = node.max == kUnbounded || superset_ ? kUnbounded : node.max - done;
  if (node.max <= done) rounds = 0;
  for (Pairs before = none_; rounds != 0 && out != before; --rounds) {
    before = out;
    join(before, once, out);
  }
}

// Those of the sentences that are not empty. Recursion depth is the nesting of the expression.
Sentences::Pairs Sentences::pairs(ExprId id) {
  if (const auto it = done_.find(index_of(id)); it != done_.end()) return it->second;
  context_.tick();
  const Node node = pool_.node(id);
  Pairs out = none_;
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
      break;
    case Kind::kBytes: {
      const Set ways = ways_of(pool_.byte_set(node));
      for (std::size_t i = 0; i < out.size(); ++i) out[i][i] = ways[i];
      break;
    }
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
    case Kind::kRepeat:
      repeat(pairs(ExprId{node.a}), node, out);
      break;
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

// The terminals behind which a part can stand whose last terminal is one of `after`.
Sentences::Set Sentences::before(const Pairs& part, bool may_be_empty, const Set& after) const {
  Set firsts;
  for (std::size_t i = 0; i < part.size(); ++i) firsts[i] = (part[i] & after).any();
  Set out = may_be_empty ? after : Set();
  for (std::size_t i = 0; i < next_.size(); ++i) out[i] = out[i] || (next_[i] & firsts).any();
  return out;
}

// Whether each terminal of an expression goes on, where what comes after it can stand behind those
// of `after`. What is in rules is looked at later.
bool Sentences::goes_on(ExprId id, const Set& after) {
  context_.tick();
  const Node node = pool_.node(id);
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
      return true;
    case Kind::kBytes:
      return (ways_of(pool_.byte_set(node)) & ~after).none();
    case Kind::kCall: {
      std::vector<Set>& known = contexts_[index_of(id)];
      if (std::ranges::find(known, after) == known.end()) {
        known.push_back(after);
        work_.emplace_back(pool_.body(id), after);
      }
      return true;
    }
    case Kind::kUnion: {
      const auto list = pool_.members(node);
      const std::vector<ExprId> members(list.begin(), list.end());
      return std::ranges::all_of(members, [&](ExprId each) { return goes_on(each, after); });
    }
    case Kind::kRepeat:
      return goes_on_repeated(node, after);
    case Kind::kConcat: {
      const ExprId tail{node.b};
      const Set behind = before(pairs(tail), pool_.nullable(tail), after);
      return goes_on(tail, after) && goes_on(ExprId{node.a}, behind);
    }
    default:
      return false;
  }
}

bool Sentences::goes_on_repeated(const Node& node, const Set& after) {
  if (node.max == 0) return true;
  const ExprId unit{node.a};
  const Pairs once = pairs(unit);
  const bool open = pool_.nullable(unit);
  Set behind = after;  // the last round that has to come, or a later one
  if (node.max == kUnbounded) {
    Node more = node;
    more.min = 1;
    Pairs all;
    repeat(once, more, all);
    behind = before(all, true, after);
  }
  if (!goes_on(unit, behind)) return false;
  if (node.min > kMostPowers) return false;
  for (std::uint32_t i = 1; i < node.min; ++i) {  // rounds that have to come
    Node rest = node;
    rest.min = rest.max = i;
    Pairs all;
    repeat(once, rest, all);
    if (!goes_on(unit, before(all, open, after))) return false;
  }
  return true;
}

}  // namespace formgate
