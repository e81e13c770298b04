// Chains of lexer states that count characters of a class.
//
// Each state of a chain is what the one before becomes by any of the characters. Lexemes may end in
// its states from one of them on, all in the same way, if no character of the class may follow; in
// the last, which reads none of them, otherwise. Or the last leads to a state in which the lexeme
// has to end.
#include <algorithm>
#include <array>
#include <optional>

#include "formgate/expr_pool.hpp"
#include "lexed_building.hpp"
#include "utf8.hpp"

namespace formgate {

const CharSet& beginning_with(std::uint8_t byte) {
  static const std::array<CharSet, 256> sets = [] {
    std::array<CharSet, 256> out;
    for (unsigned b = 0; b < 256; ++b) {
      const auto lead = static_cast<std::uint8_t>(b);
      const int length = continuations(lead);
      if (length < 0) continue;
      const std::uint32_t low = lead_bits(lead, length) << (6 * length);
      const std::uint32_t high = std::min(low + (1u << (6 * length)) - 1, kMaxCodePoint);
      out[b] = CharSet({{std::max(low, kLeast[length]), high}}).intersect(CharSet::all());
    }
    return out;
  }();
  return sets[byte];
}

// The characters that texts may begin with. What guards forbid is mostly told by whole characters;
// otherwise all that their first bytes begin count.
CharSet LexedMasks::beginning(ExprId texts) {
  const Node own = pool_.node(texts);
  if (own.kind == Kind::kAnd) {
    CharSet out = CharSet::all();
    const auto list = pool_.members(own);
    for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
      out = out.intersect(beginning(member));
    }
    return out.intersect(by_first_bytes(texts));
  }
  if (own.kind == Kind::kNot && pool_.tail(ExprId{own.a}) == ExprPool::kAllId) {
    const ExprPool::Loop one = pool_.loop_of(pool_.head(ExprId{own.a}));
    if (one.class_index != kNoIndex) {
      return pool_.char_class(one.class_index).complement();
    }
  }
  return by_first_bytes(texts);
}

// All characters that their first bytes begin.
CharSet LexedMasks::by_first_bytes(ExprId texts) {
  std::vector<Interval> out;
  for (const LinearTerm& term : pool_.linear_form(texts)) {
    if (!pool_.live(term.target)) continue;
    term.bytes.for_each([&](std::uint8_t byte) {
      const CharSet& characters = beginning_with(byte);
      out.insert(out.end(), characters.intervals().begin(), characters.intervals().end());
    });
  }
  return out.empty() ? CharSet() : CharSet(std::move(out));
}

// The characters that text may go on with after a lexeme that ends in a state.
CharSet LexedMasks::after_lexeme(std::uint32_t state) {
  std::vector<Interval> onward;
  const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[state].accepts;
  for (const Lexing::Accept& accept : accepts) {
    const CharSet own = beginning(ahead(state, accept.guard));
    onward.insert(onward.end(), own.intervals().begin(), own.intervals().end());
  }
  return onward.empty() ? CharSet() : CharSet(std::move(onward));
}

// Whether text of a set can be read on in a state, before which no lexeme may end, or none at all.
bool LexedMasks::passes(std::uint32_t index, const CharSet& set) {
  const Lexing::State& state = pool_.lexing().states_[index];
  if (!state.open) return true;
  if (!stays(index)) return false;
  return state.accepts.empty() || after_lexeme(index).intersect(set).empty();
}

// What a state counts, where it does nothing else by characters of a class: one pattern is left, of
// the form U{m,n} K, and each of the characters is a U and begins nothing else.
std::optional<LexedMasks::Counted> LexedMasks::counted(std::uint32_t state,
                                                       std::uint32_t class_index) {
  const Lexing::State& from = pool_.lexing().states_[state];
  if (from.items.size() != 1 || from.items[0].threads.size() != 1) return std::nullopt;
  const Lexing::Item& item = from.items[0];
  const ExprId rest = item.threads[0].rest;
  // What has matched already stands before others for ever.
  const bool prefix = item.prefix != ExprPool::kEmptyId && item.prefix != ExprPool::kAllId;
  const bool conditions = item.threads[0].demand != ExprPool::kAllId || !item.trackers.empty() ||
                          !item.keywords.empty() || prefix;
  if (conditions || !pool_.free_of_context(rest)) return std::nullopt;
  const Node repeat = pool_.node(pool_.head(rest));
  if (repeat.kind != Kind::kRepeat || repeat.max == 0) return std::nullopt;
  const Counted found{ExprId{repeat.a}, pool_.tail(rest), repeat.min, repeat.max};
  const ExprPool::Loop one = pool_.loop_of(found.unit);
  if (one.class_index == kNoIndex || pool_.nullable(found.unit)) return std::nullopt;
  const CharSet& set = pool_.char_class(class_index);
  if (!set.subset_of(pool_.char_class(one.class_index))) return std::nullopt;
  if (one.rest != ExprPool::kEmptyId && pool_.meets(class_index, one.rest)) return std::nullopt;
  if (repeat.min == 0 && found.tail != ExprPool::kEpsilonId && pool_.meets(class_index, found.tail))
    return std::nullopt;
  return found;
}

