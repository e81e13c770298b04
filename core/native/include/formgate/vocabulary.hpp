// A vocabulary: the exact bytes of every token id, and the structures masks are computed with.
//
// Tokens with text are sorted by bytes; their position is their *rank*. The byte trie has its
// children in contiguous blocks (one scan finds the viable labels), blocks in depth-first order,
// and every subtree owns a contiguous range of ranks, so "the whole subtree is allowed" is a loop
// over a slice. Each node also has the set of character buckets that occur below it and the
// largest number of characters below it: with these a walk stops at subtrees that lie wholly
// inside a character class. Equal byte strings share a node.
//
// Built in one pass over the sorted tokens; about half a microsecond a token.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formgate/char_set.hpp"
#include "formgate/large_pages.hpp"
#include "formgate/token_groups.hpp"
#include "formgate/types.hpp"

namespace formgate {

// Half a cache line; labels and letters stand in arrays of their own.
struct TrieNode {
  BucketSet buckets;          // character buckets of the text below; kFragmentBucket: not text
  std::uint32_t first_child;  // index of the block of children
  std::uint32_t rank_begin;   // tokens that end here or below: ranks [rank_begin, rank_end)
  std::uint32_t rank_end;
  std::uint32_t parent;
  std::uint16_t child_count;
  std::uint16_t own_count;  // tokens that end exactly here, the first of the ranks
  std::uint16_t height;     // most characters (complete or begun) on a path below

  std::uint32_t own_end() const { return rank_begin + own_count; }
};

// Children of a node lie together, but far from those of the next: while a walk looks at others,
// they come from memory. `ascii` may be empty.
inline void prefetch_children(const TrieNode& node, std::span<const TrieNode> nodes,
                              std::span<const std::uint8_t> labels,
                              std::span<const AsciiSet> ascii) {
  __builtin_prefetch(nodes.data() + node.first_child);
  __builtin_prefetch(labels.data() + node.first_child);
  if (!ascii.empty()) __builtin_prefetch(ascii.data() + node.first_child);
}

// Packed token sets are laid out as masks.
inline void set_bit(std::uint32_t* words, TokenId id) { words[id >> 5] |= 1u << (id & 31); }
inline void clear_bit(std::uint32_t* words, TokenId id) { words[id >> 5] &= ~(1u << (id & 31)); }
inline bool test_bit(const std::uint32_t* words, TokenId id) {
  return (words[id >> 5] >> (id & 31)) & 1;
}

// The first eight bytes as a number, which orders texts as these bytes do; short texts end in
// zeros.
inline std::uint64_t leading_bytes(std::string_view text) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    key = (key << 8) | (i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0u);
  }
  return key;
}

// What the text from the root to a node is made of. `buckets` has kFragmentBucket where the text is
// not well-formed, kIncompleteBucket where only the end of its last character is missing.
struct PathText {
  BucketSet buckets;
  AsciiSet ascii;
  std::uint32_t count;  // characters, complete or begun
};

class Vocabulary {
 public:
  // `tokens[i]` is the text of id i, or nothing where the id has none. Ids in `stop_ids` and in
  // `special` never match text, whatever bytes they have. Throws Error(kVocabulary).
  Vocabulary(const std::vector<std::optional<std::string_view>>& tokens,
             std::vector<TokenId> stop_ids, std::map<std::string, TokenId> special);

  std::size_t size() const { return size_; }
  std::size_t words() const { return (size_ + 31) / 32; }
  const std::vector<TokenId>& stop_ids() const { return stop_ids_; }
  const std::map<std::string, TokenId>& special() const { return special_; }
  Hash128 fingerprint() const { return fingerprint_; }
  // The text of an id; nothing for ids that never match text.
  std::optional<std::string_view> token_bytes(TokenId id) const;

