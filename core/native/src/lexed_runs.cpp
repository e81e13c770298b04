// Tables of lexer states that read text of a class uniformly: names, comments, blanks, and strings
// that count their characters.
//
// Inside such text a state is known from the number of characters read, so what lies below a node
// of the trie is in the vocabulary's tables of the class: tokens made of it, and the edges on which
// text leaves it. No part of the trie is walked, and what follows a lexeme in a token is the same
// for all states under one guard.
#include <algorithm>
#include <bit>
#include <optional>

#include "formgate/expr_pool.hpp"
#include "lexed_building.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

// A class of fewer characters spells so little that a walk is as fast.
constexpr std::uint32_t kFewest = 4;

// Characters of ASCII that make it worth while to look at what may follow the first of a lexeme.
constexpr std::uint32_t kMany = 16;

constexpr std::uint16_t kNoByte = 256;

}  // namespace

// Whether some ASCII character may lead on in a run: a quick look, which most states end at.
bool LexedMasks::may_run(std::uint32_t state) {
  const Moves& row = moves(state);
  std::uint32_t before = kNoIndex;
  for (unsigned b = 0; b < 128; ++b) {
    const std::uint32_t next = row.next[b];
    if (next == kNoIndex || next == before) continue;
    if (next == state) return true;
    const Lexing::State& target = pool_.lexing().states_[next];
    const bool leads = !target.open || stays(next);
    if (leads && (target.accepts.empty() || many_lead(state, next))) return true;
    before = next;
  }
  return before == kNoIndex;
}

// Whether many characters lead to a state that lexemes may end in.
bool LexedMasks::many_lead(std::uint32_t state, std::uint32_t next) {
  std::uint32_t count = 0;
  for (unsigned b = 0; b < 128; ++b) count += moves(state).next[b] == next;
  return count >= kMany;
}

// The class of characters that a state reads uniformly, and the bytes that may begin others.
const LexedMasks::Reading& LexedMasks::reading(std::uint32_t state) {
  if (const auto it = readings_.find(state); it != readings_.end()) return it->second;
  Reading out;
  if (!may_run(state)) return readings_.emplace(state, std::move(out)).first->second;
  const Uniform& next = uniform(state);
  CharSet set = next.set;
  if (next.target == state) {
    out.endless = state;
    // No lexeme ends between two characters of the set.
    const Lexing::State& from = pool_.lexing().states_[state];
    set = from.open ? set.intersect(after_lexeme(state).complement()) : CharSet();
  } else if (next.target != kNoIndex) {
    // Text that must not be empty goes on as it began; a name does not.
    const bool endless = uniform(next.target).target == next.target;
    const Reading beyond = endless ? reading(next.target) : Reading();
    if (beyond.class_index != kNoIndex &&
        pool_.char_class(beyond.class_index).subset_of(next.set)) {
      Reading begun = beyond;
      begun.beyond = begun.beyond | read_beyond(state, pool_.char_class(beyond.class_index));
      return readings_.emplace(state, begun).first->second;
    }
    const bool ends = endless && !pool_.lexing().states_[next.target].accepts.empty();
    if (ends || !passes(next.target, set)) set = CharSet();  // such as a prefix of keywords
  }
  if (set.size() >= kFewest) {
    out.class_index = pool_.intern_class(set);
    for (unsigned b = 0; b < 256; ++b) {
      const CharSet& characters = beginning_with(static_cast<std::uint8_t>(b));
      const bool inside = !characters.empty() &&
                          set.covers(characters.intervals()[0].low, characters.intervals()[0].high);
      if (!inside) out.leaving.insert(static_cast<std::uint8_t>(b));
    }
    if (out.endless != kNoIndex) out.beyond = read_beyond(state, set);
  }
  return readings_.emplace(state, std::move(out)).first->second;
}

const LexedMasks::First& LexedMasks::first_of(std::uint32_t state) {
  if (const auto it = firsts_.find(state); it != firsts_.end()) return it->second;
  First out;
  const auto find = [&] {
    // The tables of a class are for some; most of the others end at a quick look.
    if (places_.contains(state) || begins_few(state)) return;
    if (reading(state).class_index != kNoIndex) return;
    const Uniform& next = uniform(state);
    if (next.target == kNoIndex || next.target == state) return;
    if (uniform(next.target).target != next.target) return;
    const Reading& beyond = reading(next.target);
    if (beyond.class_index == kNoIndex) return;
    const CharSet set = next.set.intersect(pool_.char_class(beyond.class_index));
    const ByteSet others = read_beyond(state, set);
    for (unsigned b = 0; b < 256; ++b) {
      const auto byte = static_cast<std::uint8_t>(b);
      const CharSet& characters = beginning_with(byte);
      if (others.contains(byte) || characters.intersect(set).empty()) continue;
      out.bytes.insert(byte);
      out.whole = out.whole && characters.subset_of(set);
    }
    if (!out.bytes.empty()) out.state = next.target;
  };
  find();
  return firsts_.emplace(state, out).first->second;
}

