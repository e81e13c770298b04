// States of a grammar with a lexer: a state of the lexer with a state of the parser.
#include "formgate/lexing.hpp"

#include <algorithm>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {

std::string symbol_text(const Lexicon& lexicon, std::uint32_t terminal) {
  std::string out;
  if (lexicon.symbol_bytes == 2) out += static_cast<char>(terminal / kSymbolBase);
  out += static_cast<char>(terminal % kSymbolBase);
  return out;
}

std::uint32_t Lexing::add(Lexicon lexicon) {
  Hasher hasher(0x1E8);
  hasher.add(static_cast<std::uint64_t>(lexicon.mode)).add(lexicon.contextual);
  for (const LexTerminal& terminal : lexicon.terminals) {
    hasher.add(terminal.name).add(terminal.ignored).add(pool_.node(terminal.pattern).hash);
    hasher.add(terminal.trackers.size()).add(terminal.keywords.size());
    for (ExprId id : terminal.trackers) hasher.add(pool_.node(id).hash);
    for (const LexKeyword& keyword : terminal.keywords) {
      hasher.add(keyword.terminal).add(keyword.embedded).add(pool_.node(keyword.literal).hash);
    }
  }
  lexicon.hash = hasher.finish();
  const auto [it, fresh] =
      lexicon_index_.emplace(lexicon.hash, static_cast<std::uint32_t>(lexicons_.size()));
  if (fresh) {
    for (const LexTerminal& terminal : lexicon.terminals) {
      lexicon.alphabet = lexicon.alphabet | pool_.alphabet(terminal.pattern);
    }
    lexicons_.push_back(std::move(lexicon));
  }
  return it->second;
}

std::uint32_t Lexing::stack_of(std::uint32_t lexicon, ExprId rest) {
  const std::uint64_t key = (static_cast<std::uint64_t>(lexicon) << 32) | index_of(rest);
  const auto [it, fresh] = stack_index_.emplace(key, static_cast<std::uint32_t>(stacks_.size()));
  if (fresh) {
    stacks_.push_back({lexicon, rest, false, {}, kNoIndex});
    bytes_ += sizeof(Stack) + 48;
  }
  return it->second;
}

ExprId Lexing::between(std::uint32_t lexicon, ExprId rest) {
  if (rest == ExprPool::kEmptyId) return rest;
  const auto ignored = [](const LexTerminal& terminal) { return terminal.ignored; };
  if (rest == ExprPool::kEpsilonId && std::ranges::none_of(lexicons_[lexicon].terminals, ignored)) {
    return rest;
  }
  return node(kNoIndex, stack_of(lexicon, rest));
}

ExprId Lexing::node(std::uint32_t state, std::uint32_t stack) {
  const Stack& parser = stacks_[stack];
  const Lexicon& lexicon = lexicons_[parser.lexicon];
  bool safe = lexicon.safe;
  if (safe && state != kNoIndex) {
    if (lexicon.contextual) {
      safe = leads_on(state, nullptr);
    } else {
      std::vector<bool> wanted(lexicon.terminals.size(), false);
      for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = lexicon.terminals[i].ignored;
      for (const auto& [terminal, rest] : expanded(stack).next) wanted[terminal] = true;
      safe = leads_on(state, &wanted);
    }
  }
  Node node{};
  node.kind = Kind::kLexed;
  node.a = state;
  node.b = stack;
  node.flags = kCalls;
  if (!safe) node.flags |= kBoolean;
  if (state == kNoIndex && pool_.nullable(parser.rest)) node.flags |= kNullable;
  node.depth = 1;
  Hasher hasher(seed(Kind::kLexed));
  hasher.add(lexicon.hash).add(pool_.node(parser.rest).hash);
  if (state != kNoIndex) hasher.add(states_[state].hash);
  node.hash = hasher.finish();
  return pool_.intern(node);
}

