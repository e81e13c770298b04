// Lowering of grammars with recursive rules.
//
// Parts of the grammar without recursion become expressions as ever; these are its terminals.
// Recursive rules become calls. Everything that has no text is dropped first, terminals that a
// Boolean operator empties included, so that calls are live by construction. A call never stands
// for the empty text: a rule that accepts it is referred to as an optional call. Nodes refer only
// to earlier nodes, so one pass in their order visits parts before wholes, without recursion.
#include "rule_lowering.hpp"

#include <algorithm>
#include <deque>

#include "formgate/errors.hpp"

namespace formgate {

// The rule that a node refers to. Names are compared once for each node.
std::uint32_t RuleLowering::rule_of(std::uint32_t at) {
  if (rule_at_[at] == kNoIndex) rule_at_[at] = rule_of(grammar_.nodes_[at].text);
  return rule_at_[at];
}

std::uint32_t RuleLowering::rule_of(const std::string& name) {
  if (const auto it = rule_numbers_.find(name); it != rule_numbers_.end()) return it->second;
  const auto body = grammar_.rules_.find(name);
  if (body == grammar_.rules_.end()) {
    throw Error(
        ErrorKind::kGrammar,
        "rule \"" + name + "\" is used but not defined; call define(\"" + name + "\", node)");
  }
  const auto number = static_cast<std::uint32_t>(rules_.size());
  rule_numbers_.emplace(name, number);
  Rule rule;
  rule.name = name;
  rule.body = body->second;
  rules_.push_back(std::move(rule));
  return number;
}

// Finds the rules that the start needs, and the nodes of each.
void RuleLowering::collect() {
  Rule start;
  start.body = start_;
  rules_.push_back(std::move(start));
  std::vector<std::uint32_t> seen_by(grammar_.nodes_.size(), kNoIndex);  // the last rule
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    std::vector<std::uint32_t> nodes{rules_[i].body};
    std::vector<std::uint32_t> refers;
    seen_by[rules_[i].body] = i;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      context_.tick();
      const Grammar::Node& node = grammar_.nodes_[nodes[k]];
      if (node.op == Op::kRule) refers.push_back(rule_of(nodes[k]));
      for (std::uint32_t part : node.parts) {
        if (seen_by[part] == i) continue;
        seen_by[part] = i;
        nodes.push_back(part);
      }
    }
    std::ranges::sort(nodes);
    rules_[i].nodes = std::move(nodes);
    rules_[i].refers = std::move(refers);
  }
}

void RuleLowering::find_recursion() {
  std::vector<std::vector<std::uint32_t>> edges;
  for (const Rule& rule : rules_) edges.push_back(rule.refers);
  order_ = components_of(edges);
  for (const auto& component : order_) {
    for (std::uint32_t i : component) {
      Rule& rule = rules_[i];
      rule.recursive =
          component.size() > 1 || std::ranges::find(rule.refers, i) != rule.refers.end();
    }
  }
  cut_deep_rules();
  for (const auto& component : order_) {
    for (std::uint32_t i : component) {
      Rule& rule = rules_[i];
      rule.calls = rule.recursive || std::ranges::any_of(rule.refers, [this](std::uint32_t to) {
                     return rules_[to].calls;
                   });
    }
  }
}

bool RuleLowering::recursive() {
  collect();
  find_recursion();
  return rules_[0].calls;
}

void RuleLowering::refuse(const std::string& what) const {
  throw Error(ErrorKind::kUnsupported, what);
}