  std::span<const TrieNode> trie() const { return nodes_; }
  std::span<const std::uint8_t> labels() const { return labels_; }  // byte into each node
  // ASCII characters in the text below each node.
  std::span<const AsciiSet> ascii() const { return ascii_; }
  std::span<const TokenId> ids() const { return rank_to_id_; }  // by rank
  std::span<const PathText> paths() const { return paths_; }    // by node
  // Nodes reached by a byte: first those with nothing but ASCII before it, each part in order.
  std::span<const std::uint32_t> nodes_by_label(std::uint8_t byte) const {
    return std::span(by_label_).subspan(label_offsets_[byte],
                                        label_offsets_[byte + 1u] - label_offsets_[byte]);
  }
  // The first part of them.
  std::span<const std::uint32_t> nodes_after_ascii(std::uint8_t byte) const {
    return nodes_by_label(byte).first(after_ascii_[byte]);
  }
  // How many nodes some bytes lead to.
  std::size_t places(const ByteSet& bytes) const {
    std::size_t count = 0;
    bytes.for_each([&](std::uint8_t byte) { count += nodes_by_label(byte).size(); });
    return count;
  }
  // Ranks of the tokens that have a byte somewhere, ascending.
  std::vector<std::uint32_t> ranks_with(std::uint8_t byte) const;
  // Nodes with more than kLongPath characters before them, longest first.
  static constexpr std::uint32_t kLongPath = 12;
  std::span<const std::uint32_t> long_paths() const { return long_paths_; }
  // Tokens that are well-formed text, by their buckets; those with an incomplete last character
  // are in groups of their own.
  const TokenGroups& groups() const { return groups_; }
  // Brings the text of an id near that is read soon.
  void prefetch_bytes(TokenId id) const { __builtin_prefetch(bytes_.data() + offsets_[id]); }
  void prefetch_place(TokenId id) const { __builtin_prefetch(offsets_.data() + id); }
  // The bytes from the root to a node.
  std::string path(std::uint32_t node) const;

  // Bytes that are tokens by themselves.
  const ByteSet& single_bytes() const { return single_bytes_; }
  // Some longer token contains a byte that is no token by itself: then which texts can be spelled
  // is not a matter of single bytes.
  bool has_entangled_bytes() const { return entangled_; }
  const std::vector<bool>& on_entangled_path() const { return entangled_nodes_; }

  // Of the tokens below a node, those that begin at most so many characters after it: a set that
  // holds them, null where all do; nothing where no such set is kept.
  std::optional<const Bitmap*> at_most(std::uint32_t node, std::uint64_t count) const;
  std::uint32_t max_characters() const { return max_characters_; }
  std::uint32_t max_bytes() const { return max_bytes_; }

  std::size_t memory_usage() const;

 private:
  void store(const std::vector<std::optional<std::string_view>>& tokens);
  struct Entry {        // a text
    std::uint64_t key;  // its first bytes, as `leading_bytes` has them
    TokenId id;
    std::uint32_t length;
  };
  std::uint64_t key_at(std::size_t offset, std::size_t size) const;
  LargeVector<Entry> sort_tokens();
  std::uint32_t shared_prefix(const Entry& a, const Entry& b) const;
  void build_trie(const LargeVector<Entry>& entries);
  void annotate();
  void describe_paths();
  BucketSet begun_at(std::uint32_t node) const;
  void group_tokens();
  void count_characters();
  void find_spellable();

  std::size_t size_ = 0;
  std::vector<TokenId> stop_ids_;
  std::map<std::string, TokenId> special_;
  Hash128 fingerprint_;
  std::vector<std::uint64_t> offsets_;  // by id, into bytes_; equal neighbours: no text
  std::string bytes_;
  std::vector<TokenId> rank_to_id_;
  LargeVector<TrieNode> nodes_;
  std::vector<std::uint8_t> labels_;
  LargeVector<AsciiSet> ascii_;
  LargeVector<PathText> paths_;
  LargeVector<std::uint32_t> by_label_;
  std::vector<std::uint32_t> label_offsets_;
  std::vector<std::uint32_t> after_ascii_;  // nodes by label with nothing else before
  std::vector<std::uint32_t> long_paths_;
  TokenGroups groups_;
  ByteSet single_bytes_;
  bool entangled_ = false;
  std::vector<bool> entangled_nodes_;
  std::vector<Bitmap> at_most_;
  std::uint32_t max_characters_ = 0;
  std::uint32_t max_bytes_ = 0;
};

}  // namespace formgate
