// Any number of characters of a class, as they are or as JSON spells them. What is made of such
// characters adds nothing beside it: alternatives before what follows it, and repetitions that may
// be left out. So a search that has found what it looks for is any text from there on.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/json_spelling.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostMembers = 64;  // of a union that is looked through where more follows
constexpr unsigned kMostParts = 32;       // of a member
constexpr std::size_t kMostPairs = 512;   // of states of an automaton and what is left of a text

}  // namespace

// The class that an expression spells one character of; nothing for others.
std::optional<ExprPool::SpelledClass> ExprPool::spelled_class(ExprId id) {
  const auto known = spelled_classes_.find(index_of(id));
  if (known != spelled_classes_.end()) return known->second;
  const std::uint32_t own = class_of(id);
  if (own == kNoIndex) return std::nullopt;
  return SpelledClass{own, Spelling::kPlain};
}

// Whether an expression is any number of characters of a class.
bool ExprPool::repeats_characters(ExprId id) {
  const Node& star = node(id);
  return star.kind == Kind::kRepeat && star.min == 0 && star.max == kUnbounded &&
         spelled_class(ExprId{star.a});
}

// u x{a,b} K | u x{c,d} K becomes u x{a,max(b,d)} K where the intervals touch: words that may be
// told apart in many ways have been as many as they may be, or fewer.
void ExprPool::merge_counts(std::vector<ExprId>& members) {
  if (members.size() < 2) return;
  constexpr unsigned kMostBefore = 6;  // parts
  struct Item {
    std::uint64_t before;
    ExprId base;
    ExprId tail;
    std::uint32_t min;
    std::uint32_t max;
    ExprId id;
    ExprId counts;  // from where the count is
  };
  std::vector<Item> items;
  for (ExprId id : members) {
    Hasher before(0xC0);
    ExprId at = id;
    for (unsigned i = 0; i <= kMostBefore && at != kEpsilonId; ++i, at = tail(at)) {
      const Node& part = node(head(at));
      const bool counts =
          part.kind == Kind::kRepeat && (part.min > 1 || (part.max > 1 && part.max != kUnbounded));
      if (counts && i > 0) {
        items.push_back({before.finish().lo, ExprId{part.a}, tail(at), part.min, part.max, id, at});
      }
      if (counts) break;
      before.add(index_of(head(at)));
    }
  }
  if (items.size() < 2) return;
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::tie(a.before, a.base, a.tail, a.min, a.max) <
           std::tie(b.before, b.base, b.tail, b.min, b.max);
  });
  const auto alike = [this](const Item& a, const Item& b) {
    if (a.before != b.before || a.base != b.base || a.tail != b.tail) return false;
    ExprId one = a.id;
    ExprId other = b.id;
    while (one != a.counts && other != b.counts && head(one) == head(other)) {
      one = tail(one);
      other = tail(other);
    }
    return one == a.counts && other == b.counts;
  };
  for (std::size_t i = 0; i < items.size();) {
    Item merged = items[i++];
    bool changed = false;
    for (; i < items.size() && alike(merged, items[i]) &&
           (merged.max == kUnbounded || items[i].min <= merged.max + 1);
         ++i) {
      if (!changed) std::erase(members, merged.id);
      std::erase(members, items[i].id);
      merged.max = std::max(merged.max, items[i].max);
      changed = true;
    }
    if (!changed) continue;
    std::vector<ExprId> parts;
    for (ExprId at = merged.id; at != merged.counts; at = tail(at)) parts.push_back(head(at));
    ExprId out = concat(repeat(merged.base, merged.min, merged.max), merged.tail);
    for (std::size_t k = parts.size(); k-- > 0;) out = concat(parts[k], out);
    members.push_back(out);
  }
}

