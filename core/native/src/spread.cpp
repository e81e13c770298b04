// Masks of states that characters of a set lead apart, but never astray.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"

namespace formgate {
namespace {

// Smaller sets lead into so little of the trie that a walk is as fast.
constexpr unsigned kFewest = 8;
constexpr unsigned kFewestBytes = 24;       // where a walk takes the head and the tail apart
constexpr std::size_t kMostStates = 512;    // that text of these may lead through
constexpr std::size_t kMostFollowed = 256;  // tokens, before fewer characters are tried
constexpr unsigned kMostLacking = 4;
constexpr unsigned kMostTries = 3;
constexpr std::size_t kMostPlaces = 8192;      // in the trie, that are followed one by one
constexpr std::size_t kFewPlaces = 2048;       // which are as well looked at
constexpr std::size_t kMostPlacesOfText = 64;  // states, each before or inside of a character

// Of numbers other than 0, few enough.
class SmallSet {
 public:
  bool insert(std::uint32_t value) {
    std::size_t at = (value * 0x9E3779B1u) >> 21;
    while (slots_[at] != 0 && slots_[at] != value) at = (at + 1) % slots_.size();
    return std::exchange(slots_[at], value) == 0;
  }

 private:
  std::array<std::uint32_t, 2048> slots_{};
};
static_assert(kMostStates < 1024);

// Tokens of a class that have more characters than a limit.
std::size_t longer(const TokenSet& inside, const Bitmap& limit) {
  std::size_t count = 0;
  for (TokenId token : inside.ids) count += !test_bit(limit.data(), token);
  for (std::size_t i = 0; i < inside.dense.size(); ++i) {
    count += static_cast<std::size_t>(std::popcount(inside.dense[i] & ~limit[i]));
  }
  return count;
}

}  // namespace

ByteSet MaskCache::live_bytes(ExprId id) {
  ByteSet out;
  for (const LinearTerm& term : pool_.linear_form(id)) {
    if (pool_.live(term.target)) out = out | term.bytes;
  }
  return out;
}

// ASCII characters of which each two may follow each other, or nearly all that may: a character
// after which few others may come is none of them. Fewer than `fewest` are of no use.
ByteSet MaskCache::common_bytes(ExprId id, unsigned fewest) {
  ByteSet chars = live_bytes(id) & ByteSet::range(0, 0x7F);
  if (chars.size() < fewest) return chars;
  const LinearForm form = pool_.linear_form(id);
  for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
    if ((term.bytes & chars).empty() || !pool_.live(term.target)) continue;
    const ByteSet both = chars & live_bytes(term.target);
    const bool few = 2 * both.size() < chars.size();
    chars = few ? chars - term.bytes : both;
  }
  return chars;
}

// How far characters of `chars` lead nowhere astray, up to `longest` of them. Every state on the
// way must go on with each of them; at the far end states may have been left out.
MaskCache::Spread MaskCache::spread_of(ExprId id, const ByteSet& chars, std::uint32_t longest,
                                       std::size_t most_states) {
  Spread out;
  std::vector<ExprId> states{id};
  SmallSet seen;
  seen.insert(index_of(id));
  std::size_t begin = 0;  // of the states that `most` characters lead to
  while (out.most < longest) {
    const std::size_t end = states.size();
    for (std::size_t i = begin; i < end; ++i) {
      ByteSet alive;
      for (const LinearTerm& term : pool_.linear_form(states[i])) {
        if (!pool_.live(term.target)) continue;
        alive = alive | term.bytes;
        if ((term.bytes & chars).empty() || states.size() > most_states) continue;
        if (seen.insert(index_of(term.target))) states.push_back(term.target);
      }
      out.lacking = out.lacking | (chars - alive);
    }
    out.open = out.lacking.empty() && states.size() <= most_states;
    if (!out.open || states.size() == end) break;  // no new ones: it goes on like that for ever
    begin = end;
    ++out.most;
  }
  return out;
}