RuleLowering::Facts RuleLowering::facts_of(std::uint32_t index) const {
  const Grammar::Node& node = grammar_.nodes_[index];
  const auto known = [this](std::uint32_t at) { return facts_.at(at); };
  Facts out;
  switch (node.op) {
    case Op::kRule:
      return known(rules_[rule_at_[index]].body);
    case Op::kSequence: {
      out = {true, true, false};
      for (std::uint32_t part : node.parts) {
        const Facts own = known(part);
        out.live = out.live && own.live;
        out.empty = out.empty && own.empty;
        out.texts = out.texts || own.texts;
      }
      out.texts = out.texts && out.live;
      return out;
    }
    case Op::kChoice:
      for (std::uint32_t part : node.parts) {
        const Facts own = known(part);
        out.live = out.live || own.live;
        out.empty = out.empty || own.empty;
        out.texts = out.texts || own.texts;
      }
      return out;
    case Op::kRepeat: {
      const Facts own = known(node.parts[0]);
      out.live = node.min == 0 || own.live;
      out.empty = node.min == 0 || own.empty;
      out.texts = node.max > 0 && own.texts;
      return out;
    }
    case Op::kKeyed: {
      const Grammar::Keys& keys = grammar_.keyed_[node.extra];
      const bool spaced = known(node.parts[0]).live;
      const bool separated = known(node.parts[1]).live;
      std::size_t at = 2;
      std::uint64_t usable = 0;
      std::uint32_t required = 0;
      std::vector<CellWays> ways;
      std::uint64_t wanted = 0;
      std::uint32_t places = kUnbounded;
      std::vector<char> lives;
      std::vector<char> asked;
      std::size_t other = node.parts.size();  // values of entries beside the first stand last
      for (const Grammar::Entry& entry : keys.entries) other -= entry.ways.size();
      std::vector<std::uint32_t> options;
      out.live = true;
      for (const Grammar::Entry& entry : keys.entries) {
        bool live = spaced;
        if (entry.key) live = live && known(node.parts[at++]).live;
        bool value = known(node.parts[at++]).live;
        options.push_back(value ? 1u : 0u);
        for (std::uint32_t w = 1; w <= entry.ways.size(); ++w) {
          if (!known(node.parts[other++]).live) continue;
          options.back() |= 1u << w;
          value = true;
        }
        if (!entry.required) options.back() |= EntryClauses::kMayBeGone;
        live = live && value;
        lives.push_back(live ? 1 : 0);
        asked.push_back(entry.required ? 1 : 0);
      }
      if (!keys.needs.empty()) {
        EntryNeeds(static_cast<std::uint32_t>(lives.size()), keys.needs)
            .settle(lives, asked, separated ? keys.max : std::min(keys.max, 1u));
      }
      for (std::size_t i = 0; i < lives.size(); ++i) {
        usable += lives[i] ? 1 : 0;
        required += asked[i] ? 1 : 0;
        out.live = out.live && (lives[i] || !asked[i]);
      }
      for (const Grammar::Cell& cell : keys.cells) {
        const bool there = spaced && known(node.parts[at++]).live;
        bool live = known(node.parts[at++]).live;
        ways.push_back({{}, kUnbounded});
        for (const Grammar::Cell::Some& some : cell.some) {
          std::uint64_t meets = 0;
          for (std::uint32_t condition : some.meets) meets |= 1ull << condition;
          wanted |= meets;
          if (known(node.parts[at++]).live && there && live) ways.back().meets.push_back(meets);
        }
        if (there && live) usable = kUnbounded;
        if (keys.repeats && !live) {  // no more items than places before it
          places = std::min(places, static_cast<std::uint32_t>(ways.size() - 1));
        }
      }
      if (keys.repeats && places < ways.size()) ways.resize(places);
      std::uint32_t fewest = 0;
      if (wanted)
        fewest = keys.repeats ? fewest_items(ways, 0, wanted) : fewest_members(ways, wanted);
      out.live = out.live && fewest != kUnbounded;
      required += out.live ? fewest : 0;
      const std::uint32_t most = std::min(separated ? keys.max : std::min(keys.max, 1u), places);
      out.live = out.live && usable >= keys.min && required <= most && keys.min <= most;
      out.empty = out.live && keys.min == 0 && required == 0;
      out.texts = out.live && usable > 0 && most > 0;
      if (!keys.clauses.empty() && out.live) {
        if (!spaced) std::ranges::fill(options, EntryClauses::kMayBeGone);
        const EntryClauses clauses(static_cast<std::uint32_t>(lives.size()), keys.clauses);
        out.texts = out.texts && clauses.some_texts(options, usable == kUnbounded);
        out.empty = out.empty && clauses.empty_text(options);
        out.live = out.texts || out.empty;
      }
      return out;
    }
    default:  // a scope
      return known(node.parts[0]);
  }
}

