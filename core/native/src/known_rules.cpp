// Rules that many grammars have, such as that of any JSON value, are lowered once for a pool.
//
// Such a rule refers to itself alone and is made of characters, texts, sequences, choices,
// repetitions, JSON strings, members of JSON objects and included grammars, which mean the same
// wherever they stand. Its call is known by its content anyway; here it is found without lowering
// what the call stands for.
#include <algorithm>

#include "rule_lowering.hpp"

namespace formgate {

// Adds what a node says besides its parts; false where that may depend on what stands around it.
bool RuleLowering::add_content(Hasher& hasher, const Grammar::Node& node) const {
  hasher.add(static_cast<std::uint64_t>(node.op)).add(node.negative).add(node.min).add(node.max);
  switch (node.op) {
    case Op::kSequence:
    case Op::kChoice:
    case Op::kRepeat:
    case Op::kJsonText:
    case Op::kScope:  // nothing in it looks around
    case Op::kRule:   // itself
      return true;
    case Op::kLiteral:
      hasher.add(node.text.size()).add(std::string_view(node.text));
      return true;
    case Op::kChars: {
      const Hash128 set = grammar_.char_sets_[node.extra].hash();
      hasher.add(set);
      return true;
    }
    case Op::kInclude:
      hasher.add(grammar_.included_[node.extra]->number_);
      return true;
    case Op::kKeyed: {
      const Grammar::Keys& keys = grammar_.keyed_[node.extra];
      if (keys.loose || keys.places || keys.repeats || !keys.clauses.empty()) return false;
      hasher.add(keys.ordered).add(keys.canonical).add(keys.min).add(keys.max);
      hasher.add(keys.needs.size());
      for (const auto& [from, to] : keys.needs) hasher.add(from).add(to);
      hasher.add(keys.entries.size()).add(keys.cells.size());
      for (const Grammar::Entry& entry : keys.entries) {
        if (entry.key) return false;
        hasher.add(entry.required).add(entry.name.size()).add(std::string_view(entry.name));
      }
      for (const Grammar::Cell& cell : keys.cells) {
        if (!cell.quoted || !cell.some.empty()) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

std::optional<Hash128> RuleLowering::content_of(const Rule& rule) {
  Hasher hasher(0xA2C);
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    context_.tick();
    const Grammar::Node& node = grammar_.nodes_[rule.nodes[i]];
    if (!add_content(hasher, node)) return std::nullopt;
    hasher.add(node.parts.size());
    for (std::uint32_t part : node.parts) {  // by their places among those of the rule
      const auto place = std::ranges::lower_bound(rule.nodes, part);
      hasher.add(static_cast<std::uint64_t>(place - rule.nodes.begin()));
    }
  }
  // The bytes that a vocabulary can spell, and what may be too large.
  for (unsigned i = 0; i < 4; ++i) hasher.add(allowed_.word(i));
  const Limits& limits = context_.limits();
  return hasher.add(limits.max_states).add(limits.max_nodes).add(limits.max_depth).finish();
}

// Finds the rules that the pool has.
void RuleLowering::recall() {
  if (symbols_.inside) return;
  for (std::uint32_t i = 1; i < rules_.size(); ++i) {
    Rule& rule = rules_[i];
    const bool alone = rule.recursive &&
                       std::ranges::all_of(rule.refers, [i](std::uint32_t to) { return to == i; });
    if (!alone) continue;
    rule.content = content_of(rule);
    const auto* known = rule.content ? pool_.known_rule(*rule.content) : nullptr;
    if (known == nullptr) continue;
    rule.known = true;
    rule.equal = i;
    rule.call = known->call;
    values_[rule.body] = known->body;
    facts_[rule.body] = {true, known->empty, known->texts};
    alphabet_ = alphabet_ | known->alphabet;
  }
}

std::optional<ExprId> RuleLowering::by_known() {
  recall();
  find_calls();
  prepared_ = true;
  // Nothing that may turn out to have no text, and nothing that has to be narrowed.
  if (allowed_ != ByteSet::all() || !grammar_.lexed_.empty()) return std::nullopt;
  Grammar::Calls calls;
  for (const Rule& rule : rules_) {
    if (rule.recursive != rule.known) return std::nullopt;
    if (rule.known) {
      const bool empty = facts_.at(rule.body).empty;
      calls[rule.name] = empty ? pool_.unite(rule.call, ExprPool::kEpsilonId) : rule.call;
      continue;
    }
    for (std::uint32_t at : rule.nodes) {
      const Op op = grammar_.nodes_[at].op;
      if (op == Op::kIntersection || op == Op::kComplement || op == Op::kLookAhead ||
          op == Op::kLookBehind) {
        return std::nullopt;
      }
      if (op != Op::kKeyed) continue;
      const Grammar::Keys& keys = grammar_.keyed_[grammar_.nodes_[at].extra];
      if (keys.loose || keys.places || keys.repeats || !keys.clauses.empty()) return std::nullopt;
      for (const Grammar::Cell& cell : keys.cells) {
        if (!cell.quoted || !cell.some.empty()) return std::nullopt;
      }
    }
  }
  Grammar::Symbols symbols{symbols_.lock, symbols_.lexemes, symbols_.tokens, {}, false};
  symbols.calls = &calls;
  Grammar::Done scopes;
  const ExprId out = grammar_.lower_scope(pool_, start_, context_, scopes, 0, symbols, "the start");
  if (pool_.node(out).flags & kBoolean) return std::nullopt;
  return out;
}

// Lets the pool know the others, which have a call if they have any text.
void RuleLowering::keep() {
  for (const Rule& rule : rules_) {
    if (!rule.content || rule.known) continue;
    const Facts facts = facts_.at(rule.body);
    if (!facts.live || !facts.texts) continue;
    ByteSet alphabet;
    for (std::uint32_t at : rule.nodes) {
      if (!calls_.at(at) && values_.contains(at)) {
        alphabet = alphabet | pool_.alphabet(values_.at(at));
      }
      if (const auto list = list_alphabets_.find(at); list != list_alphabets_.end()) {
        alphabet = alphabet | list->second;
      }
    }
    pool_.keep_rule(*rule.content,
                    {rule.call, values_.at(rule.body), alphabet, facts.empty, facts.texts});
  }
}

}  // namespace formgate
