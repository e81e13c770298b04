// Constructors of Boolean operators and look-around, and the form such languages are kept in.
#include <algorithm>
#include <array>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {

namespace {

// What may come out differently when more is known.
constexpr std::uint8_t kOdd = kCalls | kLooks | kAround;

}  // namespace

ExprId ExprPool::intersect(ExprId a, ExprId b) {
  const auto [first, last] = std::minmax(a, b);
  if (const ExprId* known = met_.find(last, index_of(first))) return *known;
  const ExprId members[] = {first, last};
  const ExprId out = intersect(members);
  if (!((node(first).flags | node(last).flags) & kOdd)) met_.put(last, index_of(first), out);
  return out;
}

// In products the same few intersections are asked for again and again: in each state by most of
// its edges. What calls are involved in may come out differently when more is known.
ExprId ExprPool::intersect(std::span<const ExprId> given) {
  constexpr std::size_t kMostKept = 8;
  const auto odd = [this](ExprId id) { return (node(id).flags & kOdd) != 0; };
  if (given.size() < 2 || given.size() > kMostKept || std::ranges::any_of(given, odd)) {
    return new_intersection(given);
  }
  std::array<ExprId, kMostKept> sorted{};
  std::ranges::copy(given, sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(given.size()));
  Hasher hasher(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) hasher.add(index_of(sorted[i]));
  const Hash128 key = hasher.finish();
  if (const auto it = intersections_.find(key); it != intersections_.end()) return it->second;
  const ExprId out = new_intersection(given);
  intersections_.emplace(key, out);
  return out;
}

