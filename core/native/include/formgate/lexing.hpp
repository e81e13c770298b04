// Grammars with a lexer: text is cut into lexemes by a rule of preference, and the parser sees the
// terminals they belong to.
//
// The parser is an expression over symbols, each terminal being a byte or two; its derivative by a
// symbol is what is left to parse (see calls.cpp for rules and stacks). The lexer is an automaton
// whose states are what is left of every terminal that competes, built as far as some text has
// walked; it is shared by all parser states in which the same terminals compete. A lexeme ends
// where a terminal's pattern is complete, under a condition on the text to come, the guard: no
// longer match is to follow, or none of a terminal that is preferred. So a state of the whole is a
// union of "in a lexeme, with a parser state" and "between lexemes, under a guard".
//
// What competes is what the parser takes next, or all; or what some LALR parser's state has an
// action for. Then the parser state has a track beside it, an expression over terminals with such
// states (competing.cpp), that takes the same terminals. It is lost where that parser fails.
//
// Composition of a lexer and a parser as in Koo, Liu, He, "Automata-based constraints for language
// model decoding" (COLM 2024), but with exact guards in place of a fixed look-ahead.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formgate/growing_map.hpp"
#include "formgate/stable_vector.hpp"
#include "formgate/sufficient.hpp"
#include "formgate/types.hpp"

namespace formgate {

class CompileContext;
class ExprPool;
class LexedEnds;
class TrackEnds;
struct ByteGroups;
struct LinearTerm;

enum class LexMode : std::uint8_t {
  kLongest,  // the longest match; the order of terminals breaks ties
  kFirst,    // the first terminal that matches at all, by the match that its pattern takes
};

// A terminal whose lexemes another terminal's pattern matches, too: "if" among names.
struct LexKeyword {
  std::uint16_t terminal;
  bool embedded;   // not matched by itself where the other terminal competes
  ExprId literal;  // its pattern
  bool operator==(const LexKeyword&) const = default;
};

struct LexTerminal {
  std::string name;
  ExprId pattern{};              // never the empty text; may look beyond the lexeme in mode kFirst
  std::vector<ExprId> trackers;  // of the pattern's look-behinds
  bool ignored = false;          // may stand between lexemes
  bool longest = false;          // in mode kFirst: of its own matches the longest is taken
  std::vector<LexKeyword> keywords;
};

// A terminal, and what competes after it in vain; or a marker, and the terminals that do not stand
// after it.
struct TrackSymbol {
  static constexpr std::uint16_t kMarker = 0xFFFF;
  std::uint16_t terminal;
  std::uint32_t set;  // of `extras`, or of `dropped`
};

struct TrackSymbols {
  std::vector<TrackSymbol> symbols;
  std::vector<std::vector<std::uint16_t>> extras;  // the first is empty
  std::vector<std::vector<bool>> dropped;
  std::vector<std::vector<bool>> around;  // by terminal all its extras; then those of the beginning
  std::uint32_t start = 0;                // extras of the beginning
  std::uint32_t width = 1;                // bytes of a symbol
};

struct Lexicon {
  LexMode mode = LexMode::kLongest;
  bool contextual = true;              // only terminals that the parser can take compete
  std::vector<LexTerminal> terminals;  // in order of preference; a dead one has an empty pattern
  std::uint32_t symbol_bytes = 1;      // bytes of a symbol
  bool safe = false;                   // every lexeme can be followed by any that the parser takes
  ByteSet spelled = ByteSet::all();    // what text is made of; other bytes still count in patterns
  ByteSet alphabet;
  bool text = true;  // lexemes are well-formed text
  // Sets of terminals that compete, where the states of a parser say so and not all regexes that
  // take a keyword do.
  std::vector<std::vector<bool>> competing;
  bool by_states = false;  // whether no others do; else what may come next may compete, too
  TrackSymbols track;
  ExprId track_start{};  // empty: no track is kept
  Hash128 rules;         // of what is parsed: what may follow what depends on it
  Hash128 hash;
};

// Symbols are bytes below 128, so that expressions over them are well-formed text.
constexpr std::uint32_t kSymbolBase = 128;
std::string symbol_text(std::uint32_t width, std::uint32_t symbol);

class Lexing {
 public:
  explicit Lexing(ExprPool& pool);
  ~Lexing();
  Lexing(const Lexing&) = delete;
  Lexing& operator=(const Lexing&) = delete;

