// Tables of parts: the tokens that a rule or a repetition takes whole, and those in which it ends.
//
// A parser state differs from others by what is below on its stack, seldom by what is on top: an
// expression begins in the same way behind a bracket, a comma or an assignment. So for a part P and
// a large subtree of the vocabulary there is one table: the tokens that text of P begins with, and
// of the others the texts they have after some text of P, as a tree. Whatever follows P is walked
// through that tree alone. A rule's table is made from those of the parts it begins with, so each
// is a walk of few places. It is the split of prefix_masks.cpp within the walk, for parts that
// have calls, too (inverse token spanner table of Park, Zhou, D'Antoni, ICML 2025, of
// nonterminals).
#include <algorithm>
#include <bit>
#include <utility>

#include "exit_trees.hpp"
#include "formgate/masks.hpp"
#include "mask_sink.hpp"
#include "part_walk.hpp"

namespace formgate {
namespace {

// A table of a rule costs about as much as two walks of it; parts without rules are walked first by
// all states that begin with a rule that has them.
constexpr unsigned kUsesBefore = 1;
// Rules may begin with each other as deep as a grammar is large.
constexpr unsigned kMostNested = 24;
constexpr std::size_t kMostBeyond = 1u << 14;  // places at which tokens go beyond the part
constexpr std::size_t kMostText = 1u << 17;    // bytes of what they have after it
// A name may end behind each of its letters. Where more tokens than this go on with a letter, they
// are left out: what follows names does not begin with one.
constexpr std::size_t kMostWithLetters = 256;

// Letters, digits and the underscore.
const ByteSet& word_bytes() {
  static const ByteSet kOut = ByteSet::range('a', 'z') | ByteSet::range('A', 'Z') |
                              ByteSet::range('0', '9') | ByteSet::of('_');
  return kOut;
}

// Of characters beyond ASCII.
const ByteSet& high_bytes() {
  static const ByteSet kOut = ByteSet::range(0x80, 0xFF);
  return kOut;
}

}  // namespace

struct MaskCache::PartTable {
  std::shared_ptr<const TokenSet> inside;
  std::unique_ptr<ExitTree> beyond;  // of those that go on with other bytes than these:
  ByteSet left_out;
  bool nullable = false;
};

// Whether an expression begins with a rule, or with some other parts and then a rule. Behind lists
// of members rules have little to do with how a text begins.
bool MaskCache::begins_with_rules(ExprId id) const {
  constexpr unsigned kFewParts = 8;
  for (unsigned i = 0; i < kFewParts && id != ExprPool::kEpsilonId; ++i, id = pool_.tail(id)) {
    const Node& part = pool_.node(pool_.head(id));
    if (part.kind == Kind::kKeyed) return false;
    if (part.flags & kCalls) return true;
  }
  return false;
}

// The table of a part below a node; null: none, or not yet.
std::shared_ptr<const MaskCache::PartTable> MaskCache::part_table(ExprId part, std::uint32_t node) {
  const TrieNode& top = vocabulary_->trie()[node];
  if (!is_large(top) || !options_.class_tables) return nullptr;
  const Node& own = pool_.node(part);
  if (own.flags & kCaptures) return nullptr;
  switch (own.kind) {
    case Kind::kCall:
    case Kind::kRepeat:
    case Kind::kAnd:
    case Kind::kScope:
    case Kind::kSpelled:
      break;
    default:
      return nullptr;
  }
  const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32) | index_of(part);
  {
    PartUse& use = part_tables_[key];
    if (use.table || use.closed) return use.table;
    if (use.count == 0) bytes_ += sizeof(PartUse) + 32;
    if (++use.count <= (own.kind == Kind::kCall ? kUsesBefore : 0)) return nullptr;
    if (table_depth_ >= kMostNested) return nullptr;
    use.closed = true;  // while it is made
  }
  ++table_depth_;
  const auto table = make_part_table(part, node);
  --table_depth_;
  if (table) {
    PartUse& use = part_tables_[key];
    use.table = table;
    use.closed = false;
  }
  return table;
}

