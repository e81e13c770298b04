// States of a grammar with a lexer: a state of the lexer with a state of the parser.
#include "formgate/lexing.hpp"

#include <algorithm>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"
#include "lexed_ends.hpp"
#include "track_ends.hpp"

namespace formgate {
std::string symbol_text(std::uint32_t width, std::uint32_t symbol) {
  std::string out(width, '\0');
  for (std::uint32_t i = width; i-- > 0; symbol /= kSymbolBase) {
    out[i] = static_cast<char>(symbol % kSymbolBase);
  }
  return out;
}

Lexing::Lexing(ExprPool& pool) : pool_(pool) {}

Lexing::~Lexing() = default;

std::size_t Lexing::memory_usage() const {
  std::size_t out = bytes_ + derived_bytes();
  for (const auto& [lexicon, ends] : track_ends_) out += ends->memory_usage();
  for (const auto& [lexicon, ends] : lexed_ends_) out += ends ? ends->memory_usage() : 0;
  return out;
}

void Lexing::describe(Lexicon& lexicon) {
  for (const LexTerminal& terminal : lexicon.terminals) {
    lexicon.alphabet = lexicon.alphabet | pool_.alphabet(terminal.pattern);
    lexicon.text = lexicon.text && pool_.is_text(terminal.pattern);
  }
  lexicon.alphabet = lexicon.alphabet & lexicon.spelled;
}

std::uint32_t Lexing::add(Lexicon lexicon) {
  Hasher hasher(0x1E8);
  hasher.add(static_cast<std::uint64_t>(lexicon.mode)).add(lexicon.contextual).add(lexicon.rules);
  for (unsigned i = 0; i < 4; ++i) hasher.add(lexicon.spelled.word(i));
  for (const LexTerminal& terminal : lexicon.terminals) {
    hasher.add(terminal.name).add(terminal.ignored).add(terminal.longest);
    hasher.add(pool_.node(terminal.pattern).hash);
    hasher.add(terminal.trackers.size()).add(terminal.keywords.size());
    for (ExprId id : terminal.trackers) hasher.add(pool_.node(id).hash);
    for (const LexKeyword& keyword : terminal.keywords) {
      hasher.add(keyword.terminal).add(keyword.embedded).add(pool_.node(keyword.literal).hash);
    }
  }
  hasher.add(lexicon.by_states).add(lexicon.competing.size());
  for (const auto& set : lexicon.competing) {
    for (bool bit : set) hasher.add(bit);
  }
  hasher.add(pool_.node(lexicon.track_start).hash).add(lexicon.track.start);
  for (const auto& set : lexicon.track.extras) {
    hasher.add(set.size());
    for (std::uint16_t terminal : set) hasher.add(terminal);
  }
  for (const TrackSymbol& symbol : lexicon.track.symbols) {
    hasher.add(symbol.terminal).add(symbol.set);
  }
  for (const auto& set : lexicon.track.dropped) {
    for (bool bit : set) hasher.add(bit);
  }
  lexicon.hash = hasher.finish();
  const auto [it, fresh] =
      lexicon_index_.emplace(lexicon.hash, static_cast<std::uint32_t>(lexicons_.size()));
  if (fresh) {
    describe(lexicon);
    lexicons_.push_back(std::move(lexicon));
  }
  return it->second;
}

std::uint32_t Lexing::stack_of(std::uint32_t lexicon, ExprId rest, std::uint32_t track) {
  const Hash128 key = Hasher(lexicon).add(index_of(rest)).add(track).finish();
  const auto [it, fresh] = stack_index_.emplace(key, static_cast<std::uint32_t>(stacks_.size()));
  if (fresh) {
    stacks_.push_back({lexicon, rest, track, false, {}, kNoIndex});
    bytes_ += sizeof(Stack) + 48;
  }
  return it->second;
}

ExprId Lexing::between(std::uint32_t index, ExprId rest) {
  const Lexicon& lexicon = lexicons_[index];
  if (lexicon.track_start == ExprPool::kEmptyId) return between(index, rest, kNoIndex);
  const std::uint32_t track = track_of(index, lexicon.track_start, lexicon.track.start);
  return between(index, rest, kept_track(index, track));
}

ExprId Lexing::between(std::uint32_t lexicon, ExprId rest, std::uint32_t track) {
  if (rest == ExprPool::kEmptyId) return rest;
  const auto ignored = [](const LexTerminal& terminal) { return terminal.ignored; };
  if (rest == ExprPool::kEpsilonId && std::ranges::none_of(lexicons_[lexicon].terminals, ignored)) {
    return rest;
  }
  return node(kNoIndex, stack_of(lexicon, rest, track));
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
  // Between characters of well-formed text; guards speak of such.
  const auto text = [this](const Thread& thread) { return pool_.is_text(thread.rest); };
  if (lexicon.text &&
      (state == kNoIndex || std::ranges::all_of(states_[state].items, [&](const Item& item) {
         return std::ranges::all_of(item.threads, text);
       }))) {
    node.flags |= kText;
  }
  node.depth = 1;
  Hasher hasher(seed(Kind::kLexed));
  hasher.add(lexicon.hash).add(pool_.node(parser.rest).hash);
  if (parser.track != kNoIndex) {
    hasher.add(pool_.node(tracks_[parser.track].rest).hash).add(tracks_[parser.track].extras);
  }
  if (state != kNoIndex) hasher.add(states_[state].hash);
  node.hash = hasher.finish();
  return pool_.intern(node);
}

const Lexing::Stack& Lexing::expanded(std::uint32_t index) {
  Stack& stack = stacks_[index];
  if (stack.expanded) return stack;
  const Lexicon& lexicon = lexicons_[stack.lexicon];
  stack.next.clear();  // a limit may have ended an earlier attempt
  for (std::uint32_t symbol : first_symbols(stack.rest, lexicon.symbol_bytes)) {
    stack.next.emplace_back(static_cast<std::uint16_t>(symbol), kNoExpr);
  }
  Symbols competing(lexicon.terminals.size(), !lexicon.contextual);
  Symbols vain(lexicon.terminals.size(), false);
  if (lexicon.contextual) find_competing(stack, competing, vain);
  for (std::size_t i = 0; i < competing.size(); ++i) {
    if (lexicon.terminals[i].ignored) competing[i] = true;
  }
  stack.start = start_state(stack.lexicon, competing, vain);
  stack.expanded = true;
  bytes_ += stack.next.capacity() * sizeof(stack.next[0]);
  return stack;
}

std::uint32_t Lexing::lexer_state(ExprId id) {
  const Node& node = pool_.node(id);
  return node.a == kNoIndex ? expanded(node.b).start : node.a;
}

ExprId Lexing::inside(std::uint32_t state, std::uint32_t index) {
  if (!states_[state].open) return ExprPool::kEmptyId;
  const Stack& stack = expanded(index);
  const Lexicon& lexicon = lexicons_[stack.lexicon];
  if (!lexicon.contextual) {
    const auto takes = [&](std::uint16_t terminal) {
      return (lexicon.terminals[terminal].ignored ||
              std::ranges::binary_search(stack.next, terminal, {},
                                         [](const auto& entry) { return entry.first; })) &&
             becomes(state, terminal);
    };
    const bool taken = std::ranges::any_of(states_[state].items, [&](const Item& item) {
      return takes(item.terminal) ||
             std::ranges::any_of(item.keywords, takes, &LexKeyword::terminal);
    });
    if (!taken) return ExprPool::kEmptyId;
  }
  return node(state, index);
}

ExprId Lexing::after(std::uint16_t terminal, ExprId guard, std::uint32_t index) {
  const End end{index, index_of(guard), terminal};
  if (const auto it = after_.find(end); it != after_.end()) return it->second;
  const ExprId out = find_after(terminal, guard, index);
  after_.emplace(end, out);
  return out;
}

// What is left to parse after a terminal; empty where it is not taken.
ExprId Lexing::rest_after(std::uint32_t index, std::uint16_t terminal) {
  expanded(index);
  Stack& stack = stacks_[index];
  const auto it = std::ranges::lower_bound(stack.next, terminal, {},
                                           [](const auto& entry) { return entry.first; });
  if (it == stack.next.end() || it->first != terminal) return ExprPool::kEmptyId;
  if (it->second == kNoExpr) {
    it->second = after_symbol(stack.rest, lexicons_[stack.lexicon].symbol_bytes, terminal);
  }
  return it->second;
}

ExprId Lexing::find_after(std::uint16_t terminal, ExprId guard, std::uint32_t index) {
  const Stack& stack = stacks_[index];  // stacks are never moved
  ExprId rest = stack.rest;
  std::uint32_t track = stack.track;
  if (!lexicons_[stack.lexicon].terminals[terminal].ignored) {
    rest = rest_after(index, terminal);
    if (rest == ExprPool::kEmptyId) return rest;
    if (track != kNoIndex) track = kept_track(stack.lexicon, track_after(track, terminal));
  }
  const ExprId out = pool_.intersect(guard, between(stack.lexicon, rest, track));
  if (out != ExprPool::kEmptyId && (goes_on(stack.lexicon, terminal, guard) ||
                                    viable_under(guard, stack_of(stack.lexicon, rest, track)))) {
    pool_.assume_live(out);
  }
  return out;
}

// What a state becomes whose lexer has come to `state`.
ExprId Lexing::target(std::uint32_t state, std::uint32_t stack) {
  std::vector<ExprId> parts{inside(state, stack)};
  const std::vector<Accept> accepts = states_[state].accepts;
  for (const Accept& accept : accepts) {
    parts.push_back(after(accept.terminal, accept.guard, stack));
  }
  return pool_.unite(parts);
}

bool Lexing::in(ExprId id) const {
  const Node& node = pool_.node(id);
  if (!(node.flags & kCalls)) return false;
  if (node.kind != Kind::kUnion && node.kind != Kind::kAnd) return node.kind == Kind::kLexed;
  return std::ranges::any_of(pool_.members(node), [this](ExprId member) { return in(member); });
}

ExprId Lexing::step(ExprId id, std::uint8_t byte) {
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(id)) << 8) | byte;
  if (const auto it = steps_.find(key); it != steps_.end()) return it->second;
  const Node node = pool_.node(id);
  ExprId out = ExprPool::kEmptyId;
  if (node.kind == Kind::kLexed) {
    const std::uint32_t next = stepped(lexer_state(id), byte);
    if (next != kNoIndex) out = target(next, node.b);
  } else {
    const auto members = pool_.members(node);
    std::vector<ExprId> parts(members.begin(), members.end());
    for (ExprId& part : parts) {
      part = in(part) ? step(part, byte) : step_here(part, 0, byte);
      if (node.kind == Kind::kAnd && part == ExprPool::kEmptyId) break;
    }
    out = node.kind == Kind::kUnion                       ? pool_.unite(parts)
          : std::ranges::count(parts, ExprPool::kEmptyId) ? ExprPool::kEmptyId
                                                          : pool_.intersect(parts);
  }
  steps_.emplace(key, out);
  return out;
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

void Lexing::trim() {
  steps_.clear();
  symbol_steps_.clear();
  symbols_first_.clear();
  after_.clear();
  heads_.clear();
  heads_after_.clear();
  first_steps_.clear();
  stepped_.clear();
  answers_.clear();
  least_.clear();
  forbidden_.clear();
  sufficient_.clear();
  lexed_ends_.clear();
  for (auto& known : left_) known.clear();
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