  std::uint32_t add(Lexicon lexicon);
  const Lexicon& lexicon(std::uint32_t index) const { return lexicons_[index]; }
  // Whether a pattern may match the empty text.
  bool may_be_empty(const LexTerminal& terminal);
  // What a lexicon's patterns are made of; `add` does it, too.
  void describe(Lexicon& lexicon);
  // The texts whose lexemes are a sequence of symbols in `rest`.
  ExprId between(std::uint32_t lexicon, ExprId rest);
  std::vector<LinearTerm> form(ExprId id);
  // Whether an expression is a state of a lexer, or a union or an intersection with one.
  bool in(ExprId id) const;
  // The derivative of such an expression by one byte.
  ExprId step(ExprId id, std::uint8_t byte);
  // The lexer's state.
  std::uint32_t lexer_state(ExprId id);
  // A state in a lexeme, if the parser takes what the lexeme may become.
  ExprId inside(std::uint32_t state, std::uint32_t stack);
  // The state after a lexeme.
  ExprId after(std::uint16_t terminal, ExprId guard, std::uint32_t stack);
  // Fewest symbols with which the parser of a state, or of a part of it, comes to an end.
  std::uint32_t least_symbols(ExprId id);
  // Fewest characters of such a text, about: guards are not asked.
  std::uint32_t least_text(ExprId id);
  // Likewise of rules without a lexer, or over symbols.
  std::uint32_t least_of(ExprId id);
  // Whether that of a state is found by looking at no more than so many expressions.
  bool tells_least(ExprId id, std::size_t most);
  // In how many ways a text is read so far: terminals of all readings, and guards.
  std::uint32_t terminals_under_way(ExprId id);
  // Expressions over symbols whose fewest ones are kept.
  std::size_t least_known() const { return least_.size(); }
  // Names of the terminals that a state is in or may begin.
  std::vector<std::string> names(ExprId id) const;
  // Whether a state under a guard surely has some text; a quick answer, and no wrong yes.
  bool surely_live(ExprId id);
  // Whether a state surely has no text, since terminals that must come side by side cannot; slow.
  // See lexer_neighbours.cpp.
  bool surely_empty(ExprId id, CompileContext& context);
  // Whether a state has some text, found from the rules and not by its successors; nothing where it
  // cannot be told so. Slow for the first state of a lexer: `begun` says to answer for others only.
  // See lexed_ends.cpp.
  std::optional<bool> has_text(ExprId id, bool begun);
  // Finds out whether the lexer can never be stuck where `rest` is parsed; see lexer_safety.cpp.
  void decide_safety(std::uint32_t lexicon, ExprId rest, CompileContext& context);
  // Whether one of two terminals that compete may take a text from the other; never a wrong no.
  bool collide(const Lexicon& lexicon, std::uint16_t one, std::uint16_t other);
  ByteSet alphabet(ExprId id) const;  // superset of the bytes of its texts
  void trim();
  std::size_t derived_bytes() const {
    return (steps_.size() + symbol_steps_.size() + 2 * symbols_first_.size() + after_.size() +
            left_[0].size() + left_[1].size() + answers_.size() + least_.size() +
            heads_after_.size() + forbidden_.size() + stepped_.size()) *
               48 +
           sufficient_.memory_usage();
  }
  bool in_use() const { return !lexicons_.empty(); }
  std::size_t memory_usage() const;

