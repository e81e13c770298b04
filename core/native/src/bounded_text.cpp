// Masks of text of at most n characters that has a pattern besides.
//
// Each number of characters left makes a state of its own, though the pattern has few. From each of
// its states a text ends within some number of characters; where a token leaves as many as the most
// of these, the bound does not show. So the mask is that without the bound, cut by a table of
// tokens with so many characters, and only few longer ones are followed one by one.
#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostStates = 4096;     // of a pattern
constexpr std::size_t kMostFollowed = 65536;  // tokens
constexpr std::uint64_t kMostReached = 64;    // characters that a text must have
constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

// Edges by where they lead to, with what they cost: characters that begin.
struct Edge {
  std::uint32_t from;
  bool begins;
};

}  // namespace

// Whether all texts are of one character, whatever is around them.
bool ExprPool::one_character(ExprId id) {
  std::uint64_t length = 0;
  for (ExprId at = id; at != kEpsilonId; at = tail(at)) {
    const Node part = node(head(at));
    if (part.kind == Kind::kLook || part.kind == Kind::kBehind) continue;
    if (part.kind == Kind::kUnion && !free_of_context(head(at))) {
      const auto list = members(part);
      const std::vector<ExprId> ways(list.begin(), list.end());
      if (!std::ranges::all_of(ways, [this](ExprId way) { return one_character(way); })) {
        return false;
      }
      ++length;
      continue;
    }
    const auto own = same_length(head(at));
    if (!own) return false;
    length += *own;
  }
  return length == 1;
}

// Text without its greatest number of characters: of characters before nothing but conditions,
// perhaps behind the rest of one.
std::optional<ExprId> ExprPool::without_most(ExprId id, std::uint32_t& most) {
  std::vector<ExprId> before;
  for (; id != kEpsilonId; id = tail(id)) {
    const Kind kind = node(head(id)).kind;
    if (kind != Kind::kLook && kind != Kind::kBehind) {
      if (kind != Kind::kBytes && kind != Kind::kLeaf) break;
      if (same_length(head(id)) != 0) return std::nullopt;
    }
    before.push_back(head(id));
  }
  const Node counts = node(head(id));
  if (counts.kind != Kind::kRepeat || counts.max == kUnbounded) return std::nullopt;
  for (ExprId at = tail(id); at != kEpsilonId; at = tail(at)) {
    const Kind kind = node(head(at)).kind;
    if (kind != Kind::kLook && kind != Kind::kBehind) return std::nullopt;
  }
  if (!one_character(ExprId{counts.a})) return std::nullopt;
  most = counts.max;
  ExprId out = concat(repeat(ExprId{counts.a}, counts.min, kUnbounded), tail(id));
  for (std::size_t i = before.size(); i-- > 0;) out = concat(before[i], out);
  return out;
}

// The same where conditions see what came before.
std::optional<ExprId> ExprPool::scope_without_bound(ExprId id, std::uint32_t& most) {
  const auto list = members(node(id));
  const std::vector<ExprId> parts(list.begin(), list.end());
  const auto body = without_bound(parts[0], most);
  if (!body) return std::nullopt;
  return scope(*body, std::span(parts).subspan(1));
}

// The same where a member of an intersection has it.
std::optional<ExprId> ExprPool::without_bound(ExprId id, std::uint32_t& most) {
  const Kind kind = node(id).kind;
  if (kind != Kind::kAnd && kind != Kind::kUnion) return without_most(id, most);
  const auto list = members(node(id));
  std::vector<ExprId> others(list.begin(), list.end());
  if (kind == Kind::kUnion) {  // of ways with one bound
    std::optional<std::uint32_t> shared;
    for (ExprId& way : others) {
      std::uint32_t own = 0;
      const auto more = without_bound(way, own);
      if (!more || shared.value_or(own) != own) return std::nullopt;
      shared = own;
      way = *more;
    }
    most = *shared;
    return unite(others);
  }
  for (ExprId& member : others) {
    if (node(member).kind == Kind::kScope) {
      const auto more = scope_without_bound(member, most);
      if (!more) continue;
      member = *more;
      return intersect(others);
    }
    const auto more = without_most(member, most);
    if (!more) continue;
    const ExprId rest = head(*more);
    if (node(rest).kind != Kind::kRepeat) {
      // What any character follows is all that text can be; else each count would be looked at.
      const bool within = node(rest).kind == Kind::kBytes && tail(*more) == kTextId &&
                          std::ranges::any_of(others, [&](ExprId other) {
                            const Node& bytes = node(head(other));
                            return other != member && bytes.kind == Kind::kBytes &&
                                   byte_set(bytes).subset_of(byte_set(node(rest))) &&
                                   node(tail(other)).flags & kText;
                          });
      if (!within) return std::nullopt;
      std::erase(others, ExprId{member});
    } else {
      member = *more;
    }
    return intersect(others);
  }
  return std::nullopt;
}

