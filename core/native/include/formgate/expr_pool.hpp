// The expression algebra: hash-consed regular expressions with Boolean operators and look-around,
// and their derivatives.
//
// Derivatives follow Brzozowski, "Derivatives of Regular Expressions" (J. ACM 11(4), 1964),
// computed for all bytes at once as linear forms (Antimirov, "Partial derivatives of regular
// expressions and finite automaton constructions", TCS 155, 1996): disjoint byte sets, each with
// its successor. Counted repetitions keep their counters in the node. Look-around is
// location-based, in the way of Moseley et al., "Derivative Based Nonbacktracking Real-World Regex
// Matching with Backtracking Semantics" (PLDI 2023): a look-ahead is an obligation on the text to
// come, which becomes an intersection as soon as it stands at the head of an expression; a
// look-behind is an atom whose truth is read off a tracker of the text so far.
//
// Constructors simplify (associativity, commutativity, idempotence, units, zeros, repetition
// arithmetic), so derivatives of one expression form a finite set. Expressions are never changed or
// moved. A pool is not thread-safe: callers hold `mutex()`.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formgate/char_set.hpp"
#include "formgate/compile_context.hpp"
#include "formgate/expr_node.hpp"
#include "formgate/growing_map.hpp"
#include "formgate/json_spelling.hpp"
#include "formgate/keyed.hpp"
#include "formgate/leaf_dfa.hpp"
#include "formgate/lexing.hpp"
#include "formgate/long_step.hpp"
#include "formgate/pool_use.hpp"
#include "formgate/stable_vector.hpp"
#include "formgate/state_memo.hpp"
#include "formgate/types.hpp"
#include "formgate/vocabulary.hpp"

namespace formgate {

class Predecessors;

struct AvoidedWords;

class ExprPool : public std::enable_shared_from_this<ExprPool> {
 public:
  static constexpr ExprId kEmptyId{0};    // no text
  static constexpr ExprId kEpsilonId{1};  // the empty text
  static constexpr ExprId kAllId{2};      // every byte string
  static constexpr ExprId kTextId{3};     // every well-formed text
  static constexpr std::uint32_t kMaxTrackers = 32;

  ExprPool();
  ~ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  // The pool new grammars go to; replaced by a fresh one when it has outgrown its budget. The old
  // one lives as long as a grammar or a state that uses it.
  static std::shared_ptr<ExprPool> current();
  static void set_budget(std::size_t bytes);
  static std::size_t budget();
  // Pools that there are, held by engines or states or about to be freed.
  static std::size_t alive();

  std::mutex& mutex() const { return mutex_; }
  // Takes the mutex; a compilation that holds it sees that somebody waits and makes room.
  std::unique_lock<std::mutex> acquire() const {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock) {
      LongStep::wait();
      waiting_.fetch_add(1, std::memory_order_relaxed);
      lock.lock();
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    ceiling_ = kUnlimited;
    return lock;
  }
  // Until the mutex is taken again, or this is called again, making more than so many expressions
  // (members of unions counted) throws Error(kLimit).
  void allow_growth(std::size_t parts) const {
    growth_ = parts;
    ceiling_ = parts > kUnlimited - part_count() ? kUnlimited : part_count() + parts;
  }
  std::size_t growth() const { return growth_; }
  // In the child of a fork nobody waits any more.
  void forget_waiting() { waiting_.store(0, std::memory_order_relaxed); }
  std::uint64_t serial() const { return serial_; }
  PoolUse& use() { return use_; }

