#include "part_walk.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

// Steps of one walk. Alternatives that come to the same are walked each for itself, so ambiguous
// expressions could go on for ever.
constexpr std::size_t kMostSteps = 1u << 12;

// At places with more ways on, some way nearly always fits.
constexpr unsigned kFewChildren = 24;

// Counting all bits takes longer, where the processor has no instruction for it.
bool is_single(const ByteSet& set) {
  std::uint64_t found = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t word = set.word(i);
    if (word == 0) continue;
    if (found != 0) return false;
    found = word;
  }
  return found != 0 && (found & (found - 1)) == 0;
}

}  // namespace

std::uint32_t TokenTree::child(std::uint32_t node, std::uint8_t byte) const {
  const TrieNode& at = nodes[node];
  const std::uint8_t* begin = labels.data() + at.first_child;
  const void* found = std::memchr(begin, byte, at.child_count);
  if (!found) return 0;
  return at.first_child +
         static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(found) - begin);
}

bool MaskCache::PartWalk::run(std::uint32_t node, ExprId id, std::span<const ExprId> others) {
  root_ = node;
  given_up_ = false;
  found_.clear();
  masks_.clear();
  frames_.clear();
  if (id != asked_) calls_ = cache_.begins_with_rules(asked_ = id);
  std::uint32_t frame = kNone;
  for (auto other = others.rbegin(); other != others.rend(); ++other) {
    frames_.push_back({*other, frame});
    frame = static_cast<std::uint32_t>(frames_.size() - 1);
  }
  items_.assign(1, {node, id, frame});
  for (steps_ = 0; !items_.empty(); ++steps_) {
    too_long_ = steps_ > kMostSteps;
    if (too_long_ || given_up_) return false;
    const Item item = items_.back();
    items_.pop_back();
    expand(item);
  }
  return !given_up_;
}

void MaskCache::PartWalk::leave(std::uint32_t node, std::uint32_t frame) {
  if (tree_.nodes[node].child_count == 0) return;
  if (frame == kNone) {
    if (ends_) ends_->push_back(node);
    return;
  }
  if (calls_) {  // others are better given up, where there are many places, for whole states
    const Frame& next = following(frame);
    if (!(next.ends && ends_) && !fits(node, next.first)) return;
  }
  items_.push_back({node, rest_of(frames_[frame]), frames_[frame].below});
}

// Whether some byte leads on from a place in the tree; where there are many ways on, true.
bool MaskCache::PartWalk::fits(std::uint32_t node, const ByteSet& bytes) const {
  const TrieNode& at = tree_.nodes[node];
  if (at.child_count > kFewChildren) return true;
  const std::uint8_t* label = tree_.labels.data() + at.first_child;
  for (const std::uint8_t* end = label + at.child_count; label != end; ++label) {
    if (bytes.contains(*label)) return true;
  }
  return false;
}

// False: no text of an expression goes on from a place in the tree.
bool MaskCache::PartWalk::begins(std::uint32_t node, ExprId expr) const {
  if (tree_.nodes[node].child_count > kFewChildren) return true;
  for (; expr != ExprPool::kEpsilonId; expr = pool_.tail(expr)) {
    const ExprId part = pool_.head(expr);
    if (fits(node, cache_.first_of(part))) return true;
    if (!pool_.nullable(part)) return false;
  }
  return true;
}

const MaskCache::WalkBuffers::Frame& MaskCache::PartWalk::following(std::uint32_t frame) {
  Frame& top = frames_[frame];
  if (top.looked) return top;
  top.looked = true;
  for (std::uint32_t at = frame; at != kNone; at = frames_[at].below) {
    const Frame& own = frames_[at];
    if (own.name != kNoIndex) {
      top.first = ByteSet::all();
      return top;
    }
    if (!cache_.add_first(own.rest, top.first)) return top;
  }
  top.ends = true;
  return top;
}

// A superset of the bytes that texts of a part begin with.
const ByteSet& MaskCache::first_of(ExprId part) {
  static const ByteSet kAny = ByteSet::all();
  const Node& node = pool_.node(part);
  if (node.kind == Kind::kKeyed || node.flags & kCaptures || !pool_.free_of_context(part)) {
    return kAny;
  }
  if (node.kind == Kind::kBytes) return pool_.byte_set(node);
  if (const auto it = first_of_.find(index_of(part)); it != first_of_.end()) return it->second;
  bytes_ += sizeof(ByteSet) + 32;
  return first_of_.emplace(index_of(part), pool_.first_bytes(part)).first->second;
}

