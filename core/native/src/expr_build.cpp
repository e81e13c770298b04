// Constructors of the expression pool: every expression is built in its simplified form.
#include <algorithm>
#include <array>
#include <tuple>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

// Flags a parent takes over from any child.
constexpr std::uint8_t kPassed = kLooks | kBoolean | kAround | kCalls | kCaptures;

// Largest finite count; sums beyond it are left unmerged rather than rounded.
constexpr std::uint64_t kMostCount = 0x7FFFFFFFull;

}  // namespace

ExprId ExprPool::bytes(const ByteSet& set) {
  if (set.empty()) return kEmptyId;
  Hasher hasher(seed(Kind::kBytes));
  for (unsigned i = 0; i < 4; ++i) hasher.add(set.word(i));
  Node node{};
  node.kind = Kind::kBytes;
  node.hash = hasher.finish();
  if (set.ascii_only()) node.flags = kText;
  auto& bucket = byte_set_index_[node.hash.lo];
  node.a = kNoIndex;
  for (std::uint32_t index : bucket) {
    if (byte_sets_[index] == set) node.a = index;
  }
  if (node.a == kNoIndex) {
    node.a = static_cast<std::uint32_t>(byte_sets_.size());
    byte_sets_.push_back(set);
    bucket.push_back(node.a);
  }
  return intern(node);
}

ExprId ExprPool::chars(const CharSet& set) {
  if (set.empty()) return kEmptyId;
  if (set.ascii_only()) return bytes(set.ascii());
  const std::uint32_t index = intern_class(set);
  const LeafDfa& dfa = class_automaton(index);
  return leaf(class_automata_.at(index), dfa.start());
}

ExprId ExprPool::json_chars(const CharSet& set, bool canonical) {
  if (set.empty()) return kEmptyId;
  const std::uint64_t key = (static_cast<std::uint64_t>(intern_class(set)) << 1) | canonical;
  if (const auto it = json_chars_.find(key); it != json_chars_.end()) return it->second;
  const LeafDfa escapes = json_escapes(set, canonical);
  const ExprId plain = chars(set.intersect(json_plain()));
  const ExprId out =
      escapes.empty() ? plain : unite(plain, strings(std::make_shared<const LeafDfa>(escapes)));
  json_chars_.emplace(key, out);
  if (class_of(out) == kNoIndex) {
    const Spelling spelling = canonical ? Spelling::kCanonical : Spelling::kJson;
    spelled_classes_.emplace(index_of(out), SpelledClass{intern_class(set), spelling});
  }
  return out;
}

ExprId ExprPool::literal(std::string_view text) {
  ExprId out = kEpsilonId;
  for (std::size_t i = text.size(); i-- > 0;) {
    ExprId& byte = single_bytes_[static_cast<std::uint8_t>(text[i])];
    if (byte == kEmptyId) byte = bytes(ByteSet::of(static_cast<std::uint8_t>(text[i])));
    out = concat(byte, out);
  }
  return out;
}

ExprId ExprPool::strings(std::shared_ptr<const LeafDfa> automaton) {
  if (automaton->empty()) return kEmptyId;
  const std::uint32_t start = automaton->start();
  return leaf(add_automaton(std::move(automaton), kNoIndex), start);
}

ExprId ExprPool::leaf(std::uint32_t automaton, std::uint32_t state) {
  const LeafDfa& dfa = *automata_[automaton].dfa;
  const bool accepting = dfa.accepting(state);
  if (!dfa.has_edges(state)) return accepting ? kEpsilonId : kEmptyId;
  Node node{};
  node.kind = Kind::kLeaf;
  node.a = automaton;
  node.b = state;
  if (accepting) node.flags |= kNullable;
  // Literal sets come from text or bytes; classes and ASCII are well-formed throughout.
  const bool whole_class = automata_[automaton].class_index != kNoIndex && state == dfa.start();
  if (whole_class || dfa.ascii_only()) node.flags |= kText;
  node.hash = Hasher(seed(Kind::kLeaf)).add(dfa.hash()).add(state).finish();
  return intern(node);
}

ExprId ExprPool::concat(ExprId head, ExprId tail) {
  if (head == kEmptyId || tail == kEmptyId) return kEmptyId;
  if (head == kEpsilonId) return tail;
  if (tail == kEpsilonId) return head;
  if (node(head).kind != Kind::kConcat) return prepend(head, tail);
  std::array<ExprId, 16> spine;  // mostly all of it
  std::size_t count = 0;
  std::vector<ExprId> more;
  for (; node(head).kind == Kind::kConcat; head = ExprId{node(head).b}) {
    if (count < spine.size()) {
      spine[count++] = ExprId{node(head).a};
    } else {
      more.push_back(ExprId{node(head).a});
    }
  }
  ExprId out = prepend(head, tail);
  for (std::size_t i = more.size(); i-- > 0;) out = prepend(more[i], out);
  for (std::size_t i = count; i-- > 0;) out = prepend(spine[i], out);
  return out;
}

