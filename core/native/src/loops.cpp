// Which characters leave a state alive, so that walks need not look at text made of them.
//
// A state that starts with a repeated class stays alive on any text of the class, up to its count.
// For Boolean states that is not enough: what matters is that every intermediate state is alive. A
// character that leads from a state back to itself is harmless, and so is one that only counts down
// members of an intersection, as long as the counted-down intersections are alive.
#include <algorithm>
#include <array>
#include <map>

#include "formgate/buckets.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {

LoopSet ExprPool::loop_of_state(ExprId id) {
  const Kind kind = node(id).kind;
  if (kind == Kind::kAnd) {
    return node(id).flags & kCalls ? LoopSet{} : loop_of_intersection(id);
  }
  if (kind == Kind::kScope || kind == Kind::kNot) {
    const std::uint32_t index = self_loop(id);
    return index == kNoIndex ? LoopSet{} : class_loop(index);
  }
  const ExprId single[] = {id};
  const std::span<const ExprId> items =
      kind == Kind::kUnion ? members(node(id)) : std::span<const ExprId>(single);
  LoopSet best;
  const auto take = [&](const LoopSet& own) {
    if (items.size() == 1 || own.weight() > best.weight()) best = own;
  };
  // Any one member that stays alive keeps the union alive; a few members are enough to look at.
  for (std::size_t i = 0; i < items.size() && i < 8; ++i) {
    if (!live(items[i])) continue;
    const Node& first = node(head(items[i]));
    if (first.kind == Kind::kSpelled) {
      take(spelled_loop(head(items[i])));
      continue;
    }
    const bool repeats = first.kind == Kind::kRepeat;
    const std::uint32_t index =
        repeats ? loop_of(ExprId{first.a}).class_index : class_of(head(items[i]));
    if (index == kNoIndex) continue;
    LoopSet own = class_loop(index);
    own.limit = repeats ? first.max : 1;
    take(own);
  }
  return best;
}

ExprPool::Loop ExprPool::loop_of(ExprId base) {
  if (auto it = loops_.find(index_of(base)); it != loops_.end()) return it->second;
  Loop loop{class_of(base), kEmptyId};
  if (loop.class_index == kNoIndex && node(base).kind == Kind::kUnion) {
    std::vector<Interval> intervals;
    std::vector<ExprId> rest;
    for (ExprId member : members(node(base))) {
      const std::uint32_t index = class_of(member);
      if (index == kNoIndex) {
        rest.push_back(member);
      } else {
        const auto& own = classes_[index].intervals();
        intervals.insert(intervals.end(), own.begin(), own.end());
      }
    }
    if (!intervals.empty()) loop.class_index = intern_class(CharSet(std::move(intervals)));
    loop.rest = unite(rest);
  }
  loops_.emplace(index_of(base), loop);
  return loop;
}

const LoopSet& ExprPool::class_loop(std::uint32_t class_index) {
  auto [it, fresh] = class_loops_.try_emplace(class_index);
  if (fresh) {
    const CharSet& set = classes_[class_index];
    it->second.buckets = buckets_inside(set) | kAsciiBuckets;
    const ByteSet ascii = set.ascii();
    it->second.ascii = {ascii.word(0), ascii.word(1)};
    it->second.limit = kUnbounded;
  }
  return it->second;
}

// The class of characters that lead from a state back to itself; kNoIndex when there are none.
std::uint32_t ExprPool::self_loop(ExprId id) {
  if (auto it = self_loops_.find(index_of(id)); it != self_loops_.end()) return it->second;
  using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  std::map<std::pair<std::uint32_t, unsigned>, Ranges> memo;
  // Values that `rest` continuation bytes spell on the way from `state` back to `id`.
  const auto suffix = [&](auto&& self, ExprId state, unsigned rest) -> const Ranges& {
    auto [it, fresh] = memo.try_emplace({index_of(state), rest});
    if (!fresh) return it->second;
    Ranges out;
    const std::uint32_t span = 1u << (6 * (rest - 1));
    for (const LinearTerm& term : linear_form(state)) {
      if (rest == 1 && term.target != id) continue;
      for (std::uint32_t b = 0x80; b < 0xC0; ++b) {
        if (!term.bytes.contains(static_cast<std::uint8_t>(b))) continue;
        const std::uint32_t base = (b & 0x3F) * span;
        if (rest == 1) {
          out.emplace_back(base, base);
        } else {
          for (const auto& [low, high] : self(self, term.target, rest - 1)) {
            out.emplace_back(base + low, base + high);
          }
        }
      }
    }
    std::sort(out.begin(), out.end());
    Ranges merged;
    for (const auto& [low, high] : out) {
      if (!merged.empty() && merged.back().second + 1 == low) {
        merged.back().second = high;
      } else {
        merged.emplace_back(low, high);
      }
    }
    Ranges& slot = memo[{index_of(state), rest}];
    slot = std::move(merged);
    return slot;
  };
  std::vector<Interval> found;
  for (const LinearTerm& term : linear_form(id)) {
    term.bytes.for_each([&](std::uint8_t b) {
      if (b < 0x80) {
        if (term.target == id) found.push_back({b, b});
        return;
      }
      if (b < 0xC2 || b > 0xF4) return;
      const unsigned rest = b < 0xE0 ? 1 : b < 0xF0 ? 2 : 3;
      // Overlong spellings are no characters.
      const std::uint32_t least = rest == 1 ? 0x80 : rest == 2 ? 0x800 : 0x10000;
      const std::uint32_t base = (b & (0x3Fu >> rest)) << (6 * rest);
      for (const auto& [low, high] : suffix(suffix, term.target, rest)) {
        if (base + high >= least) found.push_back({std::max(base + low, least), base + high});
      }
    });
  }
  const std::uint32_t index = found.empty() ? kNoIndex : intern_class(CharSet(std::move(found)));
  self_loops_.emplace(index_of(id), index);
  return index;
}

