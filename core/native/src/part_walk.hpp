// Walks a trie with the parts of a concatenation one after another.
//
// What a part does to text does not depend on what follows it: rows of strings, numbers and blanks
// are shared by all states and grammars that have them somewhere, where rows of whole states would
// be built anew for each. Where text may end a part, the walk goes on with the rest beside it, and
// alternatives are walked one by one; nothing is determinised. Of what is ambiguous, a walk of
// whole states is made instead (`run` says so).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"

namespace formgate {

// The vocabulary's trie, or the tree of what follows in its tokens after they leave a class.
struct TokenTree {
  std::span<const TrieNode> nodes;
  std::span<const std::uint8_t> labels;
  std::span<const AsciiSet> ascii;         // empty: subtrees are not cut
  std::span<const TokenId> ids;            // by rank
  std::span<const std::uint16_t> lengths;  // bytes in the tree, by rank; the vocabulary's: empty
  std::span<const std::uint32_t> escaped;  // ranks with a backslash and a quote after it

  // The child that a byte leads to; 0: none.
  std::uint32_t child(std::uint32_t node, std::uint8_t byte) const;
};

// What walks need, kept from one to the next.
struct MaskCache::WalkBuffers {
  struct Frame {
    ExprId rest;
    std::uint32_t below;
    std::uint32_t name =
        kNoIndex;  // of known keys `rest`: of those from this node of their tree on
    bool looked = false;
    bool ends = false;  // once looked: it and all below it may be empty
    ByteSet first{};    // once looked: bytes that it and what is below it may go on with
  };
  struct Item {
    std::uint32_t node;
    ExprId expr;
    std::uint32_t frame;  // what follows
  };
  Ranges found;
  std::vector<std::shared_ptr<const Mask>> masks;
  std::vector<Frame> frames;
  std::vector<Item> items;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> scratch;  // (node, state)
  std::vector<std::uint32_t> again;  // nodes that the state of `states` is left at
};

class MaskCache::PartWalk {
 public:
  // Masks of large subtrees are added to `parts` instead of being walked, where it is given.
  PartWalk(MaskCache& cache, const TokenTree& tree, Mask* parts)
      : cache_(cache),
        pool_(cache.pool_),
        tree_(tree),
        parts_(parts),
        buffers_(take_buffers(cache)) {}
  ~PartWalk() {
    buffers_->masks.clear();
    cache_.buffers_.push_back(std::move(buffers_));
  }
  PartWalk(const PartWalk&) = delete;
  PartWalk& operator=(const PartWalk&) = delete;

  // Finds the tokens strictly below `node` that `id` and `others` after it allow. False: the walk
  // was given up, and only some were found.
  bool run(std::uint32_t node, ExprId id, std::span<const ExprId> others = {});
  bool too_long() const { return too_long_; }  // why it was given up
  const Ranges& found() const { return found_; }
  // Sets of tokens found besides (vocabulary's trie only).
  const std::vector<std::shared_ptr<const Mask>>& masks() const { return masks_; }
  // Keeps the nodes at which text of the whole expression ends.
  void keep_ends(std::vector<std::uint32_t>& ends) { ends_ = &ends; }
  // Keeps, too, the tokens in which it ends where a table was read, with the bytes after it, but
  // for those that go on with bytes that are `left_out`.
  void keep_exits(PartExits& exits) { exits_ = &exits; }
  const ByteSet& left_out() const { return left_out_; }

 private:
  static constexpr std::uint32_t kNone = kNoIndex;
  static std::unique_ptr<WalkBuffers> take_buffers(MaskCache& cache) {
    if (cache.buffers_.empty()) return std::make_unique<WalkBuffers>();
    std::unique_ptr<WalkBuffers> out = std::move(cache.buffers_.back());
    cache.buffers_.pop_back();
    return out;
  }
  using Frame = WalkBuffers::Frame;
  using Item = WalkBuffers::Item;

  void expand(const Item& item);
  void leave(std::uint32_t node, std::uint32_t frame);
  bool fits(std::uint32_t node, const ByteSet& bytes) const;
  bool begins(std::uint32_t node, ExprId expr) const;
  const Frame& following(std::uint32_t frame);
  bool through(const Item& item, const PartTable& table);
  ExprId rest_of(Frame& frame);
  void arrive(std::uint32_t child, ExprId expr, std::uint32_t frame);
  void bytes(const Item& item, ExprId part);
  void leaf(const Item& item, ExprId part);
  void names(const Item& item, ExprId part);
  void escaped_name(const Item& item, ExprId part, std::uint32_t escape, std::uint32_t character,
                    std::uint32_t next);
  void capture(const Item& item, ExprId part);
  void states(const Item& item, ExprId part);
  void whole(const Item& item, ExprId part);
  ExprId joined(ExprId part, std::uint32_t frame);
  void emit(std::uint32_t begin, std::uint32_t end) {
    if (!found_.empty() && found_.back().second == begin) {
      found_.back().second = end;
    } else if (begin != end) {
      found_.emplace_back(begin, end);
    }
  }

  MaskCache& cache_;
  ExprPool& pool_;
  const TokenTree& tree_;
  Mask* parts_;
  std::unique_ptr<WalkBuffers> buffers_;
  Ranges& found_ = buffers_->found;
  std::vector<std::shared_ptr<const Mask>>& masks_ = buffers_->masks;
  std::vector<Frame>& frames_ = buffers_->frames;
  std::vector<Item>& items_ = buffers_->items;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>& scratch_ = buffers_->scratch;
  std::vector<std::uint32_t>& again_ = buffers_->again;
  std::vector<std::uint32_t>* ends_ = nullptr;
  PartExits* exits_ = nullptr;
  ExprId asked_ = ExprPool::kEmptyId;
  bool calls_ = false;  // rules are walked, of which other states have the same parts
  ByteSet left_out_;
  std::size_t steps_ = 0;
  std::uint32_t root_ = 0;
  bool given_up_ = false;
  bool too_long_ = false;
};

}  // namespace formgate