  // --- constructors (expr_build.cpp) ---
  ExprId bytes(const ByteSet& set);
  ExprId chars(const CharSet& set);
  // JSON's spellings of one character of the set: all, or the canonical one.
  ExprId json_chars(const CharSet& set, bool canonical);
  // What grammars that others include were lowered to, by numbers of theirs.
  std::optional<ExprId> included(std::uint64_t number) {
    const auto it = included_.find(number);
    return it == included_.end() ? std::nullopt : std::optional(it->second);
  }
  void keep_included(std::uint64_t number, ExprId id) { included_.emplace(number, id); }
  // Recursive rules that refer to themselves alone, by what they are made of.
  struct KnownRule {
    ExprId call;
    ExprId body;
    ByteSet alphabet;
    bool empty;  // the empty text is one of its texts
    bool texts;  // others are
  };
  const KnownRule* known_rule(const Hash128& content) {
    const auto it = known_rules_.find(content);
    return it == known_rules_.end() ? nullptr : &it->second;
  }
  void keep_rule(const Hash128& content, const KnownRule& rule) {
    known_rules_.emplace(content, rule);
  }
  // Where `id` begins with a repetition, that with one repetition more; else nothing.
  ExprId once_more(ExprId id);
  // A class, all characters beyond ASCII among it, of which every text leaves a state alive;
  // kNoIndex where there is none, or many states to look at.
  std::uint32_t closed_class(ExprId id);
  // What the states of text that avoids some words need before they can lead astray, if it helps.
  std::optional<AvoidedWords> avoided_words(ExprId id);
  bool settles(ExprId id);
  // The characters that may stand for themselves in a kSpelled node.
  const CharSet& plain_characters(const Node& spelled) const { return bounds_[spelled.max].plain; }
  // The class of the characters that lead from a state back to it; kNoIndex where there is none.
  std::uint32_t self_loop(ExprId id);
  // Without a greatest number of characters of the text at the head, if so many characters more
  // come nowhere near it; else `id`.
  ExprId far_from_end(ExprId id, std::uint32_t characters);
  // Without the counts, among the first parts, of which that many bytes come nowhere near the end.
  ExprId far_from_counts(ExprId id, std::uint32_t bytes);
  // Text with a greatest number of characters and more besides (bounded_text.cpp).
  struct BoundedText {
    ExprId inner;        // the text without the bound
    ExprId far;          // the same as JSON spells it, where it is spelled
    std::uint32_t most;  // characters
  };
  std::optional<BoundedText> bounded_text(ExprId id);
  std::optional<ExprId> without_bound(ExprId id, std::uint32_t& most);
  std::optional<ExprId> without_most(ExprId id, std::uint32_t& most);
  std::optional<ExprId> scope_without_bound(ExprId id, std::uint32_t& most);
  bool one_character(ExprId id);
  ExprId fewer_in_parts(ExprId id, std::uint32_t most, Hasher& shape,
                        std::vector<std::uint32_t>& counts);
  std::optional<std::uint32_t> most_to_end(ExprId id);
  std::uint32_t to_end(ExprId id);
  bool settle_by_end(ExprId id);
  bool measure_end(ExprId id);
  ExprId fewer_counts(ExprId id, std::uint32_t most, Hasher& shape,
                      std::vector<std::uint32_t>& counts);
  // JSON's spellings of a language free of context, which must be decided: for those with Boolean
  // operators.
  ExprId spelled(ExprId text, bool canonical);
  ExprId spelled_at(ExprId text, bool canonical, std::string_view pending, std::uint32_t bounds);
  // The same spellings of fewer texts, which are decided where they are reached.
  ExprId spelled_within(ExprId spelled, ExprId texts);
  // Whether infinitely many texts are left whatever was read of one. May say no where it is so.
  bool endless(ExprId text);
  ExprId literal(std::string_view text);
  ExprId strings(std::shared_ptr<const LeafDfa> automaton);
  ExprId leaf(std::uint32_t automaton, std::uint32_t state);
  ExprId concat(ExprId head, ExprId tail);
  ExprId unite(std::span<const ExprId> members);
  ExprId unite(ExprId a, ExprId b);
  ExprId repeat(ExprId child, std::uint32_t min, std::uint32_t max);
  ExprId intersect(std::span<const ExprId> members);
  // Of what is to be intersected: puts counts into members of their own, where that may leave fewer
  // states to explore.
  void part_counts(std::vector<ExprId>& members);
  ExprId intersect(ExprId a, ExprId b);
  ExprId complement(ExprId child);
  ExprId look(ExprId rest);
  ExprId behind(std::uint32_t tracker, bool negated);
  ExprId scope(ExprId body, std::span<const ExprId> trackers);

