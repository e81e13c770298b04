#include "formgate/masks.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "dispose.hpp"
#include "formgate/errors.hpp"
#include "lexed_masks.hpp"
#include "mask_sink.hpp"
#include "part_walk.hpp"

namespace formgate {
namespace {

std::atomic<std::size_t> cache_budget{128u << 20};

// Alternatives nested deeper than this are walked together: recursion must not follow the input.
constexpr unsigned kMostNested = 64;
constexpr std::size_t kUsualParts = 4;  // of a mask

// Parts of a mask that count for one use of what its state begins with.
constexpr unsigned kItemsPerUse = 6;

// Deeper in alternatives few states begin as others do.
constexpr unsigned kMostAbovePrefix = 3;

// Deeper few states come again with other counts.
constexpr unsigned kMostAboveCounts = 3;

// Heads taken apart for one mask. Optional parts of an ambiguous grammar's stack, taken apart one
// by one, would multiply; a walk keeps them together.
constexpr unsigned kMostSplits = 256;
constexpr unsigned kSplitsEach = 4;
constexpr unsigned kMostSplitsInAll = 1u << 14;

// Masks that took too much, whose states are remembered.
constexpr std::size_t kMostFailed = 256;

}  // namespace

void MaskCache::set_budget(std::size_t bytes) { cache_budget.store(bytes); }

std::shared_ptr<const Mask> MaskCache::mask(ExprId id) {
  if (auto it = masks_.find(index_of(id)); it != masks_.end()) return it->second;
  if (!failed_.empty()) {
    // What took too much once does so again, and what it left behind would be as much again.
    const auto it = failed_.find(index_of(id));
    if (it != failed_.end() && pool_.growth() <= it->second.first) {
      throw Error(ErrorKind::kLimit, it->second.second);
    }
  }
  if (bytes_ > cache_budget.load()) evict();
  splits_ = 0;
  most_splits_ = kMostSplits;
  depth_ = 0;
  settling_ = false;
  making_prefix_ = false;
  given_up_ = 0;
  in_trees_ = 0;
  items_ = 0;
  untabled_.reset();
  std::shared_ptr<const Mask> out;
  try {
    ExprId near = id;
    if (plain() && pool_.node(id).flags & kCalls) {
      near = pool_.far_from_counts(id, std::max(vocabulary_->max_bytes(), 1u));
    }
    out = mask_at(near, 0);
    if (near != id && options_.keep_masks) {
      masks_.emplace(index_of(id), out);
      bytes_ += 64;
    }
  } catch (const Error& error) {
    evict();
    stack_.clear();
    if (error.kind() == ErrorKind::kLimit) {
      if (failed_.size() >= kMostFailed) failed_.clear();
      failed_.insert_or_assign(index_of(id), std::pair(pool_.growth(), std::string(error.what())));
    }
    throw;
  } catch (...) {  // half of a table is none
    evict();
    stack_.clear();
    throw;
  }
  // What takes long to find is worth a table sooner.
  if (untabled_) prefix_use(*untabled_).count += items_ / kItemsPerUse;
  return out;
}

std::shared_ptr<const Mask> MaskCache::mask_at(ExprId id, std::uint32_t node) {
  const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32) | index_of(id);
  if (auto it = masks_.find(key); it != masks_.end()) return it->second;
  auto out = std::make_shared<Mask>();
  out->parts.reserve(kUsualParts);
  ++depth_;
  if (pool_.live(id)) item(id, node, *out);
  --depth_;
  compress(*out);
  out->accepting = pool_.nullable(id);
  if (options_.keep_masks) {
    // Parts are shared with the tables; only what this mask alone holds is counted.
    for (Mask::Part& part : out->parts) {
      if (part.tokens.use_count() > 2) continue;
      if (part.tokens->dense.empty()) {
        bytes_ += part.tokens->memory_usage();
      } else if (part.tokens.use_count() == 1) {
        part.tokens = shared(std::move(part.tokens));
      }
    }
    for (const Mask::Part& part : out->parts) {
      if (part.gone && part.gone.use_count() <= 2) bytes_ += 40 + part.gone->size() * 4;
    }
    bytes_ += sizeof(Mask) + 64 + out->parts.size() * sizeof(Mask::Part);
    masks_.emplace(key, out);
  }
  return out;
}