 private:
  friend class LexedEnds;
  friend class LexedMasks;
  friend class MaskCache;
  enum class Verdict : std::uint8_t { kUnknown, kYes, kNo };
  // One way in which a pattern matches: what is left of it, and what the text to come must be.
  struct Thread {
    ExprId rest;
    ExprId demand;
    bool operator==(const Thread&) const = default;
  };
  struct Item {  // a terminal that competes
    std::uint16_t terminal = 0;
    std::vector<Thread> threads;
    std::vector<ExprId> trackers;
    ExprId
        prefix{};  // texts that begin with a match; kept in mode kFirst for patterns with context
    std::vector<LexKeyword> keywords;
    bool operator==(const Item&) const = default;
  };
  struct Accept {
    std::uint16_t terminal;
    ExprId guard;
    bool operator==(const Accept&) const = default;
  };
  struct Edge {
    ByteSet bytes;
    std::uint32_t target;
  };
  struct State {
    std::uint32_t lexicon = 0;
    std::vector<Item> items;
    std::vector<std::uint16_t> vain;  // of the items and keywords, those that are not taken; sorted
    std::vector<Accept> accepts;      // what a lexeme that ends here may be
    std::vector<Edge> edges;
    bool expanded = false;
    bool open = false;    // the lexeme may go on
    bool begins = false;  // nothing of the lexeme is read yet
    Verdict leads_on = Verdict::kUnknown;
    std::vector<Verdict> becomes;  // whether a lexeme begun so may be such a terminal, as asked for
    Hash128 hash;
  };
  struct TrackWay {  // past markers
    ExprId rest;
    std::vector<bool> dropped;  // terminals that do not stand there
  };
  struct TrackNext {
    std::uint16_t terminal;
    std::uint32_t symbol;
    std::uint32_t track;  // kNoIndex until it is asked for
  };
  struct Track {
    std::uint32_t lexicon;
    ExprId rest;                       // over the track's symbols
    std::uint32_t extras;              // what competes in vain
    Verdict ends = Verdict::kUnknown;  // whether the parser in question can come to an end
    bool expanded = false;
    bool partial = false;         // there may be more
    std::vector<TrackWay> ways;   // to what is read next
    std::vector<TrackNext> next;  // sorted by terminal
  };
  struct Stack {  // a parser state
    std::uint32_t lexicon;
    ExprId rest;
    std::uint32_t track;  // kNoIndex: none
    bool expanded = false;
    // Terminals, sorted, and what is left after them; kNoExpr until it is asked for.
    std::vector<std::pair<std::uint16_t, ExprId>> next;
    std::uint32_t start = 0;  // state of the lexer
  };
  struct Head {                      // of a parser state; see lexer_heads.cpp
    std::uint32_t stack = kNoIndex;  // the head, as a parser state; kNoIndex: none
    ExprId below{};                  // what follows it
    ExprId track_below{};            // likewise, of its track
    bool sure = false;               // what is taken is known from the lexer's state
  };
  using Symbols = std::vector<bool>;  // by terminal
  struct HashOfHash {
    std::size_t operator()(const Hash128& hash) const { return hash.lo; }
  };
  struct Safety {
    std::vector<Symbols> follow;              // what may come after a terminal
    std::vector<std::uint32_t> starts;        // states of the lexer after it; kNoIndex: not known
    std::vector<std::vector<ExprId>> guards;  // under which a terminal's lexemes may be left
    // What comes behind white space, by (start, guard, what may come): how each is left.
    std::unordered_map<Hash128, std::vector<ExprId>, HashOfHash> separated;
    bool shared = true;  // what comes where all compete is asked first
    // By terminal, those of `follow` that may not come behind it under some guard; noted while
    // `apart_noted`, which asks for proof that sentences do without.
    std::vector<Symbols> apart;
    bool apart_noted = false;
    bool freer = false;  // what can end where all compete can where fewer do
    // What comes where all compete, by guard; see comes_under.
    std::unordered_map<std::uint32_t, std::vector<ExprId>> anywhere;
    std::size_t failures = 0;  // guards that could not be added later
  };
  enum class About : std::uint8_t {
    kContained,
    kSkipped,
    kGoneOn,
    kViableStart,
    kViableStack,
    kLed
  };
  struct Left {  // a terminal, or their number for the beginning, and the guard it was left under
    std::size_t terminal;
    ExprId guard;
  };
  struct End {  // of a lexeme, in a parser state, under a guard
    std::uint32_t stack;
    std::uint32_t guard;
    std::uint16_t terminal;
    bool operator==(const End&) const = default;
  };
  struct HashOfEnd {
    std::size_t operator()(const End& end) const {
      const std::uint64_t low = (static_cast<std::uint64_t>(end.stack) << 32) | end.guard;
      return (low + end.terminal * 0xD6E8FEB86659FD93ull) * 0x9E3779B97F4A7C15ull;
    }
  };
  ExprId find_after(std::uint16_t terminal, ExprId guard, std::uint32_t stack);
  ExprId node(std::uint32_t state, std::uint32_t stack);
  ExprId between(std::uint32_t lexicon, ExprId rest, std::uint32_t track);
  std::uint32_t stack_of(std::uint32_t lexicon, ExprId rest, std::uint32_t track);
  std::uint32_t track_of(std::uint32_t lexicon, ExprId rest, std::uint32_t extras);
  const Track& expanded_track(std::uint32_t track);
  std::uint32_t track_after(std::uint32_t track, std::uint16_t terminal);
  // The symbols that an expression over them takes first, in order; and what is left after one.
  std::vector<std::uint32_t> first_symbols(ExprId rest, std::uint32_t width);
  ExprId after_symbol(ExprId rest, std::uint32_t width, std::uint32_t symbol);
  ExprId step_symbol(ExprId id, std::uint8_t byte, unsigned depth = 0);
  ExprId step_sequence(ExprId id, std::uint8_t byte, unsigned depth);
  ByteSet begins_with(ExprId id, unsigned depth = 0);
  std::uint32_t kept_track(std::uint32_t lexicon, std::uint32_t track);
  const Stack& expanded(std::uint32_t stack);
  ExprId rest_after(std::uint32_t stack, std::uint16_t terminal);
  TrackEnds& track_ends(std::uint32_t lexicon);
  template <typename Closed>
  std::pair<ExprId, ExprId> cut(ExprId rest, Closed&& closed);
  bool closed_track(std::uint32_t track);
  const Head& head_of(std::uint32_t stack);
  std::uint32_t head_after(std::uint32_t head, std::uint16_t terminal, bool whole);
  std::uint32_t stack_with(std::uint32_t head, const Head& whole);
  bool surely_goes_on(std::uint32_t head, std::uint16_t terminal, ExprId guard);
  void find_competing(const Stack& stack, Symbols& competing, Symbols& vain);
  void add_regexes(std::uint32_t lexicon, Symbols& competing, Symbols& vain) const;
  static bool takes_one(const LexTerminal& regex, const Symbols& keywords);
  void add_regexes_beside(std::uint32_t lexicon, const Symbols& own, Symbols& beside,
                          Symbols& vain);
  bool takes_from(std::uint32_t lexicon, std::uint16_t terminal, const Symbols& set);
  bool may_collide(std::uint32_t lexicon, std::uint16_t one, std::uint16_t other);
  std::uint32_t start_state(std::uint32_t lexicon, const Symbols& competing, const Symbols& vain);
  Item begun(const Lexicon& lexicon, std::uint16_t terminal);
  bool may_end(const Item& item);
  void split(const Item& item, ByteGroups& groups, std::uint64_t& number, ByteSet& moving);
  std::uint32_t intern(State state);
  const State& expanded_state(std::uint32_t state);
  template <typename Moves>
  std::uint32_t moved(const State& from, std::uint8_t byte, Moves&& moves);
  const ByteSet& first_bytes(std::uint32_t lexicon, const Item& item);
  static std::uint32_t edge_target(const State& from, std::uint8_t byte);
  Item step(const Lexicon& lexicon, const Item& item, std::uint8_t byte);
  Item first_step(std::uint32_t lexicon, const Item& item, std::uint8_t byte);
  void step_keywords(const Item& item, std::uint8_t byte, Item& out);
  ExprId step_here(ExprId id, std::uint32_t truths, std::uint8_t byte);
  void close(State& state);
  void close_longest(State& state);
  void close_first(State& state);
  void keep_vain(State& state, const std::vector<std::uint16_t>& vain);
  void accept(State& state, const Item& item, ExprId guard);
  ExprId least_before(ExprId id);
  ExprId led_by(ExprId id);
  ExprId prefix_of(const Item& item);
  bool possible(const Thread& thread, const std::vector<ExprId>& trackers, ExprId end);
  bool has_matched(const Item& item, ExprId texts);
  bool becomes(std::uint32_t state, std::uint16_t terminal);
  ExprId target(std::uint32_t state, std::uint32_t stack);
  ExprId left_under(ExprId demand, ExprId guard, bool text);
  template <typename Wanted>
  Verdict look_for(ExprId guard, std::uint32_t state, Wanted&& wanted);
  template <typename Wanted>
  bool reaches(ExprId guard, std::uint32_t state, Wanted&& wanted);
  std::optional<std::vector<Left>> lexemes_under(ExprId guard, std::uint32_t state);
  LexedEnds* lexed_ends(std::uint32_t lexicon, bool begun);
  template <typename Find>
  bool answer(About about, std::uint64_t subject, ExprId guard, Find&& find);
  bool contains(ExprId guard, ExprId known);
  bool find_contained(ExprId guard, ExprId known);
  bool counts_within(ExprId texts, ExprId others) const;
  bool plainly_contains(ExprId guard, ExprId known) const;
  const std::string& forbidden(ExprId guard);
  bool covered(std::uint32_t lexicon, std::uint16_t terminal, ExprId guard);
  bool connect(std::uint32_t start, ExprId guard, std::uint16_t wanted, ExprId& after);
  template <typename OfReading>
  std::uint32_t least_over_readings(ExprId id, OfReading&& of_reading);
  bool find_least(ExprId start, std::size_t most);
  bool ends_under(std::uint32_t start, ExprId guard);
  const Symbols* followers(std::uint32_t lexicon, std::uint16_t terminal) const;
  std::pair<Symbols, Symbols> competing_after(std::uint32_t lexicon, std::size_t before) const;
  std::uint32_t start_after(std::uint32_t lexicon, std::size_t before);
  ExprId separated(std::uint32_t start, ExprId guard);
  bool lacks_known(std::uint32_t lexicon, std::size_t before, const std::vector<ExprId>& after);
  std::vector<Left> ways_after(std::uint32_t lexicon, const Left& left);
  bool goes_on_by_ways(std::uint32_t lexicon, ExprId rest, CompileContext& context);
  bool does_without(std::uint32_t lexicon, ExprId rest, CompileContext& context);
  const std::vector<ExprId>& comes_under(std::uint32_t lexicon, ExprId guard);
  bool all_come(std::uint32_t lexicon, std::size_t before, ExprId guard,
                std::vector<ExprId>& after);
  bool all_follow(std::uint32_t lexicon, std::size_t before, ExprId guard,
                  std::vector<ExprId>& after);
  bool close_guards(std::uint32_t lexicon, std::vector<Left> work, std::size_t most_visits,
                    CompileContext* context);
  bool find_safety(std::uint32_t lexicon, ExprId rest, CompileContext& context);
  bool keywords_hold(std::uint32_t lexicon, CompileContext& context);
  bool as_free(std::uint32_t own, std::uint32_t other, std::uint16_t keyword);
  std::uint32_t stepped(std::uint32_t state, std::uint8_t byte);
  bool extend(std::uint32_t lexicon, std::uint16_t terminal, ExprId guard);
  bool skips(std::uint32_t lexicon, ExprId guard);
  bool find_skipped(std::uint32_t lexicon, ExprId guard);
  bool surely_live_under(ExprId state, ExprId guard);
  bool viable_under(ExprId guard, std::uint32_t stack);
  bool goes_on(std::uint32_t lexicon, std::uint16_t terminal, ExprId guard);
  bool leads_on(std::uint32_t state, const std::vector<bool>* wanted);
  bool find_way_on(std::uint32_t state);
  template <typename Arrives>
  bool find_way(std::uint32_t state, std::size_t most, Arrives&& arrives,
                std::vector<std::uint32_t>& met);
  bool leads_under(std::uint32_t state, ExprId guard);
  std::optional<std::vector<ExprId>> guards_alone(std::uint32_t start);
  bool may_come(ExprId guard, std::uint32_t start);