// Adds the tokens beyond places where text of a part ends, with the bytes after it; not those that
// are within the part anyway, nor those that go on with bytes that are left out. Texts are looked
// up where it is known that there are not too many. False, and none: there are.
bool MaskCache::add_exits(std::uint32_t top, std::vector<std::uint32_t>& ends, const Bitmap& within,
                          PartExits& exits, ByteSet& left_out) const {
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  const auto ids = vocabulary_->ids();
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  struct Beyond {
    std::uint32_t place;
    std::uint32_t begin;  // of the ranks below one of its children
    std::uint32_t end;
  };
  std::vector<Beyond> letters;
  std::vector<Beyond> high;
  std::vector<Beyond> others;
  const ByteSet& words = word_bytes();
  std::size_t ranks = 0;
  for (const std::uint32_t at : ends) {
    if (at == top) continue;  // the empty text
    const std::uint32_t end = trie[at].first_child + trie[at].child_count;
    for (std::uint32_t child = trie[at].first_child; child < end; ++child) {
      const std::uint8_t label = labels[child];
      auto& list = label >= 0x80 ? high : words.contains(label) ? letters : others;
      list.push_back({at, trie[child].rank_begin, trie[child].rank_end});
      ranks += trie[child].rank_end - trie[child].rank_begin;
    }
  }
  // Names end at each letter, so places lie in each other: then a token is looked at once.
  const std::uint32_t first = trie[top].rank_begin;
  std::vector<std::uint64_t> open;
  if (ranks > trie[top].rank_end - first) {
    open.resize((trie[top].rank_end - first) / 64 + 1, 0);
    for (std::uint32_t rank = first; rank < trie[top].rank_end; ++rank) {
      const std::uint64_t bit = test_bit(within.data(), ids[rank]) ? 0 : 1;
      open[(rank - first) / 64] |= bit << ((rank - first) % 64);
    }
  }
  // Calls `visit` with ranks that are not within the part, until it says that it has enough.
  const auto each = [&](const Beyond& beyond, auto&& visit) {
    for (std::uint32_t rank = beyond.begin; rank < beyond.end; ++rank) {
      if (open.empty()) {
        if (test_bit(within.data(), ids[rank])) continue;
      } else {
        const std::uint64_t word = open[(rank - first) / 64] >> ((rank - first) % 64);
        if (word == 0) {
          rank += 63 - (rank - first) % 64;
          continue;
        }
        rank += static_cast<std::uint32_t>(std::countr_zero(word));
        if (rank >= beyond.end) return false;
      }
      if (visit(rank)) return true;
    }
    return false;
  };
  const auto more_than = [&](const std::vector<Beyond>& list, std::size_t most) {
    std::size_t count = 0;
    const auto exceeds = [&](std::uint32_t /*rank*/) { return ++count > most; };
    return std::ranges::any_of(list, [&](const Beyond& own) { return each(own, exceeds); });
  };
  if (more_than(high, 0)) left_out = left_out | high_bytes();
  if (more_than(letters, kMostWithLetters)) {
    left_out = left_out | words;
  } else {
    others.insert(others.end(), letters.begin(), letters.end());
  }
  if (more_than(others, kMostBeyond)) return false;
  std::uint32_t place = kNoIndex;
  std::size_t length = 0;
  for (const Beyond& beyond : others) {
    if (beyond.place != place) length = vocabulary_->path(place = beyond.place).size();
    each(beyond, [&](std::uint32_t rank) {
      const std::size_t size = vocabulary_->token_bytes(ids[rank])->size();
      exits.emplace_back(ids[rank], static_cast<std::uint16_t>(size - length));
      return false;
    });
  }
  return true;
}

