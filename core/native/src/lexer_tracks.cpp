// What competes by the state of an LALR parser: the track of a parser state, and which terminals
// can take texts from which.
#include <algorithm>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"
#include "track_ends.hpp"

namespace formgate {
namespace {

// Markers passed to find the symbols of one track. Empty productions that repeat for ever would be
// passed for ever.
constexpr std::size_t kMostMarkers = 256;

// Pairs of states looked at to tell two terminals apart; beyond that they may collide.
constexpr std::size_t kMostPairsOfTracks = 500;

// Pairs of terminals looked at for one state; of more, all compete.
constexpr std::size_t kMostTerminals = 100'000;

}  // namespace

std::vector<std::uint32_t> Lexing::first_symbols(ExprId rest, std::uint32_t width) {
  std::vector<std::uint32_t> out;
  begins_with(rest).for_each([&](std::uint8_t byte) {
    if (width == 1) {
      out.push_back(byte);
      return;
    }
    for (std::uint32_t symbol : first_symbols(step_symbol(rest, byte), width - 1)) {
      out.push_back((static_cast<std::uint32_t>(byte) << 7 * (width - 1)) + symbol);
    }
  });
  return out;
}

ExprId Lexing::after_symbol(ExprId rest, std::uint32_t width, std::uint32_t symbol) {
  for (const char byte : symbol_text(width, symbol)) {
    rest = step_symbol(rest, static_cast<std::uint8_t>(byte));
  }
  return rest;
}

std::uint32_t Lexing::track_of(std::uint32_t lexicon, ExprId rest, std::uint32_t extras) {
  const Hash128 key = Hasher(lexicon).add(index_of(rest)).add(extras).finish();
  const auto [it, fresh] = track_index_.emplace(key, static_cast<std::uint32_t>(tracks_.size()));
  if (fresh) {
    tracks_.push_back({lexicon, rest, extras, Verdict::kUnknown, false, false, {}, {}});
    bytes_ += sizeof(Track) + 48;
  }
  return it->second;
}

const Lexing::Track& Lexing::expanded_track(std::uint32_t index) {
  Track& track = tracks_[index];  // tracks are never moved
  if (track.expanded) return track;
  const TrackSymbols& symbols = lexicons_[track.lexicon].track;
  std::vector<TrackWay> ways{
      {track.rest, Symbols(lexicons_[track.lexicon].terminals.size(), false)}};
  std::vector<std::uint32_t> found;  // symbols
  std::unordered_map<Hash128, bool, HashOfHash> seen;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (i > kMostMarkers) {
      track.partial = true;
      break;
    }
    const TrackWay way = ways[i];
    for (std::uint32_t number : first_symbols(way.rest, symbols.width)) {
      const TrackSymbol& symbol = symbols.symbols[number];
      if (symbol.terminal != TrackSymbol::kMarker) {
        if (!way.dropped[symbol.terminal]) found.push_back(number);
        continue;
      }
      TrackWay next{after_symbol(way.rest, symbols.width, number), way.dropped};
      Hasher hasher(index_of(next.rest));
      for (std::size_t k = 0; k < next.dropped.size(); ++k) {
        next.dropped[k] = next.dropped[k] || symbols.dropped[symbol.set][k];
        hasher.add(next.dropped[k]);
      }
      if (seen.emplace(hasher.finish(), true).second) ways.push_back(std::move(next));
    }
  }
  // The parser is in one state: all ways that it does not drop say the same of what competes.
  std::ranges::sort(found, {}, [&](std::uint32_t number) {
    return std::pair{symbols.symbols[number].terminal, symbols.symbols[number].set};
  });
  std::vector<TrackNext> next;  // set at once: a limit may end this
  for (std::uint32_t number : found) {
    const std::uint16_t terminal = symbols.symbols[number].terminal;
    if (next.empty() || next.back().terminal != terminal) {
      next.push_back({terminal, number, kNoIndex});
    }
  }
  track.ways = std::move(ways);
  track.next = std::move(next);
  track.expanded = true;
  bytes_ += track.next.capacity() * sizeof(track.next[0]) + track.ways.size() * sizeof(TrackWay);
  return track;
}