// Adds a superset of the bytes that texts of an expression begin with. False: none is empty.
bool MaskCache::add_first(ExprId state, ByteSet& first) {
  for (; state != ExprPool::kEpsilonId; state = pool_.tail(state)) {
    const ExprId part = pool_.head(state);
    first = first | first_of(part);
    if (!pool_.nullable(part)) return false;
  }
  return true;
}

// Few escapes end within a token, so what comes after them is made only where one does.
ExprId MaskCache::PartWalk::rest_of(Frame& frame) {
  if (frame.name != kNoIndex) {
    frame.rest = pool_.keyed().names_from(frame.rest, std::exchange(frame.name, kNoIndex));
  }
  return frame.rest;
}

void MaskCache::PartWalk::expand(const Item& item) {
  if (pool_.node(item.expr).flags & kBoolean && !pool_.live(item.expr)) return;
  const ExprId part = pool_.head(item.expr);
  const ExprId rest = pool_.tail(item.expr);
  Item own = item;
  if (rest != ExprPool::kEpsilonId) {
    own.frame = static_cast<std::uint32_t>(frames_.size());
    frames_.push_back({rest, item.frame});
  }
  if (!pool_.free_of_context(part)) return whole(own, part);
  if (calls_ && !tree_.ascii.empty() && (exits_ || !ends_)) {
    const auto table = cache_.part_table(part, own.node);
    if (table && through(own, *table)) return;
  }
  const Node& node = pool_.node(part);
  switch (node.kind) {
    case Kind::kEmpty:
      return;
    case Kind::kEpsilon:
      return leave(own.node, own.frame);
    case Kind::kUnion:
      for (ExprId member : pool_.members(node)) {
        if (!calls_ || begins(own.node, member)) {
          items_.push_back({own.node, member, own.frame});
        }
      }
      return;
    case Kind::kCall:
      items_.push_back({own.node, pool_.body(part), own.frame});
      return;
    case Kind::kBytes:
      return bytes(own, part);
    case Kind::kLeaf:
      return leaf(own, part);
    case Kind::kKeyed:
      if (pool_.keyed().captures(part)) return capture(own, part);
      if (pool_.keyed().spells_names(part)) return names(own, part);
      if (pool_.nullable(part)) leave(own.node, own.frame);
      items_.push_back({own.node, pool_.keyed().expanded(part), own.frame});
      return;
    case Kind::kLexed:
    case Kind::kLook:
    case Kind::kBehind:
      return whole(own, part);
    default:
      return states(own, part);
  }
}

ExprId MaskCache::PartWalk::joined(ExprId part, std::uint32_t frame) {
  std::vector<ExprId> rests;
  for (; frame != kNone; frame = frames_[frame].below) rests.push_back(rest_of(frames_[frame]));
  ExprId out = ExprPool::kEpsilonId;
  while (!rests.empty()) {
    out = pool_.concat(rests.back(), out);
    rests.pop_back();
  }
  return pool_.concat(part, out);
}

// A byte has led to `child`, where `expr` is left of the part.
void MaskCache::PartWalk::arrive(std::uint32_t child, ExprId expr, std::uint32_t frame) {
  const TrieNode& below = tree_.nodes[child];
  const bool vocabulary = !tree_.ascii.empty();
  if (below.child_count == 0) return emit(below.rank_begin, below.own_end());
  const bool large = parts_ && is_large(below);
  if (vocabulary && !large && below.rank_end - below.rank_begin > 1 &&
      cache_.options_.cut_subtrees) {
    const ExprId part = pool_.head(expr);
    const Kind kind = pool_.node(part).kind;
    const bool loops = kind == Kind::kRepeat || kind == Kind::kSpelled || kind == Kind::kAnd ||
                       kind == Kind::kNot || kind == Kind::kScope;
    if (loops && pool_.free_of_context(part) &&
        pool_.row(part).loop.covers(below, tree_.ascii[child])) {
      return emit(below.rank_begin, below.rank_end);
    }
  }
  emit(below.rank_begin, below.own_end());
  if (large) {
    cache_.append(*parts_, joined(expr, frame), child);
    return;
  }
  prefetch_children(below, tree_.nodes, tree_.labels, tree_.ascii);
  items_.push_back({child, expr, frame});
}

void MaskCache::PartWalk::bytes(const Item& item, ExprId part) {
  const ByteSet& set = pool_.byte_set(pool_.node(part));
  if (is_single(set)) {
    const std::uint32_t child = tree_.child(item.node, set.first());
    if (child != 0) arrive(child, ExprPool::kEpsilonId, item.frame);
    return;
  }
  const TrieNode& at = tree_.nodes[item.node];
  const std::uint32_t end = at.first_child + at.child_count;
  for (std::uint32_t child = at.first_child; child < end; ++child) {
    if (set.contains(tree_.labels[child])) arrive(child, ExprPool::kEpsilonId, item.frame);
  }
}