std::uint32_t LexedMasks::alike(std::uint32_t state, std::uint32_t node) {
  const auto it = places_.find(state);
  if (it == places_.end()) return state;
  const Chain& chain = *it->second.chain;
  const std::uint32_t at = it->second.at;
  if (at >= chain.spots.size()) return state;
  for (const Reach& reach : chain.reaches) {
    if (reach.node == node && reach.like == chain.spots[at].like) return chain.like(at, reach.most);
  }
  return state;
}

void LexedMasks::note_reach(const Place& place, std::uint32_t node, MaskCache::ClassTable& table) {
  Chain& chain = *place.chain;
  if (place.at >= chain.spots.size() || chain.spots[place.at].left == 0) return;
  Reach reach{chain.spots[place.at].like, node, table.longest};
  for (const Reach& known : chain.reaches) {
    if (known.like == reach.like && known.node == node) return;
  }
  chain.followed.for_each([&](std::uint8_t byte) {
    for (const MaskCache::Exit& exit : cache_.exits_by(table, chain.class_index, byte)) {
      const std::uint32_t below = vocabulary_.trie()[exit.node].height + 1u;
      reach.most = std::max(reach.most, exit.count + below);
    }
  });
  chain.reaches.push_back(reach);
}

// Whether few characters of ASCII lead on together.
bool LexedMasks::begins_few(std::uint32_t state) {
  const Moves& row = moves(state);
  std::map<std::uint32_t, std::uint32_t> counts;
  std::uint32_t most = 0;
  for (unsigned b = 0; b < 128; ++b) {
    if (row.next[b] != kNoIndex) most = std::max(most, ++counts[row.next[b]]);
  }
  return most < kMany;
}

// Tokens below a node that begin as a First does.
const Bitmap* LexedMasks::limit_of(std::uint32_t state, std::uint32_t node) {
  const First first = first_of(state);
  if (first.whole) return cache_.beginning_with(first.bytes, node);
  return cache_.kept_limit(Hasher(state).add(node).add(0xF1).finish().lo, [&](Bitmap& out) {
    const auto trie = vocabulary_.trie();
    const auto labels = vocabulary_.labels();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{node, state}};
    while (!stack.empty()) {
      const auto [at, from] = stack.back();
      stack.pop_back();
      const Moves& row = moves(from);
      for (std::uint32_t i = 0; i < trie[at].child_count; ++i) {
        const std::uint32_t child = trie[at].first_child + i;
        const std::uint32_t next = row.next[labels[child]];
        if (next == kNoIndex || (at == node && !first.bytes.contains(labels[child]))) continue;
        const bool whole = next == first.state;
        const std::uint32_t end = whole ? trie[child].rank_end : trie[child].own_end();
        for (std::uint32_t rank = trie[child].rank_begin; rank < end; ++rank) {
          set_bit(out.data(), vocabulary_.ids()[rank]);
        }
        if (!whole) stack.emplace_back(child, next);
      }
    }
  });
}