// Least fixed point; facts only grow. A rule is looked at again when one that it refers to changed:
// since its users were told, as its body may be a part of other rules that were looked at between.
void RuleLowering::find_facts() {
  std::vector<Facts> told(rules_.size());
  std::vector<std::vector<std::uint32_t>> users(rules_.size());
  std::deque<std::uint32_t> work;
  std::vector<bool> waits(rules_.size(), true);
  for (const auto& component : order_) {
    for (std::uint32_t i : component) {
      if (rules_[i].known) continue;
      work.push_back(i);
      for (std::uint32_t to : rules_[i].refers) users[to].push_back(i);
    }
  }
  while (!work.empty()) {
    const std::uint32_t i = work.front();
    work.pop_front();
    waits[i] = false;
    const Rule& rule = rules_[i];
    for (std::uint32_t at : rule.nodes) {
      if (!calls_.at(at)) continue;
      context_.tick();
      facts_[at] = facts_of(at);
    }
    if (facts_[rule.body] == told[i]) continue;
    told[i] = facts_[rule.body];
    for (std::uint32_t user : users[i]) {
      if (!waits[user]) work.push_back(user);
      waits[user] = true;
    }
  }
}

// Rules of one component that a rule may stand for by itself, all else in its body being empty.
std::vector<std::uint32_t> RuleLowering::units_of(
    const Rule& rule, const std::unordered_map<std::uint32_t, std::uint32_t>& places) {
  std::vector<std::uint32_t> out;
  std::vector<std::uint32_t> work;
  const auto number = static_cast<std::uint32_t>(&rule - rules_.data());
  const auto visit = [&](std::uint32_t at) {
    if (!calls_.at(at) || !facts_.at(at).live || seen_by_[at] == number) return;
    seen_by_[at] = number;
    work.push_back(at);
  };
  visit(rule.body);
  while (!work.empty()) {
    context_.tick();
    const std::uint32_t at = work.back();
    work.pop_back();
    const Grammar::Node& node = grammar_.nodes_[at];
    switch (node.op) {
      case Op::kRule:
        if (const auto it = places.find(rule_at_[at]); it != places.end()) {
          out.push_back(it->second);
        }
        break;
      case Op::kChoice:
      case Op::kScope:
        for (std::uint32_t part : node.parts) visit(part);
        break;
      case Op::kRepeat:
        if (node.max > 0 && (node.min <= 1 || facts_.at(node.parts[0]).empty)) {
          visit(node.parts[0]);
        }
        break;
      case Op::kSequence: {
        std::vector<std::uint32_t> full;
        for (std::uint32_t part : node.parts) {
          if (!facts_.at(part).empty) full.push_back(part);
        }
        if (full.size() == 1) visit(full[0]);
        if (!full.empty()) break;
        for (std::uint32_t part : node.parts) visit(part);
        break;
      }
      default:
        break;
    }
  }
  std::ranges::sort(out);
  return out;
}

// Rules that may each stand for the other by themselves have one language: one call is enough for
// them, and left recursion through them is none.
void RuleLowering::merge_equal(const std::vector<std::uint32_t>& component) {
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (std::uint32_t k = 0; k < component.size(); ++k) places.emplace(component[k], k);
  std::vector<std::vector<std::uint32_t>> edges;
  for (std::uint32_t i : component) edges.push_back(units_of(rules_[i], places));
  for (const auto& equal : components_of(edges)) {
    const std::uint32_t first = component[*std::ranges::min_element(equal)];
    for (std::uint32_t k : equal) rules_[component[k]].equal = first;
  }
}