// The track behind a terminal; kNoIndex where the parser in question fails.
std::uint32_t Lexing::track_after(std::uint32_t index, std::uint16_t terminal) {
  expanded_track(index);
  Track& track = tracks_[index];
  const auto it = std::ranges::lower_bound(track.next, terminal, {}, &TrackNext::terminal);
  if (it == track.next.end() || it->terminal != terminal) return kNoIndex;
  if (it->track == kNoIndex) {
    const TrackSymbols& symbols = lexicons_[track.lexicon].track;
    std::vector<ExprId> targets;
    for (const TrackWay& way : track.ways) {
      if (!way.dropped[terminal]) {
        targets.push_back(after_symbol(way.rest, symbols.width, it->symbol));
      }
    }
    it->track = track_of(track.lexicon, pool_.unite(targets), symbols.symbols[it->symbol].set);
  }
  return it->track;
}

// A parser that resolves conflicts may come to where it cannot end any more, but other readings
// can: what competes for it would keep out the terminals that they need. There the track ends.
std::uint32_t Lexing::kept_track(std::uint32_t lexicon, std::uint32_t track) {
  if (track == kNoIndex) return track;
  const TrackSymbols& symbols = lexicons_[lexicon].track;
  if (symbols.dropped.empty()) return track;  // it reads as the rules do
  Track& each = tracks_[track];
  if (each.ends == Verdict::kUnknown) {
    each.ends = track_ends(lexicon).ends(each.rest) ? Verdict::kYes : Verdict::kNo;
  }
  return each.ends == Verdict::kYes ? track : kNoIndex;
}

// Those that the parser takes, and with a track, those of them that it takes, and its extras.
void Lexing::find_competing(const Stack& stack, Symbols& competing, Symbols& vain) {
  for (const auto& [terminal, rest] : stack.next) competing[terminal] = true;
  const Lexicon& lexicon = lexicons_[stack.lexicon];
  if (lexicon.track_start == ExprPool::kEmptyId) return;
  if (stack.track == kNoIndex) {
    add_regexes(stack.lexicon, competing, vain);
    return;
  }
  const Track& track = expanded_track(stack.track);
  const auto& extras = lexicon.track.extras[track.extras];
  Symbols own(competing.size(), false);
  if (track.partial) own = competing;
  bool any = track.partial || pool_.nullable(stack.rest);
  for (const auto& [terminal, symbol, after] : track.next) {
    if (!competing[terminal]) continue;
    own[terminal] = true;
    any = true;
  }
  if (!any) {  // the track leads nowhere
    add_regexes(stack.lexicon, competing, vain);
    return;
  }
  for (std::uint16_t terminal : extras) {
    if (competing[terminal]) own[terminal] = true;
  }
  const bool all = extras.size() * own.size() > kMostTerminals;
  const auto takes = [&](std::uint16_t terminal) {
    return all || takes_from(stack.lexicon, terminal, own);
  };
  // Others compete in vain; that matters where one takes a text from one that is taken.
  for (std::uint16_t terminal : extras) {
    if (!competing[terminal]) vain[terminal] = takes(terminal);
  }
  // What other readings take, too, where the parser in question would not miss a text.
  Symbols beside(own.size(), false);
  if (!lexicon.track.dropped.empty()) {
    for (const auto& [terminal, rest] : stack.next) {
      if (!own[terminal]) beside[terminal] = !takes(terminal);
    }
    add_regexes_beside(stack.lexicon, own, beside, vain);
  }
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = own[i] || vain[i] || beside[i];
  competing = std::move(own);
}

// Lets the regexes that take a keyword compete in vain where it does without them: a name that
// begins like a keyword is not one. Other readings' keywords could else meet terminals there that
// they never do in a parser's state, to the loss of both (see lexer_keywords.cpp).
void Lexing::add_regexes(std::uint32_t index, Symbols& competing, Symbols& vain) const {
  const auto& terminals = lexicons_[index].terminals;
  for (std::size_t i = 0; i < terminals.size(); ++i) {
    if (competing[i] || !takes_one(terminals[i], competing)) continue;
    competing[i] = true;
    vain[i] = true;
  }
}

bool Lexing::takes_one(const LexTerminal& regex, const Symbols& keywords) {
  return std::ranges::any_of(regex.keywords,
                             [&](const LexKeyword& each) { return keywords[each.terminal]; });
}