void MaskCache::append(Mask& out, ExprId id, std::uint32_t node) {
  if (id == ExprPool::kEmptyId || id == ExprPool::kEpsilonId) return;
  const auto own = mask_at(id, node);
  out.parts.insert(out.parts.end(), own->parts.begin(), own->parts.end());
}

void MaskCache::evict() {
  dispose(std::tuple(
      std::exchange(masks_, {}), std::exchange(exits_, {}), std::exchange(all_exits_, {}),
      std::exchange(tables_, {}), std::exchange(below_, {}), std::exchange(new_keys_, {}),
      std::exchange(sorted_ids_, {}), std::exchange(quotes_, {}), std::exchange(ending_, {}),
      std::exchange(prefixes_, {}), std::exchange(spellings_, {}), std::exchange(sets_, {}),
      std::exchange(part_tables_, {}), std::exchange(first_of_, {}),
      std::exchange(count_shapes_, {})));
  table_depth_ = 0;
  if (lexed_) lexed_->clear();
  bytes_ = 0;
}

bool MaskCache::takes_prefix(std::uint32_t node) const {
  return node == 0 && depth_ <= kMostAbovePrefix && options_.prefix_uses > 0 && plain() &&
         !making_prefix_ && given_up_ == 0;
}

void MaskCache::item(ExprId id, std::uint32_t node, Mask& out) {
  ++items_;
  LongStep::tick();
  const bool plain = this->plain();
  const Kind kind = pool_.node(pool_.head(id)).kind;
  const bool counted = kind == Kind::kRepeat || kind == Kind::kSpelled || kind == Kind::kAnd;
  if (node == 0 && plain && options_.class_tables && options_.keep_masks && counted &&
      depth_ <= kMostAboveCounts && count_item(id, node, out)) {
    return;
  }
  if (takes_prefix(node)) {
    const ExprId sequence[] = {id};
    if (head_item(id, out) || prefix_item(sequence, out) || rest_item(id, out) ||
        keys_item(id, out)) {
      return;
    }
  }
  if (plain && options_.class_tables && depth_ < kMostNested) {
    if (kind == Kind::kRepeat && loop_item(id, node, out)) return;
    if (kind == Kind::kUnion && covered_item(id, node, out)) return;
    if ((kind == Kind::kRepeat || kind == Kind::kUnion) && group_item(id, node, out)) return;
  }
  if (plain && options_.class_tables && kind == Kind::kLexed && depth_ < kMostNested &&
      pool_.tail(id) == ExprPool::kEpsilonId) {
    lexed_item(id, node, out);
    return;
  }
  if (plain && options_.class_tables && depth_ < kMostNested &&
      (kind == Kind::kSpelled || kind == Kind::kAnd || kind == Kind::kScope)) {
    // No token comes near the greatest number of characters, so the number does not matter.
    const ExprId far = pool_.far_from_end(id, vocabulary_->max_characters());
    if (far != id) {
      append(out, far, node);
      return;
    }
    if (bounded_item(id, node, out)) return;
    if (kind == Kind::kScope && scope_item(id, node, out)) return;
  }
  if (plain && options_.class_tables && options_.split_parts && kind == Kind::kSpelled &&
      depth_ < kMostNested && quoted_item(id, node, out)) {
    return;
  }
  if (plain && options_.class_tables && kind == Kind::kAnd && depth_ < kMostNested &&
      guarded_item(id, node, out)) {
    return;
  }
  if (plain && options_.class_tables && kind == Kind::kKeyed && depth_ < kMostNested &&
      capture_item(id, node, out)) {
    return;
  }
  if (plain && options_.class_tables && depth_ < kMostNested &&
      is_large(vocabulary_->trie()[node]) && settles_soon(id) && settling_item(id, node, out)) {
    return;
  }
  if (plain && options_.automaton_walk && kind == Kind::kLeaf) {
    leaf_item(id, node, out);
    return;
  }
  walk_item(id, node, out);
}

