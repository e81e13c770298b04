// Stacks that say no more than shorter ones do, in ambiguous grammars.
//
// Where rules repeat themselves (S: S S S | S "a" | "a"), each token begins again what a repetition
// holds already, and the ways to read a text would make ever longer stacks. Let X be a repetition
// C*. All texts of a rule R are within X if those of its body are, R itself being taken to be
// within X: what lies within X is closed under concatenation and union, so the least solution of
// the rules does, too (Park, "Fixpoint induction and proofs of program properties", Machine
// Intelligence 5, 1969). Then X (K | R K) is X K, and X R* is X. Whether one language free of
// context is within another cannot be decided; what is found here is found by structure, in few
// steps, and what is missed costs time alone.
//
// Stacks pile up so where one repetition of X may end with X, as what it begins again goes on as X
// does. No others are looked at: statements between braces and lists between brackets are none of
// them. Which repetitions are follows from the rules they call, and is found once for each.
//
// Derivatives only are simplified so: while rules are lowered, their bodies are not known yet, and
// expressions must not depend on what other grammars have defined.
#include <algorithm>
#include <unordered_set>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

constexpr unsigned kMostSteps = 512;       // to see that a repetition has all texts of a rule
constexpr unsigned kMostComparisons = 48;  // to see that a stack has all texts of another
constexpr std::size_t kMostMembers = 24;   // of a union whose members are compared
constexpr std::size_t kMostBeginnings = 32;
constexpr std::size_t kMostEnds = 4096;  // to see whether a repetition may end with itself
constexpr std::size_t kMostParts = 64;   // of a repetition, unless its alternatives are more
constexpr std::uint8_t kDepends = kLooks | kAround | kCaptures;

std::uint64_t pair_of(ExprId a, ExprId b) {
  return (static_cast<std::uint64_t>(index_of(a)) << 32) | index_of(b);
}

}  // namespace

// One search, which takes nothing from what others found, so that its outcome is always the same.
class ExprPool::Cover {
 public:
  Cover(ExprPool& pool, ExprId star) : pool_(pool), star_(star), parts_(pool.parts_of_star(star)) {}

  bool has(ExprId id) {
    if (++steps_ > kMostSteps) return false;
    if (id == kEpsilonId || id == star_ || std::ranges::find(parts_, id) != parts_.end()) {
      return true;
    }
    const Node& node = pool_.node(id);
    switch (node.kind) {
      case Kind::kBytes:
        return std::ranges::any_of(parts_, [&](ExprId part) {
          const Node& other = pool_.node(part);
          return other.kind == Kind::kBytes &&
                 (pool_.byte_set(node) - pool_.byte_set(other)).empty();
        });
      case Kind::kUnion: {
        const auto members = pool_.members(node);
        return std::ranges::all_of(members, [this](ExprId member) { return has(member); });
      }
      case Kind::kRepeat: {
        const std::uint32_t unit = pool_.least_times(parts_, ExprId{node.a});
        if (unit != 0 && node.min == node.max && node.min % unit == 0) return true;
        return has(ExprId{node.a});
      }
      case Kind::kConcat:
        return has_sequence(id);
      case Kind::kCall:
        if (std::ranges::find(assumed_, id) != assumed_.end()) return true;
        if (!pool_.defined(id)) return false;
        assumed_.push_back(id);
        return has(pool_.body(id));
      default:
        return false;
    }
  }

 private:
  bool has_sequence(ExprId id) {
    if (id == kEpsilonId) return true;
    if (++steps_ > kMostSteps) return false;
    const std::size_t before = assumed_.size();
    if (has(pool_.head(id)) && has_sequence(pool_.tail(id))) return true;
    assumed_.resize(before);  // in vain
    for (ExprId part : parts_) {
      ExprId rest = id;
      while (part != kEpsilonId && rest != kEpsilonId && pool_.head(part) == pool_.head(rest)) {
        part = pool_.tail(part);
        rest = pool_.tail(rest);
      }
      if (part != kEpsilonId) continue;
      if (has_sequence(rest)) return true;
      assumed_.resize(before);
    }
    return false;
  }

  ExprPool& pool_;
  ExprId star_;
  std::vector<ExprId> parts_;
  std::vector<ExprId> assumed_;  // calls
  unsigned steps_ = 0;
};

// Repetitions without bounds of what calls rules, ways of some steps from a place back to it
// among them, if what they repeat may end with them.
bool ExprPool::is_star(ExprId id) {
  const Node& node = this->node(id);
  if (node.kind != Kind::kRepeat || !(node.flags & kCalls) || node.min != 0) return false;
  if (node.max == kUnbounded) {
    return !(node.flags & kDepends) && node.behinds == 0 && ends_with_itself(id);
  }
  const Path* path = path_of(ExprId{node.a});
  return path && path->from == path->to;
}

