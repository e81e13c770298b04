// Rules that stand one in the other, deeper than expressions may nest: some of them are called.
#include <algorithm>
#include <unordered_set>

#include "rule_lowering.hpp"

namespace formgate {

// How deep the nodes of a rule nest, where rules that are not called are written in place.
std::size_t RuleLowering::nesting_of(const Rule& rule, std::vector<std::size_t>& nesting) const {
  for (std::uint32_t at : rule.nodes) {
    const Grammar::Node& node = grammar_.nodes_[at];
    std::size_t deepest = 0;
    for (std::uint32_t part : node.parts) deepest = std::max(deepest, nesting[part]);
    if (node.op == Op::kRule) {
      const Rule& target = rules_[rule_at_[at]];
      deepest = target.recursive ? 1 : nesting[target.body];
    }
    const bool plain = node.op == Op::kRule || (node.parts.size() == 1 && node.op != Op::kRepeat);
    nesting[at] = deepest + (plain ? 0 : 1);
  }
  return nesting[rule.body];
}

// Rules that stand within what calls cannot stand in, however deep: operands of Boolean operators,
// texts inside JSON strings, names, separators, and items that are compared. All, under a lexer.
std::vector<bool> RuleLowering::never_called() const {
  std::vector<std::uint32_t> work;
  for (const Rule& rule : rules_) {
    for (std::uint32_t at : rule.nodes) {
      const Grammar::Node& node = grammar_.nodes_[at];
      switch (node.op) {
        case Op::kLexed:
          return std::vector<bool>(rules_.size(), true);
        case Op::kIntersection:
        case Op::kComplement:
        case Op::kLookAhead:
        case Op::kLookBehind:
        case Op::kScope:
        case Op::kJsonText:
          work.insert(work.end(), node.parts.begin(), node.parts.end());
          break;
        case Op::kKeyed: {
          const Grammar::Keys& keys = grammar_.keyed_[node.extra];
          std::size_t part = 2;
          work.insert(work.end(), node.parts.begin(), node.parts.begin() + 2);
          for (const Grammar::Entry& entry : keys.entries) {
            if (entry.key) work.push_back(node.parts[part++]);
            ++part;  // the value
          }
          for (const Grammar::Cell& cell : keys.cells) {
            work.push_back(node.parts[part]);
            part += 2 + cell.some.size();
          }
          break;
        }
        default:
          break;
      }
    }
  }
  std::vector<bool> out(rules_.size(), false);
  std::unordered_set<std::uint32_t> seen;
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (!seen.insert(at).second) continue;
    const Grammar::Node& node = grammar_.nodes_[at];
    work.insert(work.end(), node.parts.begin(), node.parts.end());
    if (node.op != Op::kRule) continue;
    const std::uint32_t rule = rule_at_.at(at);
    out[rule] = true;
    work.push_back(rules_[rule].body);
  }
  return out;
}

// Rules that stand one in the other, deeper than expressions may nest, are called now and then, as
// recursive ones are: "recursive" means called from here on.
void RuleLowering::cut_deep_rules() {
  const std::size_t most = context_.limits().max_depth;
  const std::size_t between = std::max<std::size_t>(most / kCallsPerDepth, 1);
  std::vector<std::size_t> nesting(grammar_.nodes_.size(), 0);
  std::size_t deepest = 0;
  for (const auto& component : order_) {
    for (std::uint32_t i : component) {
      deepest = std::max(deepest, nesting_of(rules_[i], nesting));
    }
  }
  if (deepest <= most) return;
  std::vector<bool> kept = never_called();
  kept[0] = true;  // the start is no rule that could be called
  for (const auto& component : order_) {
    for (std::uint32_t i : component) {
      Rule& rule = rules_[i];
      if (nesting_of(rule, nesting) > between && !kept[i]) rule.recursive = true;
    }
  }
}

}  // namespace formgate