// Takes alternatives at the head apart: (x|y)K, x?K, x{m,n}K. A repeated part that may be empty is
// left to the walk: taking it apart would not end.
bool MaskCache::group_item(ExprId id, std::uint32_t node, Mask& out) {
  if (++splits_ > most_splits_ || given_up_ >= kMostGivenUp) return false;
  const ExprId first = pool_.head(id);
  ExprId rest = pool_.tail(id);
  ExprId base = first;
  const Node head = pool_.node(first);
  if (head.kind == Kind::kRepeat) {
    base = ExprId{head.a};
    if (pool_.nullable(base) || !pool_.free_of_context(base)) return false;
    if (head.min == 0) append(out, rest, node);
    rest = pool_.concat(pool_.repeat(base, head.min == 0 ? 0 : head.min - 1,
                                     head.max == kUnbounded ? kUnbounded : head.max - 1),
                        rest);
  }
  std::span<const ExprId> members(&base, 1);
  if (pool_.node(base).kind == Kind::kUnion) {
    members = pool_.members(pool_.node(base));
    // Very many alternatives, as of a schema, take what each would take alone.
    const auto more = kSplitsEach * static_cast<unsigned>(members.size());
    if (more > kMostSplits) most_splits_ = std::min(most_splits_ + more, kMostSplitsInAll);
  }
  for (ExprId member : members) append(out, pool_.concat(member, rest), node);
  return true;
}

// Takes the alternatives at the head that nothing looks around in apart from the others: Python's
// strings of one quote from those of three.
bool MaskCache::scope_item(ExprId id, std::uint32_t node, Mask& out) {
  const Node head = pool_.node(pool_.head(id));
  const std::span<const ExprId> list = pool_.members(head);
  const std::vector<ExprId> trackers(list.begin() + 1, list.end());
  const Node body = pool_.node(list[0]);
  if (body.kind != Kind::kUnion) return false;
  std::vector<ExprId> free;
  std::vector<ExprId> bound;
  for (ExprId member : pool_.members(body)) {
    (pool_.free_of_context(member) ? free : bound).push_back(member);
  }
  if (free.empty()) return false;
  const ExprId rest = pool_.tail(id);
  for (const std::vector<ExprId>& members : {free, bound}) {
    append(out, pool_.concat(pool_.scope(pool_.unite(members), trackers), rest), node);
  }
  return true;
}

// Whether one character of nearly all is next, as before any others.
bool MaskCache::settles_soon(ExprId id) {
  constexpr unsigned kFewest = 80;  // of ASCII; of fewer, a walk reads little of the trie
  const Kind kind = pool_.node(pool_.head(id)).kind;
  if (kind != Kind::kBytes && kind != Kind::kLeaf && kind != Kind::kUnion) return false;
  return pool_.node(id).flags & kText && pool_.free_of_context(id) &&
         !(pool_.node(id).flags & kCaptures) && widest_step(id).size() >= kFewest;
}

void MaskCache::walk_item(ExprId id, std::uint32_t node, Mask& out) {
  const TrieNode& top = vocabulary_->trie()[node];
  const Kind kind = pool_.node(pool_.head(id)).kind;
  const bool large = options_.class_tables && plain() && is_large(top);
  if (large && kind == Kind::kBytes && spread_item(id, node, out)) return;
  // Of these, each part is walked for itself.
  const bool split = options_.split_parts && pool_.free_of_context(id) &&
                     (kind == Kind::kBytes || kind == Kind::kLeaf || kind == Kind::kUnion ||
                      kind == Kind::kKeyed || kind == Kind::kCall ||
                      ((kind == Kind::kAnd || kind == Kind::kScope) && begins_with_rules(id)));
  if (large && !split && !(pool_.node(id).flags & kCalls && pool_.node(id).kind == Kind::kAnd) &&
      (closed_item(id, node, out) || staying_item(id, node, out) || spread_item(id, node, out) ||
       settling_item(id, node, out) || avoiding_item(id, node, out) || run_item(id, node, out))) {
    return;
  }
  Sink sink(*vocabulary_);
  walk(node, id, sink, &out);
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
}

