// Masks of heads that repeat a character class.
#include <algorithm>
#include <bit>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostSpread = 64;  // states that characters lead through

}  // namespace

// The mask of base{min,max} tail where one repetition may be a character of a class.
//
// Any token made of at most `max` characters of the class keeps the state alive. Other tokens leave
// the class somewhere. When no character of the class can also begin the tail or the rest of the
// base, what is left to match at that point is known from the number of characters alone; otherwise
// the token's text up to there is replayed. Returns false where the walk must do.
bool MaskCache::loop_item(ExprId id, std::uint32_t node, Mask& out) {
  const Node repeat = pool_.node(pool_.head(id));
  const ExprId base{repeat.a};
  const ExprId tail = pool_.tail(id);
  const ExprPool::Loop loop = pool_.loop_of(base);
  if (loop.class_index == kNoIndex) return false;
  const bool whole = loop.rest == ExprPool::kEmptyId;  // the base is the class and nothing else
  // Well-formed text spends at least one character on a repetition, other bytes at least one byte.
  const bool text = pool_.node(base).flags & kText;
  const std::uint32_t longest = text ? vocabulary_->max_characters() : vocabulary_->max_bytes();
  // No token is long enough to meet the limit, so the limit does not show in this mask.
  const bool unlimited = repeat.max >= longest;
  const std::uint32_t max = unlimited ? kUnbounded : repeat.max;
  const Bitmap* limit = nullptr;
  if (!unlimited) {
    const auto known = vocabulary_->at_most(node, max);
    if (!known) return false;
    limit = *known;
  }
  const bool has_tail = tail != ExprPool::kEpsilonId && pool_.live(tail);
  const bool clean = !(has_tail && pool_.meets(loop.class_index, tail)) &&
                     (whole || !pool_.meets(loop.class_index, loop.rest));
  if (unlimited && repeat.min == 0 && repeat.max != kUnbounded) {
    append(out, pool_.concat(pool_.repeat(base, 0, kUnbounded), tail), node);
    return true;
  }
  if (clean && whole) {
    out.parts.push_back({class_table(loop.class_index, node).inside, limit});
    if (!has_tail) return true;
    if (repeat.min <= 1 && max == kUnbounded) {
      out.parts.push_back({all_exits(loop.class_index, node, tail), nullptr});
    } else if (repeat.min <= longest) {
      Exits& leaving = exits(loop.class_index, node, tail);
      out.parts.push_back({exits_between(leaving, repeat.min, max), nullptr});
    }
    if (repeat.min == 0) append(out, tail, node);
    return true;
  }
  if (clean && unlimited && repeat.min <= 1 && repeat.max == kUnbounded) {
    const ExprId again = pool_.concat(pool_.repeat(base, 0, kUnbounded), tail);
    const ExprId other = pool_.concat(loop.rest, again);
    out.parts.push_back({class_table(loop.class_index, node).inside, nullptr});
    out.parts.push_back({all_exits(loop.class_index, node, other), nullptr});
    append(out, other, node);
    if (!has_tail) return true;
    out.parts.push_back({all_exits(loop.class_index, node, tail), nullptr});
    if (repeat.min == 0) append(out, tail, node);
    return true;
  }
  if (clean && text) {
    mixed_loop(id, node, loop, limit, has_tail && repeat.min <= longest, max, out);
    return true;
  }
  // Bytes of single-byte members lead nowhere out of the class.
  const CharSet& members = pool_.char_class(loop.class_index);
  ByteSet leaving = (pool_.alphabet(tail) | pool_.alphabet(loop.rest)) - members.ascii();
  if (pool_.node(id).flags & kText) leaving = leaving - members.leads();
  // With any number of repetitions, nothing leaves that does not leave them.
  leaving =
      leaving_by(pool_.concat(pool_.repeat(base, 0, kUnbounded), tail), loop.class_index, leaving);
  const ClassTable& table = class_table(loop.class_index, node);
  const std::shared_ptr<const TokenSet> inside = table.inside;
  if (limit && members.ascii_only()) {
    // The tail may go on where the repetition comes to its end.
    const Spread spread = spread_of(id, members.ascii(), table.longest, kMostSpread);
    const auto known =
        spread.open ? nullptr : vocabulary_->at_most(node, std::max(spread.most, max));
    if (!known) return false;
    limit = *known;
  }
  if (limit && !add_overlong(id, node, *inside, *limit, out)) return false;
  out.parts.push_back({inside, limit});
  replay(id, node, loop.class_index, leaving, out);
  return true;
}