  // --- rules (calls.cpp) ---
  // A rule may be one of a group Z[a,b], all ways of one or more steps from a to b.
  struct Path {
    std::uint64_t group = 0;  // 0: none
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };
  // The call of a rule, known by a hash of its content; `name` is for people. The rule's language
  // is that of its body, which must be defined, live, free of look-around that sees beyond it, and
  // must not accept the empty text nor begin with the call itself, directly or through others.
  ExprId call(const Hash128& hash, std::string_view name, const Path& path);
  void define(ExprId call, ExprId body, const ByteSet& alphabet);
  bool defined(ExprId call) const { return rules_[node(call).a].body != kEmptyId; }
  ExprId body(ExprId call) const { return rules_[node(call).a].body; }
  const std::string& name(ExprId call) const { return rules_[node(call).a].name; }
  // The language without the empty text. The expression must be free of context.
  ExprId without_empty(ExprId id);

  // --- inspection ---
  const Node& node(ExprId id) const { return nodes_[index_of(id)]; }
  std::span<const ExprId> members(const Node& node) const {
    return {members_[node.a].data(), members_[node.a].size()};
  }
  bool is_text(ExprId id) const;  // surely well-formed, by kText or by its parts
  const ByteSet& byte_set(const Node& node) const { return byte_sets_[node.a]; }
  const LeafDfa& automaton(const Node& node) const { return *automata_[node.a].dfa; }
  ExprId head(ExprId id) const { return node(id).kind == Kind::kConcat ? ExprId{node(id).a} : id; }
  ExprId tail(ExprId id) const {
    return node(id).kind == Kind::kConcat ? ExprId{node(id).b} : kEpsilonId;
  }
  // The class of characters an expression matches one of, or kNoIndex.
  std::uint32_t class_of(ExprId id);
  std::uint32_t intern_class(const CharSet& set);
  const CharSet& char_class(std::uint32_t index) const { return classes_[index]; }
  const LeafDfa& class_automaton(std::uint32_t class_index);
  bool nullable(ExprId id) const { return node(id).flags & kNullable; }
  bool free_of_context(ExprId id) const {
    return !(node(id).flags & kLooks) && node(id).behinds == 0;
  }
  // How often an alphabet was asked for that lacks those of calls that are not defined yet.
  std::size_t open_alphabets() const { return open_alphabets_; }
  ByteSet alphabet(ExprId id);  // superset of the bytes of its texts
  std::string print(ExprId id, std::size_t max_length) const;

  // --- derivatives (linear_form.cpp, look_around.cpp) ---
  LinearForm linear_form(ExprId id);
  ExprId step(ExprId id, std::uint8_t byte);       // kEmptyId where nothing lives
  ExprId raw_step(ExprId id, std::uint8_t byte);   // may have no text
  ByteSet first_bytes(ExprId id);                  // of its derivatives that are not empty
  ExprId walk(ExprId id, std::string_view bytes);  // steps
  const Row& row(ExprId id);
  // Some character of the class begins a text of the expression.
  bool meets(std::uint32_t class_index, ExprId id);
  // The characters that one repetition of `base` may match by themselves (kNoIndex: none), and
  // what else it may match.
  struct Loop {
    std::uint32_t class_index;
    ExprId rest;
  };
  Loop loop_of(ExprId base);
  // Text of the class only, of any length.
  const LoopSet& class_loop(std::uint32_t class_index);

  // --- emptiness (liveness.cpp) ---
  bool live(ExprId id);
  // The same, but no further than to a first text: for expressions that are no states.
  bool found_live(ExprId id);
  // While the result lasts, all that is worked out looks at the deadline of a compilation, whose
  // thread holds the mutex.
  [[nodiscard]] UnderWay under_way(CompileContext& context) { return {active_, context}; }
  // Decides emptiness of everything reachable from `id`. Throws Error(kLimit).
  void decide(ExprId id, CompileContext& context, std::unique_lock<std::mutex>& lock);

  // --- restriction to what single-byte tokens spell (restrict.cpp) ---
  ExprId restrict_to(ExprId id, const ByteSet& allowed);

  Lexing& lexing() { return *lexing_; }
  Keyed& keyed() { return keyed_; }
  ExprId intern_keyed(const Node& node) { return intern(node); }

  // Data that other parts of the engine keep as long as the pool (the mask caches).
  std::vector<std::shared_ptr<void>>& attachments() { return attachments_; }

