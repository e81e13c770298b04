// Masks of states with a lexer; see lexed_masks.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formgate/growing_map.hpp"
#include "formgate/lexing.hpp"
#include "formgate/masks.hpp"
#include "suffix_tree.hpp"

namespace formgate {

class LexedMasks {
 public:
  explicit LexedMasks(MaskCache& cache)
      : cache_(cache), pool_(cache.pool_), vocabulary_(*cache.vocabulary_) {}

  using Ranks = SuffixTree::Ranks;
  // What lies behind so many characters of a class, below a node of the vocabulary's trie.
  struct Cut {
    std::uint32_t node;
    std::uint32_t class_index;
    std::uint32_t count;
  };
  // Tokens in which a lexeme ends as one terminal, under one guard.
  struct Group {
    std::uint16_t terminal = 0;
    ExprId guard{};
    std::shared_ptr<const TokenSet> ends{};  // at the end of the token; those inside may lack
    SuffixTree suffixes{};                   // what tokens go on with
    std::vector<const Group*> parts{};       // of tables of subtrees, with suffixes of their own
    std::vector<std::uint32_t> large{};  // nodes of the vocabulary's trie with many tokens below
    bool settled = false;     // every first byte of the suffixes, of the parts too, meets the guard
    std::vector<Cut> cuts{};  // where a character of the class may come next
    std::uint32_t deepest = 0;  // of a part: most characters before what tokens go on with
  };
  // Tokens that stay in the lexeme and come to a state that must be looked at with the parser's.
  struct Check {
    std::uint32_t state;
    std::shared_ptr<const TokenSet> tokens;
  };
  struct Table {
    std::shared_ptr<const TokenSet> inside;  // tokens that stay in the lexeme, whatever the parser
    std::vector<Check> checks;
    std::vector<Group> groups;
  };

  // Where text comes to the end of a head, or what is below it may matter otherwise.
  struct Opening {
    const Group* group;  // that the tree is of
    std::uint32_t head;
    std::uint32_t state;  // of the lexer, in a lexeme; kNoIndex: one ends here,
    std::uint16_t terminal;
    ExprId guard;
    bool settled;                           // by all bytes that follow
    std::vector<std::uint32_t> nodes = {};  // of the tree
  };
  struct Summary {
    std::shared_ptr<const TokenSet> tokens;  // allowed whatever is below
    std::vector<Opening> openings;
  };
  struct HeadMask {
    std::shared_ptr<const TokenSet> tokens;  // likewise
    std::vector<Opening> openings;           // in trees of groups whose terminal the head reads
    std::vector<const Group*> groups;        // with whose terminals it comes to its end
    std::vector<const Group*> large;         // others with nodes of the vocabulary's trie
  };

  // What the tokens below a node of the trie do to a state of the lexer; but for those that begin
  // with some bytes, which are the same for a state and a node.
  const Table& table(std::uint32_t state, std::uint32_t node, const ByteSet* without = nullptr);
  // The state in which text goes on that begins in another, as a name does, and the bytes that it
  // begins with.
  struct First {
    std::uint32_t state = kNoIndex;  // none
    ByteSet bytes = {};
    bool whole = true;  // all characters that they begin lead there; else those that are read
  };
  const First& first_of(std::uint32_t state);
  // A state with the same table at a node: one that has more characters left to count, if any.
  std::uint32_t alike(std::uint32_t state, std::uint32_t node);
  const Bitmap* limit_of(std::uint32_t state, std::uint32_t node);
  // Tokens of a group that go on in `next`, which is `free` under the group's guard.
  std::shared_ptr<const TokenSet> exits(const Group& group, ExprId next, ExprId free);
  // Whether text in `next` may begin with a character of a class.
  bool may_begin(ExprId next, std::uint32_t class_index);
  std::vector<std::uint32_t> nodes_behind(const Cut& cut) const;
  std::size_t memory_usage() const { return bytes_; }
  // What holds for all parser states with one head; see lexed_heads.cpp.
  const HeadMask& head_mask(const Table& table, std::uint32_t head);
  // Adds the tokens beyond an opening of what `stack` begins with.
  void go_through(const Opening& opening, std::uint32_t stack, MaskCache::Sink& sink);
  void clear();