bool LexedMasks::run_below(Building& building, std::uint32_t node, std::uint32_t state,
                           const std::function<void(std::uint32_t, std::uint32_t)>& enter) {
  if (!cache_.options_.class_tables) return false;
  Run run{kNoIndex, state, state};
  ByteSet leaving;
  ByteSet beyond;
  if (const auto it = places_.find(state); it != places_.end()) {
    run.place = it->second;
  } else {
    const Reading read = reading(state);
    if (read.class_index == kNoIndex) return false;
    run.class_index = read.class_index;
    leaving = read.leaving;
    beyond = read.beyond;
    run.state = read.endless;
    if (read.endless == kNoIndex) {
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
  if (chain) leaving = chain->leaving;
  MaskCache::ClassTable& table = cache_.class_table(run.class_index, node);
  const Bitmap* limit = nullptr;
  const Bitmap* most = nullptr;  // of what comes to where the lexeme has to end; null: all does
  bool ends = false;
  if (chain) {
    const std::uint32_t wanted = run.place.at + table.longest + 1;
    follow(*chain, wanted);
    if (chain->known < wanted && chain->parted) return false;
    run.size = std::min(table.longest + 1, static_cast<std::uint32_t>(chain->known) - run.place.at);
    if (run.size <= table.longest) {
      const auto known = vocabulary_.at_most(node, run.size - 1);
      const auto more = vocabulary_.at_most(node, run.size);
      if (!known || !more) return false;
      limit = *known;
      most = *more;
      ends = chain->beyond != kNoIndex;
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
  // What may lead nowhere with some parser's states is asked of each of them.
  if (chain || stays(run.state)) {
    building.inside.add_set(*inside);
  } else {
    building.checks.try_emplace(run.state, vocabulary_).first->second.add_set(*inside);
  }
  // Bytes that leave the class, and that a lexeme may go on with.
  ByteSet followed;
  if (chain) {
    followed = chain->followed;
  } else {
    // Below bytes that begin characters of the class alone, and others that are not read, tokens
    // are inside or not allowed.
    (leaving & (beyond | ByteSet::range(0, 0x7F))).for_each([&](std::uint8_t byte) {
      const bool goes_on =
          moves(run.state).next[byte] != kNoIndex || moves(run.first).next[byte] != kNoIndex;
      if (goes_on) followed.insert(byte);
    });
  }
  cache_.prepare_exits(table, run.class_index, chain ? followed : leaving);
  if (chain) note_reach(run.place, node, table);
  if (!chain) {
    ends_within(building, run.state, node, run.class_index, leaving, {});
  } else {
    const std::uint32_t end = run.place.at + run.size;
    const bool apart = chain->apart && end == chain->states.size();
    if (chain->ending != kNoIndex && chain->ending < end) {
      const bool within = limit || apart;
      const std::uint32_t last = run.size - (apart ? 2 : 1);
      const Span span{std::max(chain->ending, run.place.at + 1) - run.place.at,
                      within ? last : kNoIndex};
      const std::uint32_t ending = chain->states[chain->ending];
      if (span.first <= span.last)
        ends_within(building, ending, node, run.class_index, leaving, span);
    }
    if (apart) ends_at(building, chain->states.back(), *chain, node, run.size - 1);
    if (ends) {
      Mask cut;
      cut.parts.push_back({table.inside, most});
      const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[chain->beyond].accepts;
      for (const Lexing::Accept& accept : accepts) {
        cache_.collect(cut, building.group(accept.terminal, accept.guard, vocabulary_).ends);
      }
      ends_at(building, chain->beyond, *chain, node, run.size);
    }
  }
  followed.for_each([&](std::uint8_t byte) {
    const std::span<const MaskCache::Exit> exits = cache_.exits_by(table, run.class_index, byte);
    if (closes(building, run, node, byte, exits)) return;
    for (const MaskCache::Exit& exit : exits) {
      const std::uint32_t at = run.at(exit.count, vocabulary_.trie()[exit.node].height + 1);
      if (at == kNoIndex) continue;
      const std::uint32_t next = next_of(at, byte);
      if (next != kNoIndex) enter(exit.node, next);
    }
  });
  return true;
}

// Notes the lexemes that end behind so many characters of a class, and go on with others. Of tokens
// that are too long for it there are few, so what is left of others is found for many lengths.
void LexedMasks::ends_within(Building& building, std::uint32_t state, std::uint32_t node,
                             std::uint32_t class_index, const ByteSet& leaving, Span span) {
  const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[state].accepts;
  const std::uint32_t most = std::max(std::bit_floor(span.last), span.first);
  for (const Lexing::Accept& accept : accepts) {
    const auto add = [&](const Group& part) {
      if (part.suffixes.empty() && part.large.empty()) return;
      Building::Open& group = building.group(accept.terminal, accept.guard, vocabulary_);
      if (!part.suffixes.empty()) group.parts.push_back(&part);
      group.large.insert(group.large.end(), part.large.begin(), part.large.end());
    };
    const auto part = [&](std::uint32_t first, std::uint32_t last) -> const Group& {
      return run_part(state, accept, node, class_index, leaving, {first, last});
    };
    const Group& all = part(span.first, kNoIndex);
    if (all.deepest <= span.last) {
      add(all);
      continue;
    }
    add(part(span.first, most));
    if (most < span.last) add(part(most + 1, span.last));
  }
}

// Notes the lexemes that end in the last state of a chain or behind it, after so many characters,
// and go on with others or with those.
void LexedMasks::ends_at(Building& building, std::uint32_t state, const Chain& chain,
                         std::uint32_t node, std::uint32_t count) {
  const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[state].accepts;
  for (const Lexing::Accept& accept : accepts) {
    const ExprId guard = ahead(state, accept.guard);
    const auto follows = [&](std::uint8_t byte) {
      return followed(state, accept.terminal).bytes.contains(byte) &&
             (guard == ExprPool::kAllId || pool_.step(guard, byte) != ExprPool::kEmptyId);
    };
    Building::Open& group = building.group(accept.terminal, accept.guard, vocabulary_);
    const Group& part =
        run_part(state, accept, node, chain.class_index, chain.leaving, {count, count});
    if (!part.suffixes.empty()) group.parts.push_back(&part);
    group.large.insert(group.large.end(), part.large.begin(), part.large.end());
    const CharSet& set = pool_.char_class(chain.class_index);
    for (unsigned b = 0; b < 256; ++b) {
      const auto byte = static_cast<std::uint8_t>(b);
      if (!follows(byte) || beginning_with(byte).intersect(set).empty()) continue;
      group.cuts.push_back({node, chain.class_index, count});
      break;
    }
  }
}

// Where a byte ends the lexeme after any number of characters, as a quote ends a string, what
// follows it is the same for all states.
bool LexedMasks::closes(Building& building, const Run& run, std::uint32_t node, std::uint8_t byte,
                        std::span<const MaskCache::Exit> exits) {
  std::uint32_t closed = kNoIndex;
  for (const MaskCache::Exit& exit : exits) {
    const std::uint32_t at = run.at(exit.count, 1);
    const std::uint32_t next = at == kNoIndex ? kNoIndex : next_of(at, byte);
    if (next == kNoIndex || (closed != kNoIndex && next != closed)) return false;
    closed = next;
  }
  if (closed == kNoIndex || pool_.lexing().states_[closed].open) return false;
  const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[closed].accepts;
  for (const Lexing::Accept& accept : accepts) {
    const Group& part = closing_part(closed, accept, node, run.class_index, byte, exits);
    Building::Open& group = building.group(accept.terminal, accept.guard, vocabulary_);
    group.ends.add_set(*part.ends);
    if (!part.suffixes.empty()) group.parts.push_back(&part);
    group.large.insert(group.large.end(), part.large.begin(), part.large.end());
  }
  return true;
}

const LexedMasks::Group& LexedMasks::closing_part(std::uint32_t state, const Lexing::Accept& accept,
                                                  std::uint32_t node, std::uint32_t class_index,
                                                  std::uint8_t byte,
                                                  std::span<const MaskCache::Exit> exits) {
  const ExprId guard = ahead(state, accept.guard);
  const Followed next = followed(state, accept.terminal);
  std::unique_ptr<Group>& slot = run_parts_[{pool_.lexing().states_[state].lexicon, guard, node,
                                             class_index, byte, next.number}];
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
      if (!next.bytes.contains(label)) continue;
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
const LexedMasks::Group& LexedMasks::run_part(std::uint32_t state, const Lexing::Accept& accept,
                                              std::uint32_t node, std::uint32_t class_index,
                                              const ByteSet& leaving, Span span) {
  const ExprId guard = ahead(state, accept.guard);
  const Followed next = followed(state, accept.terminal);
  std::unique_ptr<Group>& slot = run_parts_[{pool_.lexing().states_[state].lexicon, guard, node,
                                             class_index, kNoByte, next.number, span}];
  if (slot) return *slot;
  slot = std::make_unique<Group>();
  const auto trie = vocabulary_.trie();
  MaskCache::ClassTable& table = cache_.class_table(class_index, node);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // node before, node after
  (leaving & next.bytes).for_each([&](std::uint8_t byte) {
    if (guard != ExprPool::kAllId && pool_.step(guard, byte) == ExprPool::kEmptyId) return;
    for (const MaskCache::Exit& exit : cache_.exits_by(table, class_index, byte)) {
      if (exit.count < span.first || exit.count > span.last) continue;
      edges.emplace_back(trie[exit.node].parent, exit.node);
      slot->deepest = std::max<std::uint32_t>(slot->deepest, exit.count);
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
