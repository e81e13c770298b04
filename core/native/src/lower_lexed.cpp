// Lowering of parts that have a lexer: patterns become terminals, symbols become bytes.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "competing.hpp"
#include "formgate/errors.hpp"
#include "formgate/grammar.hpp"
#include "rule_lowering.hpp"

namespace formgate {

namespace {

// The productions with numbers for names; `dead` says which terminals have no lexemes.
LalrGrammar lalr_grammar(const std::vector<std::string>& terminals, std::vector<bool> dead,
                         const std::vector<Grammar::Production>& productions) {
  LalrGrammar out;
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (const std::string& terminal : terminals) {
    numbers.emplace(terminal, static_cast<std::uint32_t>(out.names.size()));
    out.names.push_back(terminal);
  }
  out.dead = std::move(dead);
  out.names.emplace_back("$END");
  out.dead.push_back(false);
  out.terminals = static_cast<std::uint32_t>(out.names.size());
  const auto number_of = [&](const std::string& name) {
    const auto [it, fresh] = numbers.emplace(name, static_cast<std::uint32_t>(out.names.size()));
    if (fresh) out.names.push_back(name);
    return it->second;
  };
  std::set<std::pair<std::uint32_t, std::vector<std::uint32_t>>> known;
  for (const Grammar::Production& production : productions) {
    LalrGrammar::Production own{number_of(production.head), {}, production.priority};
    if (own.head < out.terminals) {
      throw Error(ErrorKind::kGrammar,
                  "\"" + production.head + "\" is a terminal and the head of a production");
    }
    for (const std::string& symbol : production.body) own.body.push_back(number_of(symbol));
    if (known.emplace(own.head, own.body).second) out.productions.push_back(std::move(own));
  }
  out.start = out.productions[0].head;
  return out;
}

// What competes in the states that ask for a keyword, but not for all regexes that take it.
std::vector<std::vector<bool>> competing_sets(const Lalr& automaton,
                                              const std::vector<LexTerminal>& terminals) {
  std::set<std::vector<bool>> out;
  if (std::ranges::all_of(terminals, [](const auto& each) { return each.keywords.empty(); })) {
    return {};
  }
  std::vector<bool> competing(terminals.size());
  for (std::uint32_t state = 0; state < automaton.states(); ++state) {
    const std::uint32_t access = automaton.access(state);
    if (access != kNoIndex && access >= terminals.size()) continue;  // lexemes end at a terminal
    bool apart = false;
    for (std::uint32_t i = 0; i < terminals.size(); ++i) {
      competing[i] = terminals[i].ignored || automaton.accepts(state, i);
    }
    for (std::uint32_t i = 0; i < terminals.size() && !apart; ++i) {
      if (competing[i]) continue;
      apart = std::ranges::any_of(terminals[i].keywords, [&](const LexKeyword& keyword) {
        return competing[keyword.terminal];
      });
    }
    if (apart) out.insert(competing);
  }
  return {out.begin(), out.end()};
}

// Pairs of terminals that are told apart.
constexpr std::size_t kMostPairsOfTerminals = 1'000'000;

using Bodies = std::vector<std::vector<std::uint32_t>>;

// Alternatives with common beginnings and ends written once. Recursion goes no deeper than the
// longest body; lowering limits nesting.
Grammar::Handle factored(Grammar& grammar, Bodies bodies,
                         const std::function<Grammar::Handle(std::uint32_t)>& symbol,
                         std::map<Bodies, Grammar::Handle>& known, CompileContext& context) {
  std::ranges::sort(bodies);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  if (const auto it = known.find(bodies); it != known.end()) return it->second;
  context.tick();
  std::vector<Grammar::Handle> parts;
  if (bodies.size() <= 1) {
    // Nothing to share, and bodies may be long.
    for (const auto& body : bodies) {
      std::vector<Grammar::Handle> symbols;
      for (std::uint32_t each : body) symbols.push_back(symbol(each));
      parts.push_back(grammar.sequence(symbols));
    }
  } else {
    for (std::size_t i = 0; i < bodies.size();) {
      if (bodies[i].empty()) {
        parts.push_back(grammar.sequence({}));
        ++i;
        continue;
      }
      const std::uint32_t head = bodies[i][0];
      Bodies rests;
      for (; i < bodies.size() && bodies[i][0] == head; ++i) {
        rests.emplace_back(bodies[i].begin() + 1, bodies[i].end());
      }
      const Grammar::Handle rest = factored(grammar, std::move(rests), symbol, known, context);
      parts.push_back(grammar.sequence({symbol(head), rest}));
    }
  }
  return known[bodies] = grammar.choice(parts);
}

}  // namespace

// What stands over symbols is made of terminals, rules and the regular operators.
void Grammar::check_symbols(std::uint32_t start) const {
  std::vector<std::uint32_t> work{start};
  std::vector<bool> seen(nodes_.size(), false);
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const Node& node = nodes_[at];
    work.insert(work.end(), node.parts.begin(), node.parts.end());
    switch (node.op) {
      case Op::kRule:
        if (const auto it = rules_.find(node.text); it != rules_.end()) work.push_back(it->second);
        break;
      case Op::kTerminal:
      case Op::kSequence:
      case Op::kChoice:
      case Op::kRepeat:
      case Op::kScope:
        break;
      case Op::kLiteral:
        if (node.text.empty()) break;
        [[fallthrough]];
      default:
        throw Error(ErrorKind::kGrammar,
                    "a rule below lexed(...) has a part that is no terminal: use terminal(name), "
                    "rule, seq, choice and repeat there, and put characters into the patterns");
    }
  }
}

