// How many characters the texts of an expression have, and what that says of text{m,n} & x.
//
// The states of such an intersection are as many as the counts times the states of x, but whether
// one is live follows from the least and the greatest length of what is left of x.
#include <algorithm>
#include <vector>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

constexpr std::uint64_t kEndless = 0xFFFFFFFFull;

std::uint64_t times(std::uint64_t length, std::uint32_t count) {
  if (length == 0 || count == 0) return 0;
  if (length >= kEndless || count == kUnbounded) return kEndless;
  return std::min(length * count, kEndless);
}

}  // namespace

// Of the states of an automaton, up to one at least.
std::vector<ExprPool::Lengths> ExprPool::leaf_lengths(std::uint32_t number,
                                                      std::uint32_t last) const {
  const LeafDfa& dfa = *automata_[number].dfa;
  const auto least = dfa.least_costs(last, kEndless, [](std::uint8_t low, std::uint8_t high) {
    return is_continuation(low) || is_continuation(high) ? 0u : 1u;
  });
  std::vector<Lengths> of(least.size());
  for (std::uint32_t s = 0; s < of.size(); ++s) {
    of[s] = {least[s], dfa.ordered() ? 0 : kEndless};  // states that lead back: any length
    if (!dfa.ordered()) continue;
    dfa.for_each_edge(s, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
      const bool begins = !is_continuation(low) || !is_continuation(high);
      of[s].most = std::max(of[s].most, of[target].most + (begins ? 1 : 0));
    });
  }
  return of;
}

// Whether no text is longer than some number of characters; false where that is not seen.
bool ExprPool::bounded(ExprId id) {
  const Node node = this->node(id);
  if (node.kind != Kind::kAnd) return lengths(id).most < kEndless;
  const std::vector<ExprId> parts(members(node).begin(), members(node).end());
  return std::ranges::any_of(parts, [this](ExprId part) { return bounded(part); });
}

// Characters are counted where they begin. Recursion depth is the nesting of the expression.
ExprPool::Lengths ExprPool::lengths(ExprId id) {
  if (const auto it = lengths_.find(index_of(id)); it != lengths_.end()) return it->second;
  const Node node = this->node(id);
  Lengths out{0, 0};
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
      break;
    case Kind::kBytes: {
      const ByteSet& set = byte_set(node);
      const ByteSet inner = set & ByteSet::range(0x80, 0xBF);
      out = {inner.empty() ? 1u : 0u, inner == set ? 0u : 1u};
      break;
    }
    case Kind::kLeaf: {
      if (node.flags & kText && automata_[node.a].class_index != kNoIndex) {
        out = {1, 1};
        break;
      }
      if (automaton(node).ordered()) {
        out = leaf_lengths(node.a, node.b).back();
        break;
      }
      auto& known = automaton_lengths_[node.a];
      if (known.empty()) known = leaf_lengths(node.a, node.b);
      out = known[node.b];
      break;
    }
    case Kind::kConcat:
      for (ExprId rest = id; rest != kEpsilonId; rest = tail(rest)) {
        const Lengths own = lengths(head(rest));
        out.least = std::min(out.least + own.least, kEndless);
        out.most = std::min(out.most + own.most, kEndless);
      }
      break;
    case Kind::kUnion: {
      out.least = kEndless;
      const auto list = members(node);
      for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
        const Lengths own = lengths(member);
        out.least = std::min(out.least, own.least);
        out.most = std::max(out.most, own.most);
      }
      break;
    }
    case Kind::kRepeat: {
      const Lengths own = lengths(ExprId{node.a});
      out = {times(own.least, node.min), times(own.most, node.max)};
      break;
    }
    default:  // not known: every length
      out = {0, kEndless};
      break;
  }
  lengths_.emplace(index_of(id), out);
  return out;
}

