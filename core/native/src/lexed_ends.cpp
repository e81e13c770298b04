// What a lexer does between two lexemes depends on the guard that the text to come is under, and on
// what competes. Where all terminals compete everywhere, guards are the states of an automaton over
// terminals: a lexeme that can come under one, as a terminal, is left under another. So whether a
// state has any text is whether the sentences of what is left to parse meet that automaton's, which
// the rules tell (rule_walk.cpp). That ends where a search through the state's successors does not:
// lexemes that cannot stand side by side may make each state before the next one's, for ever.
//
// Where only what the parser takes competes, all that may come after the terminal before is taken
// to compete. What can end so can where fewer compete, too (see lexer_safety.cpp), so a yes is one
// there, and a no is nothing.
#include "lexed_ends.hpp"

#include <algorithm>
#include <unordered_set>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/long_step.hpp"
#include "lexeme_search.hpp"

namespace formgate {
namespace {

// Guards of one lexicon, and parts of rules looked at from one of them for one question. Beyond,
// nothing is known of the lexicon any more.
constexpr std::size_t kMostPlaces = 1024;
constexpr std::size_t kMostParts = 2'000'000;
constexpr unsigned kDeepest = 500;       // nesting of what is left to parse
constexpr unsigned kDeepestGuards = 64;  // of states under guards

struct TooMuch {};

}  // namespace

LexedEnds::LexedEnds(ExprPool& pool, std::uint32_t lexicon)
    : RuleWalk(pool),
      lexing_(pool.lexing()),
      lexicon_(lexicon),
      exact_(!lexing_.lexicons_[lexicon].contextual) {
  // Where what competes depends on the terminal before, this is after none, and never come to.
  place_of({ExprPool::kAllId, kAnywhere, 0});
}

// The lexer's state in a place.
std::uint32_t LexedEnds::begin(std::uint16_t before) {
  if (!exact_) return lexing_.start_after(lexicon_, before);
  if (all_compete_ == kNoIndex) {
    const std::size_t count = lexing_.lexicons_[lexicon_].terminals.size();
    all_compete_ =
        lexing_.start_state(lexicon_, Lexing::Symbols(count, true), Lexing::Symbols(count, false));
  }
  return all_compete_;
}

// The place after a terminal.
std::uint32_t LexedEnds::place_after(std::uint16_t terminal, ExprId guard) {
  return place_of({guarding(guard), exact_ ? kAnywhere : terminal, 0});
}

// What comes is well-formed anyway, where a lexeme begins.
ExprId LexedEnds::guarding(ExprId guard) {
  if (!lexing_.lexicons_[lexicon_].text || guard == ExprPool::kAllId) return guard;
  if (guard == ExprPool::kTextId) return ExprPool::kAllId;
  return pool_.intersect(guard, ExprPool::kTextId);
}

std::uint32_t LexedEnds::place_of(Place place) {
  const auto [it, fresh] = place_index_.emplace(place, static_cast<std::uint32_t>(places_.size()));
  if (fresh) {
    if (places_.size() >= kMostPlaces) {
      place_index_.erase(it);
      throw TooMuch{};
    }
    places_.push_back(place);
  }
  return it->second;
}

const std::vector<Lexing::Left>& LexedEnds::own_lexemes(std::uint32_t place) {
  if (const auto it = own_.find(place); it != own_.end()) return it->second;
  std::optional<std::vector<Lexing::Left>> found =
      lexing_.lexemes_under(places_[place].guard, begin(places_[place].before));
  if (!found) throw TooMuch{};
  return own_.emplace(place, std::move(*found)).first->second;
}

const LexedEnds::Row& LexedEnds::row(std::uint32_t place) {
  if (const auto it = rows_.find(place); it != rows_.end()) return it->second;
  const auto& terminals = lexing_.lexicons_[lexicon_].terminals;
  Row out;
  std::vector<std::uint32_t> order{place};
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.ends = out.ends || pool_.nullable(places_[order[i]].guard);
    for (const Lexing::Left& each : own_lexemes(order[i])) {
      const auto terminal = static_cast<std::uint16_t>(each.terminal);
      if (!terminals[terminal].ignored) {
        out.ways.push_back({terminal, place_after(terminal, each.guard)});
        continue;
      }
      const std::uint32_t next = place_of({guarding(each.guard), places_[place].before, 0});
      if (std::ranges::find(order, next) == order.end()) order.push_back(next);
    }
  }
  return rows_.emplace(place, std::move(out)).first->second;
}