 private:
  // A way in which a lexeme may end, and what may come next.
  struct Ending {
    std::uint16_t terminal;
    ExprId guard;
    ExprId ahead;     // the guard with what text is
    ByteSet begun;    // bytes that what may come next begins with
    ByteSet onward;   // those of them that the guard allows
    ByteSet settled;  // bytes after which it allows all
  };
  // What the texts of a tree, below a node of it, do to a state of the lexer.
  struct Onward {
    struct Check {
      std::uint32_t state;
      std::vector<Ranks> tokens;
    };
    struct Node {
      std::uint32_t node;
      bool settled;  // by all its bytes that the guard allows
    };
    struct End {
      std::uint16_t terminal;
      ExprId guard;
      std::vector<Ranks> tokens;
      std::vector<Node> nodes;  // with texts that go on
    };
    std::vector<Ranks> inside;  // stay in a lexeme, whatever the parser
    std::vector<Check> checks;
    std::vector<End> ends;
  };
  struct Moves {
    std::uint32_t next[256];  // kNoIndex: none
    LoopSet loop;             // texts that stay in this state and leave no lexeme behind
    bool loop_known;          // it was asked for
  };
  // The largest set of characters that lead on together.
  struct Uniform {
    std::uint32_t target = kNoIndex;
    CharSet set;
  };
  // Targets, each with the characters, or the bits of them, that lead there.
  using Ways = std::vector<std::pair<std::uint32_t, Interval>>;
  struct Building;
  struct Counted {
    ExprId unit;
    ExprId tail;
    std::uint32_t least;
    std::uint32_t most;
    bool alike(const Counted& other) const { return unit == other.unit && tail == other.tail; }
  };
  // A state of a chain that counts, and the first one before it that counts the same: text shorter
  // than what is left does the same to both.
  struct Spot {
    std::uint32_t like;
    std::uint32_t left = 0;  // 0: it is not alike
  };
  // The most characters that texts below a node take while a state counts, and those like it.
  struct Reach {
    std::uint32_t like;
    std::uint32_t node;
    std::uint32_t most;
  };
  // States that count characters of a class, all of which lead on together: each is what the one
  // before becomes, as far as was asked.
  struct Chain {
    std::uint32_t class_index = kNoIndex;
    ByteSet leaving = {};   // bytes that may begin other characters
    ByteSet followed = {};  // of these, those that some state goes on with
    std::vector<std::uint32_t> states = {};
    std::size_t known = 1;               // of them, those whose lexemes lead on
    std::optional<Counted> counts = {};  // of the one before the last
    bool tail_apart = false;             // no byte begins both a unit and the tail, not empty
    std::vector<Spot> spots = {};        // of all states but the last, or of all
    std::vector<Reach> reaches = {};
    std::uint32_t ending = kNoIndex;  // the first behind the first one that lexemes may end in
    std::uint32_t beyond = kNoIndex;  // what the last one leads to: there the lexeme has to end
    bool ended = false;               // the last one reads none of the class,
    bool apart = false;               // and lexemes end otherwise in it
    bool parted = false;              // it reads some only, or not all lead on together
    bool closed() const { return ended || parted || beyond != kNoIndex; }
    std::uint32_t like(std::size_t index, std::uint32_t height) const {
      const bool alike = index < spots.size() && spots[index].left > height;
      return states[alike ? spots[index].like : index];
    }
  };
  struct Place {
    Chain* chain = nullptr;
    std::uint32_t at = 0;
  };
  // What a state becomes by characters of a class.
  struct Run {
    std::uint32_t class_index = kNoIndex;
    std::uint32_t first = kNoIndex;  // without a chain: before the first character,
    std::uint32_t state = kNoIndex;  // and behind however many
    Place place = {};
    std::uint32_t size = 0;  // states of the chain, after 0, 1, ... characters
    // The state behind so many characters, or one to which texts of up to so many bytes do the
    // same.
    std::uint32_t at(std::uint32_t count, std::uint32_t height) const {
      if (!place.chain) return count == 0 ? first : state;
      return count < size ? place.chain->like(place.at + count, height) : kNoIndex;
    }
  };