  std::size_t node_count() const { return nodes_.size(); }
  // The same with each member of a union counted: what building the expressions cost.
  std::size_t part_count() const { return nodes_.size() + member_count_; }
  std::size_t memory_usage() const;
  // Of the texts of an expression, or fewer.
  std::uint64_t least_characters(ExprId id) { return lengths(id).least; }
  // Drops derived data (linear forms and rows) when they exceed the budget; ids stay valid.
  void trim();
  // One call in so many: to add up what there is reads more memory than to look up a kept mask.
  void trim_at_times() {
    if (++trims_ % 16 == 0) trim();
  }
  // Sees that what is made next finds touched memory (ready_memory.hpp).
  void touch_ahead();

 private:
  friend class Lexing;
  friend class Predecessors;
  struct Automaton {
    std::shared_ptr<const LeafDfa> dfa;
    std::uint32_t class_index;
  };
  struct Bounds {  // of spelling with some bytes only
    ByteSet allowed = ByteSet::all();
    bool canonical = false;
    CharSet spellable = CharSet::all();
    CharSet escaped = CharSet::all();  // those that an escape stands for
    CharSet coded = CharSet::all();    // by code units
    CharSet plain = json_plain();      // those that stand for themselves
  };
  struct Rule {
    ExprId body;
    ByteSet alphabet;  // superset of the bytes of its texts
    Path path;
    std::string name;
  };
  struct Conditional {  // a linear term that also demands `condition` of the text from here on
    ExprId condition;
    ByteSet bytes;
    ExprId target;
  };

  ExprId intern(Node node, std::vector<ExprId> members = {});
  bool same(const Node& node, std::span<const ExprId> members, std::uint32_t id) const;
  ExprId prepend(ExprId head, ExprId tail);
  ExprId behind_character(ExprId spelled) const;
  std::uint32_t add_automaton(std::shared_ptr<const LeafDfa> dfa, std::uint32_t class_index);
  bool subset_of_star(ExprId id, std::uint32_t class_index);
  enum class Spelling : std::uint8_t { kPlain, kJson, kCanonical };
  struct SpelledClass {
    std::uint32_t index;
    Spelling spelling;
  };
  std::optional<SpelledClass> spelled_class(ExprId id);
  bool repeats_characters(ExprId id);
  void drop_within_stars(std::vector<ExprId>& members);
  bool made_of(ExprId id, ExprId base);
  bool leaf_within(ExprId leaf, ExprId whole);
  ExprId as_language(ExprId id);
  void absorb(std::vector<ExprId>& parts) const;
  std::optional<ExprId> distribute(const std::vector<ExprId>& members);
  void merge_repeats(std::vector<ExprId>& members);
  void merge_counts(std::vector<ExprId>& members);
  ExprId unite_members(std::vector<ExprId> members);
  std::optional<ExprId> simple_union(std::span<const ExprId> given, std::vector<ExprId>& members);
  void drop_repeated(std::vector<ExprId>& members);
  ExprId unite_stacks(std::vector<ExprId> members);
  bool absorbs(ExprId first, ExprId second) const;
  const Path* path_of(ExprId id) const;
  // absorption.cpp
  class Cover;
  struct Deriving {
    explicit Deriving(ExprPool& pool) : pool_(pool) { ++pool.deriving_; }
    ~Deriving() { --pool_.deriving_; }
    Deriving(const Deriving&) = delete;
    Deriving& operator=(const Deriving&) = delete;

