// The terminals of recursive rules: their largest parts without calls.

#include "rule_lowering.hpp"

namespace formgate {

// Which nodes have calls or look around.
void RuleLowering::find_calls() {
  for (const auto& component : order_) {
    for (std::uint32_t i : component) {
      const Rule& rule = rules_[i];
      if (rule.known) continue;
      for (std::uint32_t at : rule.nodes) {
        context_.tick();
        const Grammar::Node& node = grammar_.nodes_[at];
        bool calls = false;
        bool looks = node.op == Op::kLookAhead || node.op == Op::kLookBehind;
        if (node.op == Op::kRule) {
          const Rule& target = rules_[rule_at_[at]];
          calls = target.calls;
          if (!target.recursive) looks = looks_.at(target.body);
        }
        for (std::uint32_t part : node.parts) {
          calls = calls || calls_.at(part);
          looks = looks || looks_.at(part);
        }
        if (node.op == Op::kScope) looks = false;
        calls_[at] = calls;
        looks_[at] = looks;
        if (calls) check_operator(node, rule);
      }
    }
  }
}

// Terminals are the largest parts without calls.
void RuleLowering::lower_terminals() {
  for (const Rule& rule : rules_) {
    if (rule.known) continue;
    if (!calls_.at(rule.body)) {
      if (rule.recursive) lower_terminal(rule.body, rule);  // called for its depth
      continue;
    }
    for (std::uint32_t at : rule.nodes) {
      if (!calls_.at(at)) continue;
      for (std::uint32_t part : grammar_.nodes_[at].parts) {
        if (!calls_.at(part)) lower_terminal(part, rule);
      }
    }
  }
}

void RuleLowering::check_operator(const Grammar::Node& node, const Rule& rule) const {
  const std::string where = place_of(rule);
  switch (node.op) {
    case Op::kIntersection:
    case Op::kComplement:
      refuse(where +
             " has an intersection or complement of recursive rules, which no context-free "
             "language need contain; apply it to parts that do not recurse");
    case Op::kLookAhead:
    case Op::kLookBehind:
      refuse(where +
             " looks around for recursive rules; look-around takes parts that do not recurse");
    case Op::kJsonText:
      refuse(where + " spells recursive rules as JSON text; a JSON string has no structure");
    case Op::kKeyed: {
      // Only values may recurse, and of lists of values the items, unless they hold the list.
      const Grammar::Keys& keys = grammar_.keyed_[node.extra];
      std::vector<std::uint32_t> flat{node.parts[0], node.parts[1]};
      for (const Grammar::Entry& entry : keys.entries) {
        if (entry.key) flat.push_back(static_cast<std::uint32_t>(*entry.key));
      }
      for (const Grammar::Cell& cell : keys.cells) {
        if (cell.quoted) flat.push_back(static_cast<std::uint32_t>(cell.keys));
        if (!cell.quoted && refers_back(static_cast<std::uint32_t>(cell.keys), rule)) {
          refuse(where +
                 " has a list without repetition whose items hold such a list in turn, to any "
                 "depth; allow repetition, or limit the depth by rules of their own");
        }
      }
      if (std::ranges::any_of(flat, [this](std::uint32_t part) { return calls_.at(part); })) {
        refuse(where + (keys.loose ? " has unordered parts that recurse; write the orders out with "
                                     "choice"
                                   : " has keys or separators that recurse; only values may"));
      }
      return;
    }
    default:
      return;
  }
}

// Whether a part of a rule leads back to the rule.
bool RuleLowering::refers_back(std::uint32_t part, const Rule& rule) const {
  const auto own = rule_numbers_.find(rule.name);
  if (own == rule_numbers_.end()) return false;  // the start
  std::vector<std::uint32_t> work{part};
  std::unordered_map<std::uint32_t, bool> seen;
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (!seen.emplace(at, true).second) continue;
    const Grammar::Node& node = grammar_.nodes_[at];
    work.insert(work.end(), node.parts.begin(), node.parts.end());
    if (node.op != Op::kRule) continue;
    const std::uint32_t target = rule_at_[at];
    if (target == own->second) return true;
    work.push_back(rules_[target].body);
  }
  return false;
}

void RuleLowering::lower_terminal(std::uint32_t at, const Rule& rule) {
  if (values_.contains(at)) return;
  if (looks_.at(at)) {
    refuse(place_of(rule) +
           " looks around beside recursive rules; put the terminal into scope(...), so that its "
           "look-around sees the terminal's own text");
  }
  Grammar::Done scopes;
  ExprId value = grammar_.lower_scope(pool_, at, context_, scopes, 0, symbols_, place_of(rule));
  value = pool_.restrict_to(value, allowed_);
  pool_.decide(value, context_, lock_);
  if (!pool_.live(value)) value = ExprPool::kEmptyId;
  Facts facts;
  facts.live = value != ExprPool::kEmptyId;
  facts.empty = pool_.nullable(value);
  const ExprId texts = pool_.without_empty(value);
  pool_.decide(texts, context_, lock_);
  facts.texts = pool_.live(texts);
  alphabet_ = alphabet_ | pool_.alphabet(value);
  values_[at] = value;
  facts_[at] = facts;
}

}  // namespace formgate