// Whether what is repeated once may end with the repetition, by the last parts of rules. Says yes
// where a rule is not defined yet, or there are too many parts.
bool ExprPool::ends_with_itself(ExprId star) {
  const std::uint64_t key = pair_of(star, star);
  if (const auto it = ended_.find(key); it != ended_.end()) return it->second;
  const ExprId part{node(star).a};
  std::vector<ExprId> open{part};
  std::unordered_set<std::uint32_t> seen;
  const auto add = [&](ExprId id) {
    if (node(id).flags & kCalls && seen.insert(index_of(id)).second) open.push_back(id);
  };
  bool found = false;
  while (!open.empty() && !found) {
    const ExprId id = open.back();
    open.pop_back();
    const Node& node = this->node(id);
    found = seen.size() > kMostEnds;
    switch (node.kind) {
      case Kind::kUnion:
        std::ranges::for_each(members(node), add);
        break;
      case Kind::kConcat:
        add(ExprId{node.b});
        if (nullable(ExprId{node.b})) add(ExprId{node.a});
        break;
      case Kind::kRepeat:
        found = found || ExprId{node.a} == part;
        add(ExprId{node.a});
        break;
      case Kind::kCall:
        if (!defined(id)) return true;
        add(body(id));
        break;
      default:
        break;
    }
  }
  ended_.emplace(key, found);
  return found;
}

// What one repetition may be, rules by their bodies and sequences without what may be empty, too.
std::vector<ExprId> ExprPool::parts_of_star(ExprId star) const {
  std::vector<ExprId> out{ExprId{node(star).a}};
  const auto add = [&out](ExprId part) {
    if (std::ranges::find(out, part) == out.end()) out.push_back(part);
  };
  for (std::size_t i = 0; i < out.size() && out.size() < kMostParts; ++i) {
    const Node& part = node(out[i]);
    switch (part.kind) {
      case Kind::kUnion:
        std::ranges::for_each(members(part), add);
        break;
      case Kind::kCall:
        if (defined(out[i])) add(body(out[i]));
        break;
      case Kind::kRepeat:
        if (part.min <= 1) add(ExprId{part.a});
        break;
      case Kind::kConcat:
        if (nullable(ExprId{part.a})) add(ExprId{part.b});
        if (nullable(ExprId{part.b})) add(ExprId{part.a});
        break;
      default:
        break;
    }
  }
  return out;
}

// How many times a base is a part at least; 0 where no number of times is.
std::uint32_t ExprPool::least_times(std::span<const ExprId> parts, ExprId base) const {
  std::uint32_t least = 0;
  for (ExprId part : parts) {
    const Node& node = this->node(part);
    if (part == base) return 1;
    if (node.kind != Kind::kRepeat || ExprId{node.a} != base) continue;
    if (least == 0 || node.min < least) least = node.min;
  }
  return least;
}

bool ExprPool::covers(ExprId star, ExprId texts) {
  if (texts == star || texts == kEpsilonId) return true;
  const Node& node = this->node(texts);
  if ((node.flags & kDepends) || node.behinds != 0) return false;
  const std::uint64_t key = pair_of(star, texts);
  if (const auto it = covered_.find(key); it != covered_.end()) return it->second;
  const bool found = Cover(*this, star).has(texts);
  covered_.emplace(key, found);
  return found;
}

// Whether each text of the star, and then of `other`, is there for each of `id`.
bool ExprPool::within_after(ExprId star, ExprId id, ExprId other, unsigned& steps) {
  for (; steps < kMostComparisons; id = tail(id)) {
    if (within(id, other, steps)) return true;
    if (id == kEpsilonId) return false;
    if (covers(star, head(id))) continue;
    // x{5} K beside x{3} K, where the star repeats x{2}.
    const Node& own = node(head(id));
    const Node& rest = node(head(other));
    if (own.kind != Kind::kRepeat) return false;
    const ExprId base{own.a};
    const bool repeats = rest.kind == Kind::kRepeat && ExprId{rest.a} == base;
    const bool single = head(other) == base;
    if (!repeats && !single) return false;
    const std::uint32_t min = repeats ? rest.min : 1;
    const std::uint32_t max = repeats ? rest.max : 1;
    const std::uint32_t unit = least_times(parts_of_star(star), base);
    if (unit == 0 || own.min < min || (own.min - min) % unit != 0) return false;
    const bool same = own.max == kUnbounded ? max == kUnbounded : own.max - own.min == max - min;
    return same && within(tail(id), tail(other), steps);
  }
  return false;
}

