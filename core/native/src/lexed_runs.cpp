// Tables of lexer states that read text of a class uniformly: names, comments, blanks, and strings
// that count their characters.
//
// Inside such text a state is known from the number of characters read, so what lies below a node
// of the trie is in the vocabulary's tables of the class: tokens made of it, and the edges on which
// text leaves it. No part of the trie is walked, and what follows a lexeme in a token is the same
// for all states under one guard.
#include <algorithm>
#include <array>
#include <optional>

#include "formgate/expr_pool.hpp"
#include "lexed_building.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

// A class of fewer characters spells so little that a walk is as fast.
constexpr std::uint32_t kFewest = 4;

constexpr std::uint16_t kNoByte = 256;

// The characters that begin with a byte; empty where it begins none.
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

}  // namespace

const LexedMasks::Uniform& LexedMasks::uniform(std::uint32_t state) {
  if (const auto it = uniform_.find(state); it != uniform_.end()) return it->second;
  using Ways = std::vector<std::pair<std::uint32_t, Interval>>;  // target, characters
  std::map<std::pair<std::uint32_t, int>, Ways> memo;
  // What `rest` continuation bytes lead to, by the bits they add.
  const auto ways = [&](auto&& self, std::uint32_t from, int rest) -> const Ways& {
    auto [it, fresh] = memo.try_emplace({from, rest});
    if (!fresh) return it->second;
    Ways out;
    const std::uint32_t span = 1u << (6 * (rest - 1));
    const auto add = [&](std::uint32_t target, std::uint32_t low, std::uint32_t high) {
      if (!out.empty() && out.back().first == target && out.back().second.high + 1 == low) {
        out.back().second.high = high;
      } else {
        out.push_back({target, {low, high}});
      }
    };
    for (std::uint32_t b = 0x80; b < 0xC0; ++b) {
      const std::uint32_t next = moves(from).next[b];
      if (next == kNoIndex) continue;
      const std::uint32_t base = (b & 0x3F) * span;
      if (rest == 1) {
        add(next, base, base);
      } else {
        for (const auto& [target, range] : self(self, next, rest - 1)) {
          add(target, base + range.low, base + range.high);
        }
      }
    }
    return memo[{from, rest}] = std::move(out);
  };
  std::map<std::uint32_t, std::vector<Interval>> sets;
  for (std::uint32_t b = 0; b < 0xF5; ++b) {
    const std::uint32_t next = moves(state).next[b];
    const int length = continuations(static_cast<std::uint8_t>(b));
    if (next == kNoIndex || length < 0) continue;
    if (length == 0) {
      sets[next].push_back({b, b});
      continue;
    }
    const std::uint32_t base = lead_bits(static_cast<std::uint8_t>(b), length) << (6 * length);
    for (const auto& [target, range] : ways(ways, next, length)) {
      sets[target].push_back({base + range.low, base + range.high});
    }
  }
  Uniform out;
  std::uint64_t most = 0;
  for (const auto& [target, intervals] : sets) {
    std::uint64_t size = 0;
    for (const Interval& interval : intervals) size += interval.high - interval.low + 1;
    if (size <= most) continue;
    most = size;
    out.target = target;
    out.set = CharSet(intervals).intersect(CharSet::all());
  }
  bytes_ += sizeof(Uniform) + out.set.intervals().size() * sizeof(Interval);
  return uniform_.emplace(state, std::move(out)).first->second;
}

// Whether text can be read on in a state, and no lexeme may end there.
bool LexedMasks::passes(std::uint32_t index) {
  const Lexing::State& state = pool_.lexing().states_[index];
  return state.open && state.accepts.empty() && stays(index);
}