// Does the same for terminals beside a track's own. Where a regex would take a text from those, its
// keywords only stay if they are in no other's way.
void Lexing::add_regexes_beside(std::uint32_t index, const Symbols& own, Symbols& beside,
                                Symbols& vain) {
  const auto& terminals = lexicons_[index].terminals;
  std::vector<std::uint16_t> alone;
  for (std::uint16_t i = 0; i < terminals.size(); ++i) {
    if (own[i] || vain[i] || beside[i] || !takes_one(terminals[i], beside)) continue;
    if (!takes_from(index, i, own)) {
      vain[i] = true;
      continue;
    }
    for (const LexKeyword& each : terminals[i].keywords) {
      if (beside[each.terminal]) alone.push_back(each.terminal);
    }
  }
  Symbols others = own;
  for (std::size_t i = 0; i < own.size(); ++i) others[i] = others[i] || beside[i] || vain[i];
  for (std::uint16_t keyword : alone) {
    for (std::uint16_t i = 0; i < others.size(); ++i) {
      if (i == keyword || (!others[i] && !terminals[i].ignored)) continue;
      if (may_collide(index, keyword, i) || may_collide(index, i, keyword)) beside[keyword] = false;
    }
  }
}

// Whether a terminal may take a text from one of a set, or from what is ignored.
bool Lexing::takes_from(std::uint32_t index, std::uint16_t terminal, const Symbols& set) {
  for (std::uint16_t i = 0; i < set.size(); ++i) {
    if (!set[i] && !lexicons_[index].terminals[i].ignored) continue;
    if (may_collide(index, terminal, i)) return true;
  }
  return false;
}

// What `collide` says; remembered.
bool Lexing::may_collide(std::uint32_t index, std::uint16_t one, std::uint16_t other) {
  const std::uint64_t key =
      (static_cast<std::uint64_t>(index) << 32) | (static_cast<std::uint64_t>(one) << 16) | other;
  if (const auto it = collisions_.find(key); it != collisions_.end()) return it->second;
  const bool found = collide(lexicons_[index], one, other);
  collisions_.emplace(key, found);
  return found;
}

// Whether what was read may be a lexeme.
bool Lexing::may_end(const Item& item) {
  const std::uint32_t truths = pool_.tracker_truths(item.trackers);
  return std::ranges::any_of(item.threads, [&](const Thread& thread) {
    return pool_.empty_condition(thread.rest, truths) != ExprPool::kEmptyId;
  });
}

bool Lexing::collide(const Lexicon& lexicon, std::uint16_t one, std::uint16_t other) {
  const auto has_keyword = [&](std::uint16_t regex, std::uint16_t keyword) {
    return std::ranges::find(lexicon.terminals[regex].keywords, keyword, &LexKeyword::terminal) !=
           lexicon.terminals[regex].keywords.end();
  };
  if (has_keyword(one, other) || has_keyword(other, one)) return true;
  if (lexicon.mode == LexMode::kFirst && other < one) return false;
  std::vector<std::pair<Item, Item>> order;
  order.emplace_back(begun(lexicon, one), begun(lexicon, other));
  std::unordered_map<Hash128, bool, HashOfHash> seen;
  bool found = false;
  for (std::size_t i = 0; i < order.size() && !found; ++i) {
    if (i > kMostPairsOfTracks) return true;
    const auto [first, second] = order[i];
    ByteGroups groups;
    std::uint64_t number = 0;
    ByteSet moving;
    ByteSet moving_too;
    split(first, groups, number, moving);
    split(second, groups, number, moving_too);
    groups.for_each(moving & moving_too & lexicon.spelled, [&](std::uint8_t byte, const ByteSet&) {
      if (found) return;
      Item left = step(lexicon, first, byte);
      Item right = step(lexicon, second, byte);
      if (left.threads.empty() || right.threads.empty()) return;
      found = may_end(left) || may_end(right);
      if (found) return;
      Hasher hasher(left.threads.size());
      for (const Item* item : {&left, &right}) {
        for (const Thread& thread : item->threads) {
          hasher.add(index_of(thread.rest)).add(index_of(thread.demand));
        }
        for (ExprId id : item->trackers) hasher.add(index_of(id));
        hasher.add(index_of(item->prefix));
      }
      if (seen.emplace(hasher.finish(), true).second) {
        order.emplace_back(std::move(left), std::move(right));
      }
    });
  }
  return found;
}

}  // namespace formgate