   private:
    ExprPool& pool_;
  };
  bool absorbing() const { return deriving_ > 0 && !joining_; }
  bool is_star(ExprId id);
  bool ends_with_itself(ExprId star);
  std::vector<ExprId> parts_of_star(ExprId star) const;
  std::uint32_t least_times(std::span<const ExprId> parts, ExprId base) const;
  bool covers(ExprId star, ExprId texts);
  bool within_after(ExprId star, ExprId id, ExprId other, unsigned& steps);
  bool within(ExprId id, ExprId other, unsigned& steps);
  ExprId joined(ExprId id);
  bool drop_after(ExprId star, std::vector<ExprId>& ways);
  ExprId after_star(ExprId star, ExprId id);
  ExprId before_star(ExprId id, ExprId star);
  ExprId all_times(ExprId id, ExprId star);
  void drop_within(std::vector<ExprId>& members);
  bool ends_with(ExprId id, ExprId star);
  ExprId last_of(ExprId id) const;
  bool joins(ExprId alternatives, ExprId next);
  std::vector<ExprId> beginnings(ExprId id);
  // Calls visit(part) for the parts of a concatenation that its texts may begin in.
  template <typename Visit>
  void for_each_beginning(ExprId id, Visit&& visit) {
    constexpr std::size_t kShort = 8;  // parts that may be empty
    std::size_t count = 0;
    for (ExprId at = id; at != kEpsilonId && count <= kShort; at = tail(at), ++count) {
      if (!nullable(head(at))) break;
    }
    if (count > kShort && (node(id).flags & kCalls)) {
      for (ExprId at : beginnings(id)) visit(at);
      return;
    }
    for (ExprId at = id; at != kEpsilonId; at = tail(at)) {
      visit(at);
      if (!nullable(head(at))) return;
    }
  }
  bool nested_repeat(ExprId child, std::uint32_t& min, std::uint32_t& max, ExprId& base) const;

  std::size_t skip_in_keys(ExprId& id, std::string_view bytes);
  ByteSet counting(ExprId base, ExprId rest);
  std::size_t skip_in_repeats(ExprId& id, std::string_view bytes);
  std::vector<LinearTerm> compute_form(ExprId id);
  void derive_beginnings(ExprId id);
  static constexpr std::size_t kNestedForms = 64;  // derived by recursion
  std::size_t nested_forms_ = 0;
  void concat_terms(ExprId id, std::vector<LinearTerm>& out);
  std::vector<LinearTerm> merge_terms(std::vector<LinearTerm> terms);
  std::vector<LinearTerm> product(std::span<const LinearForm> forms);
  static std::vector<LinearTerm> join_equal(std::vector<LinearTerm> terms);
  LinearForm store_form(const std::vector<LinearTerm>& terms);
  LoopSet loop_of_state(ExprId id);
  LoopSet loop_of_intersection(ExprId id);
  ExprId counted_down(ExprId id, const CharSet& characters);
  bool characters_lead_on(ExprId state, std::uint8_t low, std::uint8_t high,
                          std::span<const std::pair<std::uint8_t, std::uint8_t>> rest,
                          std::vector<ExprId>& targets);
  bool beyond_ascii_leads_on(ExprId state, std::vector<ExprId>& targets);
  bool counted(ExprId id, std::uint32_t& class_index, ExprId& next);
  bool meets_from(const LeafDfa& dfa, std::uint32_t state, ExprId id);

  std::vector<LinearTerm> spelled_form(ExprId id);
  ExprId spelled_rest(ExprId rest, bool canonical, std::uint32_t bounds);
  std::optional<ExprId> spelled_step(ExprId id, std::uint8_t byte);
  LoopSet spelled_loop(ExprId id);
  std::uint32_t bounds_of(const ByteSet& allowed, bool canonical);
  const CharSet& first_characters(ExprId id);
  ExprId after_character(ExprId id, std::uint32_t character);

  ExprId empty_condition(ExprId id, std::uint32_t truths);
  ExprId compute_condition(ExprId id, std::uint32_t truths);
  bool nullable_here(ExprId id, std::uint32_t truths);
  bool compute_nullable(ExprId id, std::uint32_t truths);
  void conditional_terms(ExprId id, std::uint32_t truths, std::vector<Conditional>& out);
  // The same, kept for the next time.
  const std::vector<Conditional>& conditional_terms(ExprId id, std::uint32_t truths);
  LinearForm form_here(ExprId id, std::uint32_t truths);
  std::uint32_t tracker_truths(std::span<const ExprId> trackers);
  std::vector<LinearTerm> scope_form(ExprId id);