// What a state counts, where it does nothing else by characters of a class: one pattern is left, of
// the form U{m,n} K, and each of the characters is a U and begins nothing else.
std::optional<LexedMasks::Counted> LexedMasks::counted(std::uint32_t state,
                                                       std::uint32_t class_index) {
  const Lexing::State& from = pool_.lexing().states_[state];
  if (from.items.size() != 1 || from.items[0].threads.size() != 1) return std::nullopt;
  const Lexing::Item& item = from.items[0];
  const ExprId rest = item.threads[0].rest;
  const bool conditions = item.threads[0].demand != ExprPool::kAllId || !item.trackers.empty() ||
                          !item.keywords.empty() || item.prefix != ExprPool::kEmptyId;
  if (conditions || !pool_.free_of_context(rest)) return std::nullopt;
  const Node repeat = pool_.node(pool_.head(rest));
  if (repeat.kind != Kind::kRepeat || repeat.max == 0) return std::nullopt;
  const Counted found{ExprId{repeat.a}, pool_.tail(rest)};
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
  if (!counts || counts != chain.counts) note_followed(chain, last);
  chain.counts = counts;
  if (target == kNoIndex) {
    const Uniform& next = uniform(last);
    if (next.target == kNoIndex || next.set.intersect(set).empty()) {
      const Moves& row = moves(last);
      // Nothing of the set may go on.
      for (unsigned b = 0; b < 256; ++b) {
        chain.parted =
            chain.parted || (row.next[b] != kNoIndex &&
                             !beginning_with(static_cast<std::uint8_t>(b)).intersect(set).empty());
      }
      chain.ended = !chain.parted;
      return;
    }
    chain.parted = !set.subset_of(next.set);
    target = next.target;
  }
  const Lexing::State& after = lexing.states_[target];
  chain.parted = chain.parted || !after.open || !after.accepts.empty();
  if (!chain.parted) chain.states.push_back(target);
}

// Sees that a chain has so many states, if its characters lead on so far together and no lexeme may
// end on the way.
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
      chain.parted = true;
      return;
    }
    const std::size_t before = chain.known - 1;
    places_.emplace(chain.states[before], Place{&chain, static_cast<std::uint32_t>(before)});
    bytes_ += 64;
  }
}

// Whether some ASCII character may lead on in a run: a quick look, which most states end at.
bool LexedMasks::may_run(std::uint32_t state) {
  const Moves& row = moves(state);
  std::uint32_t before = kNoIndex;
  for (unsigned b = 0; b < 128; ++b) {
    const std::uint32_t next = row.next[b];
    if (next == kNoIndex || next == before) continue;
    if (next == state || passes(next)) return true;
    before = next;
  }
  return before == kNoIndex;
}

// The class of characters that a state reads uniformly, and the bytes that may begin others.
const LexedMasks::Reading& LexedMasks::reading(std::uint32_t state) {
  if (const auto it = readings_.find(state); it != readings_.end()) return it->second;
  Reading out;
  if (!may_run(state)) return readings_.emplace(state, std::move(out)).first->second;
  const Uniform& next = uniform(state);
  CharSet set = next.set;
  out.endless = next.target == state;
  if (out.endless) {
    const Lexing::State& from = pool_.lexing().states_[state];
    if (!from.open || !stays(state)) set = CharSet();
    // No lexeme ends between two characters of the set.
    std::vector<Interval> onward;
    const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[state].accepts;
    for (const Lexing::Accept& accept : accepts) {
      for (const LinearTerm& term : pool_.linear_form(ahead(state, accept.guard))) {
        if (!pool_.live(term.target)) continue;
        term.bytes.for_each([&](std::uint8_t byte) {
          const CharSet& characters = beginning_with(byte);
          onward.insert(onward.end(), characters.intervals().begin(), characters.intervals().end());
        });
      }
    }
    if (!onward.empty()) set = set.intersect(CharSet(std::move(onward)).complement());
  } else if (next.target != kNoIndex && !passes(next.target)) {
    set = CharSet();  // such as a prefix of keywords, which goes on as a name
  }
  if (set.size() >= kFewest) {
    out.class_index = pool_.intern_class(set);
    for (unsigned b = 0; b < 256; ++b) {
      const CharSet& characters = beginning_with(static_cast<std::uint8_t>(b));
      const bool inside = !characters.empty() &&
                          set.covers(characters.intervals()[0].low, characters.intervals()[0].high);
      if (!inside) out.leaving.insert(static_cast<std::uint8_t>(b));
    }
  }
  return readings_.emplace(state, std::move(out)).first->second;
}