// A state that leads back to itself is followed here, without further items.
void MaskCache::PartWalk::states(const Item& item, ExprId part) {
  const bool ends = pool_.nullable(part);
  const Row& row = pool_.row(part);
  const bool cuts = !tree_.ascii.empty() && cache_.options_.cut_subtrees;
  again_.assign(1, item.node);
  while (!again_.empty()) {
    const std::uint32_t node = again_.back();
    again_.pop_back();
    if (ends) leave(node, item.frame);
    const TrieNode& at = tree_.nodes[node];
    const std::uint32_t end = at.first_child + at.child_count;
    for (std::uint32_t child = at.first_child; child < end; ++child) {
      const std::uint32_t next = row.next[tree_.labels[child]];
      if (next == 0) continue;
      const TrieNode& below = tree_.nodes[child];
      const bool large = parts_ && is_large(below);
      if (next != index_of(part) || large) {
        arrive(child, ExprId{next}, item.frame);
      } else if (cuts && row.loop.covers(below, tree_.ascii[child])) {
        emit(below.rank_begin, below.rank_end);
      } else {
        emit(below.rank_begin, below.own_end());
        if (below.child_count > 0) {
          prefetch_children(below, tree_.nodes, tree_.labels, tree_.ascii);
          again_.push_back(child);
        }
      }
    }
  }
}

// A literal set (or a character of a class): its automaton is followed, without expressions.
void MaskCache::PartWalk::leaf(const Item& item, ExprId part) {
  const Node head = pool_.node(part);
  const LeafDfa& dfa = pool_.automaton(head);
  if (dfa.accepting(head.b)) leave(item.node, item.frame);
  scratch_.assign(1, {item.node, head.b});
  while (!scratch_.empty()) {
    const auto [at, state] = scratch_.back();
    scratch_.pop_back();
    LongStep::tick();
    std::uint32_t child = tree_.nodes[at].first_child;
    const std::uint32_t end = child + tree_.nodes[at].child_count;
    dfa.for_each_edge(state, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
      while (child < end && tree_.labels[child] < low) ++child;
      for (; child < end && tree_.labels[child] <= high; ++child) {
        const TrieNode& below = tree_.nodes[child];
        emit(below.rank_begin, below.own_end());
        if (below.child_count == 0) continue;
        if (dfa.accepting(target)) leave(child, item.frame);
        if (!dfa.has_edges(target)) continue;
        prefetch_children(below, tree_.nodes, tree_.labels, {});
        scratch_.emplace_back(child, target);
      }
    });
  }
}

// Known keys: their tree is followed, and a state is built only where one of them ends.
void MaskCache::PartWalk::names(const Item& item, ExprId part) {
  Keyed& keyed = pool_.keyed();
  scratch_.assign(1, {item.node, keyed.names_node(part)});
  while (!scratch_.empty()) {
    const auto [at, name] = scratch_.back();
    scratch_.pop_back();
    LongStep::tick();
    const std::uint32_t escape = tree_.child(at, '\\');
    keyed.visit_names(part, name, [&](std::uint32_t character, std::uint32_t next) {
      const std::string_view text = keyed.plain_spelling(part, next);
      if (!text.empty()) {
        std::uint32_t node = at;
        for (char c : text) {
          node = tree_.child(node, static_cast<std::uint8_t>(c));
          if (node == 0) break;
          emit(tree_.nodes[node].rank_begin, tree_.nodes[node].own_end());
        }
        if (node != 0 && tree_.nodes[node].child_count > 0) scratch_.emplace_back(node, next);
      }
      if (escape != 0) escaped_name(item, part, escape, character, next);
    });
    if (!keyed.ends_name(part, name)) continue;
    const std::uint32_t quote = tree_.child(at, '"');
    if (quote == 0) continue;
    if (tree_.nodes[quote].child_count == 0) {
      emit(tree_.nodes[quote].rank_begin, tree_.nodes[quote].own_end());
    } else {
      arrive(quote, keyed.after_name(part, name), item.frame);
    }
  }
}