void Grammar::check_pattern(const Terminal& terminal) const {
  std::vector<std::uint32_t> work{static_cast<std::uint32_t>(terminal.pattern)};
  std::vector<bool> seen(nodes_.size(), false);
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const Node& node = nodes_[at];
    work.insert(work.end(), node.parts.begin(), node.parts.end());
    if (node.op == Op::kRule || node.op == Op::kTerminal || node.op == Op::kLexed) {
      throw Error(ErrorKind::kGrammar, "the pattern of terminal \"" + terminal.name +
                                           "\" refers to \"" + node.text +
                                           "\"; a pattern is made of characters alone");
    }
  }
}

LexTerminal Grammar::lower_pattern(ExprPool& pool, const Terminal& terminal, LexMode mode,
                                   CompileContext& context, const Symbols& symbols) const {
  check_pattern(terminal);
  LexTerminal out;
  out.name = terminal.name;
  out.ignored = terminal.ignored;
  Done scopes;
  const auto root = static_cast<std::uint32_t>(terminal.pattern);
  out.pattern = lower_open(pool, root, context, scopes, 0, symbols, out.trackers);
  if (mode == LexMode::kLongest) {
    out.pattern = pool.scope(out.pattern, out.trackers);
    out.trackers.clear();
  }
  out.longest = mode == LexMode::kFirst && terminal.longest;
  if (out.longest && !pool.free_of_context(out.pattern)) {
    throw Error(ErrorKind::kGrammar, "terminal \"" + terminal.name +
                                         "\" looks around itself, so its longest match cannot be "
                                         "asked for; leave the look-around out");
  }
  if (pool.lexing().may_be_empty(out)) {
    throw Error(ErrorKind::kGrammar, "terminal \"" + terminal.name +
                                         "\" matches the empty text, which no lexeme is; let the "
                                         "rules say where it may be missing");
  }
  const ExprId texts = pool.scope(pool.concat(out.pattern, ExprPool::kAllId), out.trackers);
  try {
    pool.decide(out.pattern, context, symbols.lock);
    pool.decide(texts, context, symbols.lock);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    throw Error(error.kind(), "terminal \"" + terminal.name + "\": " + error.what());
  }
  if (!pool.live(texts)) out.pattern = ExprPool::kEmptyId;
  return out;
}