bool LexedMasks::run_below(Building& building, std::uint32_t node, std::uint32_t state,
                           const std::function<void(std::uint32_t, std::uint32_t)>& enter) {
  if (!cache_.options_.class_tables) return false;
  Run run{kNoIndex, state};
  ByteSet leaving;
  if (const auto it = places_.find(state); it != places_.end()) {
    run.place = it->second;
  } else {
    const Reading read = reading(state);
    if (read.class_index == kNoIndex) return false;
    run.class_index = read.class_index;
    leaving = read.leaving;
    if (!read.endless) {
      chains_.push_back(std::make_unique<Chain>(Chain{read.class_index, read.leaving}));
      run.place.chain = chains_.back().get();
      run.place.chain->states.push_back(state);
      note_followed(*run.place.chain, state);
      places_.emplace(state, run.place);
      bytes_ += sizeof(Chain) + 96;
    }
  }
  Chain* const chain = run.place.chain;
  if (chain) run.class_index = chain->class_index;
  MaskCache::ClassTable& table = cache_.class_table(run.class_index, node);
  const Bitmap* limit = nullptr;
  if (chain) {
    const std::uint32_t wanted = run.place.at + table.longest + 1;
    follow(*chain, wanted);
    if (chain->known < wanted && chain->parted) return false;
    run.size = std::min(table.longest + 1, static_cast<std::uint32_t>(chain->known) - run.place.at);
    if (run.size <= table.longest) {
      const auto known = vocabulary_.at_most(node, run.size - 1);
      if (!known) return false;
      limit = *known;
    }
  }
  std::shared_ptr<const TokenSet> inside = table.inside;
  if (limit) {
    MaskCache::Sink sink(vocabulary_);
    Mask cut;
    cut.parts.push_back({inside, limit});
    cache_.collect(cut, sink);
    inside = sink.finish();
  }
  building.inside.add_set(*inside);
  // Bytes that leave the class, and that a lexeme may go on with.
  ByteSet followed;
  if (chain) {
    followed = chain->followed;
  } else {
    leaving.for_each([&](std::uint8_t byte) {
      if (moves(state).next[byte] != kNoIndex) followed.insert(byte);
    });
  }
  cache_.prepare_exits(table, run.class_index, chain ? followed : leaving);
  if (!chain) {
    const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[state].accepts;
    for (const Lexing::Accept& accept : accepts) {
      const Group& part =
          run_part(state, ahead(state, accept.guard), node, run.class_index, leaving);
      if (part.suffixes.empty() && part.large.empty()) continue;
      Building::Open& group = building.group(accept.terminal, accept.guard, vocabulary_);
      if (!part.suffixes.empty()) group.parts.push_back(&part);
      group.large.insert(group.large.end(), part.large.begin(), part.large.end());
    }
  }
  followed.for_each([&](std::uint8_t byte) {
    const std::span<const MaskCache::Exit> exits = cache_.exits_by(table, run.class_index, byte);
    if (closes(building, run, node, byte, exits)) return;
    for (const MaskCache::Exit& exit : exits) {
      const std::uint32_t at = run.at(exit.count);
      if (at == kNoIndex) continue;
      const std::uint32_t next = moves(at).next[byte];
      if (next != kNoIndex) enter(exit.node, next);
    }
  });
  return true;
}

// Where a byte ends the lexeme after any number of characters, as a quote ends a string, what
// follows it is the same for all states.
bool LexedMasks::closes(Building& building, const Run& run, std::uint32_t node, std::uint8_t byte,
                        std::span<const MaskCache::Exit> exits) {
  std::uint32_t closed = kNoIndex;
  for (const MaskCache::Exit& exit : exits) {
    const std::uint32_t at = run.at(exit.count);
    const std::uint32_t next = at == kNoIndex ? kNoIndex : moves(at).next[byte];
    if (next == kNoIndex || (closed != kNoIndex && next != closed)) return false;
    closed = next;
  }
  if (closed == kNoIndex || pool_.lexing().states_[closed].open) return false;
  const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[closed].accepts;
  for (const Lexing::Accept& accept : accepts) {
    const Group& part =
        closing_part(closed, ahead(closed, accept.guard), node, run.class_index, byte, exits);
    Building::Open& group = building.group(accept.terminal, accept.guard, vocabulary_);
    group.ends.add_set(*part.ends);
    if (!part.suffixes.empty()) group.parts.push_back(&part);
    group.large.insert(group.large.end(), part.large.begin(), part.large.end());
  }
  return true;
}