ExprId ExprPool::new_intersection(std::span<const ExprId> given) {
  std::vector<ExprId> members;
  for (ExprId part : given) {
    const ExprId id = as_language(part);
    if (node(id).kind == Kind::kAnd) {
      const auto inner = this->members(node(id));
      members.insert(members.end(), inner.begin(), inner.end());
    } else {
      members.push_back(id);
    }
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::erase(members, kAllId);
  if (members.empty()) return kAllId;
  if (members[0] == kEmptyId) return kEmptyId;
  const bool text = std::ranges::any_of(
      members, [this](ExprId id) { return id != kTextId && (node(id).flags & kText); });
  if (text) {
    std::erase(members, kTextId);
    // Well-formed text and "not well-formed text" have nothing in common.
    for (ExprId id : members) {
      if (node(id).kind == Kind::kNot && ExprId{node(id).a} == kTextId) return kEmptyId;
    }
  }
  for (ExprId id : members) {
    if (node(id).kind == Kind::kNot &&
        std::binary_search(members.begin(), members.end(), ExprId{node(id).a})) {
      return kEmptyId;
    }
  }
  if (const auto fewer = without_idle_counts(members)) return *fewer;
  if (const auto spread = distribute(members)) return *spread;
  // A single member with free look-ahead keeps its intersection: the rest of the text that the
  // look-ahead sees ends where the intersection ends.
  if (members.size() == 1 && !(node(members[0]).flags & kLooks)) return members[0];
  // The empty text, and single characters, meet the rest at once.
  if (members[0] == kEpsilonId &&
      std::ranges::all_of(members, [this](ExprId id) { return free_of_context(id); })) {
    return std::ranges::all_of(members, [this](ExprId id) { return nullable(id); }) ? kEpsilonId
                                                                                    : kEmptyId;
  }
  std::uint32_t index = kNoIndex;
  std::vector<ExprId> rest;
  for (ExprId id : members) {
    const std::uint32_t own = class_of(id);
    if (own == kNoIndex) {
      rest.push_back(id);
    } else if (index == kNoIndex) {
      index = own;
    } else {
      index = intern_class(classes_[index].intersect(classes_[own]));
    }
  }
  if (rest.size() + 1 < members.size() && index != kNoIndex) {
    rest.push_back(chars(classes_[index]));
    return intersect(rest);
  }
  // What is demanded of the text after a lexeme must leave some text.
  const auto lexed = [this](ExprId id) {
    constexpr std::uint8_t kBetween = kCalls | kText;
    return (node(id).flags & kBetween) == kBetween;
  };
  if (std::ranges::any_of(members, lexed)) {
    std::vector<ExprId> demands = members;
    std::erase_if(demands, lexed);
    demands.push_back(kTextId);
    if (!found_live(intersect(demands))) return kEmptyId;
  }
  std::sort(members.begin(), members.end(),
            [this](ExprId a, ExprId b) { return node(a).hash < node(b).hash; });
  Node node{};
  node.kind = Kind::kAnd;
  node.flags = kBoolean;
  Hasher hasher(seed(Kind::kAnd));
  bool all_nullable = true;
  for (ExprId id : members) {
    const Node& member = this->node(id);
    node.behinds |= member.behinds;
    node.flags |= member.flags & (kText | kAround | kCalls);
    node.depth = std::max(node.depth, deeper(member.depth));
    hasher.add(member.hash);
  }
  for (ExprId id : members) {
    all_nullable = all_nullable && (this->node(id).behinds ? nullable(id) : nullable_here(id, 0));
  }
  if (all_nullable) node.flags |= kNullable;
  node.hash = hasher.finish();
  return intern(node, std::move(members));
}

ExprId ExprPool::complement(ExprId given) {
  const ExprId child = as_language(given);
  const Node& inner = node(child);
  if (inner.kind == Kind::kNot) {
    const ExprId twice[] = {ExprId{inner.a}};
    return intersect(twice);
  }
  if (child == kEmptyId) return kAllId;
  if (child == kAllId) return kEmptyId;
  Node node{};
  node.kind = Kind::kNot;
  node.a = index_of(child);
  node.flags = static_cast<std::uint8_t>(kBoolean | (inner.flags & kAround));
  node.behinds = inner.behinds;
  node.depth = deeper(inner.depth);
  if (!inner.behinds && !nullable_here(child, 0)) node.flags |= kNullable;
  node.hash = Hasher(seed(Kind::kNot)).add(this->node(child).hash).finish();
  return intern(node);
}

ExprId ExprPool::look(ExprId given) {
  const ExprId rest = as_language(given);
  if (rest == kAllId) return kEpsilonId;
  if (rest == kEmptyId) return kEmptyId;
  Node node{};
  node.kind = Kind::kLook;
  node.a = index_of(rest);
  node.flags = kLooks | kText | kAround;
  node.behinds = this->node(rest).behinds;
  node.depth = deeper(this->node(rest).depth);
  node.hash = Hasher(seed(Kind::kLook)).add(this->node(rest).hash).finish();
  return intern(node);
}

ExprId ExprPool::behind(std::uint32_t tracker, bool negated) {
  Node node{};
  node.kind = Kind::kBehind;
  node.a = tracker;
  node.b = negated ? 1 : 0;
  node.flags = kText | kAround;
  node.behinds = 1u << tracker;
  node.hash = Hasher(seed(Kind::kBehind)).add(tracker).add(node.b).finish();
  return intern(node);
}

ExprId ExprPool::scope(ExprId text, std::span<const ExprId> given) {
  const ExprId body = as_language(text);
  if (free_of_context(body)) return body;
  std::vector<ExprId> members{body};
  members.insert(members.end(), given.begin(), given.end());
  // A tracker nobody refers to any more is dropped, so that states which differ only in it agree.
  std::uint32_t used = node(body).behinds;
  for (std::size_t i = given.size(); i-- > 0;) {
    if (used >> i & 1) {
      used |= node(given[i]).behinds;
    } else {
      members[i + 1] = kEmptyId;
    }
  }
  while (members.size() > 1 && members.back() == kEmptyId && !(used >> (members.size() - 2) & 1)) {
    members.pop_back();
  }
  Node node{};
  node.kind = Kind::kScope;
  node.flags = static_cast<std::uint8_t>(kBoolean | (this->node(body).flags & kText));
  Hasher hasher(seed(Kind::kScope));
  for (ExprId id : members) {
    hasher.add(this->node(id).hash);
    node.depth = std::max(node.depth, deeper(this->node(id).depth));
  }
  const std::uint32_t truths = tracker_truths(std::span(members).subspan(1));
  if (nullable_here(body, truths)) node.flags |= kNullable;
  node.hash = hasher.finish();
  return intern(node, std::move(members));
}

// --- the normal form of a language that has look-around ---
//
// The rest of a text is constrained by unions of intersections, whose members are what look-around
// demands of it and what is left of the expression. Derivatives of an intersection of such unions
// nest one level deeper with every character, without end, unless they are brought back to one
// form: a union of intersections of which none includes another.

// An intersection of one member ends where the language ends, so there it adds nothing.
ExprId ExprPool::as_language(ExprId id) {
  const Node& node = this->node(id);
  if (!(node.flags & kAround)) return id;
  if (node.kind == Kind::kAnd) return node.b == 1 ? members(node)[0] : id;
  if (node.kind != Kind::kUnion) return id;
  std::vector<ExprId> parts;
  bool sealed = false;
  for (ExprId member : members(node)) {
    const Node& inner = this->node(member);
    const bool single = inner.kind == Kind::kAnd && inner.b == 1;
    sealed = sealed || inner.kind == Kind::kAnd;
    parts.push_back(single ? members(inner)[0] : member);
  }
  if (!sealed) return id;
  absorb(parts);
  return unite(parts);
}

// Drops the intersections that demand more than another part does.
void ExprPool::absorb(std::vector<ExprId>& parts) const {
  std::vector<std::vector<ExprId>> sets;
  for (ExprId part : parts) {
    const Node& node = this->node(part);
    std::vector<ExprId> set{part};
    if (node.kind == Kind::kAnd) set.assign(members(node).begin(), members(node).end());
    std::sort(set.begin(), set.end());
    sets.push_back(std::move(set));
  }
  // What a set includes begins with one of its members.
  std::vector<std::pair<ExprId, std::size_t>> by_first;
  for (std::size_t i = 0; i < sets.size(); ++i) by_first.emplace_back(sets[i].front(), i);
  std::sort(by_first.begin(), by_first.end());
  std::vector<ExprId> kept;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool needed = true;
    for (std::size_t k = 0; needed && k < sets[i].size(); ++k) {
      auto it = std::lower_bound(by_first.begin(), by_first.end(),
                                 std::pair<ExprId, std::size_t>(sets[i][k], 0));
      for (; needed && it != by_first.end() && it->first == sets[i][k]; ++it) {
        if (active_) active_->tick();
        const std::size_t j = it->second;
        if (i == j || sets[j].size() > sets[i].size() || (sets[j] == sets[i] && i < j)) continue;
        needed = !std::ranges::includes(sets[i], sets[j]);
      }
    }
    if (needed) kept.push_back(parts[i]);
  }
  parts = std::move(kept);
}

// The union that an intersection of unions is, where one of them has look-around of this language.
std::optional<ExprId> ExprPool::distribute(const std::vector<ExprId>& members) {
  const auto spreads = [this](ExprId id) {
    const Node& node = this->node(id);
    return node.kind == Kind::kUnion && (node.flags & kAround) &&
           (!free_of_context(id) || std::ranges::any_of(this->members(node), [this](ExprId m) {
             return this->node(m).kind == Kind::kAnd && (this->node(m).flags & kAround);
           }));
  };
  const auto first = std::ranges::find_if(members, spreads);
  if (first == members.end()) return std::nullopt;
  if (active_) active_->tick();
  std::vector<ExprId> parts;
  for (ExprId part : this->members(node(*first))) {
    std::vector<ExprId> both = members;
    both[static_cast<std::size_t>(first - members.begin())] = part;
    const ExprId met = intersect(both);  // which spreads over the next union
    if (node(met).kind == Kind::kUnion) {
      parts.insert(parts.end(), this->members(node(met)).begin(), this->members(node(met)).end());
    } else if (met != kEmptyId) {
      parts.push_back(met);
    }
  }
  absorb(parts);
  return unite(parts);
}

}  // namespace formgate