// Text with a greatest number of characters, where it has more besides.
std::optional<ExprPool::BoundedText> ExprPool::bounded_text(ExprId id) {
  const Node own = node(id);
  if (own.kind == Kind::kSpelled) {
    if (!pending_[own.b].empty()) return std::nullopt;
    auto text = bounded_text(ExprId{own.a});
    if (text) text->far = spelled_at(text->inner, own.min != 0, "", own.max);
    return text;
  }
  if ((own.kind != Kind::kAnd && own.kind != Kind::kScope) || own.flags & (kCalls | kCaptures) ||
      !free_of_context(id)) {
    return std::nullopt;
  }
  BoundedText out{};
  const auto inner =
      own.kind == Kind::kAnd ? without_bound(id, out.most) : scope_without_bound(id, out.most);
  if (!inner) return std::nullopt;
  out.inner = *inner;
  out.far = out.inner;
  return out;
}

// How many characters a text may take to its end from each state that `id` leads to, at most:
// nothing where these are too many.
std::optional<std::uint32_t> ExprPool::most_to_end(ExprId id) {
  if (const auto it = text_ends_.find(index_of(id)); it != text_ends_.end()) {
    return it->second.most == kUnknown ? std::nullopt : std::optional(it->second.most);
  }
  std::vector<ExprId> states{id};
  GrowingMap<std::uint32_t, std::uint32_t> numbers;
  numbers.emplace(index_of(id), 0u);
  std::vector<std::vector<Edge>> into(1);
  bool known = free_of_context(id) && node(id).flags & kText && !(node(id).flags & kCalls);
  for (std::uint32_t i = 0; i < states.size() && known; ++i) {
    LongStep::tick();
    const LinearForm form = linear_form(states[i]);
    for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
      if (!live(term.target)) continue;
      const auto [it, fresh] =
          numbers.try_emplace(index_of(term.target), static_cast<std::uint32_t>(states.size()));
      if (fresh) {
        states.push_back(term.target);
        into.emplace_back();
      }
      const ByteSet inside = term.bytes & ByteSet::range(0x80, 0xBF);
      if (!inside.empty()) into[it->second].push_back({i, false});
      if (inside != term.bytes) into[it->second].push_back({i, true});
    }
    known = states.size() <= kMostStates;
  }
  std::vector<std::uint32_t> ends(states.size(), kUnknown);
  std::uint32_t most = kUnknown;
  if (known) {
    // Shortest ways back from where text may end, of edges that cost 0 or 1.
    std::deque<std::pair<std::uint32_t, std::uint32_t>> work;
    for (std::uint32_t i = 0; i < states.size(); ++i) {
      if (nullable(states[i])) work.emplace_back(i, 0);
    }
    while (!work.empty()) {
      const auto [at, cost] = work.front();
      work.pop_front();
      if (ends[at] != kUnknown) continue;
      ends[at] = cost;
      for (const Edge& edge : into[at]) {
        if (ends[edge.from] != kUnknown) continue;
        if (edge.begins) {
          work.emplace_back(edge.from, cost + 1);
        } else {
          work.emplace_front(edge.from, cost);
        }
      }
    }
    most = *std::ranges::max_element(ends);
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    TextEnd& end =
        text_ends_.try_emplace(index_of(states[i]), TextEnd{ends[i], most}).first->second;
    if (known) end = {ends[i], most};  // what is known stays so
  }
  return most == kUnknown ? std::nullopt : std::optional(most);
}