void LexedEnds::read(std::uint32_t place, std::uint8_t byte, std::vector<std::uint32_t>& out) {
  const Place from = places_[place];
  if (lexing_.lexicons_[lexicon_].symbol_bytes > 1 && from.byte == 0) {
    out.push_back(place_of({from.guard, from.before, byte + 1u}));
    return;
  }
  const std::uint32_t terminal = from.byte == 0 ? byte : (from.byte - 1) * kSymbolBase + byte;
  for (const Way& way : row(place_of({from.guard, from.before, 0})).ways) {
    if (way.terminal == terminal) out.push_back(way.place);
  }
}

// A quick look: a guard with fewer conditions allows more.
bool LexedEnds::better(std::uint32_t one, std::uint32_t other) {
  const Place& left = places_[one];
  const Place& right = places_[other];
  if (left.byte != right.byte || left.before != right.before) return false;
  if (left.guard == ExprPool::kAllId) return true;
  const Node& more = pool_.node(right.guard);
  if (more.kind != Kind::kAnd) return false;
  const auto conditions = pool_.members(more);
  const auto demanded = [&](ExprId each) {
    return std::ranges::find(conditions, each) != conditions.end();
  };
  const Node& less = pool_.node(left.guard);
  if (less.kind != Kind::kAnd) return demanded(left.guard);
  return std::ranges::all_of(pool_.members(less), demanded);
}

RuleWalk::Places LexedEnds::other(ExprId) { throw TooMuch{}; }

void LexedEnds::tick() {
  LongStep::tick();
  if (++spent_ > kMostParts) throw TooMuch{};
}

std::optional<bool> LexedEnds::has_text(ExprId id) {
  if (given_up_) return std::nullopt;
  spent_ = 0;
  Known known;
  try {
    return ends(id, ExprPool::kAllId, 0, known);
  } catch (const TooMuch&) {
    given_up_ = true;
    return std::nullopt;
  }
}

// Readings that nest in each other are looked at once.
std::optional<bool> LexedEnds::ends(ExprId id, ExprId guard, unsigned depth, Known& known) {
  const Node node = pool_.node(id);
  if (node.kind == Kind::kLexed) return reading_ends(node, guard);
  if (id == ExprPool::kEpsilonId) return pool_.nullable(guard);
  if (depth > kDeepestGuards) return std::nullopt;
  if (const auto it = known.find({id, guard}); it != known.end()) return it->second;
  const std::vector<ExprId> members(pool_.members(node).begin(), pool_.members(node).end());
  std::optional<bool> out;
  if (node.kind == Kind::kUnion) {
    out = false;
    for (ExprId member : members) {
      const std::optional<bool> own = ends(member, guard, depth + 1, known);
      if (own.value_or(false)) {
        out = true;
        break;
      }
      if (!own) out = std::nullopt;
    }
  } else if (node.kind == Kind::kAnd) {
    std::vector<ExprId> guards{guard};
    std::vector<ExprId> states;
    for (ExprId member : members) {
      (pool_.node(member).flags & kCalls ? states : guards).push_back(member);
    }
    const ExprId all = pool_.intersect(guards);
    if (states.size() == 1 && pool_.free_of_context(all)) {
      out = ends(states[0], all, depth + 1, known);
    }
  }
  known.emplace(std::pair{id, guard}, out);
  return out;
}