const LexedMasks::Group& LexedMasks::closing_part(std::uint32_t state, ExprId guard,
                                                  std::uint32_t node, std::uint32_t class_index,
                                                  std::uint8_t byte,
                                                  std::span<const MaskCache::Exit> exits) {
  std::unique_ptr<Group>& slot =
      run_parts_[{pool_.lexing().states_[state].lexicon, guard, node, class_index, byte}];
  if (slot) return *slot;
  slot = std::make_unique<Group>();
  const auto trie = vocabulary_.trie();
  MaskCache::Sink ends(vocabulary_);
  std::vector<std::pair<std::string_view, Ranks>> suffixes;
  for (const MaskCache::Exit& exit : exits) {
    const TrieNode& at = trie[exit.node];
    ends.add_ranks(at.rank_begin, at.own_end());
    if (is_large(at)) {
      slot->large.push_back(exit.node);
      continue;
    }
    const std::size_t skipped = vocabulary_.path(exit.node).size();
    for (std::uint32_t i = 0; i < at.child_count; ++i) {
      const std::uint32_t child = at.first_child + i;
      const std::uint8_t label = vocabulary_.labels()[child];
      if (!begun(state).contains(label)) continue;
      if (guard != ExprPool::kAllId && pool_.step(guard, label) == ExprPool::kEmptyId) continue;
      add_suffixes(suffixes, child, skipped);
    }
  }
  slot->ends = ends.finish();
  slot->suffixes = SuffixTree(suffixes);
  slot->settled = settles(slot->suffixes, settled_by(guard));
  bytes_ += slot->suffixes.memory_usage() + sizeof(Group) + slot->ends->memory_usage();
  return *slot;
}

// What follows a lexeme, which ends in the class, in tokens that go on under its guard.
const LexedMasks::Group& LexedMasks::run_part(std::uint32_t state, ExprId guard, std::uint32_t node,
                                              std::uint32_t class_index, const ByteSet& leaving) {
  std::unique_ptr<Group>& slot =
      run_parts_[{pool_.lexing().states_[state].lexicon, guard, node, class_index, kNoByte}];
  if (slot) return *slot;
  slot = std::make_unique<Group>();
  const auto trie = vocabulary_.trie();
  MaskCache::ClassTable& table = cache_.class_table(class_index, node);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // node before, node after
  (leaving & begun(state)).for_each([&](std::uint8_t byte) {
    if (guard != ExprPool::kAllId && pool_.step(guard, byte) == ExprPool::kEmptyId) return;
    for (const MaskCache::Exit& exit : cache_.exits_by(table, class_index, byte)) {
      if (exit.count != 0) edges.emplace_back(trie[exit.node].parent, exit.node);
    }
  });
  std::ranges::sort(edges);
  std::vector<std::pair<std::string_view, Ranks>> suffixes;
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    const std::uint32_t before = edges[first].first;
    std::uint32_t tokens = 0;
    for (; last < edges.size() && edges[last].first == before; ++last) {
      const TrieNode& at = trie[edges[last].second];
      tokens += at.rank_end - at.rank_begin;
    }
    if (tokens > kLargeSubtree) {
      slot->large.push_back(before);
      continue;
    }
    const std::size_t skipped = vocabulary_.path(before).size();
    for (std::size_t i = first; i < last; ++i) add_suffixes(suffixes, edges[i].second, skipped);
  }
  slot->suffixes = SuffixTree(suffixes);
  slot->settled = settles(slot->suffixes, settled_by(guard));
  bytes_ += slot->suffixes.memory_usage() + sizeof(Group);
  return *slot;
}

}  // namespace formgate