// The same from a state itself, once it is known what it leads to.
std::uint32_t ExprPool::to_end(ExprId id) {
  const auto it = text_ends_.find(index_of(id));
  return it == text_ends_.end() ? kUnknown : it->second.least;
}

// Whether it is known now how far the end of a text is without its bound.
bool ExprPool::measure_end(ExprId id) {
  const auto text = bounded_text(id);
  if (!text) return false;
  // A count that must be reached makes as many states.
  const Node inner = node(text->inner);
  std::vector<ExprId> parts{text->inner};
  if (inner.kind == Kind::kAnd || inner.kind == Kind::kScope) {
    const auto list = members(inner);
    parts.assign(list.begin(), list.end());
  }
  for (ExprId part : parts) {
    if (lengths(part).least > kMostReached) return false;
  }
  return live(text->inner) && most_to_end(text->inner);
}

// The verdict on an intersection, if it is known how far the end is without its bound.
bool ExprPool::settle_by_end(ExprId id) {
  if (text_ends_.size() == 0) return false;
  const auto text = bounded_text(id);
  if (!text) return false;
  const std::uint32_t least = to_end(text->inner);
  if (least == kUnknown) return false;
  set_liveness(id, least <= text->most);
  return true;
}

// Tokens with a quote or a backslash.
const Bitmap& MaskCache::marked_tokens() {
  if (!marked_.empty()) return marked_;
  marked_.assign(vocabulary_->words(), 0);
  for (const std::uint8_t mark : {'"', '\\'}) {
    for (const std::uint32_t node : vocabulary_->nodes_by_label(mark)) {
      const TrieNode& at = vocabulary_->trie()[node];
      for (std::uint32_t rank = at.rank_begin; rank < at.rank_end; ++rank) {
        set_bit(marked_.data(), vocabulary_->ids()[rank]);
      }
    }
  }
  return marked_;
}

bool MaskCache::bounded_item(ExprId id, std::uint32_t node, Mask& out) {
  const ExprId first = pool_.head(id);
  const ExprId tail = pool_.tail(id);
  if (!(pool_.node(first).flags & kText)) return false;
  const auto text = pool_.bounded_text(first);
  if (!text || !pool_.live(text->far)) return false;
  const auto to_end = pool_.most_to_end(text->inner);
  if (!to_end || *to_end > text->most) return false;
  const ExprId far = pool_.concat(text->far, tail);
  const auto near = vocabulary_->at_most(node, text->most - *to_end);
  const auto within = vocabulary_->at_most(node, text->most);
  if (!near || !within) return false;
  if (!*near) {  // no token has so many characters
    append(out, far, node);
    return true;
  }
  const bool spelled = pool_.node(first).kind == Kind::kSpelled;
  const bool ends = tail == ExprPool::kEpsilonId;
  const std::shared_ptr<const Mask> whole = mask_at(far, node);
  Bitmap row(vocabulary_->words());
  Mask{whole->parts}.fill(row.data(), *vocabulary_);
  // More characters than the bound has a token only where an escape is one of them, or where text
  // ends before.
  const Bitmap* const marked = spelled ? &marked_tokens() : nullptr;
  std::size_t count = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] &= ~(**near)[i];
    if (spelled) {
      row[i] &= (*within ? (**within)[i] : ~0u) | (*marked)[i];
    } else if (ends && *within) {
      row[i] &= (**within)[i];
    }
    count += static_cast<std::size_t>(std::popcount(row[i]));
  }
  if (count > kMostFollowed) return false;
  Sink found(*vocabulary_);
  const BoundedWalk walk{id, text->inner, text->most, row, spelled, ends};
  if (count > 0 && !follow_bounded(walk, node, found)) return false;
  for (const Mask::Part& part : whole->parts) {
    if (part.plain()) {
      out.parts.push_back({part.tokens, *near});
      continue;
    }
    Mask one;
    one.parts.push_back(part);
    one.fill(row.data(), *vocabulary_);
    Sink cut(*vocabulary_);
    cut.add_words(row, **near);
    if (!cut.empty()) out.parts.push_back({cut.finish(), nullptr});
  }
  if (!found.empty()) out.parts.push_back({found.finish(), nullptr});
  return true;
}