  ExprPool& pool_;
  StableVector<Lexicon> lexicons_;
  StableVector<State> states_;
  StableVector<Stack> stacks_;
  StableVector<Track> tracks_;
  GrowingMap<Hash128, std::uint32_t, HashOfHash> lexicon_index_;
  GrowingMap<Hash128, std::uint32_t, HashOfHash> state_index_;
  GrowingMap<Hash128, std::uint32_t, HashOfHash> stack_index_;
  GrowingMap<Hash128, std::uint32_t, HashOfHash> track_index_;
  GrowingMap<Hash128, std::uint32_t, HashOfHash> starts_;  // by competing terminals
  GrowingMap<std::uint64_t, ExprId> steps_;                // (expression, byte)
  GrowingMap<std::uint64_t, ExprId> symbol_steps_;         // (rules, byte of a symbol)
  GrowingMap<std::uint32_t, ByteSet> symbols_first_;       // by rules
  GrowingMap<End, ExprId, HashOfEnd> after_;
  GrowingMap<std::uint32_t, Head> heads_;                     // by parser state
  GrowingMap<std::uint64_t, std::uint32_t> heads_after_;      // (head, terminal)
  GrowingMap<std::uint64_t, Item> first_steps_;               // (lexicon, terminal, byte)
  std::unordered_map<std::uint64_t, ByteSet> first_bytes_;    // (lexicon, terminal)
  GrowingMap<std::uint64_t, std::uint32_t> stepped_;          // state by (state, byte), one by one
  GrowingMap<std::uint32_t, std::uint32_t> least_;            // by expression over symbols
  GrowingMap<std::uint64_t, bool> collisions_;                // (lexicon, two terminals)
  GrowingMap<Hash128, bool, HashOfHash> answers_;             // to questions about guards
  GrowingMap<std::uint64_t, ExprId> left_[2];                 // (demand, guard), by text or bytes
  std::unordered_map<std::uint32_t, std::string> forbidden_;  // by guard
  SufficientConditions sufficient_;                           // for guards
  std::unordered_map<std::uint32_t, Safety> safeties_;        // by lexicon
  std::unordered_map<std::uint32_t, std::unique_ptr<TrackEnds>> track_ends_;  // by lexicon
  std::unordered_map<std::uint32_t, std::unique_ptr<LexedEnds>> lexed_ends_;  // likewise
  std::size_t bytes_ = 0;
};

}  // namespace formgate
