// Lowering of parts that have a lexer: patterns become terminals, symbols become bytes.
#include <algorithm>

#include "formgate/errors.hpp"
#include "formgate/grammar.hpp"
#include "rule_lowering.hpp"

namespace formgate {

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
  if (pool.lexing().may_be_empty(out)) {
    throw Error(ErrorKind::kGrammar, "terminal \"" + terminal.name +
                                         "\" matches the empty text, which no lexeme is; let the "
                                         "rules say where it may be missing");
  }
  const ExprId texts = pool.scope(pool.concat(out.pattern, ExprPool::kAllId), out.trackers);
  pool.decide(out.pattern, context, symbols.lock);
  pool.decide(texts, context, symbols.lock);
  if (!pool.live(texts)) out.pattern = ExprPool::kEmptyId;
  return out;
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
  Symbols symbols{outer.lock, outer.lexemes, {}, true};
  for (std::uint16_t i = 0; i < lexed.terminals.size(); ++i) {
    const Terminal& terminal = lexed.terminals[i];
    const bool dead = lexicon.terminals[i].pattern == ExprPool::kEmptyId;
    symbols.codes.emplace(terminal.name,
                          dead ? ExprPool::kEmptyId : pool.literal(symbol_text(lexicon, i)));
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
  const std::uint32_t number = pool.lexing().add(std::move(lexicon));
  pool.lexing().decide_safety(number, start, context);
  return pool.lexing().between(number, start);
}

}  // namespace formgate