  const Moves& moves(std::uint32_t state);
  std::uint32_t next_of(std::uint32_t state, std::uint8_t byte);
  const std::vector<Ending>& endings(std::uint32_t state);
  const LoopSet& loop_of(std::uint32_t state);
  LoopSet find_loop(std::uint32_t state, const Moves& moves);
  // Where text of a class is read uniformly, the vocabulary's tables of the class tell what lies
  // below a node; `enter` takes what leaves it. False: the trie must be walked.
  bool run_below(Building& building, std::uint32_t node, std::uint32_t state,
                 const std::function<void(std::uint32_t, std::uint32_t)>& enter);
  struct Reading {
    std::uint32_t class_index = kNoIndex;  // none: too few
    std::uint32_t endless =
        kNoIndex;  // the state that however many of them lead to, if there is one
    ByteSet leaving = {};
    ByteSet beyond = {};  // bytes that begin characters which are read, but not of the class
  };
  const Reading& reading(std::uint32_t state);
  ByteSet read_beyond(std::uint32_t state, const CharSet& set);
  const Ways& ways(std::uint32_t from, int rest);
  std::map<std::uint32_t, std::vector<Interval>> targets_of(std::uint32_t state);
  std::optional<Ways> ways_of_class(std::uint32_t from, int rest);
  static bool ends_of(const LeafDfa& dfa, std::uint32_t state, int rest,
                      std::vector<Interval>& out);
  CharSet beginning(ExprId texts);
  CharSet by_first_bytes(ExprId texts);
  CharSet after_lexeme(std::uint32_t state);
  bool passes(std::uint32_t state, const CharSet& set);
  bool may_run(std::uint32_t state);
  bool begins_few(std::uint32_t state);
  bool many_lead(std::uint32_t state, std::uint32_t next);
  std::optional<Counted> counted(std::uint32_t state, std::uint32_t class_index);
  bool tail_apart(const Counted& counts);
  void note_spot(Chain& chain, const std::optional<Counted>& counts);
  void note_reach(const Place& place, std::uint32_t node, MaskCache::ClassTable& table);
  void note_followed(Chain& chain, std::uint32_t state);
  bool reads_none(std::uint32_t state, const CharSet& set);
  bool ends_alike(Chain& chain, std::uint32_t next, const CharSet& set);
  void add_next(Chain& chain, const CharSet& set);
  void follow(Chain& chain, std::size_t count);
  const Uniform& uniform(std::uint32_t state);
  bool closes(Building& building, const Run& run, std::uint32_t node, std::uint8_t byte,
              std::span<const MaskCache::Exit> exits);
  // What may come behind a terminal, an ignored one included.
  struct Followed {
    ByteSet bytes;             // that it begins with
    std::uint32_t number = 0;  // of these bytes
  };
  const Followed& followed(std::uint32_t state, std::uint16_t terminal);
  const Group& closing_part(std::uint32_t state, const Lexing::Accept& accept, std::uint32_t node,
                            std::uint32_t class_index, std::uint8_t byte,
                            std::span<const MaskCache::Exit> exits);
  // Numbers of characters.
  struct Span {
    std::uint32_t first = 1;
    std::uint32_t last = kNoIndex;
    bool operator==(const Span&) const = default;
  };
  const Group& run_part(std::uint32_t state, const Lexing::Accept& accept, std::uint32_t node,
                        std::uint32_t class_index, const ByteSet& leaving, Span span);
  void ends_within(Building& building, std::uint32_t state, std::uint32_t node,
                   std::uint32_t class_index, const ByteSet& leaving, Span span);
  void ends_at(Building& building, std::uint32_t state, const Chain& chain, std::uint32_t node,
               std::uint32_t count);
  bool stays(std::uint32_t state);
  ExprId ahead(std::uint32_t state, ExprId guard);
  void leave(Building& building, std::uint32_t node, std::uint32_t state, bool inside);
  void include(Building& building, const Table& table) const;
  void add_suffixes(std::vector<std::pair<std::string_view, Ranks>>& out, std::uint32_t node,
                    std::size_t skipped) const;
  ByteSet settled_by(ExprId guard);
  static bool settles(const SuffixTree& tree, const ByteSet& settled);
  // The trees of a group's parts in one: of first bytes that meet the guard, and of others.
  struct Joined {
    ExprId guard;
    std::vector<const Group*> parts;  // sorted
    Group settled;
    Group open;
  };
  const Joined& joined(const Group& group);
  struct WayOn {
    bool goes_on = false;  // some byte leads on after the lexeme
    bool settled = true;   // by all that do the guard is met for good
  };
  static WayOn way_on(const SuffixTree& tree, std::uint32_t node, const Ending& ending);
  const Onward& onward(const Group& group, std::uint32_t node, std::uint32_t state);
  using Work = std::vector<std::pair<std::uint32_t, ExprId>>;  // nodes of a tree, and states there
  void go_on(const Group& group, Work work, MaskCache::Sink& sink);
  void read_tree(const Group& group, std::uint32_t node, std::uint32_t head, bool whole,
                 MaskCache::Sink& sink, Summary& out);
  const Summary& summary(const Group& group, std::uint32_t node, std::uint32_t head);
  static void keep(Summary& summary, Opening opening, std::uint32_t node);
  void open(const Opening& opening, std::uint32_t stack, Work& work, MaskCache::Sink& sink);
  // Whether masks are put together by heads.
  bool by_heads() const { return cache_.options_.split_parts; }