const Lexing::Stack& Lexing::expanded(std::uint32_t index) {
  Stack& stack = stacks_[index];
  if (stack.expanded) return stack;
  const Lexicon& lexicon = lexicons_[stack.lexicon];
  const LinearForm form = pool_.linear_form(stack.rest);
  for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
    if (lexicon.symbol_bytes == 1) {
      term.bytes.for_each(
          [&](std::uint8_t symbol) { stack.next.emplace_back(symbol, term.target); });
      continue;
    }
    const LinearForm low = pool_.linear_form(term.target);
    for (const LinearTerm& inner : std::vector<LinearTerm>(low.begin(), low.end())) {
      term.bytes.for_each([&](std::uint8_t high) {
        inner.bytes.for_each([&](std::uint8_t symbol) {
          stack.next.emplace_back(static_cast<std::uint16_t>(high * kSymbolBase + symbol),
                                  inner.target);
        });
      });
    }
  }
  std::ranges::sort(stack.next);
  std::vector<bool> competing(lexicon.terminals.size(), !lexicon.contextual);
  for (const auto& [terminal, rest] : stack.next) competing[terminal] = true;
  for (std::size_t i = 0; i < competing.size(); ++i) {
    if (lexicon.terminals[i].ignored) competing[i] = true;
  }
  stack.start = start_state(stack.lexicon, competing);
  stack.expanded = true;
  bytes_ += stack.next.capacity() * sizeof(stack.next[0]);
  return stack;
}

// What a state becomes whose lexer has come to `state`.
ExprId Lexing::target(std::uint32_t state, std::uint32_t index) {
  const Stack& stack = expanded(index);
  const Lexicon& lexicon = lexicons_[stack.lexicon];
  std::vector<ExprId> parts;
  bool open = states_[state].open;
  if (open && !lexicon.contextual) {
    const std::vector<bool>& found = produces(state);
    open = false;
    for (std::size_t i = 0; i < found.size() && !open; ++i) {
      open = found[i] && lexicon.terminals[i].ignored;
    }
    for (const auto& [terminal, rest] : stack.next) open = open || found[terminal];
  }
  if (open) parts.push_back(node(state, index));
  const std::vector<Accept> accepts = states_[state].accepts;
  for (const Accept& accept : accepts) {
    ExprId rest = stack.rest;
    if (!lexicon.terminals[accept.terminal].ignored) {
      const auto it = std::ranges::lower_bound(stack.next, accept.terminal, {},
                                               [](const auto& entry) { return entry.first; });
      if (it == stack.next.end() || it->first != accept.terminal) continue;
      rest = it->second;
    }
    const ExprId next = pool_.intersect(accept.guard, between(stack.lexicon, rest));
    if (lexicon.safe && separable(stack.lexicon, accept.guard)) pool_.assume_live(next);
    parts.push_back(next);
  }
  return pool_.unite(parts);
}

std::vector<LinearTerm> Lexing::form(ExprId id) {
  const Node& node = pool_.node(id);
  const std::uint32_t index = node.b;
  std::uint32_t state = node.a;
  if (state == kNoIndex) state = expanded(index).start;
  std::vector<LinearTerm> out;
  for (const Edge& edge : expanded_state(state).edges) {
    const ExprId next = target(edge.target, index);
    if (next != ExprPool::kEmptyId) out.push_back({edge.bytes, next});
  }
  return ExprPool::join_equal(std::move(out));
}

ByteSet Lexing::alphabet(ExprId id) const {
  return lexicons_[stacks_[pool_.node(id).b].lexicon].alphabet;
}

std::vector<std::string> Lexing::names(ExprId id) const {
  const Node& node = pool_.node(id);
  const Stack& stack = stacks_[node.b];
  const Lexicon& lexicon = lexicons_[stack.lexicon];
  std::vector<std::string> out;
  if (node.a != kNoIndex) {
    for (const Item& item : states_[node.a].items) {
      if (!item.threads.empty()) out.push_back(lexicon.terminals[item.terminal].name);
    }
    return out;
  }
  for (const auto& [terminal, rest] : stack.next) out.push_back(lexicon.terminals[terminal].name);
  return out;
}

}  // namespace formgate