// Collects where the characters that begin with a byte of a range lead, further bytes being in
// `rest`; false if some of them lead nowhere.
bool ExprPool::characters_lead_on(ExprId state, std::uint8_t low, std::uint8_t high,
                                  std::span<const std::pair<std::uint8_t, std::uint8_t>> rest,
                                  std::vector<ExprId>& targets) {
  const ByteSet wanted = ByteSet::range(low, high);
  ByteSet found;
  const LinearForm form = linear_form(state);
  for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
    if ((term.bytes & wanted).empty()) continue;
    if (rest.empty() ? live(term.target)
                     : characters_lead_on(term.target, rest[0].first, rest[0].second,
                                          rest.subspan(1), targets)) {
      found = found | (term.bytes & wanted);
      if (rest.empty()) targets.push_back(term.target);
    }
  }
  return found == wanted;
}

// The same for all characters beyond ASCII but U+2028 and U+2029, which end lines in ECMA-262.
bool ExprPool::beyond_ascii_leads_on(ExprId state, std::vector<ExprId>& targets) {
  using Range = std::pair<std::uint8_t, std::uint8_t>;
  constexpr Range kAny{0x80, 0xBF};
  struct Characters {
    Range first;
    std::array<Range, 3> rest;
    std::size_t size;
  };
  // Well-formed UTF-8 (Unicode 15, table 3-7).
  static constexpr Characters kBeyondAscii[] = {
      {{0xC2, 0xDF}, {{kAny}}, 1},
      {{0xE0, 0xE0}, {{{0xA0, 0xBF}, kAny}}, 2},
      {{0xE1, 0xE1}, {{kAny, kAny}}, 2},
      {{0xE2, 0xE2}, {{{0x80, 0x80}, {0x80, 0xA7}}}, 2},
      {{0xE2, 0xE2}, {{{0x80, 0x80}, {0xAA, 0xBF}}}, 2},
      {{0xE2, 0xE2}, {{{0x81, 0xBF}, kAny}}, 2},
      {{0xE3, 0xEC}, {{kAny, kAny}}, 2},
      {{0xED, 0xED}, {{{0x80, 0x9F}, kAny}}, 2},
      {{0xEE, 0xEF}, {{kAny, kAny}}, 2},
      {{0xF0, 0xF0}, {{{0x90, 0xBF}, kAny, kAny}}, 3},
      {{0xF1, 0xF3}, {{kAny, kAny, kAny}}, 3},
      {{0xF4, 0xF4}, {{{0x80, 0x8F}, kAny, kAny}}, 3},
  };
  return std::ranges::all_of(kBeyondAscii, [&](const Characters& some) {
    return characters_lead_on(state, some.first.first, some.first.second,
                              std::span(some.rest).first(some.size), targets);
  });
}

