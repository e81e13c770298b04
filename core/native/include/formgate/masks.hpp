// Token masks of expressions over one vocabulary, computed on demand and shared.
//
// mask(x) for x = head tail is the union of the tokens that stay inside the head and of those that
// leave it and go on in the tail:
//  - A head that repeats a character class C needs no walk of the trie. For each class, one table
//    per vocabulary has the tokens made of C only (cut by "at most n characters" tables for counted
//    repetitions: one table serves every count) and the trie edges on which text leaves C, indexed
//    by byte, so only edges the tail can take are followed.
//  - A literal set is walked against the trie on its automaton directly.
//  - A state in which a large set of characters leads on, each to the same next state, and so on
//    for as long as tokens of these characters are, is treated like a repetition of the set: the
//    state at any point is known from the number of characters read.
//  - Everything else is walked with transition rows; a walk stops at subtrees whose text keeps the
//    state alive anyway.
// Masks of alternatives are unions of the alternatives' masks. Alternatives are also found at the
// head of a concatenation (optional parts, repeated groups), so that parts with differing counters
// share what does not depend on them. Every part is cached on the expression it belongs to and the
// trie node it starts from (0: the root; other nodes: large subtrees, such as all tokens that begin
// with a space), whatever grammar asked first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/growing_map.hpp"
#include "formgate/state_memo.hpp"
#include "formgate/vocabulary.hpp"

namespace formgate {

// Subtrees of the vocabulary with more tokens than this have masks of their own, shared between
// states.
constexpr std::uint32_t kLargeSubtree = 512;

inline bool is_large(const TrieNode& node) {
  return node.rank_end - node.rank_begin > kLargeSubtree;
}

class LexedMasks;
class StackSpelling;
struct TokenTree;

// An immutable token set, sparse or dense, whichever is smaller.
class TokenSet {
 public:
  std::vector<TokenId> ids;  // used when `dense` is empty
  Bitmap dense;
  std::size_t memory_usage() const { return ids.capacity() * 4 + dense.capacity() * 4 + 64; }
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (TokenId id : ids) visit(id);
    for (std::size_t i = 0; i < dense.size(); ++i) {
      for (std::uint32_t word = dense[i]; word; word &= word - 1) {
        visit(static_cast<TokenId>(i * 32) + static_cast<TokenId>(std::countr_zero(word)));
      }
    }
  }
};

// A mask as a union of parts; a part may be cut by an "at most n characters" table, and a dense one
// may lack some tokens.
struct Mask {
  struct Part {
    std::shared_ptr<const TokenSet> tokens;
    const Bitmap* limit;  // owned by the vocabulary or the cache; null: no cut
    std::shared_ptr<const std::vector<TokenId>> gone = nullptr;  // sorted; null: none

    bool plain() const { return !limit && !gone; }
    bool lacks(TokenId id) const {
      return (limit && !test_bit(limit->data(), id)) ||
             (gone && std::ranges::binary_search(*gone, id));
    }
  };
  std::vector<Part> parts;
  bool accepting = false;

  // Writes all `words` words of a row.
  void fill(std::uint32_t* out, const Vocabulary& vocabulary) const;
  bool contains(TokenId id, const Vocabulary& vocabulary) const;
};

// Switches for tests: every mask must be the same whatever they are.
struct MaskOptions {
  bool class_tables = true;    // heads that repeat a character class, alternatives one by one
  bool automaton_walk = true;  // literal sets walked without expressions
  bool split_parts = true;     // parts of a concatenation walked one after another
  bool cut_subtrees = true;    // stop at subtrees that stay alive
  bool keep_masks = true;      // cache finished masks
  unsigned prefix_uses = 6;    // of what states begin with, before it has a table; 0: never
  // With a lexer: so many tokens below a node of the trie are walked one by one, even where tables
  // of a class tell what is there.
  unsigned walked_tokens = 2048;
  bool operator==(const MaskOptions&) const = default;
};