// Puts a head that is no concatenation before a non-empty tail; x{a,b} x{c,d} becomes x{a+c,b+d}.
ExprId ExprPool::prepend(ExprId head, ExprId tail) {
  if (tail == kAllId) {  // which takes whatever may be left out before it
    if (nullable(head)) return kAllId;
    const Node own = node(head);
    if (own.kind == Kind::kRepeat && own.max != own.min) {
      return concat(repeat(ExprId{own.a}, own.min, own.min), tail);
    }
  }
  const ExprId next = this->head(tail);
  const Node& first = node(head);
  const Node& second = node(next);
  const bool first_repeats = first.kind == Kind::kRepeat;
  const bool second_repeats = second.kind == Kind::kRepeat;
  const ExprId first_base = first_repeats ? ExprId{first.a} : head;
  const ExprId second_base = second_repeats ? ExprId{second.a} : next;
  if (first_base == second_base) {
    const std::uint64_t min =
        (first_repeats ? first.min : 1ull) + (second_repeats ? second.min : 1);
    const bool unbounded =
        (first_repeats && first.max == kUnbounded) || (second_repeats && second.max == kUnbounded);
    const std::uint64_t max =
        (first_repeats ? first.max : 1ull) + (second_repeats ? second.max : 1ull);
    if (min <= kMostCount && (unbounded || max <= kMostCount)) {
      const ExprId merged = repeat(first_base, static_cast<std::uint32_t>(min),
                                   unbounded ? kUnbounded : static_cast<std::uint32_t>(max));
      const ExprId rest = this->tail(tail);
      return rest == kEpsilonId ? merged : concat(merged, rest);
    }
  }
  if (first_repeats && second_repeats) {
    // What may be left out and is made of characters that may come anyway adds nothing.
    if (first.min == 0 && repeats_characters(next) && made_of(first_base, second_base)) {
      return tail;
    }
    if (second.min == 0 && repeats_characters(head) && made_of(second_base, first_base)) {
      const ExprId rest = this->tail(tail);
      return rest == kEpsilonId ? head : concat(head, rest);
    }
  }
  if (first.flags & second.flags & kCalls) {
    if (absorbs(head, next) || (joining_ && ends_with(head, next))) {
      const ExprId rest = this->tail(tail);
      return rest == kEpsilonId ? head : concat(head, rest);
    }
  }
  // Without rules there are finitely many derivatives anyway.
  const bool absorbing = this->absorbing() && node(tail).flags & kCalls;
  if (absorbing && joins(head, next)) {
    const auto span = members(first);
    std::vector<ExprId> ways(span.begin(), span.end());
    for (ExprId& way : ways) way = concat(way, tail);
    return unite(ways);
  }
  if (absorbing && is_star(next)) {
    const ExprId before = before_star(head, next);
    if (before != head) return concat(before, tail);
    if (const ExprId all = all_times(head, next); all != kEmptyId) {
      return concat(all, this->tail(tail));
    }
  }
  if (absorbing && is_star(head)) {
    const ExprId rest = after_star(head, tail);
    if (rest != tail) return rest == kEpsilonId ? head : concat(head, rest);
  }
  Node node{};
  node.kind = Kind::kConcat;
  node.a = index_of(head);
  node.b = index_of(tail);
  const Node& last = this->node(tail);
  node.flags = static_cast<std::uint8_t>((first.flags & last.flags & (kNullable | kText)) |
                                         ((first.flags | last.flags) & kPassed));
  node.behinds = first.behinds | last.behinds;
  node.depth = std::max(first.depth, last.depth);
  node.hash = Hasher(seed(Kind::kConcat)).add(first.hash).add(last.hash).finish();
  return intern(node);
}

ExprId ExprPool::unite(ExprId a, ExprId b) {
  const ExprId members[] = {a, b};
  return unite(members);
}