std::optional<std::vector<std::string>> Grammar::lalr_accepts(
    const std::vector<std::string>& terminals, const std::vector<Production>& productions,
    const std::vector<std::string>& text) {
  if (productions.empty()) throw Error(ErrorKind::kGrammar, "there are no productions");
  CompileContext context(Limits{}, std::nullopt, nullptr);
  const Lalr automaton(
      lalr_grammar(terminals, std::vector<bool>(terminals.size(), false), productions), context);
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : text) {
    const auto it = std::ranges::find(terminals, name);
    if (it == terminals.end()) return std::nullopt;
    numbers.push_back(static_cast<std::uint32_t>(it - terminals.begin()));
  }
  std::vector<std::uint32_t> stack;
  if (!automaton.takes(numbers, stack)) return std::nullopt;
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < terminals.size(); ++i) {
    if (automaton.accepts(stack.back(), i)) out.push_back(terminals[i]);
  }
  if (automaton.accepts(stack.back(), automaton.end())) out.emplace_back();
  return out;
}

// Finds out what an LALR parser lets compete, where that matters.
void Grammar::lower_track(ExprPool& pool, const Lexed& lexed, Lexicon& lexicon,
                          CompileContext& context, const Symbols& outer) const {
  std::vector<std::string> names;
  std::vector<bool> dead;
  for (const LexTerminal& terminal : lexicon.terminals) {
    names.push_back(terminal.name);
    dead.push_back(terminal.pattern == ExprPool::kEmptyId);
  }
  const LalrGrammar grammar = lalr_grammar(names, std::move(dead), lexed.productions);
  const Lalr automaton(grammar, context);
  if (!lexed.contextual) return;  // all compete, but reductions must not collide
  lexicon.competing = competing_sets(automaton, lexicon.terminals);
  // Where it resolves conflicts, other readings go on without its states.
  lexicon.by_states = !automaton.has_conflicts();
  std::optional<Lalr> needed;
  if (const std::optional<LalrGrammar> part = needed_part(grammar)) needed.emplace(*part, context);
  pool.lexing().describe(lexicon);
  std::unordered_map<std::uint32_t, bool> known;
  const Collide collide = [&](std::uint16_t one, std::uint16_t other) {
    // Of too many pairs nothing is found out; they may collide.
    if (known.size() > kMostPairsOfTerminals) return true;
    const auto [it, fresh] =
        known.try_emplace((static_cast<std::uint32_t>(one) << 16) | other, false);
    if (fresh) it->second = pool.lexing().collide(lexicon, one, other);
    return it->second;
  };
  std::optional<TrackGrammar> track =
      track_competing(automaton, needed ? *needed : automaton, lexicon.terminals,
                      !lexicon.competing.empty(), collide, context);
  if (!track) return;
  TrackSymbols& own = track->symbols;
  if (own.dropped.empty()) {  // all its readings come to the same
    lexicon.by_states = true;
    if (own.extras.size() == 1) return;
  }
  while (own.symbols.size() > 1ull << 7 * own.width) ++own.width;
  Grammar written;
  Symbols symbols{outer.lock, outer.lexemes, outer.tokens, {}, true};
  std::vector<Handle> codes;
  for (std::uint32_t i = 0; i < own.symbols.size(); ++i) {
    const std::string name = std::to_string(i);
    symbols.codes.emplace(name, pool.literal(symbol_text(own.width, i)));
    codes.push_back(written.terminal(name));
  }
  for (std::uint32_t i = 0; i < track->rules.size(); ++i) {
    // Left recursion of one rule, such as every repetition is for the parser, is a repetition.
    Bodies first;
    Bodies more;
    for (const std::vector<std::uint32_t>& body : track->rules[i].bodies) {
      const bool recursive = !body.empty() && body[0] == i;
      (recursive ? more : first).emplace_back(body.begin() + recursive, body.end());
    }
    const auto symbol = [&](std::uint32_t part) {
      return part & TrackGrammar::kSymbol ? codes[part & ~TrackGrammar::kSymbol]
                                          : written.rule(track->rules[part].name);
    };
    std::map<Bodies, Handle> shared;
    Handle body = factored(written, std::move(first), symbol, shared, context);
    if (!more.empty()) {
      const Handle again = factored(written, std::move(more), symbol, shared, context);
      body = written.sequence({body, written.repeat(again, 0, kUnbounded)});
    }
    written.define(track->rules[i].name, body);
  }
  const auto start = static_cast<std::uint32_t>(written.rule(track->rules[0].name));
  RuleLowering rules(written, start, pool, context, outer.lock, ByteSet::all(), symbols);
  if (rules.recursive()) {
    lexicon.track_start = rules.run();
  } else {
    Done scopes;
    lexicon.track_start = written.lower_scope(pool, start, context, scopes, 0, symbols);
  }
  lexicon.track = std::move(own);
}

