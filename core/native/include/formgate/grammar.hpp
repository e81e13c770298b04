// The intermediate representation that front ends write to, and its lowering to expressions.
//
// Nodes are numbered in the order they are made and refer only to earlier nodes or, by name, to
// rules. Lowering visits each node once with an explicit stack. Look-around is collected per scope:
// each scope numbers its look-behinds and becomes one expression with trackers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/leaf_dfa.hpp"
#include "formgate/lexing.hpp"
#include "formgate/token_use.hpp"

namespace formgate {

class Grammar {
 public:
  using Handle = std::uint64_t;  // serial of the grammar in the upper half, node in the lower

  Grammar();
  // A copy that is to be written to; its nodes have the same handles.
  std::shared_ptr<Grammar> branch() const;

  Handle literal(std::string bytes);
  Handle chars(CharSet set);
  Handle byte_class(const ByteSet& set);
  Handle sequence(const std::vector<Handle>& parts);
  Handle choice(const std::vector<Handle>& parts);
  // `max` may be kUnbounded. Throws Error(kGrammar) when min exceeds max or a count is too large.
  Handle repeat(Handle part, std::uint64_t min, std::uint64_t max);
  // Each part of an intersection or complement is a scope of its own: look-around in it sees just
  // the text that the part matches.
  Handle intersection(const std::vector<Handle>& parts);
  Handle complement(Handle part);  // relative to well-formed text
  Handle strings(std::shared_ptr<const LeafDfa> automaton);
  Handle look_ahead(Handle rest, bool negative);
  Handle look_behind(Handle before, bool negative);
  Handle scope(Handle part);
  Handle rule(const std::string& name);
  // Each part at most once, in any order.
  Handle unordered(const std::vector<Handle>& parts);
  // The JSON spellings of what a part matches; look-around in it sees just that. As keys of cells
  // they are kept in a form that others can be taken away from.
  Handle json_text(Handle part, bool canonical, bool keys);
  struct Entry {
    std::string name = {};  // known by name, unless there is a key
    std::optional<Handle> key = {};
    Handle value = 0;
    bool required = false;
    std::vector<Handle> ways = {};  // other values; the first is number 1
  };
  struct Cell {
    Handle keys = 0;
    Handle value = 0;
    bool quoted = true;  // else the keys are JSON values
    struct Some {        // a value, and the conditions, by number, that a key with it meets
      Handle value = 0;
      std::vector<std::uint32_t> meets = {};
    };
    std::vector<Some> some = {};  // each condition named must be met by some key of a cell
  };
  struct Keys {
    std::vector<Entry> entries = {};
    std::vector<Cell> cells = {};
    Handle colon = 0;
    Handle comma = 0;
    bool ordered = false;
    bool canonical = false;
    std::uint32_t min = 0;
    std::uint32_t max = kUnbounded;
    bool places = false;   // each cell is for the key at its place, the last for all that follow
    bool repeats = false;  // with places, and empty keys: values may come again
    bool loose = false;    // parts in any order, which must not be mistaken for one another
    // Of entries, by number: where the first comes, so must the second.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> needs = {};
    // Of each, one must hold: the entry comes with the value of that number, or does not come.
    EntryClauses::Clauses clauses = {};
  };
  // No key twice; see keyed.hpp.
  Handle keyed(Keys keys);
  // What another grammar matches, which has a start and is made of characters, texts, sequences,
  // choices, repetitions and Boolean operators alone. A pool lowers it once for all grammars.
  Handle include(std::shared_ptr<const Grammar> other);
  Handle special_token(TokenUse use);
  // A terminal as a symbol, below a `lexed` node.
  Handle terminal(const std::string& name);
  struct Terminal {
    std::string name;
    Handle pattern = 0;
    bool ignored = false;
    std::vector<std::pair<std::string, bool>> keyword_of;  // name, embedded
    bool longest = false;
  };
  // Of an LALR parser; a symbol is a terminal or a head.
  struct Production {
    std::string head;
    std::vector<std::string> body;
    std::int64_t priority = 0;
  };
  // Text cut into lexemes of these terminals, in order of preference; `start` is over symbols. With
  // productions, of which the first is for the start, what competes is what an LALR parser of them
  // has an action for.
  Handle lexed(Handle start, const std::vector<Terminal>& terminals, LexMode mode, bool contextual,
               std::vector<Production> productions = {});
  // Terminals that an LALR parser of productions has an action for after some terminals; "" stands
  // for the end. Nothing where it fails on the way. Throws Error(kGrammar | kLimit).
  static std::optional<std::vector<std::string>> lalr_accepts(
      const std::vector<std::string>& terminals, const std::vector<Production>& productions,
      const std::vector<std::string>& text);
  void define(const std::string& name, Handle body);
  void start(Handle body);