// x{a,b} K | x{c,d} K becomes x{a,max(b,d)} K where the intervals touch, and byte sets before the
// same tail become one. Without this, ".*a.{200}" would carry up to 200 members.
void ExprPool::merge_repeats(std::vector<ExprId>& members) {
  struct Item {
    std::uint32_t tail;
    std::uint32_t base;
    std::uint32_t min;
    std::uint32_t max;
    ExprId id;
  };
  std::vector<Item> items;
  items.reserve(members.size());
  for (ExprId id : members) {
    const Node& first = node(head(id));
    const bool repeats = first.kind == Kind::kRepeat;
    items.push_back({index_of(tail(id)), repeats ? first.a : index_of(head(id)),
                     repeats ? first.min : 1, repeats ? first.max : 1, id});
  }
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::tie(a.tail, a.base, a.min, a.max) < std::tie(b.tail, b.base, b.min, b.max);
  });
  members.clear();
  for (std::size_t i = 0; i < items.size();) {
    Item merged = items[i++];
    bool changed = false;
    while (i < items.size() && items[i].tail == merged.tail && items[i].base == merged.base &&
           (merged.max == kUnbounded || items[i].min <= merged.max + 1)) {
      merged.max = std::max(merged.max, items[i].max);
      changed = true;
      ++i;
    }
    members.push_back(
        changed ? concat(repeat(ExprId{merged.base}, merged.min, merged.max), ExprId{merged.tail})
                : merged.id);
  }
  // Byte sets before equal tails.
  const auto begins_with_bytes = [this](ExprId id) { return node(head(id)).kind == Kind::kBytes; };
  if (std::ranges::count_if(members, begins_with_bytes) < 2) return;
  std::vector<std::pair<std::uint32_t, ExprId>> sets;
  std::vector<ExprId> rest;
  sets.reserve(members.size());
  rest.reserve(members.size());
  for (ExprId id : members) {
    if (begins_with_bytes(id)) {
      sets.emplace_back(index_of(tail(id)), id);
    } else {
      rest.push_back(id);
    }
  }
  std::sort(sets.begin(), sets.end());
  for (std::size_t i = 0; i < sets.size();) {
    ByteSet set;
    const std::uint32_t tail = sets[i].first;
    for (; i < sets.size() && sets[i].first == tail; ++i) {
      set = set | byte_set(node(head(sets[i].second)));
    }
    rest.push_back(concat(bytes(set), ExprId{tail}));
  }
  members = std::move(rest);
}

// Alternatives of an ambiguous grammar overlap so much that sorting them all would take the time.
void ExprPool::drop_repeated(std::vector<ExprId>& members) {
  constexpr std::size_t kMany = 64;
  if (members.size() < kMany) return;
  if (marks_.size() < nodes_.size()) marks_.resize(nodes_.size() + nodes_.size() / 4, 0);
  if (++mark_ == 0) {
    std::ranges::fill(marks_, 0);
    mark_ = 1;
  }
  std::erase_if(members,
                [this](ExprId id) { return std::exchange(marks_[index_of(id)], mark_) == mark_; });
}

// The union of what is given, if that is no union of several: their members otherwise.
std::optional<ExprId> ExprPool::simple_union(std::span<const ExprId> given,
                                             std::vector<ExprId>& members) {
  members.clear();
  members.reserve(given.size());
  for (ExprId id : given) {
    if (id == kEmptyId) continue;
    if (node(id).kind == Kind::kUnion) {
      const auto inner = this->members(node(id));
      members.insert(members.end(), inner.begin(), inner.end());
    } else {
      members.push_back(id);
    }
  }
  drop_repeated(members);
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (members.empty()) return kEmptyId;
  if (members.size() == 1) return members[0];
  if (std::binary_search(members.begin(), members.end(), kAllId)) return kAllId;
  if (members.size() == 2 && members[0] == kEpsilonId) {
    return nullable(members[1]) ? members[1] : repeat(members[1], 0, 1);
  }
  return std::nullopt;
}

ExprId ExprPool::unite(std::span<const ExprId> given) {
  std::vector<ExprId> members;
  if (const std::optional<ExprId> known = simple_union(given, members)) return *known;
  const bool calls =
      std::ranges::any_of(members, [this](ExprId id) { return node(id).flags & kCalls; });
  if (!calls) return unite_members(std::move(members));
  drop_within_stars(members);  // before what begins alike is put together
  return members.size() == 1 ? members[0] : unite_stacks(std::move(members));
}

ExprId ExprPool::unite_members(std::vector<ExprId> members) {
  merge_repeats(members);
  merge_counts(members);
  drop_within_stars(members);  // of merged repetitions, too
  if (std::ranges::any_of(members, [&](ExprId id) { return id != kEpsilonId && nullable(id); })) {
    std::erase(members, kEpsilonId);
  }
  if (deriving_ > 0 && std::ranges::any_of(members, [this](ExprId id) {
        return node(id).flags & kCalls && is_star(head(id));
      })) {
    drop_within(members);
  }
  if (members.size() == 1) return members[0];
  std::sort(members.begin(), members.end(),
            [this](ExprId a, ExprId b) { return node(a).hash < node(b).hash; });
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (members.size() == 1) return members[0];
  if (members.size() == 2 && (members[0] == kEpsilonId || members[1] == kEpsilonId)) {
    return repeat(members[members[0] == kEpsilonId ? 1 : 0], 0, 1);
  }
  Node node{};
  node.kind = Kind::kUnion;
  node.flags = kText;
  Hasher hasher(seed(Kind::kUnion));
  for (ExprId id : members) {
    const Node& member = this->node(id);
    node.flags |= member.flags & (kPassed | kNullable);
    if (!(member.flags & kText)) node.flags &= static_cast<std::uint8_t>(~kText);
    node.behinds |= member.behinds;
    node.depth = std::max(node.depth, deeper(member.depth));
    hasher.add(member.hash);
  }
  node.hash = hasher.finish();
  return intern(node, std::move(members));
}