// The states of a text without its bound, numbered as they are met: the steps of a few are asked
// for very often.
class MaskCache::BoundedStates {
 public:
  struct State {
    ExprId id;
    std::uint32_t to_end;
    std::array<std::uint16_t, 256> next{};  // number plus one; 0: not asked for yet
  };
  explicit BoundedStates(ExprPool& pool) : pool_(pool) {}
  static constexpr std::uint16_t kMost = 1024;

  // The number of a state plus one, or 0 where they are too many.
  std::uint16_t number(ExprId id) {
    const auto [it, fresh] =
        numbers_.try_emplace(index_of(id), static_cast<std::uint16_t>(states_.size() + 1));
    if (fresh && states_.size() < kMost) {
      states_.push_back({id, pool_.to_end(id)});
    }
    return it->second > kMost ? 0 : it->second;
  }
  std::uint16_t next(std::uint16_t from, std::uint8_t byte) {
    std::uint16_t& known = states_[from - 1u].next[byte];
    if (known != 0) return known;
    const std::uint16_t found = number(ExprId{pool_.row(states_[from - 1u].id).next[byte]});
    return states_[from - 1u].next[byte] = found;
  }
  const State& operator[](std::uint16_t number) const { return states_[number - 1u]; }

 private:
  ExprPool& pool_;
  std::deque<State> states_;
  GrowingMap<std::uint32_t, std::uint16_t> numbers_;
};

// Adds the tokens that a bound might cut, of those asked for: one by one in the order of their ids,
// as they lie in memory. A walk down the trie reads less, and waits for it.
bool MaskCache::follow_bounded(const BoundedWalk& walk, std::uint32_t node, Sink& found) {
  const std::size_t skipped = vocabulary_->path(node).size();
  // A quote ends the text, and nothing else does.
  bool quoted = walk.spelled && pool_.free_of_context(walk.whole);
  if (quoted) {
    const LinearForm after = pool_.linear_form(pool_.tail(walk.whole));
    quoted = after.size() == 1 && after[0].bytes == ByteSet::of('"');
  }
  BoundedStates states(pool_);
  const std::uint16_t first = states.number(walk.inner);
  bool few = true;
  const auto stays = [&](std::string_view text) {
    std::uint32_t left = walk.most;
    std::uint16_t state = first;
    for (const char c : text) {
      const auto byte = static_cast<std::uint8_t>(c);
      const std::uint32_t begun = is_continuation(byte) ? 0 : 1;
      if (begun > left) return false;
      left -= begun;
      state = states.next(state, byte);
      few = few && state != 0;
      if (state == 0 || states[state].to_end > left) return false;
    }
    return true;
  };
  const auto leads = [&](TokenId token) {
    const std::string_view rest = vocabulary_->token_bytes(token)->substr(skipped);
    if (walk.spelled ? !test_bit(marked_tokens().data(), token) : walk.ends) return stays(rest);
    const std::size_t mark = quoted ? rest.find_first_of("\"\\") : rest.npos;
    if (mark == rest.npos || rest[mark] != '"') return leads_on(walk.whole, rest);
    // Without the bound it is allowed, so what ends here may end, and the rest leads on.
    const auto begun = std::count_if(rest.begin(), rest.begin() + mark, [](char c) {
      return !is_continuation(static_cast<std::uint8_t>(c));
    });
    return static_cast<std::uint64_t>(begun) <= walk.most;
  };
  for (std::size_t i = 0; i < walk.asked.size(); ++i) {
    for (std::uint32_t word = walk.asked[i]; word; word &= word - 1) {
      LongStep::tick();
      const TokenId token =
          static_cast<TokenId>(i * 32) + static_cast<TokenId>(std::countr_zero(word));
      if (leads(token)) found.add(token);
      if (!few) return false;
    }
  }
  return true;
}

bool MaskCache::leads_on(ExprId state, std::string_view text) {
  for (const char c : text) {
    state = pool_.step(state, static_cast<std::uint8_t>(c));
    if (state == ExprPool::kEmptyId) return false;
  }
  return true;
}

}  // namespace formgate