  struct Lengths {  // of texts, in characters
    std::uint64_t least;
    std::uint64_t most;
  };
  Lengths lengths(ExprId id);
  bool bounded(ExprId id);
  std::uint64_t longest_rest(ExprId id);
  std::vector<Lengths> leaf_lengths(std::uint32_t number, std::uint32_t last) const;
  bool fills(ExprId id) const;
  bool open_text(ExprId id);
  bool counted_text(std::span<const ExprId> members, ExprId& text, std::uint32_t& min,
                    std::uint32_t& max) const;
  bool settle_by_length(ExprId id);

  // Intersections of counts and more than one other language (counted_states.cpp).
  struct LengthBounds {
    std::uint64_t least;
    std::uint64_t most;
  };
  // Which lengths the texts of some states have: each length below the sum of both counts, and what
  // lies behind again and again.
  struct Measured {
    std::size_t preperiod = 0;
    std::size_t period = 0;
    std::size_t words = 0;               // of each state
    std::vector<std::uint64_t> lengths;  // a bit set for each state

    bool attains(std::size_t row, const LengthBounds& bounds) const;
  };
  ExprId new_intersection(std::span<const ExprId> given);
  std::optional<std::uint64_t> same_length(ExprId id);
  ExprId without_counts(ExprId member, LengthBounds& bounds);
  ExprId core_of(ExprId id, LengthBounds& bounds);
  bool settle_by_core(ExprId id);
  std::size_t most_explored() const;
  bool settle_by_predecessors(ExprId id);
  enum class Measuring { kNone, kDone, kTooMuch };
  Measuring measure_core(ExprId id, std::vector<ExprId>& more, CompileContext& context,
                         std::unique_lock<std::mutex>* lock);
  void give_way(CompileContext& context, std::unique_lock<std::mutex>* lock);
  ExprId shortest(ExprId id, std::uint64_t least);
  std::optional<ExprId> without_idle_counts(std::span<const ExprId> members);
  std::size_t width_of(ExprId id) const;
  void set_liveness(ExprId id, bool alive);
  void assume_live(ExprId id);
  bool live_by_parts(ExprId id) const;
  void components(ExprId id, std::vector<ExprId>& out) const;
  void search_way(ExprId root, CompileContext* context);
  std::string after_terminals(ExprId id) const;
  // Without `whole`, only what is asked for is decided, if some text is found for it.
  void explore(std::vector<ExprId> work, std::size_t budget, CompileContext* context,
               std::unique_lock<std::mutex>* lock, bool whole = true);