// Whether the texts of one expression are texts of another; may say no where they are.
bool ExprPool::within(ExprId id, ExprId other, unsigned& steps) {
  while (true) {
    if (id == other) return true;
    if (++steps > kMostComparisons) return false;
    if (id == kEpsilonId) return nullable(other);
    if (other == kEpsilonId || !free_of_context(id) || !free_of_context(other)) return false;
    const ExprId last = head(other);
    if (head(id) == last) {
      id = tail(id);
      other = tail(other);
      continue;
    }
    const Node& own = node(id);
    if (own.kind == Kind::kUnion) {
      const auto members = this->members(own);
      return std::ranges::all_of(members, [&](ExprId m) { return within(m, other, steps); });
    }
    const Node& node = this->node(other);
    if (node.kind == Kind::kUnion) {
      const auto members = this->members(node);
      return std::ranges::any_of(members, [&](ExprId m) { return within(id, m, steps); });
    }
    if (node.kind == Kind::kRepeat && node.min <= 1 && within(id, ExprId{node.a}, steps)) {
      return true;
    }
    if (is_star(last) && covers(last, head(id)) && within(tail(id), other, steps)) return true;
    if (node.kind != Kind::kConcat || !nullable(last)) return false;
    other = tail(other);
  }
}

// The same without repetitions that add nothing to what is before them: by this, stacks are
// compared. They are not kept so, as that makes what is optional look different from what is not.
ExprId ExprPool::joined(ExprId id) {
  std::vector<ExprId> parts;
  for (ExprId at = id; at != kEpsilonId; at = tail(at)) {
    if (parts.size() == kMostComparisons) return id;
    parts.push_back(head(at));
  }
  const struct Joining {
    explicit Joining(bool& flag) : flag_(flag) { flag_ = true; }
    ~Joining() { flag_ = false; }
    bool& flag_;
  } joining(joining_);
  ExprId out = kEpsilonId;
  for (std::size_t i = parts.size(); i-- > 0;) out = concat(parts[i], out);
  return out;
}