ExprId Grammar::lower_lexed(ExprPool& pool, const Lexed& lexed, CompileContext& context,
                            const Symbols& outer) const {
  if (outer.inside) {
    throw Error(ErrorKind::kGrammar, "lexed(...) cannot stand below another lexed(...)");
  }
  check_symbols(lexed.start);
  Lexicon lexicon;
  lexicon.spelled = outer.lexemes;
  lexicon.mode = lexed.mode;
  lexicon.contextual = lexed.contextual;
  lexicon.symbol_bytes = lexed.terminals.size() > kSymbolBase ? 2 : 1;
  if (lexed.terminals.size() > kSymbolBase * kSymbolBase) {
    throw Error(ErrorKind::kLimit, "a lexer has more than 16384 terminals");
  }
  std::unordered_map<std::string, std::uint16_t> numbers;
  for (const Terminal& terminal : lexed.terminals) {
    if (!numbers.emplace(terminal.name, static_cast<std::uint16_t>(numbers.size())).second) {
      throw Error(ErrorKind::kGrammar, "terminal \"" + terminal.name + "\" is given twice");
    }
    lexicon.terminals.push_back(lower_pattern(pool, terminal, lexed.mode, context, outer));
  }
  Symbols symbols{outer.lock, outer.lexemes, outer.tokens, {}, true};
  for (std::uint16_t i = 0; i < lexed.terminals.size(); ++i) {
    const Terminal& terminal = lexed.terminals[i];
    const bool dead = lexicon.terminals[i].pattern == ExprPool::kEmptyId;
    symbols.codes.emplace(terminal.name, dead ? ExprPool::kEmptyId
                                              : pool.literal(symbol_text(lexicon.symbol_bytes, i)));
    for (const auto& [name, embedded] : terminal.keyword_of) {
      const auto other = numbers.find(name);
      if (other == numbers.end()) {
        throw Error(ErrorKind::kGrammar, "terminal \"" + terminal.name + "\" is a keyword of \"" +
                                             name + "\", which is not given");
      }
      if (dead) continue;
      const ExprId own = lexicon.terminals[i].pattern;
      if (!pool.free_of_context(own)) {
        throw Error(ErrorKind::kUnsupported, "terminal \"" + terminal.name +
                                                 "\" is a keyword and looks beyond its lexeme; "
                                                 "leave the look-around out");
      }
      lexicon.terminals[other->second].keywords.push_back({i, embedded, own});
    }
  }
  RuleLowering rules(*this, lexed.start, pool, context, outer.lock, ByteSet::all(), symbols);
  ExprId start;
  if (rules.recursive()) {
    start = rules.run();
  } else {
    Done scopes;
    start = lower_scope(pool, lexed.start, context, scopes, 0, symbols);
  }
  lexicon.rules = pool.node(start).hash;
  if (!lexed.productions.empty()) lower_track(pool, lexed, lexicon, context, outer);
  const std::uint32_t number = pool.lexing().add(std::move(lexicon));
  pool.lexing().decide_safety(number, start, context);
  return pool.lexing().between(number, start);
}

}  // namespace formgate