std::shared_ptr<const MaskCache::PartTable> MaskCache::make_part_table(ExprId part,
                                                                       std::uint32_t node) {
  PartWalk walk(*this, token_tree(), nullptr);
  std::vector<std::uint32_t> ends;
  PartExits exits;
  walk.keep_ends(ends);
  walk.keep_exits(exits);
  if (!walk.run(node, part)) return nullptr;
  auto table = std::make_shared<PartTable>();
  table->nullable = pool_.nullable(part);
  table->left_out = walk.left_out();
  Sink inside(*vocabulary_);
  for (const auto& [begin, end] : walk.found()) inside.add_ranks(begin, end);
  for (const auto& mask : walk.masks()) collect(*mask, inside);
  table->inside = inside.finish();
  Bitmap listed;
  if (table->inside->dense.empty()) {
    listed.assign(vocabulary_->words(), 0);
    for (const TokenId id : table->inside->ids) set_bit(listed.data(), id);
  }
  const Bitmap& within = listed.empty() ? table->inside->dense : listed;
  if (!add_exits(node, ends, within, exits, table->left_out)) return nullptr;
  std::erase_if(exits, [&](const auto& exit) { return test_bit(within.data(), exit.first); });
  std::ranges::sort(exits);
  exits.erase(std::unique(exits.begin(), exits.end()), exits.end());
  const auto rest_of = [&](const std::pair<TokenId, std::uint16_t>& exit) {
    const std::string_view whole = *vocabulary_->token_bytes(exit.first);
    return whole.substr(whole.size() - exit.second);
  };
  std::size_t with_letters = 0;
  for (const auto& exit : exits) {
    const auto byte = static_cast<std::uint8_t>(rest_of(exit).front());
    if (word_bytes().contains(byte)) ++with_letters;
    if (byte >= 0x80) table->left_out = table->left_out | high_bytes();
  }
  if (with_letters > kMostWithLetters) table->left_out = table->left_out | word_bytes();
  std::vector<ExitTree::Entry> entries;
  entries.reserve(std::min(exits.size(), kMostBeyond));
  std::size_t bytes = 0;
  for (const auto& exit : exits) {
    const std::string_view text = rest_of(exit);
    if (table->left_out.contains(static_cast<std::uint8_t>(text.front()))) continue;
    entries.push_back({leading_bytes(text), text, exit.first, 0});
    bytes += text.size();
    if (entries.size() > kMostBeyond || bytes > kMostText) return nullptr;
  }
  table->beyond = ExitTree::of(std::move(entries));
  bytes_ += table->beyond->memory_usage() + table->inside->memory_usage() + sizeof(PartTable);
  return table;
}

// Goes on with what follows a part through its table. False: the table does not say enough.
bool MaskCache::PartWalk::through(const Item& item, const PartTable& table) {
  const bool last = item.frame == kNone;
  if (!last && !table.left_out.empty()) {
    const Frame& next = following(item.frame);
    if (!(next.first & table.left_out).empty()) return false;
    if (next.ends && exits_) left_out_ = left_out_ | table.left_out;
  }
  auto mask = std::make_shared<Mask>();
  mask->parts.push_back({table.inside, nullptr});
  if (!table.beyond->ids.empty() && !last) {
    std::vector<ExprId> rests;
    for (std::uint32_t at = item.frame; at != kNone; at = frames_[at].below) {
      rests.push_back(rest_of(frames_[at]));
    }
    const TokenTree view = table.beyond->view();
    PartWalk inner(cache_, view, nullptr);
    std::vector<std::uint32_t> ends;
    if (exits_) inner.keep_ends(ends);
    if (!inner.run(0, rests.front(), std::span(rests).subspan(1))) {
      given_up_ = true;
      too_long_ = inner.too_long();
      return true;
    }
    steps_ += inner.steps_ / 8;
    auto tokens = std::make_shared<TokenSet>();
    for (const auto& [begin, end] : inner.found()) {
      tokens->ids.insert(tokens->ids.end(), view.ids.begin() + begin, view.ids.begin() + end);
    }
    if (!tokens->ids.empty()) mask->parts.push_back({std::move(tokens), nullptr});
    for (const std::uint32_t at : ends) {
      const TrieNode& end = view.nodes[at];
      for (std::uint32_t rank = end.own_end(); rank < end.rank_end; ++rank) {
        exits_->emplace_back(view.ids[rank],
                             static_cast<std::uint16_t>(view.lengths[rank] - end.height));
      }
    }
  } else if (last && exits_) {
    left_out_ = left_out_ | table.left_out;
    const ExitTree& beyond = *table.beyond;
    for (std::size_t rank = 0; rank < beyond.ids.size(); ++rank) {
      exits_->emplace_back(beyond.ids[rank], beyond.lengths[rank]);
    }
  }
  masks_.push_back(std::move(mask));
  if (table.nullable) leave(item.node, item.frame);
  return true;
}

}  // namespace formgate
