#include "formgate/grammar.hpp"

#include <algorithm>
#include <atomic>

#include "formgate/errors.hpp"
#include "special_text.hpp"

namespace formgate {
namespace {

std::atomic<std::uint64_t> next_serial{1};
constexpr std::uint64_t kMostCount = 0x7FFFFFFFull;

}  // namespace

Grammar::Grammar() : number_(next_serial.fetch_add(1)), serial_(number_ & 0x7FFFFFFF) {}

std::shared_ptr<Grammar> Grammar::branch() const {
  auto out = std::make_shared<Grammar>(*this);
  out->number_ = next_serial.fetch_add(1);
  return out;
}

bool Grammar::stands_alone(Op op) {
  switch (op) {
    case Op::kLiteral:
    case Op::kChars:
    case Op::kBytes:
    case Op::kSequence:
    case Op::kChoice:
    case Op::kRepeat:
    case Op::kIntersection:
    case Op::kComplement:
    case Op::kStrings:
    case Op::kScope:
      return true;
    default:
      return false;
  }
}

Grammar::Handle Grammar::add(Node node) {
  if (nodes_.size() >= 0xFFFFFFF0u) throw Error(ErrorKind::kLimit, "the grammar is too large");
  alone_ = alone_ && stands_alone(node.op);
  node.worded = node.op == Op::kChoice && is_worded(node);
  nodes_.push_back(std::move(node));
  return (serial_ << 32) | (nodes_.size() - 1);
}

std::uint32_t Grammar::index(Handle handle) const {
  const auto node = static_cast<std::uint32_t>(handle);
  if ((handle >> 32) != serial_ || node >= nodes_.size()) {
    throw Error(ErrorKind::kGrammar,
                "a node that this builder did not make; nodes cannot move between builders (use "
                "embed)");
  }
  return node;
}

std::vector<std::uint32_t> Grammar::indices(const std::vector<Handle>& handles) const {
  std::vector<std::uint32_t> out;
  out.reserve(handles.size());
  for (Handle handle : handles) out.push_back(index(handle));
  return out;
}

Grammar::Handle Grammar::literal(std::string bytes) {
  Node node{Op::kLiteral};
  odd_bytes_ = odd_bytes_ || is_odd(bytes);
  node.text = std::move(bytes);
  return add(std::move(node));
}

Grammar::Handle Grammar::chars(CharSet set) {
  Node node{Op::kChars};
  node.extra = static_cast<std::uint32_t>(char_sets_.size());
  char_sets_.push_back(std::move(set));
  return add(std::move(node));
}

Grammar::Handle Grammar::byte_class(const ByteSet& set) {
  Node node{Op::kBytes};
  node.extra = static_cast<std::uint32_t>(byte_sets_.size());
  byte_sets_.push_back(set);
  odd_bytes_ = odd_bytes_ || !(set & special_bytes()).empty();
  return add(std::move(node));
}

Grammar::Handle Grammar::sequence(const std::vector<Handle>& parts) {
  Node node{Op::kSequence};
  node.parts = indices(parts);
  return add(std::move(node));
}

Grammar::Handle Grammar::choice(const std::vector<Handle>& parts) {
  Node node{Op::kChoice};
  node.parts = indices(parts);
  return add(std::move(node));
}

Grammar::Handle Grammar::repeat(Handle part, std::uint64_t min, std::uint64_t max) {
  Node node{Op::kRepeat};
  node.parts = {index(part)};
  if (min > kMostCount || (max != kUnbounded && max > kMostCount)) {
    throw Error(ErrorKind::kGrammar, "repetition count " +
                                         std::to_string(min > kMostCount ? min : max) +
                                         " is larger than the supported 2147483647; leave the "
                                         "upper bound open instead");
  }
  if (min > max) {
    throw Error(ErrorKind::kGrammar, "repetition needs min <= max, not {" + std::to_string(min) +
                                         "," + std::to_string(max) + "}");
  }
  node.min = static_cast<std::uint32_t>(min);
  node.max = static_cast<std::uint32_t>(max);
  return add(std::move(node));
}

Grammar::Handle Grammar::intersection(const std::vector<Handle>& parts) {
  if (parts.empty()) throw Error(ErrorKind::kGrammar, "an intersection needs at least one part");
  Node node{Op::kIntersection};
  for (Handle part : parts) node.parts.push_back(index(scope(part)));
  return add(std::move(node));
}

Grammar::Handle Grammar::complement(Handle part) {
  Node node{Op::kComplement};
  node.parts = {index(scope(part))};
  return add(std::move(node));
}

Grammar::Handle Grammar::strings(std::shared_ptr<const LeafDfa> automaton) {
  Node node{Op::kStrings};
  node.extra = static_cast<std::uint32_t>(automata_.size());
  for (std::uint32_t s = 0; !odd_bytes_ && !automaton->ascii_only() && s < automaton->size(); ++s) {
    automaton->for_each_edge(s, [this](std::uint8_t, std::uint8_t high, std::uint32_t) {
      odd_bytes_ = odd_bytes_ || high >= kSpecialDigit;
    });
  }
  automata_.push_back(std::move(automaton));
  return add(std::move(node));
}

Grammar::Handle Grammar::look_ahead(Handle rest, bool negative) {
  Node node{Op::kLookAhead};
  node.parts = {index(rest)};
  node.negative = negative;
  return add(std::move(node));
}

Grammar::Handle Grammar::look_behind(Handle before, bool negative) {
  Node node{Op::kLookBehind};
  node.parts = {index(before)};
  node.negative = negative;
  return add(std::move(node));
}

Grammar::Handle Grammar::scope(Handle part) {
  Node node{Op::kScope};
  node.parts = {index(part)};
  return add(std::move(node));
}

Grammar::Handle Grammar::rule(const std::string& name) {
  Node node{Op::kRule};
  node.text = name;
  return add(std::move(node));
}

Grammar::Handle Grammar::unordered(const std::vector<Handle>& parts) {
  Keys keys;
  const Handle nothing = literal("");
  keys.colon = keys.comma = nothing;
  keys.loose = true;
  for (Handle part : parts) {
    Entry entry;
    entry.key = part;
    entry.value = nothing;
    keys.entries.push_back(std::move(entry));
  }
  return keyed(std::move(keys));
}

Grammar::Handle Grammar::json_text(Handle part, bool canonical, bool keys) {
  Node node{Op::kJsonText};
  node.parts = {index(scope(part))};
  node.negative = canonical;
  node.min = keys ? 1 : 0;
  return add(std::move(node));
}

void Grammar::check_needs(const Keys& keys) {
  const auto size = static_cast<std::uint32_t>(keys.entries.size());
  for (const auto& [from, to] : keys.needs) {
    if (from >= size || to >= size) {
      throw Error(ErrorKind::kGrammar, "entry " + std::to_string(std::max(from, to)) +
                                           " needs another or is needed, but there are " +
                                           std::to_string(size) + " entries");
    }
  }
  const EntryNeeds needs(size, keys.needs);
  // All may come where there are no others: else a number between the bounds may be out of reach.
  const bool all = keys.max == kUnbounded || (keys.cells.empty() && keys.max >= size);
  if (!needs.cyclic() || all) return;
  std::vector<char> usable(size, 1);
  std::vector<char> required;
  for (const Entry& entry : keys.entries) required.push_back(entry.required ? 1 : 0);
  needs.settle(usable, required, keys.max);
  const auto fewest = static_cast<std::uint32_t>(std::ranges::count(required, 1));
  if (keys.min <= std::max(fewest, 1u)) return;
  throw Error(ErrorKind::kUnsupported,
              "entries that need each other, in a list of at least " + std::to_string(keys.min) +
                  " and at most " + std::to_string(keys.max) +
                  " keys, cannot be enforced; leave out one of the bounds, or write the "
                  "alternatives with choice");
}

void Grammar::check_clauses(const Keys& keys) {
  const auto size = static_cast<std::uint32_t>(keys.entries.size());
  for (const auto& clause : keys.clauses) {
    for (const auto& [entry, way] : clause) {
      if (entry >= size || (way != EntryClauses::kGone && way > keys.entries[entry].ways.size())) {
        throw Error(ErrorKind::kGrammar, "a condition names an entry or a value that there is not");
      }
    }
  }
  std::size_t required = 1;
  for (const Entry& entry : keys.entries) {
    required += entry.required ? 1 : 0;
    if (entry.ways.size() >= EntryClauses::kMostWays) {
      throw Error(ErrorKind::kLimit,
                  "an entry has more than " + std::to_string(EntryClauses::kMostWays) + " values");
    }
  }
  const bool all = keys.max == kUnbounded || (keys.cells.empty() && keys.max >= size);
  if (!all || !keys.needs.empty() || keys.min > std::max<std::size_t>(required - 1, 1)) {
    throw Error(ErrorKind::kUnsupported,
                "conditions on entries cannot be enforced beside needs, or bounds on the number of "
                "keys; leave these out, or write the alternatives with choice");
  }
  if (!EntryClauses(size, keys.clauses).few()) {
    throw Error(ErrorKind::kLimit, "more than " + std::to_string(EntryClauses::kMostTogether) +
                                       " conditions on entries share entries; write the "
                                       "alternatives of some with choice");
  }
}

// Parts: colon, comma, then key (if any) and value of each entry, then keys, value and what some
// value is (if any) of each cell, then all other values of entries.
Grammar::Handle Grammar::keyed(Keys keys) {
  if (keys.min > keys.max) {
    throw Error(ErrorKind::kGrammar, "the list needs min <= max, not {" + std::to_string(keys.min) +
                                         "," + std::to_string(keys.max) + "}");
  }
  Node node{Op::kKeyed};
  node.parts = {index(keys.colon), index(keys.comma)};
  std::unordered_map<std::string_view, bool> names;
  for (const Entry& entry : keys.entries) {
    if (entry.key) node.parts.push_back(index(*entry.key));
    node.parts.push_back(index(entry.value));
    if (!entry.key && !names.emplace(entry.name, true).second) {
      throw Error(ErrorKind::kGrammar, "key \"" + entry.name + "\" is there twice");
    }
  }
  for (const Cell& cell : keys.cells) {
    node.parts.push_back(index(cell.keys));
    node.parts.push_back(index(cell.value));
    for (const Cell::Some& some : cell.some) {
      node.parts.push_back(index(some.value));
      for (std::uint32_t condition : some.meets) {
        if (condition < Keyed::kMostConditions) continue;
        throw Error(ErrorKind::kLimit, "condition " + std::to_string(condition) +
                                           " that some member must meet is beyond the supported " +
                                           std::to_string(Keyed::kMostConditions) +
                                           ", which are numbered from 0");
      }
    }
  }
  for (const Entry& entry : keys.entries) {
    for (Handle way : entry.ways) node.parts.push_back(index(way));
  }
  if (!keys.needs.empty()) check_needs(keys);
  if (!keys.clauses.empty()) check_clauses(keys);
  node.extra = static_cast<std::uint32_t>(keyed_.size());
  keyed_.push_back(std::move(keys));
  return add(std::move(node));
}

Grammar::Handle Grammar::include(std::shared_ptr<const Grammar> other) {
  if (!other->has_start_) {
    throw Error(ErrorKind::kGrammar, "the grammar to include has no start; call start(node)");
  }
  if (!other->alone_) {
    throw Error(ErrorKind::kUnsupported,
                "a grammar to include has characters, literals, strings, sequences, choices, "
                "repetitions, intersections and complements alone; write its other parts (rules, "
                "look-around, lists of keys, lexers, special tokens) into this builder");
  }
  Node node{Op::kInclude};
  node.extra = static_cast<std::uint32_t>(included_.size());
  odd_bytes_ = odd_bytes_ || other->odd_bytes_;
  included_.push_back(std::move(other));
  return add(std::move(node));
}

Grammar::Handle Grammar::special_token(TokenUse use) {
  Node node{Op::kSpecial};
  const auto known = std::ranges::find(token_uses_, use);
  node.extra = static_cast<std::uint32_t>(known - token_uses_.begin());
  if (known == token_uses_.end()) token_uses_.push_back(std::move(use));
  return add(std::move(node));
}

Grammar::Handle Grammar::terminal(const std::string& name) {
  Node node{Op::kTerminal};
  node.text = name;
  return add(std::move(node));
}

Grammar::Handle Grammar::lexed(Handle start, const std::vector<Terminal>& terminals, LexMode mode,
                               bool contextual, std::vector<Production> productions) {
  Lexed lexed{index(start), terminals, mode, contextual, std::move(productions)};
  for (Terminal& terminal : lexed.terminals) terminal.pattern = index(terminal.pattern);
  Node node{Op::kLexed};
  node.extra = static_cast<std::uint32_t>(lexed_.size());
  lexed_.push_back(std::move(lexed));
  return add(std::move(node));
}

void Grammar::define(const std::string& name, Handle body) {
  const std::uint32_t node = index(body);
  if (!rules_.emplace(name, node).second) {
    throw Error(ErrorKind::kGrammar,
                "rule \"" + name + "\" is defined twice; use choice() for alternatives");
  }
  rule_order_.push_back(name);
}

std::unordered_set<std::string> Grammar::undefined(Handle from) const {
  std::unordered_set<std::string> found;
  std::vector<std::uint32_t> reached{index(from)};
  std::vector<bool> seen(nodes_.size());
  seen[reached.front()] = true;
  const auto reach = [&](std::uint32_t node) {
    if (!seen[node]) reached.push_back(node);
    seen[node] = true;
  };
  while (!reached.empty()) {
    const Node& node = nodes_[reached.back()];
    reached.pop_back();
    for (const std::uint32_t part : node.parts) reach(part);
    if (node.op != Op::kRule) continue;
    const auto body = rules_.find(node.text);
    if (body == rules_.end()) {
      found.insert(node.text);
    } else {
      reach(body->second);
    }
  }
  return found;
}

void Grammar::start(Handle body) {
  if (has_start_) {
    throw Error(ErrorKind::kGrammar, "the start of the grammar is set twice");
  }
  start_ = index(body);
  has_start_ = true;
}

std::vector<std::string> Grammar::rule_names() const { return rule_order_; }

std::vector<std::string> Grammar::references(const std::string& name) const {
  std::uint32_t root = start_;
  if (!name.empty()) {
    const auto it = rules_.find(name);
    if (it == rules_.end()) throw Error(ErrorKind::kGrammar, "no rule \"" + name + "\"");
    root = it->second;
  } else if (!has_start_) {
    return {};
  }
  std::vector<std::string> out;
  std::vector<bool> seen(nodes_.size(), false);
  std::vector<std::uint32_t> stack{root};
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const Node& node = nodes_[at];
    if (node.op == Op::kRule && std::ranges::find(out, node.text) == out.end()) {
      out.push_back(node.text);
    }
    stack.insert(stack.end(), node.parts.rbegin(), node.parts.rend());
    if (node.op == Op::kLexed) stack.push_back(lexed_[node.extra].start);
  }
  return out;
}