// Whatever was read of a text, so many characters at most are the least that it takes to end it.
// Pieces of the expression are what a text under way may be in, so each bounds itself.
std::uint64_t ExprPool::longest_rest(ExprId id) {
  if (const auto it = rests_.find(index_of(id)); it != rests_.end()) return it->second;
  const Node node = this->node(id);
  std::uint64_t out = 0;
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
      break;
    case Kind::kBytes:
    case Kind::kLeaf:
      out = 1;
      if (node.kind == Kind::kLeaf && automata_[node.a].class_index == kNoIndex) {
        // Of all states of the automaton, so that it is looked at once.
        const auto [it, fresh] = automaton_rests_.emplace(node.a, 0);
        if (fresh) {
          for (const Lengths& own : leaf_lengths(node.a, automaton(node).size() - 1)) {
            it->second = std::max(it->second, own.least);
          }
        }
        out = it->second;
      }
      break;
    case Kind::kConcat: {
      std::vector<ExprId> parts;
      for (ExprId rest = id; rest != kEpsilonId; rest = tail(rest)) parts.push_back(head(rest));
      std::uint64_t after = 0;
      for (std::size_t i = parts.size(); i-- > 0;) {
        out = std::max(out, longest_rest(parts[i]) + after);
        after = std::min(after + lengths(parts[i]).least, kEndless);
      }
      break;
    }
    case Kind::kUnion: {
      const auto list = members(node);
      for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
        out = std::max(out, longest_rest(member));
      }
      break;
    }
    case Kind::kRepeat: {
      const std::uint32_t more = node.min == 0 ? 0 : node.min - 1;
      out = longest_rest(ExprId{node.a}) + times(lengths(ExprId{node.a}).least, more);
      break;
    }
    default:
      out = kEndless;
      break;
  }
  out = std::min(out, kEndless);
  rests_.emplace(index_of(id), out);
  return out;
}

// Whether texts of every greater length go on from each text: the expression ends in any text.
bool ExprPool::fills(ExprId id) const {
  while (node(id).kind == Kind::kConcat) id = tail(id);
  return id == kTextId;
}

// Whether text may end after each of its characters that does not make it impossible: then a way to
// an end is no longer than a least number of characters asks. States are looked at up to a bound,
// beyond which the answer is no.
bool ExprPool::open_text(ExprId id) {
  if (const auto it = open_texts_.find(index_of(id)); it != open_texts_.end()) return it->second;
  constexpr std::size_t kMostStates = 128;
  const std::uint32_t flags = node(id).flags;
  bool open = free_of_context(id) && (flags & kText) && !(flags & kCalls);
  // With the bytes that are missing of a character.
  std::vector<std::pair<ExprId, unsigned>> states{{id, 0}};
  for (std::size_t i = 0; i < states.size() && open; ++i) {
    const auto [state, missing] = states[i];
    const LinearForm form = linear_form(state);
    for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
      if (!live(term.target)) continue;
      unsigned sizes = 0;  // a bit for each number of bytes missing behind these
      term.bytes.for_each([&](std::uint8_t byte) {
        const unsigned more = byte < 0x80 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
        sizes |= 1u << (missing > 0 ? missing - 1 : more);
      });
      for (unsigned size = 0; size < 4; ++size) {
        const std::pair next{term.target, size};
        if ((sizes >> size & 1u) && std::ranges::find(states, next) == states.end()) {
          states.push_back(next);
        }
      }
    }
    open = (missing > 0 || nullable(state)) && states.size() <= kMostStates;
  }
  open_texts_.emplace(index_of(id), open);
  return open;
}

ExprId ExprPool::far_from_end(ExprId id, std::uint32_t characters) {
  const ExprId first = head(id);
  const Node node = this->node(first);
  ExprId inner = node.kind == Kind::kSpelled ? ExprId{node.a} : first;
  if (this->node(inner).kind != Kind::kAnd) return id;
  ExprId text{};
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  if (counted_text(members(this->node(inner)), text, min, max)) {
    if (max == kUnbounded || (min != 0 && !fills(text))) return id;
    if (max < characters + longest_rest(text)) return id;
  } else {
    const auto list = members(this->node(inner));
    std::vector<ExprId> others(list.begin(), list.end());
    const auto counts = std::ranges::find_if(others, [this](ExprId member) {
      const Node& one = this->node(member);
      return one.kind == Kind::kRepeat && ExprId{one.a} == ExprId{this->node(kTextId).a};
    });
    if (counts == others.end()) return id;
    min = this->node(*counts).min;
    max = this->node(*counts).max;
    if (max == kUnbounded || max < characters) return id;
    *counts = kTextId;
    text = intersect(others);
    if (!open_text(text)) return id;
  }
  inner = intersect(text, repeat(ExprId{this->node(kTextId).a}, min, kUnbounded));
  const bool spelled = node.kind == Kind::kSpelled;
  if (spelled) inner = spelled_at(inner, node.min != 0, pending_[node.b], node.max);
  return concat(inner, tail(id));
}

