// Lowering of what only JSON has: text spelled inside strings, and keys that come once.
#include <algorithm>

#include "formgate/errors.hpp"
#include "formgate/grammar.hpp"
#include "utf8.hpp"

namespace formgate {

ExprId Grammar::lower_json(ExprPool& pool, const Node& node, CompileContext& context,
                           std::size_t depth, const Symbols& symbols) const {
  if (symbols.spelling != Symbols::Spelling::kPlain) {
    throw Error(ErrorKind::kGrammar, "json_text(...) stands inside json_text(...)");
  }
  Symbols inner{symbols.lock, symbols.lexemes, symbols.tokens, {}, symbols.inside};
  inner.spelling = node.negative ? Symbols::Spelling::kCanonicalJson : Symbols::Spelling::kJson;
  bool whole = is_boolean(node.parts[0]);
  if (!whole) {
    Done scopes;  // what a scope means depends on the spelling
    const ExprId out = lower_scope(pool, node.parts[0], context, scopes, depth + 1, inner);
    // Of keys that may run out, those used are taken away by their text.
    whole = node.min != 0 && !pool.keyed().extensible(out);
    if (!whole) return out;
  }
  // The text itself has fewer states than its spellings.
  inner.spelling = Symbols::Spelling::kInside;
  Done scopes;
  const ExprId text = pool.intersect(
      ExprPool::kTextId, lower_scope(pool, node.parts[0], context, scopes, depth + 1, inner));
  pool.decide(text, context, symbols.lock);
  return pool.spelled(text, node.negative);
}

// Whether a part has Boolean operators, look-around or an automaton whose states lead back, and so
// is spelled as it is read.
bool Grammar::is_boolean(std::uint32_t root) const {
  std::vector<std::uint32_t> work{root};
  std::unordered_map<std::uint32_t, bool> seen;
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (!seen.emplace(at, true).second) continue;
    const Node& node = nodes_[at];
    work.insert(work.end(), node.parts.begin(), node.parts.end());
    switch (node.op) {
      case Op::kIntersection:
      case Op::kComplement:
      case Op::kLookAhead:
      case Op::kLookBehind:
        return true;
      case Op::kStrings:
        if (!automata_[node.extra]->ordered()) return true;
        break;
      case Op::kInclude:
        if (included_[node.extra]->is_boolean(included_[node.extra]->start_)) return true;
        break;
      case Op::kRule:
        if (const auto it = rules_.find(node.text); it != rules_.end()) work.push_back(it->second);
        break;
      default:
        break;
    }
  }
  return false;
}

ExprId Grammar::json_literal(ExprPool& pool, std::string_view text, bool canonical) const {
  std::vector<ExprId> parts;
  for (std::size_t i = 0; i < text.size();) {
    const auto value = next_character(text, i);
    if (!value) {
      throw Error(ErrorKind::kGrammar,
                  "json_text(...) has a literal that is no well-formed text, which no JSON string "
                  "spells");
    }
    parts.push_back(pool.json_chars(CharSet({{*value, *value}}), canonical));
  }
  ExprId out = ExprPool::kEpsilonId;
  for (std::size_t i = parts.size(); i-- > 0;) out = pool.concat(parts[i], out);
  return out;
}

ExprId Grammar::build_keyed(ExprPool& pool, const Node& node, const std::vector<ExprId>& parts,
                            CompileContext& context, const Symbols& symbols,
                            const ByteSet& allowed) const {
  const Keys& keys = keyed_[node.extra];
  for (ExprId part : parts) {
    pool.decide(part, context, symbols.lock);
    if (!pool.free_of_context(part)) {
      throw Error(ErrorKind::kUnsupported,
                  "a key, value or separator of a list without repetition looks around beyond "
                  "itself; put it into scope(...)");
    }
  }
  Keyed::Table table;
  std::size_t at = 0;
  table.colon = parts[at++];
  table.comma = parts[at++];
  table.allowed = allowed;
  table.ordered = keys.ordered;
  table.canonical = keys.canonical;
  table.places = keys.places;
  table.repeats = keys.repeats;
  table.needs = keys.needs;
  table.clauses = keys.clauses;
  table.min = keys.min;
  table.max = keys.max;
  for (const Entry& given : keys.entries) {
    Keyed::Entry entry;
    entry.name = given.name;
    entry.required = given.required;
    if (given.key) {
      table.named = false;
      // A part that is there without any text is as good as not there.
      entry.key = keys.loose ? pool.without_empty(parts[at++]) : parts[at++];
      pool.decide(entry.key, context, symbols.lock);
    }
    entry.value = parts[at++];
    table.entries.push_back(std::move(entry));
  }
  for (const Cell& given : keys.cells) {
    table.cells.push_back({parts[at], parts[at + 1], given.quoted});
    at += 2;
    for (const Cell::Some& some : given.some) {
      Keyed::Some one{parts[at++]};
      for (std::uint32_t condition : some.meets) one.meets |= 1ull << condition;
      table.cells.back().some.push_back(one);
    }
  }
  for (std::size_t i = 0; i < keys.entries.size(); ++i) {  // these stand last
    for (std::size_t k = 0; k < keys.entries[i].ways.size(); ++k) {
      table.entries[i].ways.push_back(parts[at++]);
    }
  }
  if (keys.loose) {
    // Where one part's text begins another's, what was taken would be a matter of choice, and the
    // choices multiply.
    for (std::size_t i = 0; i < table.entries.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        context.tick();
        const ExprId first = pool.concat(table.entries[i].key, ExprPool::kAllId);
        const ExprId second = pool.concat(table.entries[k].key, ExprPool::kAllId);
        const ExprId both = pool.intersect(first, second);
        pool.decide(both, context, symbols.lock);
        if (pool.live(both)) {
          throw Error(
              ErrorKind::kUnsupported,
              "unordered parts " + std::to_string(k + 1) + " and " + std::to_string(i + 1) +
                  " can be mistaken for one another: a text of one begins a text of the "
                  "other; make them begin differently, or write the orders out with choice");
        }
      }
    }
  }
  return pool.keyed().make(std::move(table), &context);
}

}  // namespace formgate