// Notes the bytes that a state of a chain goes on with beside its characters.
void LexedMasks::note_followed(Chain& chain, std::uint32_t state) {
  chain.leaving.for_each([&](std::uint8_t byte) {
    if (moves(state).next[byte] != kNoIndex) chain.followed.insert(byte);
  });
}

// Whether lexemes end in the next state of a chain as in those before it.
bool LexedMasks::ends_alike(Chain& chain, std::uint32_t next, const CharSet& set) {
  const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[next].accepts;
  if (chain.ending != kNoIndex) {
    return accepts == pool_.lexing().states_[chain.states[chain.ending]].accepts;
  }
  if (accepts.empty()) return true;
  if (!after_lexeme(next).intersect(set).empty()) return false;
  chain.ending = static_cast<std::uint32_t>(chain.states.size());
  return true;
}

// Whether no byte leads on in a state that begins a character of a set.
bool LexedMasks::reads_none(std::uint32_t state, const CharSet& set) {
  const Moves& row = moves(state);
  for (unsigned b = 0; b < 256; ++b) {
    const CharSet& begun = beginning_with(static_cast<std::uint8_t>(b));
    if (row.next[b] != kNoIndex && !begun.intersect(set).empty()) return false;
  }
  return true;
}

// Whether text that goes on with the tail has nothing to do with the count any more.
bool LexedMasks::tail_apart(const Counted& counts) {
  if (pool_.nullable(counts.tail)) return false;
  const auto first_bytes = [&](ExprId id) {
    ByteSet out;
    for (const LinearTerm& term : pool_.linear_form(id)) out = out | term.bytes;
    return out;
  };
  return (first_bytes(counts.unit) & first_bytes(counts.tail)).empty();
}

// Notes what the last state of a chain counts. Where none of the units must come, and no lexeme may
// end before the tail, only text that is as long as what is left shows how much that is.
void LexedMasks::note_spot(Chain& chain, const std::optional<Counted>& counts) {
  Spot spot{static_cast<std::uint32_t>(chain.states.size() - 1)};
  if (counts) {
    const bool same = chain.counts && counts->alike(*chain.counts);
    if (!same) chain.tail_apart = tail_apart(*counts);
    if (counts->least == 0 && chain.tail_apart) {
      spot.left = counts->most;
      if (same && chain.spots.back().left > 0) spot.like = chain.spots.back().like;
    }
  }
  chain.spots.push_back(spot);
}

// Adds the next state to a chain, if there is one: whether its lexeme leads on is left open.
void LexedMasks::add_next(Chain& chain, const CharSet& set) {
  Lexing& lexing = pool_.lexing();
  const std::uint32_t last = chain.states.back();
  const ByteSet spelled = lexing.lexicons_[lexing.states_[last].lexicon].spelled;
  const ByteSet ascii = set.ascii() & spelled;
  std::uint32_t target = kNoIndex;
  const std::optional<Counted> counts =
      ascii.empty() ? std::nullopt : counted(last, chain.class_index);
  if (counts) target = lexing.stepped(last, ascii.first());
  // While the same is counted, the first state and the last one tell what else is read.
  note_spot(chain, counts);
  if (!counts || !chain.counts || !counts->alike(*chain.counts)) {
    // What reads far more is read by the tables of that.
    if (chain.states.size() > 1 && uniform(last).set.size() / 2 > set.size()) {
      chain.parted = true;
      return;
    }
    note_followed(chain, last);
  }
  chain.counts = counts;
  if (target == kNoIndex) {
    const Uniform& next = uniform(last);
    if (next.target == kNoIndex || next.set.intersect(set).empty()) {
      chain.ended = reads_none(last, set);
      chain.parted = !chain.ended;
      return;
    }
    chain.parted = !set.subset_of(next.set);
    target = next.target;
  }
  if (chain.parted) return;
  if (!lexing.states_[target].open) {
    chain.beyond = target;
    return;
  }
  const bool alike = ends_alike(chain, target, set);
  chain.apart = !alike && reads_none(target, set);
  chain.ended = chain.apart;
  chain.parted = !alike && !chain.apart;
  if (!chain.parted) chain.states.push_back(target);
}