// What competes up to the end of the next terminal is known.
std::optional<bool> LexedEnds::reading_ends(const Node& node, ExprId guard) {
  const std::uint32_t stack = node.b;
  const ExprId rest = lexing_.stacks_[stack].rest;
  if (lexing_.stacks_[stack].lexicon != lexicon_) return std::nullopt;
  std::optional<bool> out = exact_ ? std::optional(false) : std::nullopt;
  std::vector<ExprId> guards;  // between lexemes
  // Whether a text is found in what a lexeme leads to.
  const auto leads_on = [&](ExprId under, std::uint32_t state) {
    const std::optional<std::vector<Lexing::Left>> lexemes = lexing_.lexemes_under(under, state);
    if (!lexemes) out = std::nullopt;
    if (!lexemes) return false;
    return std::ranges::any_of(*lexemes, [&](const Lexing::Left& each) {
      const auto terminal = static_cast<std::uint16_t>(each.terminal);
      const ExprId left = guarding(each.guard);
      if (lexing_.lexicons_[lexicon_].terminals[terminal].ignored) {
        if (std::ranges::find(guards, left) == guards.end()) guards.push_back(left);
        return false;
      }
      const ExprId next = lexing_.rest_after(stack, terminal);
      if (next == ExprPool::kEmptyId) return false;
      const std::optional<bool> own = rest_ends(next, place_after(terminal, left));
      if (!own) out = std::nullopt;
      return own.value_or(false);
    });
  };
  if (node.a == kNoIndex) {
    guards.push_back(guarding(guard));
  } else if (leads_on(guard, node.a)) {
    return true;
  }
  for (std::size_t i = 0; i < guards.size(); ++i) {
    if (guards.size() > kMostPlaces) return std::nullopt;
    if (pool_.nullable(rest) && pool_.nullable(guards[i])) return true;
    if (leads_on(guards[i], lexing_.expanded(stack).start)) return true;
  }
  return out;
}

std::optional<bool> LexedEnds::rest_ends(ExprId rest, std::uint32_t place) {
  if (pool_.node(rest).depth > kDeepest) return std::nullopt;
  const Places found = run(rest, place);
  const bool ends = std::ranges::any_of(places(found), [this](std::uint32_t each) {
    return places_[each].byte == 0 && row(each).ends;
  });
  if (ends) return true;
  return exact_ ? std::optional(false) : std::nullopt;
}

// All ends of lexemes from `state` on, under `guard`, each once; nothing where there are too many.
std::optional<std::vector<Lexing::Left>> Lexing::lexemes_under(ExprId guard, std::uint32_t state) {
  std::vector<Left> out;
  std::unordered_set<std::uint64_t> known;
  const Verdict found = look_for(guard, state, [&](std::uint16_t terminal, ExprId left) {
    LongStep::tick();
    const std::uint64_t key = (static_cast<std::uint64_t>(terminal) << 32) | index_of(left);
    if (known.insert(key).second) out.push_back({terminal, left});
    return false;
  });
  if (found == Verdict::kUnknown) return std::nullopt;
  return out;
}

LexedEnds* Lexing::lexed_ends(std::uint32_t index, bool begun) {
  if (const auto it = lexed_ends_.find(index); it != lexed_ends_.end()) return it->second.get();
  if (begun) return nullptr;
  const Lexicon& lexicon = lexicons_[index];
  std::unique_ptr<LexedEnds> out;
  // What the parser takes competes, unless a track knows less than the rules.
  const bool taken = lexicon.track_start == ExprPool::kEmptyId || lexicon.track.dropped.empty();
  const auto safety = safeties_.find(index);
  const bool freer = safety != safeties_.end() && safety->second.freer;
  if (!lexicon.contextual || (freer && taken)) out = std::make_unique<LexedEnds>(pool_, index);
  return lexed_ends_.emplace(index, std::move(out)).first->second.get();
}

std::optional<bool> Lexing::has_text(ExprId id, bool begun) {
  // All readings of a state are of one lexicon.
  ExprId reading = id;
  while (pool_.node(reading).kind != Kind::kLexed) {
    const Node& node = pool_.node(reading);
    if (node.kind != Kind::kAnd && node.kind != Kind::kUnion) return std::nullopt;
    const auto members = pool_.members(node);
    const auto it = std::ranges::find_if(
        members, [this](ExprId member) { return (pool_.node(member).flags & kCalls) != 0; });
    if (it == members.end()) return std::nullopt;
    reading = *it;
  }
  LexedEnds* ends = lexed_ends(stacks_[pool_.node(reading).b].lexicon, begun);
  return ends ? ends->has_text(id) : std::nullopt;
}

}  // namespace formgate