// Of `leaving`, the bytes that some state goes on with to which characters of a class lead, and
// those inside of characters; all where there are very many such states. What only comes later in a
// text is none of them.
ByteSet MaskCache::leaving_by(ExprId id, std::uint32_t class_index, const ByteSet& leaving) {
  if (pool_.node(id).flags & kCaptures) return leaving;
  if (vocabulary_->places(leaving) <= kFewPlaces) return leaving;
  const LeafDfa& chars = pool_.class_automaton(class_index);
  std::vector<std::pair<ExprId, std::uint32_t>> places{{id, chars.start()}};
  ByteSet out = leaving & ByteSet::range(0x80, 0xBF);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [state, inside] = places[i];
    for (const LinearTerm& term : pool_.linear_form(state)) {
      if (!pool_.live(term.target)) continue;
      if (inside == chars.start()) out = out | (term.bytes & leaving);
      chars.for_each_edge(inside, [&](std::uint8_t low, std::uint8_t high, std::uint32_t to) {
        if ((term.bytes & ByteSet::range(low, high)).empty()) return;
        const std::pair next{term.target, chars.accepting(to) ? chars.start() : to};
        if (std::ranges::find(places, next) == places.end()) places.push_back(next);
      });
      if (places.size() > kMostPlacesOfText) return leaving;
    }
  }
  return out;
}

// Where text goes on after each character of a set, whatever states it leads through (what a
// look-behind has seen, what an intersection still asks for), its tokens are those of a class up to
// the number of characters after which one state first may not go on, and only longer ones and
// those with another byte are followed.
bool MaskCache::spread_item(ExprId id, std::uint32_t node, Mask& out) {
  const Node& first = pool_.node(pool_.head(id));
  const Kind kind = first.kind;
  const std::uint32_t flags = pool_.node(id).flags;
  if (kind == Kind::kBytes && pool_.byte_set(first).size() < kFewestBytes) return false;
  if ((kind != Kind::kAnd && kind != Kind::kScope && kind != Kind::kBytes) || !(flags & kText) ||
      (flags & kCaptures)) {
    return false;
  }
  const unsigned fewest = kind == Kind::kBytes ? kFewestBytes : kFewest;
  ByteSet chars = common_bytes(id, fewest);
  for (unsigned tries = 0; tries < kMostTries && chars.size() >= fewest; ++tries) {
    const std::uint32_t index = pool_.intern_class(CharSet::from_ascii(chars));
    const ByteSet leaving =
        leaving_by(id, index, (pool_.alphabet(id) - chars) - ByteSet::range(0x80, 0xBF));
    if (vocabulary_->places(leaving) > kMostPlaces) return false;
    const ClassTable& table = class_table(index, node);
    const std::shared_ptr<const TokenSet> inside = table.inside;
    const Spread spread = spread_of(id, chars, table.longest, kMostStates);
    const Bitmap* limit = nullptr;
    if (!spread.open) {
      const auto known = vocabulary_->at_most(node, spread.most);
      if (!known) return false;
      limit = *known;
    }
    // A word boundary, say, that a few characters would make: without these, text is free.
    if (limit && spread.lacking.size() <= kMostLacking && !spread.lacking.empty() &&
        longer(*inside, *limit) > kMostFollowed) {
      chars = chars - spread.lacking;
      continue;
    }
    if (limit && !add_overlong(id, node, *inside, *limit, out)) return false;
    out.parts.push_back({inside, limit});
    follow_exits(id, node, index, leaving, out);
    return true;
  }
  return false;
}

// Follows the text of every token that leaves the class on one of `bytes`; masks of what many
// tokens have behind it are shared.
void MaskCache::follow_exits(ExprId id, std::uint32_t node, std::uint32_t class_index,
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
      const TrieNode& below = trie[exit.node];
      sink.add_ranks(below.rank_begin, below.own_end());
      if (is_large(below)) {
        append(out, state, exit.node);
      } else {
        walk_states(exit.node, state, sink, nullptr);
      }
    }
  });
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
}

}  // namespace formgate