class MaskCache {
 public:
  MaskCache(ExprPool& pool, std::shared_ptr<const Vocabulary> vocabulary, MaskOptions options);
  ~MaskCache();
  // The cache that grammars of one pool and one vocabulary share.
  static std::shared_ptr<MaskCache> shared(const std::shared_ptr<ExprPool>& pool,
                                           const std::shared_ptr<const Vocabulary>& vocabulary,
                                           const MaskOptions& options);
  static void set_budget(std::size_t bytes);

  // All of these need the pool's mutex.
  std::shared_ptr<const Mask> mask(ExprId id);
  // Decides which states reachable from `root` can still be spelled by whole tokens. Needed only
  // for vocabularies with entangled bytes. Throws Error(kLimit).
  void decide_spelling(ExprId root, CompileContext& context);
  // Whether whole tokens spell some text of a state that lives. Throws Error(kLimit), and with a
  // context Error(kTimeout | kCancelled).
  bool spellable(ExprId id, CompileContext* context = nullptr);
  // What tokens lead to.
  StateMemo<12>& advances() { return advances_; }
  // Asks for what a mask is found by.
  void prefetch(ExprId id) const { masks_.prefetch(index_of(id)); }
  // Distinct states one token leads to; takes what it costs from `steps`, and stops where that is
  // too much, with no steps left.
  std::vector<ExprId> successors(ExprId id, std::size_t& steps);
  std::size_t memory_usage() const { return bytes_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  friend class LexedMasks;
  class Sink;
  struct Leaving;
  class PartWalk;
  using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // of ranks
  struct ExitTree;
  struct WalkBuffers;
  struct Prefix;
  struct PartTable;
  using PartExits = std::vector<std::pair<TokenId, std::uint16_t>>;  // tokens, and how much is left
  struct PartUse {
    unsigned count = 0;
    bool closed = false;  // there is no table yet, or none can be
    std::shared_ptr<const PartTable> table = nullptr;
  };
  struct PrefixUse {
    std::uint64_t key = 0;
    unsigned count = 0;
  };
  // States that differ in counts alone (count_shapes.cpp).
  struct CountShape {
    enum class Use : std::uint8_t { kOnce, kShows, kHidden };  // the counts, in the mask
    ExprId most = ExprPool::kEmptyId;                          // that with the greatest counts
    std::vector<std::uint32_t> counts;                         // of it
    Use use = Use::kOnce;
  };
  struct Exit {
    std::uint32_t node;   // reached by the byte
    std::uint16_t count;  // characters of the class before it
  };
  // A class seen through the buckets of a vocabulary, for text from the root or behind one ASCII
  // character: then the sets are those of class and character together.
  struct ClassFilter {
    BucketSet touched;  // other buckets have no character of the class
    BucketSet cut;      // beyond ASCII: only the text tells
    AsciiSet ascii;
    const LeafDfa* dfa;
    std::size_t skipped = 0;  // bytes before the text
    bool foreign = false;     // these are of no character of the class
  };
  struct ClassTable {
    ClassTable();
    ~ClassTable();
    std::uint32_t node = 0;  // below which the texts are
    std::optional<ClassFilter> filter;
    std::shared_ptr<const TokenSet> inside;
    std::unordered_map<std::uint8_t, std::vector<Exit>> exits;  // by byte, as they are asked for
    std::vector<Exit> all;                   // once it is complete, in the order of their bytes
    std::array<std::uint32_t, 257> first{};  // of a byte in `all`
    // The tokens of exits after one character or more; null where they are too many.
    std::unordered_map<std::uint8_t, std::unique_ptr<ExitTree>> trees;
    std::array<std::uint8_t, 256> uses{};  // of exits by a byte, while there is no tree
    bool complete = false;                 // `all` has the exits
    std::uint32_t longest = 0;             // most characters on a path spelled in the class
    std::vector<Exit> places;  // the node itself, and those that a narrow class leads to
  };
  // Tokens that may end a key and go on to others.
  struct KeyTokens {
    std::vector<TokenId> ids;
    Bitmap member;
  };
  // What a state becomes by characters of one set, all of which lead on together.
  struct Run {
    ByteSet bytes;
    std::vector<ExprId> states;  // after 0, 1, ... characters
    bool open;                   // the run may go on beyond the last state
  };
  // How far a set of characters leads nowhere astray.
  struct Spread {
    std::uint32_t most = 0;  // characters
    bool open = true;        // as far as any token goes
    ByteSet lacking;         // characters that some state after `most` of them does not go on with
  };
  // Tokens that leave a class and go on in a given tail, by the number of characters before, which
  // is one at least.
  struct Exits {
    struct Range {
      std::uint16_t count;
      std::uint32_t begin, end;  // ranks
    };
    std::vector<std::pair<std::uint16_t, TokenId>> listed;
    std::vector<Range> ranges;
    std::vector<std::pair<std::uint16_t, std::shared_ptr<const TokenSet>>> sets;
    std::uint16_t fewest = UINT16_MAX, most = 0;    // characters
    std::shared_ptr<const TokenSet> all = nullptr;  // once they are asked for
  };

  // Tokens strictly below `node` that `id` allows after the text of `node`.
  std::shared_ptr<const Mask> mask_at(ExprId id, std::uint32_t node);
  void item(ExprId id, std::uint32_t node, Mask& out);
  bool group_item(ExprId id, std::uint32_t node, Mask& out);
  bool scope_item(ExprId id, std::uint32_t node, Mask& out);
  bool count_item(ExprId id, std::uint32_t node, Mask& out);
  bool bounded_item(ExprId id, std::uint32_t node, Mask& out);
  struct BoundedWalk {
    ExprId whole;  // text and what follows it
    ExprId inner;  // the text without its bound
    std::uint32_t most;
    const Bitmap& asked;  // longer tokens that `whole` without the bound allows
    bool spelled;
    bool ends;  // nothing follows
  };
  class BoundedStates;
  bool follow_bounded(const BoundedWalk& walk, std::uint32_t node, Sink& found);
  bool leads_on(ExprId state, std::string_view text);
  const Bitmap& marked_tokens();
  bool takes_prefix(std::uint32_t node) const;
  bool prefix_item(std::span<const ExprId> sequence, Mask& out);
  bool head_item(ExprId id, Mask& out);
  bool closes(ExprId id, unsigned depth = 0) const;
  bool prefix_choices(std::span<const ExprId> parts, ExprId rest, std::span<const ExprId> others,
                      Mask& out);
  bool rest_item(ExprId id, Mask& out);
  bool keys_item(ExprId id, Mask& out);
  void add_new_key(const Keyed::Plain& plain, ExprId tail, std::uint32_t node, Mask& out);
  const std::vector<TokenId>& sorted_ids(std::uint32_t begin, std::uint32_t end);
  void key_item(ExprId key, ExprId tail, std::uint32_t node, Mask& out);
  void remove_taken(const Keyed::Plain& plain, std::size_t first_part, std::uint32_t node,
                    std::span<const ExprId> whole, std::vector<TokenId> dead, Mask& out);
  ExprId sequence_of(std::span<const ExprId> parts);
  bool walk_beyond(const Prefix& prefix, ExprId first, std::span<const ExprId> others, Mask& out);
  bool new_key_next(ExprId rest) const;
  void prefix_keys(const Prefix& prefix, std::span<const ExprId> parts, ExprId rest,
                   std::span<const ExprId> others, Mask& out);
  const Prefix* make_prefix(const Hash128& key, std::span<const ExprId> parts);
  PrefixUse& prefix_use(const Hash128& key);
  bool common_part(ExprId part) const;
  bool loop_item(ExprId id, std::uint32_t node, Mask& out);
  void mixed_loop(ExprId id, std::uint32_t node, const ExprPool::Loop& loop, const Bitmap* limit,
                  bool leaves, std::uint32_t max, Mask& out);
  bool covered_item(ExprId id, std::uint32_t node, Mask& out);
  bool closed_item(ExprId id, std::uint32_t node, Mask& out);
  bool avoiding_item(ExprId id, std::uint32_t node, Mask& out);
  bool staying_item(ExprId id, std::uint32_t node, Mask& out);
  bool settles_soon(ExprId id);
  ExprId settled_state(ExprId id, std::uint8_t byte);
  bool settling_item(ExprId id, std::uint32_t node, Mask& out);
  bool run_item(ExprId id, std::uint32_t node, Mask& out);
  bool spread_item(ExprId id, std::uint32_t node, Mask& out);
  void follow_exits(ExprId id, std::uint32_t node, std::uint32_t class_index, const ByteSet& bytes,
                    Mask& out);
  ByteSet leaving_by(ExprId id, std::uint32_t class_index, const ByteSet& leaving);
  Spread spread_of(ExprId id, const ByteSet& chars, std::uint32_t longest, std::size_t most_states);
  ByteSet live_bytes(ExprId id);
  ByteSet common_bytes(ExprId id, unsigned fewest);
  ByteSet widest_step(ExprId id);
  bool extend_run(Run& run, std::size_t count);
  void leave_run(ClassTable& table, std::uint32_t class_index, const Run& run, Sink& sink);
  bool capture_item(ExprId id, std::uint32_t node, Mask& out);
  const KeyTokens& key_tokens(bool commas, bool another);
  const TokenTree& token_tree();
  struct Spelling {
    Ranges found;
    std::vector<std::uint32_t> ends;  // nodes
  };
  const Spelling& spelling_below(ExprId character, std::uint32_t node);
  void taken_keys(const TokenTree& tree, std::uint32_t node, const Keyed::Plain& plain,
                  Ranges& gone);
  void remove(Mask::Part& part, const std::vector<TokenId>& dead) const;
  void remove_below(Mask::Part& part, std::uint32_t top,
                    const std::vector<std::uint32_t>& nodes) const;
  void collect(const Mask& mask, Sink& sink) const;
  bool value_item(ExprId id, std::uint32_t node, const Keyed::Plain& plain, Mask& out);
  const std::vector<std::uint32_t>& value_ranks(bool commas, bool another, const ByteSet& last);
  ByteSet last_bytes(ExprId value, unsigned depth = 0) const;
  const std::vector<TokenId>& ending(ExprId value, std::uint32_t node, bool commas, bool another);
  void lexed_item(ExprId id, std::uint32_t node, Mask& out);
  bool guarded_item(ExprId id, std::uint32_t node, Mask& out);
  bool quoted_item(ExprId id, std::uint32_t node, Mask& out);
  const std::vector<std::uint32_t>& closing_quotes(ExprId text, std::uint32_t node);
  const Bitmap* beginning_with(const ByteSet& bytes, std::uint32_t node);
  // A set that masks point to, made where it is not known; null where there are too many.
  const Bitmap* kept_limit(std::uint64_t key, const std::function<void(Bitmap&)>& fill);
  void walk_item(ExprId id, std::uint32_t node, Mask& out);
  void leaf_item(ExprId id, std::uint32_t node, Mask& out);
  bool begins_loop(ExprId id, std::uint32_t node, Mask& out);
  bool begins_free(std::uint32_t state, std::uint32_t stack, std::uint32_t node, Mask& out);
  void append(Mask& out, ExprId id, std::uint32_t node);
  bool add_overlong(ExprId id, std::uint32_t node, const TokenSet& inside, const Bitmap& limit,
                    Mask& out);
  void replay(ExprId id, std::uint32_t node, std::uint32_t class_index, const ByteSet& bytes,
              Mask& out);
  // With `parts`, masks of large subtrees are added there instead of being walked.
  bool walks_parts(ExprId state) const;
  const ByteSet& first_of(ExprId part);
  bool add_first(ExprId state, ByteSet& first);
  bool begins_with_rules(ExprId id) const;
  std::shared_ptr<const PartTable> part_table(ExprId part, std::uint32_t node);
  std::shared_ptr<const PartTable> make_part_table(ExprId part, std::uint32_t node);
  bool add_exits(std::uint32_t top, std::vector<std::uint32_t>& ends, const Bitmap& within,
                 PartExits& exits, ByteSet& left_out) const;
  void walk(std::uint32_t node, ExprId state, Sink& sink, Mask* parts = nullptr);
  void walk_states(std::uint32_t node, ExprId state, Sink& sink, Mask* parts);
  void step_below(std::uint32_t node, ExprId state, Sink& sink);
  ClassTable& class_table(std::uint32_t class_index, std::uint32_t node);
  std::span<const Exit> exits_by(ClassTable& table, std::uint32_t class_index, std::uint8_t byte);
  std::uint32_t longest_path(const ClassFilter& filter) const;
  std::span<const std::uint32_t> places_of(std::uint32_t class_index, std::uint8_t byte) const;
  // Makes the exits of all of `bytes` cheap to ask for.
  void prepare_exits(ClassTable& table, std::uint32_t class_index, const ByteSet& bytes);
  void scan_into(ClassTable& table, std::uint32_t class_index, std::uint32_t node);
  ClassFilter filter_of(std::uint32_t class_index, std::uint32_t node);
  bool gathers_below(std::uint32_t class_index, std::uint32_t node);
  std::shared_ptr<const TokenSet> only_below(std::uint32_t node, const TokenSet& set, bool foreign);
  bool spelled_in(const ClassFilter& filter, std::uint32_t node) const;
  bool spelled_in(const ClassFilter& filter, std::string_view text) const;
  std::shared_ptr<const TokenSet> gather_class(const ClassFilter& filter);
  void scan_class(std::uint32_t class_index, std::uint32_t node, Sink* inside,
                  std::vector<std::pair<std::uint8_t, Exit>>& exits, std::uint32_t& longest);
  const ExitTree* exit_tree(ClassTable& table, std::uint32_t class_index, std::uint8_t byte);
  Exits& exits(std::uint32_t class_index, std::uint32_t node, ExprId tail);
  std::shared_ptr<const TokenSet> all_exits(std::uint32_t class_index, std::uint32_t node,
                                            ExprId tail);
  void find_places(ClassTable& table, std::uint32_t class_index, std::uint32_t node);
  bool repeats_class(ExprId id);
  bool leave_places(const ClassTable& table, ExprId tail, Leaving& found);
  void leave_class(std::uint32_t class_index, std::uint32_t node, ExprId tail, Leaving& found);
  std::shared_ptr<const TokenSet> exits_between(Exits& exits, std::uint32_t min, std::uint32_t max);
  // No state is known to be beyond the reach of whole tokens, so parts may be taken as they are.
  bool plain() const { return unspellable_.empty() && !stack_spelling_; }
  void compress(Mask& mask);
  // A large set that was found before, in place of an equal one.
  std::shared_ptr<const TokenSet> shared(std::shared_ptr<const TokenSet> set);
  void evict();

  ExprPool& pool_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  MaskOptions options_;
  GrowingMap<std::uint64_t, std::shared_ptr<const Mask>> masks_;   // (node, expression)
  GrowingMap<std::uint64_t, std::unique_ptr<ClassTable>> tables_;  // (node, class)
  std::unordered_map<std::uint32_t, Bitmap> below_;                // tokens, by the node
  struct GroupKey {
    std::uint32_t class_index;
    std::uint32_t node;
    std::uint32_t tail;
    bool operator==(const GroupKey&) const = default;
  };
  struct GroupHash {
    std::size_t operator()(const GroupKey& key) const {
      return Hasher(key.class_index).add(key.node).add(key.tail).finish().lo;
    }
  };
  std::unordered_map<GroupKey, std::vector<Mask::Part>, GroupHash> new_keys_;
  std::unordered_map<std::uint64_t, std::vector<TokenId>> sorted_ids_;  // by ranks
  struct HashOfHash {
    std::size_t operator()(const Hash128& hash) const { return hash.lo; }
  };
  GrowingMap<Hash128, std::shared_ptr<const Prefix>, HashOfHash> prefixes_;  // by parts
  std::vector<PrefixUse> prefix_uses_;  // of those without a table; a later one takes the place
  GrowingMap<GroupKey, Exits, GroupHash> exits_;
  GrowingMap<GroupKey, std::shared_ptr<const TokenSet>, GroupHash> all_exits_;
  GrowingMap<Hash128, CountShape, HashOfHash> count_shapes_;  // by all but the counts
  GrowingMap<std::uint64_t, PartUse> part_tables_;            // (node, part)
  unsigned table_depth_ = 0;                                  // of tables under way
  GrowingMap<std::uint32_t, ByteSet> first_of_;  // by part, of those that walks leave others for
  unsigned depth_ = 0;                           // of nested mask_at calls
  std::size_t in_trees_ = 0;  // tokens in trees of exits built for the mask in progress
  bool making_prefix_ = false;
  unsigned items_ = 0;               // parts found for the mask in progress
  std::optional<Hash128> untabled_;  // what its state begins with, if that has no table
  bool settling_ = false;            // the mask of a state that others settle in is being made
  unsigned splits_ = 0;              // heads taken apart for the present mask
  unsigned most_splits_ = 0;         // before the rest is walked together
  // Walks by parts that turned out too long for it: what is ambiguous in one part is so in others.
  static constexpr unsigned kMostGivenUp = 4;
  unsigned given_up_ = 0;
  std::unordered_set<std::uint32_t> unspellable_;
  std::unique_ptr<StackSpelling> stack_spelling_;  // once a recursive language needed it
  std::unique_ptr<LexedMasks> lexed_;              // once a grammar has a lexer
  std::unique_ptr<KeyTokens> key_tokens_[4];
  StateMemo<12> advances_;
  struct ValueRanks {
    bool commas;
    bool another;
    ByteSet last;
    std::vector<std::uint32_t> ranks;
  };
  std::deque<ValueRanks> value_ranks_;
  GrowingMap<std::uint64_t, std::shared_ptr<const TokenSet>> sets_;  // large ones, by content
  // Tokens of these that end a value; by value, node and which of them.
  GrowingMap<GroupKey, std::vector<TokenId>, GroupHash> ending_;
  std::vector<std::pair<std::uint32_t, ExprId>> stack_;  // scratch of walks
  // Nodes where a quote ends a text; by node and text.
  GrowingMap<std::uint64_t, std::vector<std::uint32_t>> quotes_;
  // Tokens below a node that go on with a byte of a set.
  GrowingMap<std::uint64_t, std::shared_ptr<const Bitmap>> first_bytes_;
  std::unique_ptr<TokenTree> tree_;
  std::vector<std::unique_ptr<WalkBuffers>> buffers_;
  GrowingMap<std::uint64_t, Spelling> spellings_;  // by node and character
  Bitmap marked_;                                  // tokens with a quote or a backslash
  std::vector<std::uint32_t> escaped_;             // ranks with a backslash and a quote after it
  bool escaped_known_ = false;
  std::size_t bytes_ = 0;
  // Masks that took too much: by state, the growth that was allowed, and what was said.
  std::unordered_map<std::uint32_t, std::pair<std::size_t, std::string>> failed_;
};

}  // namespace formgate