  bool has_start() const { return has_start_; }
  // The rules without a body that a node leads to.
  std::unordered_set<std::string> undefined(Handle from) const;
  std::vector<std::string> rule_names() const;
  // Rules a rule refers to, in order of first use; "" stands for the start expression.
  std::vector<std::string> references(const std::string& name) const;
  std::size_t size() const { return nodes_.size(); }
  std::string print(std::size_t max_length) const;

  // The language over the bytes allowed, which must be all where rules are not recursive; terminals
  // of lexers have a set of their own. The pool's mutex must be held by `lock`. Throws
  // Error(kGrammar | kUnsupported | kLimit).
  ExprId lower(ExprPool& pool, CompileContext& context, std::unique_lock<std::mutex>& lock,
               const ByteSet& allowed, const ByteSet& lexemes, const TokenMeanings& tokens) const;
  bool has_lexers() const { return !lexed_.empty(); }
  bool has_keys() const { return !keyed_.empty(); }
  // Special tokens, as they were first used.
  const std::vector<TokenUse>& token_uses() const { return token_uses_; }

 private:
  friend class RuleLowering;
  enum class Op : std::uint8_t {
    kLiteral,
    kChars,
    kBytes,
    kSequence,
    kChoice,
    kRepeat,
    kIntersection,
    kComplement,
    kStrings,
    kLookAhead,
    kLookBehind,
    kScope,
    kRule,
    kKeyed,
    kJsonText,
    kSpecial,
    kTerminal,
    kLexed,
    kInclude,
  };
  struct Node {
    Op op{};
    bool negative = false;
    std::uint32_t min = 0;
    std::uint32_t max = 0;
    std::vector<std::uint32_t> parts = {};
    std::string text = {};    // literal bytes, or the name of a rule
    std::uint32_t extra = 0;  // index into the tables below
    bool worded = false;      // of a choice: no alternative is known to be empty
  };
  struct Scope;
  struct Lexed {
    std::uint32_t start = 0;
    std::vector<Terminal> terminals;
    LexMode mode = LexMode::kLongest;
    bool contextual = true;
    std::vector<Production> productions;
  };
  using Calls = std::unordered_map<std::string, ExprId>;  // what rules stand for, by name
  // What symbols mean where a part is lowered, and what lexemes are made of.
  struct Symbols {
    std::unique_lock<std::mutex>& lock;
    ByteSet lexemes;
    const TokenMeanings& tokens;
    std::unordered_map<std::string, ExprId> codes;
    bool inside = false;  // of a lexed node
    enum class Spelling : std::uint8_t { kPlain, kInside, kJson, kCanonicalJson };
    Spelling spelling = Spelling::kPlain;
    const Calls* calls = nullptr;  // of recursive rules; none may stand inside a JSON string
  };