// A hash of what a node means: rules of the same component by their number, others by their call.
Hash128 RuleLowering::hash_of(
    std::uint32_t at, const std::unordered_map<std::uint32_t, std::uint32_t>& numbers) const {
  const Grammar::Node& node = grammar_.nodes_[at];
  Hasher hasher(static_cast<std::uint64_t>(node.op) + 1);
  if (!facts_.at(at).live) return Hasher(0xDEAD).finish();
  if (node.op == Op::kRule) {
    const std::uint32_t target = rule_at_[at];
    if (const auto it = numbers.find(target); it != numbers.end()) {
      return hasher.add(1).add(it->second).finish();
    }
    return hasher.add(2).add(pool_.node(values_.at(rules_[target].body)).hash).finish();
  }
  hasher.add(node.min).add(node.max).add(node.parts.size());
  if (node.op == Op::kKeyed) {
    const Grammar::Keys& keys = grammar_.keyed_[node.extra];
    hasher.add(keys.ordered).add(keys.canonical).add(keys.loose).add(keys.places);
    hasher.add(keys.repeats).add(keys.min).add(keys.max).add(keys.needs.size());
    for (const auto& [from, to] : keys.needs) hasher.add(from).add(to);
    hasher.add(keys.clauses.size());
    for (const auto& clause : keys.clauses) {
      hasher.add(clause.size());
      for (const auto& [entry, way] : clause) hasher.add(entry).add(way);
    }
    for (const Grammar::Entry& entry : keys.entries) {
      hasher.add(entry.ways.size())
          .add(entry.key.has_value())
          .add(entry.required)
          .add(entry.name.size());
      hasher.add(std::string_view(entry.name));
    }
    for (const Grammar::Cell& cell : keys.cells) {
      hasher.add(cell.quoted).add(cell.some.size());
      for (const Grammar::Cell::Some& some : cell.some) {
        hasher.add(some.meets.size());
        for (std::uint32_t condition : some.meets) hasher.add(condition);
      }
    }
  }
  for (std::uint32_t part : node.parts) {
    hasher.add(calls_.at(part) ? hashes_.at(part) : pool_.node(values_.at(part)).hash);
  }
  return hasher.finish();
}

// Calls of a component's rules are known by the content of the whole component.
void RuleLowering::name_calls(const std::vector<std::uint32_t>& component) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (std::uint32_t i = 0; i < component.size(); ++i) places.emplace(component[i], i);
  for (std::uint32_t i : component) numbers.emplace(i, places.at(rules_[i].equal));
  Hasher system(0x5C0);
  for (std::uint32_t i : component) {
    for (std::uint32_t at : rules_[i].nodes) {
      context_.tick();
      if (calls_.at(at)) hashes_[at] = hash_of(at, numbers);
    }
    const std::uint32_t body = rules_[i].body;
    system.add(calls_.at(body) ? hashes_.at(body) : pool_.node(values_.at(body)).hash);
  }
  const Hash128 whole = system.finish();
  for (std::uint32_t i : component) {
    rules_[i].call = pool_.call(Hasher(0x5C1).add(whole).add(numbers.at(i)).finish(),
                                rules_[rules_[i].equal].name, {});
  }
}

ExprId RuleLowering::build(std::uint32_t at) {
  const Grammar::Node& node = grammar_.nodes_[at];
  std::vector<ExprId> parts;
  for (std::uint32_t part : node.parts) parts.push_back(values_.at(part));
  switch (node.op) {
    case Op::kRule: {
      const Rule& rule = rules_[rule_at_[at]];
      if (!rule.recursive) return values_.at(rule.body);
      const Facts facts = facts_.at(rule.body);
      const ExprId texts = facts.texts ? rule.call : ExprPool::kEmptyId;
      return facts.empty ? pool_.unite(texts, ExprPool::kEpsilonId) : texts;
    }
    case Op::kSequence: {
      ExprId out = ExprPool::kEpsilonId;
      for (std::size_t i = parts.size(); i-- > 0;) out = pool_.concat(parts[i], out);
      return out;
    }
    case Op::kChoice:
      return pool_.unite(parts);
    case Op::kRepeat:
      return pool_.repeat(parts[0], node.min, node.max);
    case Op::kKeyed: {
      const ExprId out = grammar_.build_keyed(pool_, node, parts, context_, symbols_, allowed_);
      const ByteSet own = pool_.alphabet(out);
      list_alphabets_[at] = own;
      alphabet_ = alphabet_ | own;
      return out;
    }
    default:  // a scope
      return parts[0];
  }
}