// (y{a,b}){m,n} is y{ma,nb} when the attainable counts have no gap.
bool ExprPool::nested_repeat(ExprId child, std::uint32_t& min, std::uint32_t& max,
                             ExprId& base) const {
  const Node& inner = node(child);
  if (inner.kind != Kind::kRepeat || (inner.flags & kLooks) || inner.behinds) return false;
  const std::uint64_t a = inner.min;
  const std::uint64_t b = inner.max;
  const bool inner_unbounded = inner.max == kUnbounded;
  const std::uint64_t k = min;  // the gap after k repetitions is the widest at the smallest k
  const bool gapless =
      min == max || (k == 0 ? a <= 1 : inner_unbounded || a * (k + 1) <= b * k + 1);
  if (!gapless) return false;
  const std::uint64_t low = a * min;
  const bool unbounded = inner_unbounded || max == kUnbounded;
  if (low > kMostCount || (!unbounded && b * max > kMostCount)) return false;
  base = ExprId{inner.a};
  min = static_cast<std::uint32_t>(low);
  max = unbounded ? kUnbounded : static_cast<std::uint32_t>(b * max);
  return true;
}

ExprId ExprPool::repeat(ExprId child, std::uint32_t min, std::uint32_t max) {
  if (max == 0) return kEpsilonId;
  if (child == kEmptyId) return min == 0 ? kEpsilonId : kEmptyId;
  if (child == kEpsilonId || (min == 1 && max == 1)) return child;
  if (nullable(child)) min = 0;
  // Z[a,a] Z[a,a] is within Z[a,a] (calls.cpp).
  if (const Path* path = path_of(child); path && path->from == path->to) {
    max = std::max(min, 1u);
    if (min == 1) return child;
  }
  ExprId base = child;
  if (nested_repeat(child, min, max, base)) return repeat(base, min, max);
  Node node{};
  node.kind = Kind::kRepeat;
  const Node& inner = this->node(child);
  node.a = index_of(child);
  node.min = min;
  node.max = max;
  node.flags =
      static_cast<std::uint8_t>((inner.flags & (kPassed | kText)) | (min == 0 ? kNullable : 0));
  node.behinds = inner.behinds;
  node.depth = deeper(inner.depth);
  node.hash = Hasher(seed(Kind::kRepeat)).add(inner.hash).add(min).add(max).finish();
  if (child == ExprId{this->node(kAllId).a} && min == 0 && max == kUnbounded) return kAllId;
  if (child == ExprId{this->node(kTextId).a} && min == 0 && max == kUnbounded) return kTextId;
  return intern(node);
}

bool ExprPool::subset_of_star(ExprId id, std::uint32_t class_index) {
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(id)) << 32) | class_index;
  if (auto it = subset_.find(key); it != subset_.end()) return it->second;
  const Node& node = this->node(id);
  bool inside = false;
  const auto every = [&](std::span<const ExprId> list) {
    return std::ranges::all_of(list, [&](ExprId m) { return subset_of_star(m, class_index); });
  };
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
    case Kind::kLook:
    case Kind::kBehind:
      inside = true;
      break;
    case Kind::kBytes:
    case Kind::kLeaf: {
      const std::uint32_t own = class_of(id);
      inside = own != kNoIndex && classes_[own].subset_of(classes_[class_index]);
      break;
    }
    case Kind::kConcat: {
      inside = true;
      ExprId rest = id;
      for (; inside && this->node(rest).kind == Kind::kConcat; rest = ExprId{this->node(rest).b}) {
        inside = subset_of_star(ExprId{this->node(rest).a}, class_index);
      }
      inside = inside && subset_of_star(rest, class_index);
      break;
    }
    case Kind::kRepeat:
      inside = subset_of_star(ExprId{node.a}, class_index);
      break;
    case Kind::kUnion:
      inside = every(std::vector<ExprId>(members(node).begin(), members(node).end()));
      break;
    case Kind::kAnd:
      inside = std::ranges::any_of(members(node),
                                   [&](ExprId m) { return subset_of_star(m, class_index); });
      break;
    case Kind::kNot:
    case Kind::kCall:
    case Kind::kLexed:
    case Kind::kKeyed:
    case Kind::kSpelled:
      break;
    case Kind::kScope:
      inside = subset_of_star(members(node)[0], class_index);
      break;
  }
  subset_.emplace(key, inside);
  return inside;
}

}  // namespace formgate