// A backslash has led to `escape`, as the first byte of the character that leads to `next`.
void MaskCache::PartWalk::escaped_name(const Item& item, ExprId part, std::uint32_t escape,
                                       std::uint32_t character, std::uint32_t next) {
  Keyed& keyed = pool_.keyed();
  const ExprId spelled = pool_.step(keyed.spelled_character(part, character), '\\');
  if (spelled == ExprPool::kEmptyId) return;
  emit(tree_.nodes[escape].rank_begin, tree_.nodes[escape].own_end());
  if (tree_.nodes[escape].child_count == 0) return;
  if (tree_.ascii.empty()) {
    frames_.push_back({part, item.frame, next});
    items_.push_back({escape, spelled, static_cast<std::uint32_t>(frames_.size() - 1)});
    return;
  }
  const Spelling& known = cache_.spelling_below(spelled, escape);
  for (const auto& [begin, end] : known.found) emit(begin, end);
  for (const std::uint32_t node : known.ends) {
    items_.push_back({node, keyed.names_from(part, next), item.frame});
  }
}

// Tokens of the vocabulary below a node that text of one character begins with, or ends in.
const MaskCache::Spelling& MaskCache::spelling_below(ExprId character, std::uint32_t node) {
  const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32) | index_of(character);
  if (const auto it = spellings_.find(key); it != spellings_.end()) return it->second;
  Spelling out;
  PartWalk walk(*this, token_tree(), nullptr);
  walk.keep_ends(out.ends);
  walk.run(node, character);  // of one character, which is never too long
  out.found = walk.found();
  bytes_ += 96 + out.found.capacity() * 8 + out.ends.capacity() * 4;
  return spellings_.emplace(key, std::move(out)).first->second;
}

// A key that must be new, as at the beginning of capture_masks.cpp.
void MaskCache::PartWalk::capture(const Item& item, ExprId part) {
  given_up_ = given_up_ || ends_;  // places where all has ended are not found here
  if (given_up_) return;
  const ExprId id = joined(part, item.frame);
  if (!tree_.ascii.empty()) {
    if (item.node == root_ || cache_.depth_ >= 64) {
      given_up_ = true;
      return;
    }
    masks_.push_back(cache_.mask_at(id, item.node));
    return;
  }
  const Keyed::Plain plain = pool_.keyed().plain(part);
  if (!plain.quoted) return whole(item, part);
  const ExprId rest = pool_.concat(plain.after, pool_.tail(id));
  PartWalk inner(cache_, tree_, nullptr);
  if (!inner.run(item.node, pool_.concat(plain.keys, rest))) {
    given_up_ = true;
    return;
  }
  const KeyTokens& followed = cache_.key_tokens(plain.commas, plain.endless);
  const std::size_t skipped = tree_.nodes[item.node].height;
  Ranges gone;
  cache_.taken_keys(tree_, item.node, plain, gone);
  for (const auto& [begin, end] : inner.found_) {
    for (std::uint32_t rank = begin; rank < end; ++rank) {
      if (std::ranges::any_of(gone, [&](const auto& range) {
            return range.first <= rank && rank < range.second;
          })) {
        continue;
      }
      const TokenId token = tree_.ids[rank];
      if (test_bit(followed.member.data(), token)) {
        const std::string_view text = *cache_.vocabulary_->token_bytes(token);
        ExprId state = id;
        for (char c : text.substr(text.size() - tree_.lengths[rank] + skipped)) {
          state = pool_.step(state, static_cast<std::uint8_t>(c));
          if (state == ExprPool::kEmptyId) break;
        }
        if (state == ExprPool::kEmptyId) continue;
      }
      emit(rank, rank + 1);
    }
  }
}

// Where parts cannot be told from what follows, states of the whole are walked.
void MaskCache::PartWalk::whole(const Item& item, ExprId part) {
  given_up_ = given_up_ || ends_;  // as above
  if (given_up_) return;
  if (!tree_.ascii.empty()) {
    if (item.node == root_ || cache_.depth_ >= 64) {
      given_up_ = true;
      return;
    }
    masks_.push_back(cache_.mask_at(joined(part, item.frame), item.node));
    return;
  }
  scratch_.assign(1, {item.node, index_of(joined(part, item.frame))});
  while (!scratch_.empty()) {
    const auto [at, state] = scratch_.back();
    scratch_.pop_back();
    LongStep::tick();
    const TrieNode& parent = tree_.nodes[at];
    for (std::uint32_t i = 0; i < parent.child_count; ++i) {
      const std::uint32_t child = parent.first_child + i;
      const ExprId next = pool_.step(ExprId{state}, tree_.labels[child]);
      if (next == ExprPool::kEmptyId) continue;
      emit(tree_.nodes[child].rank_begin, tree_.nodes[child].own_end());
      if (tree_.nodes[child].child_count > 0) scratch_.emplace_back(child, index_of(next));
    }
  }
}

}  // namespace formgate