bool MaskCache::walks_parts(ExprId state) const {
  return options_.split_parts && plain() && given_up_ < kMostGivenUp &&
         pool_.free_of_context(state);
}

// Adds to `sink` every token below `node` (not at it) that `state` allows.
void MaskCache::walk(std::uint32_t node, ExprId state, Sink& sink, Mask* parts) {
  if (vocabulary_->trie()[node].child_count == 0) return;
  if (walks_parts(state)) {
    const bool shared = parts && options_.class_tables && depth_ < kMostNested;
    PartWalk walk(*this, token_tree(), shared ? parts : nullptr);
    const bool whole = walk.run(node, state);
    for (const auto& [begin, end] : walk.found()) sink.add_ranks(begin, end);
    for (const auto& mask : walk.masks()) {
      if (parts) {
        parts->parts.insert(parts->parts.end(), mask->parts.begin(), mask->parts.end());
      } else {
        collect(*mask, sink);
      }
    }
    if (whole) return;
    given_up_ += walk.too_long() ? 1 : 0;
  }
  walk_states(node, state, sink, parts);
}

// The same, state by state.
void MaskCache::walk_states(std::uint32_t node, ExprId state, Sink& sink, Mask* parts) {
  const auto trie = vocabulary_->trie();
  const bool cut = options_.cut_subtrees && plain();
  const bool shared = parts && options_.class_tables && plain() && depth_ < kMostNested;
  const std::size_t base = stack_.size();
  const auto labels = vocabulary_->labels();
  const auto ascii = vocabulary_->ascii();
  if (trie[node].child_count == 0) return;
  const bool captured = plain() && options_.class_tables && depth_ < kMostNested;
  if (cut && !parts && !(pool_.node(state).flags & kCaptures) &&
      pool_.row(state).loop.covers(trie[node], ascii[node])) {
    sink.add_ranks(trie[node].own_end(), trie[node].rank_end);
    return;
  }
  stack_.emplace_back(node, state);
  while (stack_.size() > base) {
    const auto [at, here] = stack_.back();
    stack_.pop_back();
    LongStep::tick();
    const Row& row = pool_.row(here);
    const TrieNode& parent = trie[at];
    const std::uint32_t end = parent.first_child + parent.child_count;
    for (std::uint32_t child = parent.first_child; child < end; ++child) {
      const std::uint32_t next = row.next[labels[child]];
      if (next == 0) continue;
      const TrieNode& below = trie[child];
      const ExprId target{next};
      if (below.child_count == 0) {
        if (spellable(target)) sink.add_ranks(below.rank_begin, below.own_end());
        continue;
      }
      if (captured && pool_.node(target).flags & kCaptures) {
        if (below.own_count > 0) sink.add_ranks(below.rank_begin, below.own_end());
        collect(*mask_at(target, child), sink);
        continue;
      }
      const bool large = shared && is_large(below);
      if (cut && !large && below.rank_end - below.rank_begin > 1 &&
          pool_.row(target).loop.covers(below, ascii[child])) {
        sink.add_ranks(below.rank_begin, below.rank_end);
        continue;
      }
      if (below.own_count > 0 && spellable(target)) {
        sink.add_ranks(below.rank_begin, below.own_end());
      }
      if (large) {
        append(*parts, target, child);
        continue;
      }
      prefetch_children(below, trie, labels, ascii);
      stack_.emplace_back(child, target);
    }
  }
}