// Alternatives of a rule's alternatives, with calls, that nothing else refers to.
std::unordered_set<std::uint32_t> RuleLowering::inner_choices(const Rule& rule) const {
  std::unordered_set<std::uint32_t> out;
  const auto nested = [this](std::uint32_t at) {
    const Grammar::Node& node = grammar_.nodes_[at];
    return node.op == Op::kChoice && std::ranges::any_of(node.parts, [this](std::uint32_t part) {
             return calls_.at(part) && grammar_.is_choice(part);
           });
  };
  if (std::ranges::none_of(rule.nodes, nested)) return out;
  std::unordered_map<std::uint32_t, std::uint32_t> uses;
  for (std::uint32_t at : rule.nodes) {
    for (std::uint32_t part : grammar_.nodes_[at].parts) ++uses[part];
  }
  for (std::size_t i = rule.nodes.size(); i-- > 0;) {  // wholes before parts
    const std::uint32_t at = rule.nodes[i];
    if (grammar_.nodes_[at].op != Op::kChoice && !out.contains(at)) continue;
    for (std::uint32_t part : grammar_.nodes_[at].parts) {
      if (calls_.at(part) && uses.at(part) == 1 && grammar_.is_choice(part)) out.insert(part);
    }
  }
  return out;
}

// Whether a rule is recursive, or part of one that is.
bool RuleLowering::recurs(const Rule& rule) const {
  std::vector<std::uint32_t> work;
  std::vector<bool> seen(rules_.size());
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].recursive) work.push_back(i);
  }
  while (!work.empty()) {
    const std::uint32_t i = work.back();
    work.pop_back();
    if (seen[i]) continue;
    seen[i] = true;
    work.insert(work.end(), rules_[i].refers.begin(), rules_[i].refers.end());
  }
  return seen[static_cast<std::size_t>(&rule - rules_.data())];
}

void RuleLowering::lower_body(const Rule& rule) {
  const std::size_t most = context_.limits().max_depth;
  const std::unordered_set<std::uint32_t> inner = inner_choices(rule);
  const std::string place = place_of(rule);
  for (std::uint32_t at : rule.nodes) {
    context_.tick();
    if (!calls_.at(at) || inner.contains(at)) continue;
    ExprId value = ExprPool::kEmptyId;
    if (facts_.at(at).live && !inner.empty() && grammar_.nodes_[at].op == Op::kChoice) {
      std::vector<ExprId> parts;
      for (std::uint32_t part : grammar_.alternatives(at, inner)) parts.push_back(values_.at(part));
      value = pool_.unite(parts);
    } else if (facts_.at(at).live) {
      value = build(at);
      // Values may run out that were thought to be enough. Calls are live by construction, so they
      // must not depend on that.
      if (value == ExprPool::kEmptyId && grammar_.nodes_[at].op == Op::kKeyed && recurs(rule)) {
        refuse(place +
               ": a list without repetition must have more items than have values, in a "
               "rule that refers to itself; lower its least number of items");
      }
    }
    if (pool_.node(value).depth > most) {
      throw Error(ErrorKind::kLimit, place + " is nested deeper than Limits.max_depth = " +
                                         std::to_string(most) + "; raise the limit or flatten it");
    }
    Grammar::check_parts(pool_, first_parts_, context_, place);
    values_[at] = value;
  }
}

std::string RuleLowering::place_of(const Rule& rule) {
  return rule.name.empty() ? "the start" : "rule \"" + rule.name + "\"";
}

ExprId RuleLowering::run() {
  first_parts_ = pool_.part_count();
  if (!prepared_) {
    recall();
    find_calls();
  }
  lower_terminals();
  find_facts();
  LeftRecursion rules(pool_, context_);
  for (const auto& component : order_) {
    if (rules_[component[0]].known) continue;
    const bool recursive = rules_[component[0]].recursive;
    if (recursive) {
      merge_equal(component);
      name_calls(component);
    }
    std::unordered_map<std::uint32_t, std::vector<ExprId>> bodies;
    for (std::uint32_t i : component) {
      if (!rules_[i].calls) continue;
      lower_body(rules_[i]);
      if (recursive && facts_.at(rules_[i].body).texts) {
        bodies[rules_[i].equal].push_back(pool_.without_empty(values_.at(rules_[i].body)));
      }
    }
    for (std::uint32_t i : component) {
      if (const auto it = bodies.find(i); it != bodies.end()) {
        rules.add(rules_[i].call, pool_.unite(it->second));
      }
    }
  }
  rules.define_all(alphabet_);
  keep();
  return values_.at(rules_[0].body);
}

}  // namespace formgate