  static constexpr std::size_t kUnlimited = ~std::size_t{0};
  mutable std::size_t ceiling_ = kUnlimited;  // of parts; see allow_growth
  unsigned trims_ = 0;
  mutable std::size_t growth_ = kUnlimited;  // what was allowed last
  CompileContext* active_ = nullptr;  // of the compilation that holds the mutex: its deadline
  mutable std::mutex mutex_;
  mutable std::atomic<unsigned> waiting_{0};
  std::uint64_t serial_;
  StableVector<Node> nodes_;
  AnchoredIndex index_;  // of nodes, by their latest parts
  StateMemo<13> steps_;  // single steps taken, by state and byte
  StateMemo<12> met_;    // intersections of two made lately, by the later one and the other
  StableVector<std::vector<ExprId>> members_;
  StableVector<ByteSet> byte_sets_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> byte_set_index_;
  std::array<ExprId, 256> single_bytes_{};  // once one was needed
  StableVector<Automaton> automata_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> automaton_index_;
  StableVector<Rule> rules_;
  unsigned deriving_ = 0;                         // linear forms and steps under way
  bool joining_ = false;                          // in `joined`
  GrowingMap<std::uint64_t, bool> covered_;       // (repetition, texts)
  GrowingMap<std::uint64_t, ExprId> after_star_;  // (repetition, what follows)
  GrowingMap<std::uint64_t, bool> ended_;         // (repetition, call or itself)
  GrowingMap<std::uint64_t, ExprId> before_star_;
  GrowingMap<std::uint32_t, std::vector<ExprId>> beginnings_;  // of long concatenations
  std::size_t beginning_bytes_ = 0;
  StableVector<CharSet> classes_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> class_index_;
  std::unordered_map<std::uint32_t, std::uint32_t> class_automata_;  // class -> automaton
  std::unordered_map<std::uint32_t, std::uint32_t> class_of_bytes_;  // byte set -> class
  GrowingMap<std::uint64_t, bool> meets_;
  GrowingMap<std::uint64_t, bool> subset_;
  GrowingMap<std::uint32_t, Loop> loops_;
  GrowingMap<std::uint32_t, LoopSet> class_loops_;
  GrowingMap<std::uint32_t, std::uint32_t> self_loops_;      // expression -> class
  GrowingMap<std::uint32_t, std::uint32_t> closed_classes_;  // expression -> class
  // What is known of an intersection that characters of a class only count down: the last one seen
  // to be alive, how many characters on, and whether the one after it is not.
  struct Countdown {
    ExprId last;
    std::uint32_t steps;
    std::uint32_t class_index;
    bool ended;
  };
  GrowingMap<std::uint32_t, Countdown> countdowns_;
  GrowingMap<std::uint32_t, ByteSet> alphabets_;
  std::size_t open_alphabets_ = 0;
  GrowingMap<std::uint32_t, ByteSet> open_found_;  // open ones, until the next rule is defined
  struct HashOfHash {
    std::size_t operator()(const Hash128& hash) const { return hash.lo; }
  };
  GrowingMap<Hash128, ExprId, HashOfHash> unions_;  // by members, where calls are involved
  GrowingMap<Hash128, ExprId, HashOfHash> intersections_;
  GrowingMap<std::uint64_t, LinearForm> forms_here_;  // (expression, truths)
  GrowingMap<std::uint64_t, std::vector<Conditional>> conditional_terms_;
  GrowingMap<std::uint64_t, ExprId> conditions_;  // by (expression, truths)
  GrowingMap<std::uint64_t, ByteSet> counting_;   // by what repeats and what follows
  GrowingMap<std::uint64_t, bool> nullables_;
  std::vector<std::vector<LinearTerm>> form_chunks_;
  std::size_t form_bytes_ = 0;
  StableVector<Row> rows_;
  std::vector<std::shared_ptr<void>> attachments_;
  PoolUse use_;
  std::unique_ptr<Lexing> lexing_;
  Keyed keyed_;
  GrowingMap<std::uint64_t, ExprId> included_;  // (grammar, spelling)
  GrowingMap<Hash128, KnownRule, HashOfHash> known_rules_;
  GrowingMap<std::uint64_t, ExprId> json_chars_;                     // (class, canonical)
  std::unordered_map<std::uint32_t, SpelledClass> spelled_classes_;  // what is in json_chars_
  GrowingMap<std::uint64_t, bool> spelled_subset_;
  GrowingMap<std::uint32_t, Lengths> lengths_;
  GrowingMap<std::uint32_t, std::uint64_t> rests_;
  GrowingMap<std::uint32_t, std::uint64_t> automaton_rests_;
  // By state, where states lead back.
  std::unordered_map<std::uint32_t, std::vector<Lengths>> automaton_lengths_;
  GrowingMap<std::uint32_t, bool> endless_;
  GrowingMap<std::uint32_t, bool> open_texts_;
  struct TextEnd {
    std::uint32_t least;  // characters to the end of some text
    std::uint32_t most;   // the most of these, of all states that this one leads to
  };
  GrowingMap<std::uint32_t, TextEnd> text_ends_;  // by state; both unknown where these are too many
  GrowingMap<std::uint32_t, ByteSet> first_bytes_;  // by alternatives
  StableVector<Measured> measured_;
  // By expression: which of them, and which of its states.
  GrowingMap<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> core_states_;
  GrowingMap<std::uint32_t, bool> unmeasured_;  // what took too much
  std::size_t measured_bytes_ = 0;
  std::unique_ptr<Predecessors> predecessors_;
  StableVector<Bounds> bounds_{{}};        // the first: all bytes
  StableVector<std::string> pending_{""};  // escapes under way
  std::unordered_map<std::string, std::uint32_t> pending_index_;
  GrowingMap<std::uint32_t, CharSet> first_characters_;  // by expression
  std::vector<std::uint32_t> marks_;                     // by expression, for drop_repeated
  std::uint32_t mark_ = 0;
  std::size_t member_bytes_ = 0;
  std::size_t member_count_ = 0;
  std::size_t automaton_bytes_ = 0;
};

}  // namespace formgate
