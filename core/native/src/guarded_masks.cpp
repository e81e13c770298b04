// Masks of states with a lexer under a guard, which is what may not follow the lexeme before.
//
// A guard is nearly always settled by the next byte. So the mask is that of the state without the
// guard, which others share, less the tokens that go on with a byte the guard forbids.
#include <algorithm>

#include "formgate/expr_pool.hpp"
#include "formgate/long_step.hpp"
#include "mask_sink.hpp"

namespace formgate {
namespace {

// Of subtrees with no more tokens, most bytes that a state reads are not asked for.
constexpr std::uint32_t kFewTokens = 256;

}  // namespace

const Bitmap* MaskCache::beginning_with(const ByteSet& bytes, std::uint32_t node) {
  Hasher hasher(node);
  for (unsigned i = 0; i < 4; ++i) hasher.add(bytes.word(i));
  return kept_limit(hasher.finish().lo, [&](Bitmap& out) {
    const auto trie = vocabulary_->trie();
    const auto labels = vocabulary_->labels();
    const auto ids = vocabulary_->ids();
    const TrieNode& at = trie[node];
    const std::uint32_t end = at.first_child + at.child_count;
    const auto size = [&](std::uint32_t child) {
      return trie[child].rank_end - trie[child].rank_begin;
    };
    std::uint32_t inside = 0;
    for (std::uint32_t child = at.first_child; child < end; ++child) {
      if (bytes.contains(labels[child])) inside += size(child);
    }
    // Those that are fewer are set one by one, or cleared.
    const Bitmap* const all = inside > (at.rank_end - at.rank_begin) / 2 && bytes != ByteSet::all()
                                  ? beginning_with(ByteSet::all(), node)
                                  : nullptr;
    if (all) std::ranges::copy(*all, out.begin());
    for (std::uint32_t child = at.first_child; child < end; ++child) {
      if (bytes.contains(labels[child]) == (all != nullptr)) continue;
      for (std::uint32_t rank = trie[child].rank_begin; rank < trie[child].rank_end; ++rank) {
        if (all) {
          clear_bit(out.data(), ids[rank]);
        } else {
          set_bit(out.data(), ids[rank]);
        }
      }
    }
  });
}

const Bitmap* MaskCache::kept_limit(std::uint64_t key, const std::function<void(Bitmap&)>& fill) {
  if (const auto it = first_bytes_.find(key); it != first_bytes_.end()) return it->second.get();
  // Masks point to them, so they stay; guards are as many as there are kinds of lexemes.
  constexpr std::size_t kMostSets = 256;
  if (first_bytes_.size() > kMostSets) return nullptr;
  auto out = std::make_shared<Bitmap>(vocabulary_->words(), 0);
  fill(*out);
  bytes_ += out->size() * 4;
  return first_bytes_.emplace(key, std::move(out)).first->second.get();
}

// Adds the tokens below a node, byte by byte.
void MaskCache::step_below(std::uint32_t node, ExprId state, Sink& sink) {
  const auto trie = vocabulary_->trie();
  std::vector<std::pair<std::uint32_t, ExprId>> stack{{node, state}};
  while (!stack.empty()) {
    const auto [at, here] = stack.back();
    stack.pop_back();
    LongStep::tick();
    const std::uint32_t end = trie[at].first_child + trie[at].child_count;
    for (std::uint32_t child = trie[at].first_child; child < end; ++child) {
      const ExprId next = pool_.step(here, vocabulary_->labels()[child]);
      if (next == ExprPool::kEmptyId) continue;
      sink.add_ranks(trie[child].rank_begin, trie[child].own_end());
      if (trie[child].child_count > 0) stack.emplace_back(child, next);
    }
  }
}

bool MaskCache::guarded_item(ExprId id, std::uint32_t node, Mask& out) {
  if (!(pool_.node(id).flags & kCalls) || pool_.tail(id) != ExprPool::kEpsilonId) return false;
  ExprId state = ExprPool::kEmptyId;
  std::vector<ExprId> guards;
  for (ExprId member : pool_.members(pool_.node(id))) {
    if (pool_.node(member).kind == Kind::kLexed && state == ExprPool::kEmptyId) {
      state = member;
    } else {
      guards.push_back(member);
    }
  }
  if (state == ExprPool::kEmptyId) return false;
  const ExprId guard = pool_.intersect(guards);
  if (pool_.node(guard).flags & kCalls || !pool_.free_of_context(guard)) return false;
  ByteSet settled;  // by these the guard is met for good
  std::vector<LinearTerm> open;
  for (const LinearTerm& term : pool_.linear_form(guard)) {
    if (term.target == ExprPool::kAllId) {
      settled = settled | term.bytes;
    } else if (pool_.live(term.target)) {
      open.push_back(term);
    }
  }
  if (settled.empty()) return false;
  const Bitmap* limit = beginning_with(settled, node);
  if (!limit) return false;
  const std::shared_ptr<const Mask> free = mask_at(state, node);
  for (const Mask::Part& part : free->parts) {
    if (part.plain()) {
      out.parts.push_back({part.tokens, limit});
      continue;
    }
    Mask single;
    single.parts.push_back(part);
    Sink sink(*vocabulary_);
    collect(single, sink);
    out.parts.push_back({sink.finish(), limit});
  }
  Sink sink(*vocabulary_);
  const auto trie = vocabulary_->trie();
  const std::uint32_t end = trie[node].first_child + trie[node].child_count;
  for (std::uint32_t child = trie[node].first_child; child < end; ++child) {
    const std::uint8_t byte = vocabulary_->labels()[child];
    for (const LinearTerm& term : open) {
      if (!term.bytes.contains(byte)) continue;
      const ExprId next = pool_.intersect(term.target, pool_.step(state, byte));
      if (next == ExprPool::kEmptyId || !pool_.live(next)) continue;
      sink.add_ranks(trie[child].rank_begin, trie[child].own_end());
      if (trie[child].rank_end - trie[child].rank_begin <= kFewTokens) {
        step_below(child, next, sink);
      } else {
        walk(child, next, sink, &out);
      }
    }
  }
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
  return true;
}

}  // namespace formgate