  struct ExitKey {
    const Group* group;
    std::uint32_t next;
    bool operator==(const ExitKey&) const = default;
  };
  struct ExitHash {
    std::size_t operator()(const ExitKey& key) const {
      return Hasher(reinterpret_cast<std::uintptr_t>(key.group)).add(key.next).finish().lo;
    }
  };

  MaskCache& cache_;
  ExprPool& pool_;
  const Vocabulary& vocabulary_;
  struct RunKey {
    std::uint32_t lexicon;
    ExprId guard;
    std::uint32_t node;
    std::uint32_t class_index;
    std::uint16_t byte;      // that ends the lexeme; 256: it ends before
    std::uint32_t followed;  // the number of what may come next
    Span span = {};
    bool operator==(const RunKey&) const = default;
  };
  struct RunHash {
    std::size_t operator()(const RunKey& key) const {
      return Hasher(index_of(key.guard))
          .add(key.lexicon)
          .add(key.node)
          .add(key.class_index)
          .add(key.byte)
          .add(key.followed)
          .add(key.span.first)
          .add(key.span.last)
          .finish()
          .lo;
    }
  };
  GrowingMap<RunKey, std::unique_ptr<Group>, RunHash> run_parts_;
  GrowingMap<std::uint32_t, Uniform> uniform_;
  GrowingMap<std::uint64_t, Ways> ways_;  // (state, continuation bytes)
  GrowingMap<std::uint32_t, Reading> readings_;
  GrowingMap<std::uint64_t, bool> may_begin_;  // (expression, class)
  GrowingMap<std::uint32_t, First> firsts_;
  std::vector<std::unique_ptr<Chain>> chains_;
  GrowingMap<std::uint32_t, Place> places_;                   // of states that read on in a chain
  GrowingMap<std::uint64_t, std::unique_ptr<Table>> tables_;  // (state, node)
  GrowingMap<std::uint64_t, std::unique_ptr<Table>> beside_;  // likewise, without some bytes
  GrowingMap<RunKey, std::unique_ptr<Group>, RunHash> trees_;
  GrowingMap<std::uint64_t, Followed> followed_;  // (lexicon, terminal)
  std::vector<ByteSet> numbered_;                 // by their numbers
  GrowingMap<const Group*, const Joined*> joined_;
  std::unordered_multimap<std::size_t, std::unique_ptr<Joined>> joined_parts_;  // by hash of parts
  // By state of the lexer; these are numbered one after another.
  std::vector<std::unique_ptr<Moves>> moves_;
  std::vector<std::unique_ptr<const std::vector<Ending>>> endings_;
  struct OnwardKey {
    const Group* group;
    std::uint32_t node;
    std::uint32_t state;
    bool operator==(const OnwardKey&) const = default;
  };
  struct OnwardHash {
    std::size_t operator()(const OnwardKey& key) const {
      return Hasher(reinterpret_cast<std::uintptr_t>(key.group))
          .add(key.node)
          .add(key.state)
          .finish()
          .lo;
    }
  };
  GrowingMap<OnwardKey, std::unique_ptr<Onward>, OnwardHash> onwards_;
  GrowingMap<ExitKey, std::shared_ptr<const TokenSet>, ExitHash> exits_;
  GrowingMap<OnwardKey, std::unique_ptr<Summary>, OnwardHash> summaries_;  // by group, node, head
  struct HeadKey {
    const Table* table;
    std::uint32_t head;
    bool operator==(const HeadKey&) const = default;
  };
  struct HeadHash {
    std::size_t operator()(const HeadKey& key) const {
      return Hasher(reinterpret_cast<std::uintptr_t>(key.table)).add(key.head).finish().lo;
    }
  };
  GrowingMap<HeadKey, std::unique_ptr<HeadMask>, HeadHash> head_masks_;
  std::size_t bytes_ = 0;
};

}  // namespace formgate