std::uint32_t ExprPool::closed_class(ExprId id) {
  if (auto it = closed_classes_.find(index_of(id)); it != closed_classes_.end()) return it->second;
  constexpr std::size_t kMostStates = 24;
  static constexpr std::pair<std::uint8_t, std::uint8_t> kSeparators[] = {{0x80, 0x80},
                                                                          {0xA8, 0xA9}};
  ByteSet ascii = ByteSet::range(0, 0x7F);
  std::vector<ExprId> states{id};
  bool closed = free_of_context(id) && !(node(id).flags & kCalls);
  for (std::size_t i = 0; i < states.size() && closed; ++i) {
    ByteSet here;
    std::vector<ExprId> targets;
    const LinearForm form = linear_form(states[i]);
    const std::vector<LinearTerm> terms(form.begin(), form.end());
    for (const LinearTerm& term : terms) {
      if (!(term.bytes & ascii).empty() && live(term.target)) here = here | term.bytes;
    }
    ascii = ascii & here;
    for (const LinearTerm& term : terms) {
      if (!(term.bytes & ascii).empty()) targets.push_back(term.target);
    }
    closed = !ascii.empty();
    closed = closed && beyond_ascii_leads_on(states[i], targets) &&
             characters_lead_on(states[i], 0xE2, 0xE2, kSeparators, targets);
    for (const ExprId target : targets) {
      if (std::find(states.begin(), states.end(), target) == states.end()) states.push_back(target);
    }
    closed = closed && states.size() <= kMostStates;
  }
  std::uint32_t index = kNoIndex;
  if (closed) {
    std::vector<Interval> intervals{{0x80, kMaxCodePoint}};
    ascii.for_each([&](std::uint8_t b) { intervals.push_back({b, b}); });
    index = intern_class(CharSet(std::move(intervals)));
  }
  closed_classes_.emplace(index_of(id), index);
  return index;
}

ExprId ExprPool::once_more(ExprId id) {
  const Node repeat = node(head(id));
  if (repeat.kind != Kind::kRepeat || repeat.min >= kUnbounded - 1 || repeat.max == 0)
    return kEmptyId;
  if (repeat.max != kUnbounded && repeat.max >= kUnbounded - 1) return kEmptyId;
  const std::uint32_t max = repeat.max == kUnbounded ? kUnbounded : repeat.max + 1;
  return concat(this->repeat(ExprId{repeat.a}, repeat.min + 1, max), tail(id));
}

// Whether the expression is C{m,n} K and a character of C does nothing but count down.
bool ExprPool::counted(ExprId id, std::uint32_t& class_index, ExprId& next) {
  const Node repeat = node(head(id));
  if (repeat.kind != Kind::kRepeat || (repeat.min == 0 && repeat.max == kUnbounded)) return false;
  class_index = class_of(ExprId{repeat.a});
  if (class_index == kNoIndex) return false;
  const ExprId rest = tail(id);
  if (rest != kEpsilonId && meets(class_index, rest)) return false;
  next = concat(this->repeat(ExprId{repeat.a}, repeat.min == 0 ? 0 : repeat.min - 1,
                             repeat.max == kUnbounded ? kUnbounded : repeat.max - 1),
                rest);
  return true;
}

// The intersection after a character of a class, where that does nothing but count; else empty.
ExprId ExprPool::counted_down(ExprId id, const CharSet& characters) {
  std::vector<ExprId> parts{id};
  if (node(id).kind == Kind::kAnd) parts = {members(node(id)).begin(), members(node(id)).end()};
  for (ExprId& part : parts) {
    std::uint32_t index = kNoIndex;
    ExprId next = part;
    if (!free_of_context(part)) return kEmptyId;
    if (!counted(part, index, next)) index = self_loop(part);
    if (index == kNoIndex || !characters.subset_of(classes_[index])) return kEmptyId;
    part = next;
  }
  return intersect(parts);
}

LoopSet ExprPool::loop_of_intersection(ExprId id) {
  constexpr std::uint32_t kLongest = 128;  // longer runs of one class are rare in tokens
  if (node(id).behinds != 0) return {};
  const std::vector<ExprId> parts(members(node(id)).begin(), members(node(id)).end());
  bool counting = false;
  CharSet common = CharSet::all();
  for (const ExprId part : parts) {
    std::uint32_t index = kNoIndex;
    ExprId next{};
    if (free_of_context(part)) {
      const bool counts = counted(part, index, next);
      if (!counts) index = self_loop(part);
      counting = counting || counts;
    }
    if (index == kNoIndex) return {};
    common = common.intersect(classes_[index]);
    if (common.empty()) return {};
  }
  const std::uint32_t class_index = intern_class(common);
  LoopSet loop = class_loop(class_index);
  if (!counting) return loop;
  // The next state counts the same states but one: what is known of it carries on from here.
  Countdown down{id, 0, class_index, false};
  const auto it = countdowns_.find(index_of(id));
  if (it != countdowns_.end() && it->second.class_index == class_index) down = it->second;
  while (!down.ended && down.steps < kLongest) {
    const ExprId next = counted_down(down.last, common);
    down.ended = next == kEmptyId || !live(next);
    if (down.ended) break;
    down.last = next;
    ++down.steps;
  }
  loop.limit = down.steps;
  if (down.steps > 0) {
    const ExprId next = counted_down(id, common);
    countdowns_[index_of(next)] = {down.last, down.steps - 1, class_index, down.ended};
  }
  return loop;
}

}  // namespace formgate