// The mask of (class | rest){min,max} tail where one character shows which of them is next, as of
// text with escapes. A token has at least as many characters as it takes repetitions, so those no
// longer than `max` are as if there were no limit; of the others few have anything of `rest`.
void MaskCache::mixed_loop(ExprId id, std::uint32_t node, const ExprPool::Loop& loop,
                           const Bitmap* limit, bool leaves, std::uint32_t max, Mask& out) {
  const Node repeat = pool_.node(pool_.head(id));
  const ExprId tail = leaves ? pool_.tail(id) : ExprPool::kEpsilonId;
  out.parts.push_back({class_table(loop.class_index, node).inside, limit});
  if (leaves) {
    Exits& leaving = exits(loop.class_index, node, tail);
    out.parts.push_back({exits_between(leaving, repeat.min, max), nullptr});
    if (repeat.min == 0) append(out, tail, node);
  }
  const std::size_t skipped = vocabulary_->path(node).size();
  Sink checked(*vocabulary_);
  const auto check = [&](TokenId token) {
    ExprId state = id;
    for (char c : vocabulary_->token_bytes(token)->substr(skipped)) {
      state = pool_.step(state, static_cast<std::uint8_t>(c));
      if (state == ExprPool::kEmptyId) return;
    }
    checked.add(token);
  };
  // A token that has `count` characters of the class before something of `rest`.
  const auto sort = [&](TokenId token, std::uint32_t count) {
    if (count >= max) return;
    const bool short_of_min = leaves && count + 1 < repeat.min;
    if (short_of_min || (limit && !test_bit(limit->data(), token))) {
      check(token);
    } else {
      checked.add(token);
    }
  };
  const ExprId base{repeat.a};
  const ExprId other =
      pool_.concat(loop.rest, pool_.concat(pool_.repeat(base, 0, kUnbounded), tail));
  Exits& others = exits(loop.class_index, node, other);
  const bool all = !limit && !(leaves && repeat.min > 2);
  if (all && others.most < max) {
    out.parts.push_back({exits_between(others, 0, kUnbounded), nullptr});
  } else {
    for (const auto& [count, token] : others.listed) sort(token, count);
    for (const auto& [count, begin, end] : others.ranges) {
      for (TokenId token : vocabulary_->ids().subspan(begin, end - begin)) sort(token, count);
    }
    for (const auto& [count, set] : others.sets) {
      set->for_each([&, count = count](TokenId token) { sort(token, count); });
    }
  }
  const std::shared_ptr<const Mask> first = mask_at(other, node);
  if (all && repeat.min < 2 && max > 0) {
    out.parts.insert(out.parts.end(), first->parts.begin(), first->parts.end());
  } else {
    Sink tokens(*vocabulary_);
    collect(*first, tokens);
    tokens.finish()->for_each([&](TokenId token) { sort(token, 0); });
  }
  if (!checked.empty()) out.parts.push_back({checked.finish(), nullptr});
}

// Tokens of the class that are longer than the repetition: the tail has to take over, so they are
// followed one by one. Returns false when there are too many of them.
bool MaskCache::add_overlong(ExprId id, std::uint32_t node, const TokenSet& inside,
                             const Bitmap& limit, Mask& out) {
  constexpr std::size_t kMost = 2048;
  std::vector<TokenId> overlong;
  for (TokenId token : inside.ids) {
    if (!test_bit(limit.data(), token)) overlong.push_back(token);
  }
  for (std::size_t i = 0; i < inside.dense.size() && overlong.size() <= kMost; ++i) {
    for (std::uint32_t word = inside.dense[i] & ~limit[i]; word; word &= word - 1) {
      overlong.push_back(static_cast<TokenId>(i * 32) +
                         static_cast<TokenId>(std::countr_zero(word)));
    }
  }
  if (overlong.size() > kMost) return false;
  const std::size_t skipped = vocabulary_->path(node).size();
  Sink sink(*vocabulary_);
  for (TokenId token : overlong) {
    ExprId state = id;
    for (char c : vocabulary_->token_bytes(token)->substr(skipped)) {
      state = ExprId{pool_.row(state).next[static_cast<std::uint8_t>(c)]};
      if (state == ExprPool::kEmptyId) break;
    }
    if (state != ExprPool::kEmptyId) sink.add(token);
  }
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
  return true;
}

// Follows the text of every token that leaves the class on one of `bytes`.
void MaskCache::replay(ExprId id, std::uint32_t node, std::uint32_t class_index,
                       const ByteSet& bytes, Mask& out) {
  const auto trie = vocabulary_->trie();
  const std::size_t skipped = vocabulary_->path(node).size();
  ClassTable& table = class_table(class_index, node);
  prepare_exits(table, class_index, bytes);
  Sink sink(*vocabulary_);
  bytes.for_each([&](std::uint8_t byte) {
    for (const Exit& exit : exits_by(table, class_index, byte)) {
      ExprId state = id;
      for (char c : vocabulary_->path(exit.node).substr(skipped)) {
        state = ExprId{pool_.row(state).next[static_cast<std::uint8_t>(c)]};
        if (state == ExprPool::kEmptyId) break;
      }
      if (state == ExprPool::kEmptyId) continue;
      sink.add_ranks(trie[exit.node].rank_begin, trie[exit.node].own_end());
      const bool repeats = pool_.node(pool_.head(state)).kind == Kind::kRepeat;
      if (repeats && is_large(trie[exit.node])) {
        append(out, state, exit.node);
      } else {
        walk_states(exit.node, state, sink, nullptr);
      }
    }
  });
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
}

}  // namespace formgate