// A character before text that reads it and more in a state, and stays there, is as that text, but
// for how it begins. All characters beyond ASCII are read, so that first bytes tell.
bool MaskCache::begins_loop(ExprId id, std::uint32_t node, Mask& out) {
  const ExprId tail = pool_.tail(id);
  const std::uint32_t own = pool_.class_of(pool_.head(id));
  if (own == kNoIndex || tail == ExprPool::kEpsilonId) return false;
  const CharSet& set = pool_.char_class(own);
  if (!CharSet({{0x80, kMaxCodePoint}}).intersect(CharSet::all()).subset_of(set)) return false;
  const std::uint32_t loop = pool_.self_loop(tail);
  if (loop == kNoIndex || !set.subset_of(pool_.char_class(loop))) return false;
  const Bitmap* first = beginning_with(set.ascii() | ByteSet::range(0x80, 0xFF), node);
  if (!first) return false;
  const std::shared_ptr<const Mask> known = mask_at(tail, node);
  Sink sink(*vocabulary_);
  collect(*known, sink);
  out.parts.push_back({sink.finish(), first});
  return true;
}

// A literal set (or a single character of a class) at the head: walks its automaton.
void MaskCache::leaf_item(ExprId id, std::uint32_t node, Mask& out) {
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  const Node head = pool_.node(pool_.head(id));
  const ExprId tail = pool_.tail(id);
  const LeafDfa& dfa = pool_.automaton(head);
  const bool shared = options_.class_tables && plain() && depth_ < kMostNested;
  if (shared && is_large(trie[node]) && begins_loop(id, node, out)) return;
  Sink sink(*vocabulary_);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{node, head.b}};
  while (!stack.empty()) {
    const auto [at, state] = stack.back();
    stack.pop_back();
    const TrieNode& parent = trie[at];
    const auto enter = [&](std::uint32_t child, std::uint32_t next) {
      const TrieNode& below = trie[child];
      sink.add_ranks(below.rank_begin, below.own_end());
      if (below.child_count == 0) return;
      if (tail != ExprPool::kEpsilonId && dfa.accepting(next)) {
        if (shared && is_large(below)) {
          append(out, tail, child);
        } else {
          walk(child, tail, sink, &out);
        }
      }
      if (dfa.has_edges(next)) stack.emplace_back(child, next);
    };
    // Merge of two sorted lists: children by label and edges by byte.
    std::uint32_t child = parent.first_child;
    const std::uint32_t end = child + parent.child_count;
    dfa.for_each_edge(state, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
      while (child < end && labels[child] < low) ++child;
      for (; child < end && labels[child] <= high; ++child) enter(child, target);
    });
  }
  out.parts.push_back({sink.finish(), nullptr});
  if (dfa.accepting(head.b)) append(out, tail, node);
}

std::vector<ExprId> MaskCache::successors(ExprId id, std::size_t& steps) {
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  std::unordered_set<std::uint32_t> seen;
  std::vector<ExprId> out;
  std::vector<std::pair<std::uint32_t, ExprId>> stack{{0, id}};
  while (!stack.empty()) {
    const auto [at, here] = stack.back();
    stack.pop_back();
    const TrieNode& parent = trie[at];
    if (steps <= parent.child_count) {
      steps = 0;
      break;
    }
    steps -= parent.child_count;
    // A name or an item that must be new has another state for each byte: no row of all bytes then.
    const bool single = (pool_.node(here).flags & kCaptures) != 0;
    for (std::uint32_t i = 0; i < parent.child_count; ++i) {
      const std::uint32_t child = parent.first_child + i;
      const std::uint8_t byte = labels[child];
      const std::uint32_t next =
          single ? index_of(pool_.step(here, byte)) : pool_.row(here).next[byte];
      if (next == 0) continue;
      if (trie[child].own_count > 0 && spellable(ExprId{next}) && seen.insert(next).second) {
        out.push_back(ExprId{next});
      }
      if (trie[child].child_count > 0) stack.emplace_back(child, ExprId{next});
    }
  }
  return out;
}

}  // namespace formgate
