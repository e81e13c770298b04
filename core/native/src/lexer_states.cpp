// The lexer: what is left of every terminal that competes, step by step.
//
// In mode kLongest the items are derivatives, and a lexeme ends under the guard that none of them
// matches more. In mode kFirst an item also has the demands its look-aheads make of the text to
// come, and says whether it has a match already: then terminals of lower preference are out; while
// it may still have one, they end lexemes under the guard that it will not. Where a pattern takes
// its longest match, no look-ahead says so, but the guard that it will not match more.
#include <algorithm>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"

namespace formgate {

ExprId Lexing::step_here(ExprId id, std::uint32_t truths, std::uint8_t byte) {
  if (id == ExprPool::kAllId) return id;
  for (const LinearTerm& term : pool_.form_here(id, truths)) {
    if (term.bytes.contains(byte)) return term.target;
  }
  return ExprPool::kEmptyId;
}

bool Lexing::may_be_empty(const LexTerminal& terminal) {
  const std::uint32_t truths = pool_.tracker_truths(terminal.trackers);
  return pool_.empty_condition(terminal.pattern, truths) != ExprPool::kEmptyId;
}

// Whether some text goes on so; `end` is any text that may follow.
bool Lexing::possible(const Thread& thread, const std::vector<ExprId>& trackers, ExprId end) {
  const Node& rest = pool_.node(thread.rest);
  if (thread.rest == ExprPool::kEmptyId || thread.demand == ExprPool::kEmptyId) return false;
  const bool context = !pool_.free_of_context(thread.rest);
  if (thread.demand == ExprPool::kAllId && !context && !(rest.flags & kBoolean)) return true;
  const ExprId texts = pool_.concat(thread.rest, end);
  return pool_.live(pool_.scope(pool_.intersect(texts, thread.demand), trackers));
}

// Without what may be left out at the end: as much comes before any text.
ExprId Lexing::least_before(ExprId id) {
  const Node node = pool_.node(id);
  switch (node.kind) {
    case Kind::kUnion: {
      const auto list = pool_.members(node);
      std::vector<ExprId> parts(list.begin(), list.end());
      for (ExprId& part : parts) part = least_before(part);
      return pool_.unite(parts);
    }
    case Kind::kConcat: {
      std::vector<ExprId> parts;
      for (ExprId rest = id; rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
        parts.push_back(pool_.head(rest));
      }
      while (pool_.nullable(parts.back())) {
        parts.pop_back();
        if (parts.empty()) return ExprPool::kEpsilonId;
      }
      ExprId out = least_before(parts.back());
      for (std::size_t i = parts.size() - 1; i-- > 0;) out = pool_.concat(parts[i], out);
      return out;
    }
    case Kind::kRepeat: {
      if (node.min == 0) return ExprPool::kEpsilonId;
      const ExprId child{node.a};
      return pool_.concat(pool_.repeat(child, node.min - 1, node.min - 1), least_before(child));
    }
    default:
      return pool_.nullable(id) ? ExprPool::kEpsilonId : id;
  }
}

// Texts that begin with one of an expression. States that differ by how often something may come
// say the same of what follows them, so it is written alike.
ExprId Lexing::led_by(ExprId id) {
  return pool_.concat(pool_.free_of_context(id) ? least_before(id) : id, ExprPool::kAllId);
}

// Texts that begin with a match.
ExprId Lexing::prefix_of(const Item& item) {
  if (item.prefix != ExprPool::kEmptyId || item.threads.empty()) return item.prefix;
  return led_by(item.threads[0].rest);
}

// Whether an item has matched already, whichever of the texts comes.
bool Lexing::has_matched(const Item& item, ExprId texts) {
  if (item.prefix == ExprPool::kEmptyId && !item.threads.empty()) {
    const ExprId rest = item.threads[0].rest;
    const bool ahead = !pool_.free_of_context(rest) || pool_.node(rest).flags & kBoolean;
    if (!ahead) return pool_.nullable(rest);
  }
  const ExprId prefix = prefix_of(item);
  if (prefix == ExprPool::kEmptyId) return false;
  // Without look-ahead, what begins with a match goes on in any way.
  if (!(pool_.node(prefix).flags & kBoolean)) return pool_.nullable(prefix);
  return !pool_.live(pool_.intersect(texts, pool_.complement(prefix)));
}

Lexing::Item Lexing::step(const Lexicon& lexicon, const Item& item, std::uint8_t byte) {
  Item out;
  out.terminal = item.terminal;
  const std::uint32_t truths = pool_.tracker_truths(item.trackers);
  for (ExprId tracker : item.trackers) out.trackers.push_back(step_here(tracker, truths, byte));
  std::vector<Thread> threads;
  for (const Thread& thread : item.threads) {
    ExprId demand = kNoExpr;
    for (const ExprPool::Conditional& term : pool_.conditional_terms(thread.rest, truths)) {
      if (!term.bytes.contains(byte)) continue;
      if (demand == kNoExpr) demand = step_here(thread.demand, truths, byte);
      const ExprId both = pool_.intersect(demand, step_here(term.condition, truths, byte));
      if (both == ExprPool::kEmptyId) continue;
      const auto known = std::ranges::find(threads, both, &Thread::demand);
      if (known == threads.end()) {
        threads.push_back({term.target, both});
      } else {
        known->rest = pool_.unite(known->rest, term.target);
      }
    }
  }
  bool behinds = false;
  bool between = lexicon.text && !threads.empty();  // characters of well-formed text
  for (const Thread& thread : threads) {
    between = between && pool_.is_text(thread.rest);
    const ExprId end = lexicon.text ? ExprPool::kTextId : ExprPool::kAllId;
    if (!possible(thread, out.trackers, end)) continue;
    behinds = behinds || pool_.node(thread.rest).behinds || pool_.node(thread.demand).behinds;
    out.threads.push_back(thread);
  }
  std::ranges::sort(out.threads, {}, [this](const Thread& t) { return pool_.node(t.demand).hash; });
  if (!behinds) out.trackers.clear();
  if (item.prefix != ExprPool::kEmptyId) out.prefix = step_here(item.prefix, 0, byte);
  if (out.prefix != ExprPool::kEmptyId && !pool_.live(out.prefix)) out.prefix = ExprPool::kEmptyId;
  if (lexicon.mode == LexMode::kFirst) {
    const ExprId texts = between ? ExprPool::kTextId : ExprPool::kAllId;
    if (has_matched(out, texts)) out.prefix = ExprPool::kAllId;
  }
  step_keywords(item, byte, out);
  return out;
}

void Lexing::step_keywords(const Item& item, std::uint8_t byte, Item& out) {
  for (const LexKeyword& keyword : item.keywords) {
    const ExprId rest = step_here(keyword.literal, 0, byte);
    if (rest != ExprPool::kEmptyId) {
      out.keywords.push_back({keyword.terminal, keyword.embedded, rest});
    }
  }
}

// The step of a terminal of which nothing is read yet: the same in all states that lexemes begin
// in.
Lexing::Item Lexing::first_step(std::uint32_t index, const Item& item, std::uint8_t byte) {
  const std::uint64_t key = (static_cast<std::uint64_t>(index) << 32) | (item.terminal << 8) | byte;
  auto it = first_steps_.find(key);
  if (it == first_steps_.end()) {
    Item bare = item;
    bare.keywords.clear();
    it = first_steps_.emplace(key, step(lexicons_[index], bare, byte)).first;
  }
  Item out = it->second;
  step_keywords(item, byte, out);
  return out;
}

// A terminal of which nothing is read yet.
Lexing::Item Lexing::begun(const Lexicon& lexicon, std::uint16_t number) {
  const LexTerminal& terminal = lexicon.terminals[number];
  Item item;
  item.terminal = number;
  item.threads.push_back({terminal.pattern, ExprPool::kAllId});
  item.trackers = terminal.trackers;
  item.prefix = ExprPool::kEmptyId;
  if (lexicon.mode == LexMode::kFirst && !pool_.free_of_context(terminal.pattern)) {
    const ExprId texts = pool_.concat(terminal.pattern, ExprPool::kAllId);
    item.prefix = pool_.scope(texts, terminal.trackers);
  }
  return item;
}

std::uint32_t Lexing::start_state(std::uint32_t index, const Symbols& competing,
                                  const Symbols& vain) {
  const Lexicon& lexicon = lexicons_[index];
  Hasher hasher(0x57A + index);
  for (bool bit : competing) hasher.add(bit);
  for (bool bit : vain) hasher.add(bit);
  const Hash128 key = hasher.finish();
  if (const auto it = starts_.find(key); it != starts_.end()) return it->second;
  std::vector<bool> embedded(competing.size(), false);
  for (std::size_t i = 0; i < competing.size(); ++i) {
    if (!competing[i]) continue;
    for (const LexKeyword& keyword : lexicon.terminals[i].keywords) {
      if (keyword.embedded) embedded[keyword.terminal] = true;
    }
  }
  State state;
  state.lexicon = index;
  std::vector<std::uint16_t> all_vain;
  for (std::uint16_t i = 0; i < competing.size(); ++i) {
    const LexTerminal& terminal = lexicon.terminals[i];
    if (vain[i]) all_vain.push_back(i);
    if (!competing[i] || embedded[i] || terminal.pattern == ExprPool::kEmptyId) continue;
    Item item = begun(lexicon, i);
    for (const LexKeyword& keyword : terminal.keywords) {
      if (competing[keyword.terminal]) item.keywords.push_back(keyword);
    }
    state.items.push_back(std::move(item));
  }
  keep_vain(state, all_vain);
  state.open = true;
  state.begins = true;
  const std::uint32_t out = intern(std::move(state));
  starts_.emplace(key, out);
  return out;
}

// Notes which of the terminals that compete in vain still do.
void Lexing::keep_vain(State& state, const std::vector<std::uint16_t>& vain) {
  std::ranges::copy_if(vain, std::back_inserter(state.vain), [&](std::uint16_t terminal) {
    return std::ranges::any_of(state.items, [&](const Item& item) {
      return item.terminal == terminal ||
             std::ranges::find(item.keywords, terminal, &LexKeyword::terminal) !=
                 item.keywords.end();
    });
  });
}

std::uint32_t Lexing::intern(State state) {
  Hasher hasher(0x57B);
  hasher.add(lexicons_[state.lexicon].hash).add(state.items.size());
  for (const Item& item : state.items) {
    hasher.add(item.terminal).add(item.threads.size()).add(item.trackers.size());
    for (const Thread& thread : item.threads) {
      hasher.add(pool_.node(thread.rest).hash).add(pool_.node(thread.demand).hash);
    }
    for (ExprId id : item.trackers) hasher.add(pool_.node(id).hash);
    hasher.add(pool_.node(item.prefix).hash).add(item.keywords.size());
    for (const LexKeyword& keyword : item.keywords) {
      hasher.add(keyword.terminal).add(pool_.node(keyword.literal).hash);
    }
  }
  hasher.add(state.vain.size());
  for (std::uint16_t terminal : state.vain) hasher.add(terminal);
  hasher.add(state.accepts.size());
  for (const Accept& accept : state.accepts) {
    hasher.add(accept.terminal).add(pool_.node(accept.guard).hash);
  }
  state.hash = hasher.finish();
  const auto [it, fresh] =
      state_index_.emplace(state.hash, static_cast<std::uint32_t>(states_.size()));
  if (fresh) {
    bytes_ += sizeof(State) + state.items.size() * (sizeof(Item) + 64) + 64;
    states_.push_back(std::move(state));
  }
  return it->second;
}

// Bytes that every part of an item treats alike move together.
void Lexing::split(const Item& item, ByteGroups& groups, std::uint64_t& number, ByteSet& moving) {
  const auto add = [&](LinearForm form) {
    for (const LinearTerm& term : form) groups.add(term.bytes, number++);
  };
  const std::uint32_t truths = pool_.tracker_truths(item.trackers);
  for (const Thread& thread : item.threads) {
    for (const ExprPool::Conditional& term : pool_.conditional_terms(thread.rest, truths)) {
      groups.add(term.bytes, number++);
      moving = moving | term.bytes;
      if (term.condition != ExprPool::kAllId) add(pool_.form_here(term.condition, truths));
    }
    if (thread.demand != ExprPool::kAllId) add(pool_.form_here(thread.demand, truths));
  }
  for (ExprId tracker : item.trackers) add(pool_.form_here(tracker, truths));
  if (item.prefix != ExprPool::kEmptyId) add(pool_.linear_form(item.prefix));
  for (const LexKeyword& keyword : item.keywords) add(pool_.linear_form(keyword.literal));
}

// The state that a byte leads to; kNoIndex for none. `moves` says which items have a thread that
// the byte moves.
template <typename Moves>
std::uint32_t Lexing::moved(const State& from, std::uint8_t byte, Moves&& moves) {
  const Lexicon& lexicon = lexicons_[from.lexicon];
  State next;
  next.lexicon = from.lexicon;
  for (std::size_t i = 0; i < from.items.size(); ++i) {
    const Item& item = from.items[i];
    if (!moves(i) && item.prefix == ExprPool::kEmptyId) continue;
    Item after = from.begins ? first_step(from.lexicon, item, byte) : step(lexicon, item, byte);
    const bool matched = after.prefix == ExprPool::kAllId;
    if (!after.threads.empty() || after.prefix != ExprPool::kEmptyId) {
      next.items.push_back(std::move(after));
    }
    if (matched) break;
  }
  keep_vain(next, from.vain);
  close(next);
  if (!next.open && next.accepts.empty()) return kNoIndex;
  return intern(std::move(next));
}

// The bytes that a lexeme of a terminal may begin with.
const ByteSet& Lexing::first_bytes(std::uint32_t index, const Item& item) {
  const std::uint64_t key = (static_cast<std::uint64_t>(index) << 16) | item.terminal;
  if (const auto it = first_bytes_.find(key); it != first_bytes_.end()) return it->second;
  ByteSet out;
  const std::uint32_t truths = pool_.tracker_truths(item.trackers);
  for (const Thread& thread : item.threads) {
    for (const ExprPool::Conditional& term : pool_.conditional_terms(thread.rest, truths)) {
      out = out | term.bytes;
    }
  }
  return first_bytes_.emplace(key, out).first->second;
}

std::uint32_t Lexing::edge_target(const State& from, std::uint8_t byte) {
  for (const Edge& edge : from.edges) {
    if (edge.bytes.contains(byte)) return edge.target;
  }
  return kNoIndex;
}

// The state that a byte leads to, alone: text passes states of which nothing else is asked, and
// most states that lexemes begin in are asked for white space only.
std::uint32_t Lexing::stepped(std::uint32_t state, std::uint8_t byte) {
  const State& from = states_[state];
  if (from.expanded) return edge_target(from, byte);
  if (!lexicons_[from.lexicon].spelled.contains(byte)) return kNoIndex;
  const std::uint64_t key = (static_cast<std::uint64_t>(state) << 8) | byte;
  if (const auto it = stepped_.find(key); it != stepped_.end()) return it->second;
  const std::uint32_t out = moved(from, byte, [&](std::size_t i) {
    return !from.begins || first_bytes(from.lexicon, from.items[i]).contains(byte);
  });
  stepped_.emplace(key, out);
  return out;
}

const Lexing::State& Lexing::expanded_state(std::uint32_t index) {
  if (states_[index].expanded) return states_[index];
  const State& from = states_[index];  // states are never moved
  const Lexicon& lexicon = lexicons_[from.lexicon];
  ByteGroups groups;
  std::uint64_t number = 0;
  ByteSet moving;
  std::vector<ByteSet> moved_by;  // by item
  for (const Item& item : from.items) {
    ByteSet own;
    split(item, groups, number, own);
    moved_by.push_back(own);
    moving = moving | own;
  }
  std::vector<Edge> edges;
  groups.for_each(moving & lexicon.spelled, [&](std::uint8_t byte, const ByteSet& bytes) {
    const std::uint32_t target =
        moved(from, byte, [&](std::size_t i) { return moved_by[i].contains(byte); });
    if (target == kNoIndex) return;
    const auto known = std::ranges::find(edges, target, &Edge::target);
    if (known == edges.end()) {
      edges.push_back({bytes, target});
    } else {
      known->bytes = known->bytes | bytes;
    }
  });
  bytes_ += edges.size() * sizeof(Edge);
  states_[index].edges = std::move(edges);
  states_[index].expanded = true;
  return states_[index];
}

// Finds what may end here, and keeps of the items what may go on.
void Lexing::close(State& state) {
  if (lexicons_[state.lexicon].mode == LexMode::kLongest) {
    close_longest(state);
  } else {
    close_first(state);
  }
  for (Item& item : state.items) {
    std::erase_if(item.threads, [this, &item](const Thread& thread) {
      if (thread.rest == ExprPool::kEpsilonId) return true;
      if (pool_.free_of_context(thread.rest)) return false;
      return pool_.conditional_terms(thread.rest, pool_.tracker_truths(item.trackers)).empty();
    });
    if (item.threads.empty()) {
      item.trackers.clear();
      item.keywords.clear();
    }
    state.open = state.open || !item.threads.empty();
  }
  if (!state.vain.empty() && state.open) {
    // What can only become what is not taken leads nowhere.
    const auto vain = [&](std::uint16_t terminal) {
      return std::ranges::binary_search(state.vain, terminal);
    };
    state.open = std::ranges::any_of(state.items, [&](const Item& item) {
      if (item.threads.empty()) return false;
      return !vain(item.terminal) ||
             std::ranges::any_of(
                 item.keywords, [&](const LexKeyword& keyword) { return !vain(keyword.terminal); });
    });
  }
  if (!state.open) {
    state.items.clear();
    state.vain.clear();
    return;
  }
  // A terminal that can end no lexeme any more still stands before others while it may match.
  while (!state.items.empty() && state.items.back().threads.empty()) state.items.pop_back();
  std::erase_if(state.items, [](const Item& item) {
    return item.threads.empty() &&
           (item.prefix == ExprPool::kEmptyId || item.prefix == ExprPool::kAllId);
  });
  if (!state.vain.empty()) keep_vain(state, std::exchange(state.vain, {}));
}

void Lexing::accept(State& state, const Item& item, ExprId guard) {
  std::uint16_t terminal = item.terminal;
  const bool ignored = lexicons_[state.lexicon].terminals[terminal].ignored;
  for (const LexKeyword& keyword : item.keywords) {
    if (ignored || !pool_.nullable(keyword.literal)) continue;
    terminal = keyword.terminal;
    break;
  }
  if (std::ranges::binary_search(state.vain, terminal)) return;
  const auto known = std::ranges::find(state.accepts, terminal, &Accept::terminal);
  if (known == state.accepts.end()) {
    state.accepts.push_back({terminal, guard});
  } else {
    known->guard = pool_.unite(known->guard, guard);
  }
}

void Lexing::close_longest(State& state) {
  const Item* winner = nullptr;
  std::vector<ExprId> longer;
  for (const Item& item : state.items) {
    const ExprId rest = item.threads[0].rest;
    if (!winner && pool_.nullable(rest)) winner = &item;
    longer.push_back(pool_.without_empty(rest));
  }
  if (!winner) return;
  const ExprId more = pool_.unite(longer);
  ExprId guard = ExprPool::kAllId;
  if (more != ExprPool::kEmptyId) {
    guard = pool_.complement(led_by(more));
  }
  accept(state, *winner, guard);
}

void Lexing::close_first(State& state) {
  // No terminal of higher preference matches: put together where a lexeme may end only, since of
  // thousands of keywords most end nowhere together.
  std::vector<ExprId> before;
  for (const Item& item : state.items) {
    const std::uint32_t truths = pool_.tracker_truths(item.trackers);
    for (const Thread& thread : item.threads) {
      const ExprId end = pool_.empty_condition(thread.rest, truths);
      if (end == ExprPool::kEmptyId) continue;
      ExprId guard = pool_.intersect(end, thread.demand);
      if (lexicons_[state.lexicon].terminals[item.terminal].longest) {
        const ExprId more = pool_.without_empty(thread.rest);
        guard = pool_.complement(led_by(more));
      }
      if (!item.trackers.empty()) guard = pool_.scope(guard, item.trackers);
      before = {pool_.intersect(before)};
      guard = pool_.intersect(guard, before[0]);
      if (guard != ExprPool::kEmptyId && pool_.found_live(guard)) accept(state, item, guard);
    }
    if (&item == &state.items.back()) break;
    const ExprId prefix = prefix_of(item);
    if (prefix != ExprPool::kEmptyId && prefix != ExprPool::kAllId) {
      before.push_back(pool_.complement(prefix));
    }
  }
}

}  // namespace formgate