// Sees that a chain has so many states, if its characters lead on so far together and lexemes end
// alike on the way.
void LexedMasks::follow(Chain& chain, std::size_t count) {
  if (chain.known >= count || (chain.known == chain.states.size() && chain.closed())) return;
  const CharSet set = pool_.char_class(chain.class_index);
  while (chain.states.size() < count && !chain.closed()) add_next(chain, set);
  // What leads on from the last one does from those before it.
  if (stays(chain.states.back())) {
    for (const std::uint32_t state : chain.states) {
      pool_.lexing().states_[state].leads_on = Lexing::Verdict::kYes;
    }
  }
  note_followed(chain, chain.states.back());
  for (; chain.known < chain.states.size(); ++chain.known) {
    if (!stays(chain.states[chain.known])) {
      chain.states.resize(chain.known);
      chain.apart = false;
      chain.parted = true;
      return;
    }
    const std::size_t before = chain.known - 1;
    places_.emplace(chain.states[before], Place{&chain, static_cast<std::uint32_t>(before)});
    bytes_ += 64;
  }
  if (chain.beyond != kNoIndex) {
    places_.emplace(chain.states.back(),
                    Place{&chain, static_cast<std::uint32_t>(chain.known - 1)});
  }
}

// Whether text behind a lexeme, in `next`, may begin with a character of a class.
bool LexedMasks::may_begin(ExprId next, std::uint32_t class_index) {
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(next)) << 32) | class_index;
  if (const auto it = may_begin_.find(key); it != may_begin_.end()) return it->second;
  const CharSet set = pool_.char_class(class_index);
  bool found = false;
  for (unsigned b = 0; b < 256 && !found; ++b) {
    const auto byte = static_cast<std::uint8_t>(b);
    if (beginning_with(byte).intersect(set).empty()) continue;
    found = pool_.step(next, byte) != ExprPool::kEmptyId;
  }
  may_begin_.emplace(key, found);
  return found;
}

// The nodes, with children, that so many characters of a class lead to.
std::vector<std::uint32_t> LexedMasks::nodes_behind(const Cut& cut) const {
  struct Way {
    std::uint32_t node;
    std::uint32_t count;  // of whole characters
    std::uint32_t value;  // of the character that was begun
    int length;           // continuation bytes that it has
    int left;             // of them, those to come
  };
  const CharSet& set = pool_.char_class(cut.class_index);
  const auto trie = vocabulary_.trie();
  const auto labels = vocabulary_.labels();
  std::vector<std::uint32_t> out;
  std::vector<Way> ways{{cut.node, 0, 0, 0, 0}};
  while (!ways.empty()) {
    const Way way = ways.back();
    ways.pop_back();
    LongStep::tick();
    const TrieNode& at = trie[way.node];
    const std::uint32_t begun = way.left == 0 ? 0 : 1;
    if (way.count + begun + at.height < cut.count) continue;  // no text below is so long
    if (way.left == 0 && way.count == cut.count) {
      if (at.child_count > 0) out.push_back(way.node);
      continue;
    }
    for (std::uint32_t i = 0; i < at.child_count; ++i) {
      const std::uint32_t child = at.first_child + i;
      const std::uint8_t byte = labels[child];
      Way next{child, way.count, 0, way.length, way.left - 1};
      if (way.left == 0) {
        next.length = next.left = continuations(byte);
        if (next.length < 0) continue;
        next.value = lead_bits(byte, next.length);
      } else {
        if (!is_continuation(byte)) continue;
        next.value = (way.value << 6) | (byte & 0x3F);
      }
      if (next.left == 0) {
        if (!valid_character(next.value, next.length) || !set.contains(next.value)) continue;
        ++next.count;
      }
      ways.push_back(next);
    }
  }
  return out;
}

}  // namespace formgate