// Drops alternatives after a repetition that say no more, after it, than others do.
bool ExprPool::drop_after(ExprId star, std::vector<ExprId>& ways) {
  std::vector<ExprId> forms(ways);
  for (ExprId& form : forms) form = joined(form);
  const std::size_t before = ways.size();
  for (std::size_t i = 0; i < ways.size();) {
    bool said = false;
    for (std::size_t k = 0; k < ways.size() && !said; ++k) {
      unsigned steps = 0;
      said = k != i && within_after(star, forms[i], forms[k], steps);
    }
    if (said) {
      ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(i));
      forms.erase(forms.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return ways.size() < before;
}

// What is left of an expression after a repetition that has some of its texts anyway.
ExprId ExprPool::after_star(ExprId star, ExprId id) {
  if (!nullable(head(id)) && node(head(id)).kind != Kind::kUnion) return id;
  const std::uint64_t key = pair_of(star, id);
  if (const auto it = after_star_.find(key); it != after_star_.end()) return it->second;
  ExprId out = id;
  while (out != kEpsilonId && nullable(head(out)) && free_of_context(out) &&
         covers(star, head(out))) {
    out = tail(out);
  }
  const Node& first = node(head(out));
  if (first.kind == Kind::kUnion && first.b <= kMostMembers && free_of_context(head(out))) {
    const auto all = members(first);
    std::vector<ExprId> left(all.begin(), all.end());
    if (drop_after(star, left)) out = concat(unite(left), tail(out));
  } else if (first.kind == Kind::kRepeat && first.min == 0 && first.max == 1) {
    std::vector<ExprId> left{kEpsilonId, ExprId{first.a}};
    if (drop_after(star, left) && left[0] == kEpsilonId) out = tail(out);
  }
  after_star_.emplace(key, out);
  return out;
}

// What is left of an expression before a repetition that has some of its texts anyway.
ExprId ExprPool::before_star(ExprId id, ExprId star) {
  if (!nullable(id) && node(id).kind != Kind::kUnion) return id;
  const std::uint64_t key = pair_of(star, id);
  if (const auto it = before_star_.find(key); it != before_star_.end()) return it->second;
  ExprId out = id;
  const Node& own = node(id);
  if (!free_of_context(id)) {
    out = id;
  } else if (nullable(id) && covers(star, id)) {
    out = kEpsilonId;
  } else if (own.kind == Kind::kUnion && own.b <= kMostMembers) {
    const auto all = members(own);
    std::vector<ExprId> left(all.begin(), all.end());
    std::vector<ExprId> then;
    for (ExprId member : left) then.push_back(concat(member, star));
    for (std::size_t i = 0; i < left.size();) {
      const bool said = std::ranges::any_of(then, [&](ExprId other) {
        unsigned steps = 0;
        return other != then[i] && within(left[i], other, steps);
      });
      if (said) {
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        then.erase(then.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (left.size() < all.size()) out = unite(left);
    if (out != id && nullable(out) && covers(star, out)) out = kEpsilonId;
  }
  before_star_.emplace(key, out);
  return out;
}

// Drops members that others say, by what they begin with and may do without.
void ExprPool::drop_within(std::vector<ExprId>& members) {
  if (members.size() > kMostMembers) return;
  std::sort(members.begin(), members.end(),
            [this](ExprId a, ExprId b) { return node(a).hash < node(b).hash; });
  for (std::size_t i = 0; i < members.size();) {
    const ExprId own = members[i];
    const bool said = std::ranges::any_of(members, [&](ExprId other) {
      unsigned steps = 0;
      return other != own && is_star(head(other)) && within(own, other, steps);
    });
    if (said) {
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

// Of x{j,k} (x{n})* without a gap, x{j,}; otherwise nothing.
ExprId ExprPool::all_times(ExprId id, ExprId star) {
  const Node own = node(id);
  const Node one = node(ExprId{node(star).a});
  if (own.kind != Kind::kRepeat || one.kind != Kind::kRepeat || own.a != one.a) return kEmptyId;
  if (one.min == 0 || own.max == kUnbounded || own.max - own.min < one.min - 1) return kEmptyId;
  return repeat(ExprId{own.a}, own.min, kUnbounded);
}

// Whether a repetition adds nothing to the texts of an expression: those of a rule that began with
// itself end with one already.
bool ExprPool::ends_with(ExprId id, ExprId star) {
  if (!is_star(star)) return false;
  const Node& own = node(id);
  const bool repeats = own.kind == Kind::kRepeat;
  if (repeats && own.min == 0) return false;
  const ExprId call = repeats ? ExprId{own.a} : id;
  if (node(call).kind != Kind::kCall || !defined(call)) return false;
  const std::uint64_t key = pair_of(star, call);
  if (const auto it = ended_.find(key); it != ended_.end()) return it->second;
  const ExprId body = this->body(call);
  const ExprId single[] = {body};
  const bool several = node(body).kind == Kind::kUnion;
  const auto ways = several ? members(node(body)) : std::span<const ExprId>(single);
  const bool found = std::ranges::all_of(ways, [&](ExprId at) {
    at = last_of(at);
    return at == star || absorbs(at, star);
  });
  ended_.emplace(key, found);
  return found;
}

ExprId ExprPool::last_of(ExprId id) const {
  while (node(id).kind == Kind::kConcat) id = ExprId{node(id).b};
  return id;
}

// Whether all alternatives become one part with what follows them: alternatives that do not are
// kept together, lest they be multiplied out.
bool ExprPool::joins(ExprId alternatives, ExprId next) {
  const Node& node = this->node(alternatives);
  if (node.kind != Kind::kUnion || node.b > kMostMembers || !(node.flags & kCalls)) return false;
  const Node& after = this->node(next);
  if (!(after.flags & kCalls)) return false;
  const ExprId base = after.kind == Kind::kRepeat ? ExprId{after.a} : next;
  return std::ranges::all_of(members(node), [&](ExprId member) {
    if (member == kEpsilonId) return true;
    const ExprId last = last_of(member);
    const Node& own = this->node(last);
    if ((own.kind == Kind::kRepeat ? ExprId{own.a} : last) == base) return true;
    return absorbs(last, next) || ends_with(last, next) || (is_star(last) && covers(last, next));
  });
}

// The places in a long concatenation of calls where its texts may begin, all before being empty. A
// part that comes again says nothing new: what follows it the first time has what follows it later.
std::vector<ExprId> ExprPool::beginnings(ExprId id) {
  // They are made of those of what it ends with.
  std::vector<ExprId> open;
  ExprId at = id;
  for (; at != kEpsilonId && !beginnings_.contains(index_of(at)); at = tail(at)) {
    open.push_back(at);
    if (!nullable(head(at))) break;
  }
  const bool ended = at == kEpsilonId || (!open.empty() && open.back() == at);
  std::vector<ExprId> out;
  if (!ended) out = beginnings_.find(index_of(at))->second;
  for (std::size_t i = open.size(); i-- > 0;) {
    const ExprId first = head(open[i]);
    std::erase_if(out, [&](ExprId other) { return head(other) == first; });
    out.insert(out.begin(), open[i]);
    if (out.size() > kMostBeginnings) {  // too many to keep them for each
      out.clear();
      for (at = id; at != kEpsilonId; at = tail(at)) {
        out.push_back(at);
        if (!nullable(head(at))) break;
      }
      return out;
    }
    beginnings_.emplace(index_of(open[i]), out);
    beginning_bytes_ += out.size() * sizeof(ExprId);
  }
  return out;
}

}  // namespace formgate