std::string Grammar::print(std::size_t max_length) const {
  std::string out;
  const auto show = [&](const std::string& name, std::uint32_t root) {
    out += name + " = ";
    struct Item {
      std::uint32_t node;
      std::string text;
    };
    std::vector<Item> stack{{root, ""}};
    while (!stack.empty() && out.size() < max_length) {
      const Item item = std::move(stack.back());
      stack.pop_back();
      if (!item.text.empty()) {
        out += item.text;
        continue;
      }
      const Node& node = nodes_[item.node];
      const auto list = [&](const char* open, const char* between, const char* close) {
        out += open;
        stack.push_back({0, close});
        for (std::size_t i = node.parts.size(); i-- > 0;) {
          stack.push_back({node.parts[i], ""});
          if (i > 0) stack.push_back({0, between});
        }
      };
      switch (node.op) {
        case Op::kLiteral:
          out += "\"" + node.text + "\"";
          break;
        case Op::kChars: {
          ExprPool pool;
          out += pool.print(pool.chars(char_sets_[node.extra]), 80);
          break;
        }
        case Op::kBytes:
          out += "<bytes>";
          break;
        case Op::kStrings:
          out += automata_[node.extra]->ordered() ? "<strings: " : "<automaton: ";
          out += std::to_string(automata_[node.extra]->size()) + " states>";
          break;
        case Op::kSequence:
          list("(", " ", ")");
          break;
        case Op::kChoice:
          list("(", " | ", ")");
          break;
        case Op::kIntersection:
          list("(", " & ", ")");
          break;
        case Op::kKeyed:
          list(keyed_[node.extra].loose ? "unordered(" : "keyed(", ", ", ")");
          break;
        case Op::kJsonText:
          list("json(", "", ")");
          break;
        case Op::kComplement:
          list("~(", "", ")");
          break;
        case Op::kScope:
          stack.push_back({node.parts[0], ""});
          break;
        case Op::kInclude:
          out += '(';
          out += included_[node.extra]->print(max_length - std::min(max_length, out.size()));
          out += ')';
          break;
        case Op::kLookAhead:
          list(node.negative ? "not_ahead(" : "ahead(", "", ")");
          break;
        case Op::kLookBehind:
          list(node.negative ? "not_behind(" : "behind(", "", ")");
          break;
        case Op::kRule:
          out += node.text;
          break;
        case Op::kTerminal:
          out += node.text;
          break;
        case Op::kLexed:
          out += "lexed(";
          stack.push_back({0, ")"});
          stack.push_back({lexed_[node.extra].start, ""});
          break;
        case Op::kSpecial:
          out += token_uses_[node.extra].print();
          break;
        case Op::kRepeat: {
          std::string close = "){" + std::to_string(node.min) + ",";
          if (node.max != kUnbounded) close += std::to_string(node.max);
          list("(", "", (close + "}").c_str());
          break;
        }
      }
    }
    out += "\n";
  };
  if (has_start_) show("start", start_);
  for (const std::string& name : rule_order_) {
    if (out.size() >= max_length) break;
    show(name, rules_.at(name));
  }
  if (out.size() > max_length) {
    out.resize(max_length);
    out += "...\n";
  }
  return out;
}

}  // namespace formgate