// Open alternatives of deep texts are counts: "else" after 99 conditions may come x{0,99}.
ExprId ExprPool::far_from_counts(ExprId id, std::uint32_t bytes) {
  constexpr std::size_t kParts = 16;
  if (!free_of_context(id) || node(id).flags & kCaptures) return id;
  const auto far = [&](const Node& own) {
    if (own.kind != Kind::kRepeat || !(own.flags & kCalls)) return 0u;
    const std::uint64_t least = std::max<std::uint64_t>(lengths(ExprId{own.a}).least, 1);
    const auto most = static_cast<std::uint32_t>(bytes / std::min<std::uint64_t>(least, bytes) + 2);
    return own.min > most || (own.max > most && own.max != kUnbounded) ? most : 0u;
  };
  std::size_t changed = 0;  // parts up to the last that is
  std::size_t count = 0;
  for (ExprId at = id; at != kEpsilonId && count < kParts; at = tail(at)) {
    ++count;
    if (far(node(head(at))) != 0) changed = count;
  }
  if (changed == 0) return id;
  std::vector<ExprId> parts;
  for (; parts.size() < changed; id = tail(id)) {
    ExprId part = head(id);
    const Node own = node(part);
    if (const std::uint32_t most = far(own); most != 0) {
      const std::uint32_t max = own.max > most ? kUnbounded : own.max;
      part = repeat(ExprId{own.a}, std::min(own.min, most), max);
    }
    parts.push_back(part);
  }
  for (std::size_t i = parts.size(); i-- > 0;) id = concat(parts[i], id);  // and the rest as it is
  return id;
}

// Takes text{m,n} & x apart, where x is text made without Boolean operators.
bool ExprPool::counted_text(std::span<const ExprId> members, ExprId& text, std::uint32_t& min,
                            std::uint32_t& max) const {
  if (members.size() != 2) return false;
  for (unsigned i = 0; i < 2; ++i) {
    const Node& counts = node(members[i]);
    const Node& other = node(members[1 - i]);
    if (counts.kind != Kind::kRepeat || ExprId{counts.a} != ExprId{node(kTextId).a}) continue;
    constexpr std::uint8_t kNeither = kBoolean | kLooks | kAround | kCalls;
    if (!(other.flags & kText) || other.flags & kNeither || other.behinds != 0) continue;
    text = members[1 - i];
    min = counts.min;
    max = counts.max;
    return true;
  }
  return false;
}

// The verdict on an intersection, if lengths decide it.
bool ExprPool::settle_by_length(ExprId id) {
  const Node& node = this->node(id);
  if (node.liveness != 0) return true;
  if (node.kind == Kind::kScope) return settle_by_end(id);
  if (node.kind != Kind::kAnd) return false;
  ExprId text{};
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  const auto settle_otherwise = [&] {
    return settle_by_end(id) || settle_by_core(id) || settle_by_predecessors(id);
  };
  if (!counted_text(members(node), text, min, max)) return settle_otherwise();
  const Lengths own = lengths(text);
  const bool too_long = max != kUnbounded && own.least > max;
  const bool too_short = own.most < min;
  const bool between = own.least >= min || (max == kUnbounded && own.most >= min);
  if (!too_long && !too_short && !between) return settle_otherwise();
  set_liveness(id, !too_long && !too_short);
  return true;
}

// Of a text all of whose texts have `least` characters or more, those that have no more.
ExprId ExprPool::shortest(ExprId id, std::uint64_t least) {
  if (node(id).kind == Kind::kUnion) {
    const auto list = members(node(id));
    std::vector<ExprId> ways;
    for (const ExprId way : std::vector<ExprId>(list.begin(), list.end())) {
      if (lengths(way).least == least) ways.push_back(shortest(way, least));
    }
    return unite(ways);
  }
  std::vector<ExprId> parts;
  for (; id != kEpsilonId; id = tail(id)) {
    ExprId part = head(id);
    const Node own = node(part);
    if (own.kind == Kind::kRepeat && lengths(ExprId{own.a}).least > 0) {
      part = repeat(ExprId{own.a}, own.min, own.min);
    }
    parts.push_back(part);
  }
  for (std::size_t i = parts.size(); i-- > 0;) id = concat(parts[i], id);
  return id;
}

// Bounds that x keeps by itself are dropped: what is left is text{0,n} & x, text{m,} & x or x.
// Where x has no text of fewer than n characters, as [A-Z]{3} anywhere in three, only its shortest
// count.
std::optional<ExprId> ExprPool::without_idle_counts(std::span<const ExprId> members) {
  ExprId text{};
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  if (!counted_text(members, text, min, max)) return std::nullopt;
  Lengths own = lengths(text);
  const ExprId given = text;
  if (own.least == max && own.most > max) {
    text = shortest(text, max);
    own = lengths(text);
  }
  const std::uint32_t least = own.least >= min ? 0 : min;
  const std::uint32_t most = own.most <= max ? kUnbounded : max;
  if (text == given && least == min && most == max) return std::nullopt;
  if (own.least > max) return kEmptyId;
  return intersect(text, repeat(ExprId{node(kTextId).a}, least, most));
}

}  // namespace formgate