  Handle add(Node node);
  static void check_needs(const Keys& keys);
  static void check_clauses(const Keys& keys);
  std::uint32_t index(Handle handle) const;
  std::vector<std::uint32_t> indices(const std::vector<Handle>& handles) const;
  using Done = std::unordered_map<std::uint32_t, ExprId>;  // node -> expression
  // Errors name the innermost rule, or else the place given.
  ExprId lower_scope(ExprPool& pool, std::uint32_t root, CompileContext& context, Done& scopes,
                     std::size_t depth, const Symbols& symbols,
                     const std::string& place = {}) const;
  // Without closing the scope: look-behinds go to `trackers`.
  ExprId lower_open(ExprPool& pool, std::uint32_t root, CompileContext& context, Done& scopes,
                    std::size_t depth, const Symbols& symbols, std::vector<ExprId>& trackers,
                    const std::string& place = {}) const;
  // A choice, or a sequence of one part: what is perhaps an alternative with alternatives.
  bool is_choice(std::uint32_t at) const;
  bool is_worded(const Node& choice) const;
  // Choices below a node that are alternatives of others, and of nothing else.
  std::unordered_set<std::uint32_t> inner_choices(std::uint32_t root) const;
  // Alternatives of a choice, those of its inner choices among them.
  std::vector<std::uint32_t> alternatives(std::uint32_t choice,
                                          const std::unordered_set<std::uint32_t>& inner) const;
  // Throws Error(kLimit) where more was built than `Limits::max_nodes`.
  static void check_parts(const ExprPool& pool, std::size_t before, const CompileContext& context,
                          const std::string& place);
  ExprId lower_json(ExprPool& pool, const Node& node, CompileContext& context, std::size_t depth,
                    const Symbols& symbols) const;
  static bool stands_alone(Op op);
  ExprId lower_included(ExprPool& pool, const Grammar& other, CompileContext& context,
                        std::size_t depth, const Symbols& symbols) const;
  std::optional<ExprId> list_words(ExprPool& pool, std::vector<std::uint32_t>& parts,
                                   CompileContext& context, const Symbols& symbols) const;
  bool is_boolean(std::uint32_t root) const;
  ExprId json_literal(ExprPool& pool, std::string_view text, bool canonical) const;
  // Of the values of a node's parts.
  ExprId build_keyed(ExprPool& pool, const Node& node, const std::vector<ExprId>& parts,
                     CompileContext& context, const Symbols& symbols, const ByteSet& allowed) const;
  ExprId lower_lexed(ExprPool& pool, const Lexed& lexed, CompileContext& context,
                     const Symbols& symbols) const;
  LexTerminal lower_pattern(ExprPool& pool, const Terminal& terminal, LexMode mode,
                            CompileContext& context, const Symbols& symbols) const;
  void lower_track(ExprPool& pool, const Lexed& lexed, Lexicon& lexicon, CompileContext& context,
                   const Symbols& outer) const;
  void check_symbols(std::uint32_t start) const;
  void check_pattern(const Terminal& terminal) const;
  ExprId build(ExprPool& pool, const Node& node, const std::vector<ExprId>& parts, Scope& scope,
               CompileContext& context, const Symbols& symbols) const;

  std::uint64_t number_;  // no other grammar of the process has it, equal copies apart
  std::uint64_t serial_;  // of handles
  std::vector<Node> nodes_;
  std::vector<CharSet> char_sets_;
  std::vector<ByteSet> byte_sets_;
  std::vector<std::shared_ptr<const LeafDfa>> automata_;
  std::vector<Lexed> lexed_;
  std::vector<Keys> keyed_;
  std::vector<std::shared_ptr<const Grammar>> included_;
  std::vector<TokenUse> token_uses_;
  bool alone_ = true;       // all parts mean the same wherever they stand
  bool odd_bytes_ = false;  // some part matches bytes that occur nowhere in UTF-8
  std::unordered_map<std::string, std::uint32_t> rules_;
  std::vector<std::string> rule_order_;
  std::uint32_t start_ = 0;
  bool has_start_ = false;
};

}  // namespace formgate