// Drops members that consist of characters of a class before what follows another member's
// repetition of it.
void ExprPool::drop_within_stars(std::vector<ExprId>& members) {
  const bool many = members.size() > kMostMembers;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ExprId keep = members[i];
    if (!repeats_characters(head(keep))) continue;
    const ExprId base{node(head(keep)).a};
    const ExprId rest = tail(keep);
    if (many && rest != kEpsilonId) continue;
    const auto within = [&](ExprId id) {
      if (id == keep) return false;
      if (rest == kEpsilonId) return made_of(id, base);
      for (unsigned parts = 0; parts < kMostParts; ++parts) {
        if (id == rest || id == keep) return true;
        if (id == kEpsilonId || !made_of(head(id), base)) return false;
        id = tail(id);
      }
      return false;
    };
    if (std::erase_if(members, within) == 0) continue;
    i = static_cast<std::size_t>(std::ranges::find(members, keep) - members.begin());
  }
}

// Whether all texts of an expression are made of characters as `base` spells them.
bool ExprPool::made_of(ExprId id, ExprId base) {
  const SpelledClass whole = *spelled_class(base);
  if (whole.spelling == Spelling::kPlain) return subset_of_star(id, whole.index);
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(id)) << 32) | index_of(base);
  if (const auto it = spelled_subset_.find(key); it != spelled_subset_.end()) return it->second;
  const Node node = this->node(id);
  const CharSet& all = classes_[whole.index];
  const auto every = [&](std::vector<ExprId> list) {
    return std::ranges::all_of(list, [&](ExprId m) { return made_of(m, base); });
  };
  const auto listed = [&] {
    const auto list = members(node);
    return std::vector<ExprId>(list.begin(), list.end());
  };
  bool inside = false;
  const auto own = spelled_class(id);
  if (own) {
    const CharSet& chars = classes_[own->index];
    inside = chars.subset_of(all) &&
             (own->spelling == whole.spelling ||
              (own->spelling == Spelling::kPlain && chars.subset_of(json_plain())));
  } else {
    switch (node.kind) {
      case Kind::kEmpty:
      case Kind::kEpsilon:
        inside = true;
        break;
      case Kind::kConcat:
        inside = true;
        for (ExprId at = id; inside && at != kEpsilonId; at = tail(at)) {
          inside = made_of(head(at), base);
        }
        break;
      case Kind::kRepeat:
        inside = every({ExprId{node.a}});
        break;
      case Kind::kUnion:
        inside = every(listed());
        break;
      case Kind::kAnd: {
        const std::vector<ExprId> list = listed();
        inside = std::ranges::any_of(list, [&](ExprId m) { return made_of(m, base); });
        break;
      }
      case Kind::kSpelled: {  // a whole text, that is
        const bool canonical = node.min != 0;
        inside = pending_[node.b].empty() && all == CharSet::all() &&
                 canonical == (whole.spelling == Spelling::kCanonical);
        break;
      }
      case Kind::kLeaf:
        inside = leaf_within(id, repeat(base, 0, kUnbounded));
        break;
      default:
        break;
    }
  }
  spelled_subset_.emplace(key, inside);
  return inside;
}

// Whether all texts of an automaton are of an expression, if that is soon seen: by following both.
bool ExprPool::leaf_within(ExprId leaf, ExprId whole) {
  const Node node = this->node(leaf);
  const LeafDfa& dfa = *automata_[node.a].dfa;
  std::vector<std::pair<std::uint32_t, ExprId>> work{{node.b, whole}};
  std::set<std::pair<std::uint32_t, ExprId>> seen(work.begin(), work.end());
  while (!work.empty()) {
    const auto [state, left] = work.back();
    work.pop_back();
    if ((dfa.accepting(state) && !nullable(left)) || seen.size() > kMostPairs) return false;
    const LinearForm form = linear_form(left);
    bool inside = true;
    dfa.for_each_edge(state, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
      ByteSet open = ByteSet::range(low, high);
      for (const LinearTerm& term : form) {
        if ((open & term.bytes).empty()) continue;
        open = open - term.bytes;
        if (seen.insert({target, term.target}).second) work.emplace_back(target, term.target);
      }
      inside = inside && open.empty();
    });
    if (!inside) return false;
  }
  return true;
}

}  // namespace formgate
