// Masks of states with a lexer: what the tokens do to the lexer is found once for each state of it,
// and only tokens in which a lexeme ends meet the parser.
//
// A table holds, for a state of the lexer, the tokens that stay in the lexeme, and those in which
// it ends, grouped by terminal and guard, with the rests of the tokens as a tree: the inverse token
// spanner table of Park, Zhou, D'Antoni, "Flexible and Efficient Grammar-Constrained Decoding"
// (ICML 2025), but built as far as decoding comes, and with guards. A parser state walks the trees
// of the terminals that it takes.
#include <algorithm>
#include <tuple>
#include <utility>

#include "dispose.hpp"
#include "formgate/buckets.hpp"
#include "formgate/expr_pool.hpp"
#include "lexed_building.hpp"

namespace formgate {
namespace {

// Subtrees with more tokens than this have tables of their own, which other tables include: states
// of the lexer that differ at first soon agree.
constexpr std::uint32_t kOwnTable = 64;
// Texts that go on after a lexeme below a node have a tree of their own where they are more.
constexpr std::uint32_t kOwnTree = 16;
// Fewer bytes that stay in a state are no loop.
constexpr unsigned kFewLoops = 4;

}  // namespace

void LexedMasks::clear() {
  dispose(std::tuple(std::exchange(tables_, {}), std::exchange(beside_, {}),
                     std::exchange(trees_, {}), std::exchange(run_parts_, {}),
                     std::exchange(exits_, {}), std::exchange(moves_, {}),
                     std::exchange(endings_, {}), std::exchange(onwards_, {}),
                     std::exchange(joined_, {}), std::exchange(joined_parts_, {}),
                     std::exchange(summaries_, {}), std::exchange(head_masks_, {})));
  uniform_.clear();
  ways_.clear();
  readings_.clear();
  firsts_.clear();
  may_begin_.clear();
  chains_.clear();
  places_.clear();
  followed_.clear();
  numbered_.clear();
  bytes_ = 0;
}

const LexedMasks::Moves& LexedMasks::moves(std::uint32_t state) {
  if (state < moves_.size() && moves_[state]) return *moves_[state];
  auto out = std::make_unique<Moves>();
  std::ranges::fill(out->next, kNoIndex);
  for (const Lexing::Edge& edge : pool_.lexing().expanded_state(state).edges) {
    edge.bytes.for_each([&](std::uint8_t byte) { out->next[byte] = edge.target; });
  }
  bytes_ += sizeof(Moves) + 32;
  if (moves_.size() <= state) moves_.resize(pool_.lexing().states_.size());
  moves_[state] = std::move(out);
  return *moves_[state];
}

// The state that a byte leads to, where few others are asked for.
std::uint32_t LexedMasks::next_of(std::uint32_t state, std::uint8_t byte) {
  if (state < moves_.size() && moves_[state]) return moves_[state]->next[byte];
  return pool_.lexing().stepped(state, byte);
}

// A token may end here whatever the parser's state is.
bool LexedMasks::stays(std::uint32_t state) {
  Lexing& lexing = pool_.lexing();
  return lexing.lexicons_[lexing.states_[state].lexicon].contextual &&
         lexing.leads_on(state, nullptr);
}

const LoopSet& LexedMasks::loop_of(std::uint32_t state) {
  moves(state);
  Moves& known = *moves_[state];
  if (!known.loop_known) known.loop = find_loop(state, known);
  known.loop_known = true;
  return known.loop;
}

LoopSet LexedMasks::find_loop(std::uint32_t state, const Moves& moves) {
  const Lexing::State& from = pool_.lexing().states_[state];
  ByteSet bytes;
  for (unsigned b = 0; b < 128; ++b) {
    if (moves.next[b] == state) bytes.insert(static_cast<std::uint8_t>(b));
  }
  if (bytes.size() < kFewLoops || !from.open || !stays(state)) return {};
  for (const Lexing::Accept& accept : from.accepts) {
    for (const LinearTerm& term : pool_.linear_form(accept.guard)) {
      if (pool_.live(term.target)) bytes = bytes - term.bytes;
    }
  }
  if (bytes.size() < kFewLoops) return {};
  return pool_.class_loop(pool_.intern_class(CharSet::from_ascii(bytes)));
}

void LexedMasks::add_suffixes(std::vector<std::pair<std::string_view, Ranks>>& out,
                              std::uint32_t node, std::size_t skipped) const {
  const auto trie = vocabulary_.trie();
  std::vector<std::uint32_t> stack{node};
  while (!stack.empty()) {
    const std::uint32_t step = stack.back();
    stack.pop_back();
    const TrieNode& at = trie[step];
    if (at.own_count > 0) {
      const std::string_view text = *vocabulary_.token_bytes(vocabulary_.ids()[at.rank_begin]);
      out.emplace_back(text.substr(skipped), Ranks{at.rank_begin, at.own_end()});
    }
    for (std::uint32_t i = 0; i < at.child_count; ++i) stack.push_back(at.first_child + i);
  }
}

// Takes over what a table of a subtree has found.
void LexedMasks::include(Building& building, const Table& table) const {
  building.inside.add_set(*table.inside);
  for (const Check& check : table.checks) {
    building.checks.try_emplace(check.state, vocabulary_).first->second.add_set(*check.tokens);
  }
  for (const Group& group : table.groups) {
    Building::Open& own = building.group(group.terminal, group.guard, vocabulary_);
    own.ends.add_set(*group.ends);
    if (!group.suffixes.empty()) own.parts.push_back(&group);
    own.parts.insert(own.parts.end(), group.parts.begin(), group.parts.end());
    own.large.insert(own.large.end(), group.large.begin(), group.large.end());
    own.cuts.insert(own.cuts.end(), group.cuts.begin(), group.cuts.end());
  }
}

// What may come after a lexeme that ends in a state under a guard.
ExprId LexedMasks::ahead(std::uint32_t state, ExprId guard) {
  const Lexing& lexing = pool_.lexing();
  const bool text = lexing.lexicons_[lexing.states_[state].lexicon].text;
  return text && guard != ExprPool::kAllId ? pool_.intersect(guard, ExprPool::kTextId) : guard;
}

const LexedMasks::Followed& LexedMasks::followed(std::uint32_t state, std::uint16_t terminal) {
  Lexing& lexing = pool_.lexing();
  const std::uint32_t index = lexing.states_[state].lexicon;
  const std::uint64_t key = (static_cast<std::uint64_t>(index) << 16) | terminal;
  if (const auto it = followed_.find(key); it != followed_.end()) return it->second;
  const Lexicon& lexicon = lexing.lexicons_[index];
  const Lexing::Symbols* const next = lexing.followers(index, terminal);
  Followed out;
  for (std::uint16_t i = 0; i < lexicon.terminals.size(); ++i) {
    if (next && !(*next)[i] && !lexicon.terminals[i].ignored) continue;
    out.bytes = out.bytes | lexing.first_bytes(index, lexing.begun(lexicon, i));
  }
  const auto same = std::ranges::find(numbered_, out.bytes);
  out.number = static_cast<std::uint32_t>(same - numbered_.begin());
  if (same == numbered_.end()) numbered_.push_back(out.bytes);
  return followed_.emplace(key, out).first->second;  // a limit may have ended this before
}

// How a lexeme may end in a state.
const std::vector<LexedMasks::Ending>& LexedMasks::endings(std::uint32_t state) {
  if (state < endings_.size() && endings_[state]) return *endings_[state];
  std::vector<Ending> out;
  const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[state].accepts;
  for (const Lexing::Accept& accept : accepts) {
    const ByteSet& begun = followed(state, accept.terminal).bytes;
    Ending ending{accept.terminal, accept.guard, ahead(state, accept.guard),
                  begun,           begun,        settled_by(accept.guard)};
    if (ending.ahead != ExprPool::kAllId) {
      ByteSet allowed;
      for (const LinearTerm& term : pool_.linear_form(ending.ahead)) {
        allowed = allowed | term.bytes;
      }
      ending.onward = begun & allowed;
    }
    out.push_back(ending);
  }
  bytes_ += out.size() * sizeof(Ending) + 48;
  if (endings_.size() <= state) endings_.resize(pool_.lexing().states_.size());
  endings_[state] = std::make_unique<const std::vector<Ending>>(std::move(out));
  return *endings_[state];
}

// Notes the lexemes that end at a node. Tokens that end there may be inside a lexeme anyway.
void LexedMasks::leave(Building& building, std::uint32_t node, std::uint32_t state, bool inside) {
  const auto trie = vocabulary_.trie();
  const auto labels = vocabulary_.labels();
  const TrieNode& at = trie[node];
  for (const Ending& ending : endings(state)) {
    if (!inside && at.own_count > 0) {
      building.group(ending.terminal, ending.guard, vocabulary_)
          .ends.add_ranks(at.rank_begin, at.own_end());
    }
    std::vector<std::uint32_t> onward;
    std::uint32_t tokens = 0;
    for (std::uint32_t i = 0; i < at.child_count; ++i) {
      const std::uint32_t child = at.first_child + i;
      if (!ending.onward.contains(labels[child])) continue;
      onward.push_back(child);
      tokens += trie[child].rank_end - trie[child].rank_begin;
    }
    if (tokens == 0) continue;
    Building::Open& group = building.group(ending.terminal, ending.guard, vocabulary_);
    if (tokens > kLargeSubtree) {
      group.large.push_back(node);
      continue;
    }
    const std::size_t skipped = vocabulary_.path(node).size();
    if (tokens <= kOwnTree) {
      for (std::uint32_t child : onward) add_suffixes(group.suffixes, child, skipped);
      continue;
    }
    // What follows a guard below a node is the same for all states of the lexer.
    const std::uint32_t lexicon = pool_.lexing().states_[state].lexicon;
    const std::uint32_t next = followed(state, ending.terminal).number;
    std::unique_ptr<Group>& part = trees_[{lexicon, ending.ahead, node, 0, 0, next}];
    if (!part) {
      std::vector<std::pair<std::string_view, Ranks>> suffixes;
      for (std::uint32_t child : onward) add_suffixes(suffixes, child, skipped);
      part = std::make_unique<Group>();
      part->suffixes = SuffixTree(suffixes);
      part->settled = settles(part->suffixes, ending.settled);
      bytes_ += part->suffixes.memory_usage() + sizeof(Group);
    }
    group.parts.push_back(part.get());
  }
}

const LexedMasks::Table& LexedMasks::table(std::uint32_t state, std::uint32_t node,
                                           const ByteSet* without) {
  const std::uint64_t key = (static_cast<std::uint64_t>(state) << 32) | node;
  auto& known = without ? beside_ : tables_;
  if (const auto it = known.find(key); it != known.end()) return *it->second;
  const auto trie = vocabulary_.trie();
  const auto labels = vocabulary_.labels();
  const auto ascii = vocabulary_.ascii();
  Building building{MaskCache::Sink(vocabulary_), {}, {}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{node, state}};
  const auto enter = [&](std::uint32_t child, std::uint32_t next) {
    const TrieNode& below = trie[child];
    const bool open = pool_.lexing().states_[next].open;
    if (open && below.child_count > 0 && loop_of(next).covers(below, ascii[child])) {
      building.inside.add_ranks(below.rank_begin, below.rank_end);
      // Lexemes may end everywhere below, and nothing goes on after them.
      leave(building, child, next, true);
      return;
    }
    const bool inside = open && below.own_count > 0 && stays(next);
    if (open && below.own_count > 0) {
      if (inside) {
        building.inside.add_ranks(below.rank_begin, below.own_end());
      } else {
        building.checks.try_emplace(next, vocabulary_)
            .first->second.add_ranks(below.rank_begin, below.own_end());
      }
    }
    leave(building, child, next, inside);
    if (!open || below.child_count == 0) return;
    if (below.rank_end - below.rank_begin > kOwnTable) {
      include(building, this->table(next, child));
    } else {
      stack.emplace_back(child, next);
    }
  };
  while (!stack.empty()) {
    const auto [at, from] = stack.back();
    stack.pop_back();
    LongStep::tick();
    const TrieNode& parent = trie[at];
    const bool part = without && at == node;
    const bool many = parent.rank_end - parent.rank_begin > cache_.options_.walked_tokens;
    if (many && !part && run_below(building, at, from, enter)) continue;
    const Moves& row = moves(from);
    for (std::uint32_t i = 0; i < parent.child_count; ++i) {
      const std::uint32_t child = parent.first_child + i;
      if (part && without->contains(labels[child])) continue;
      const std::uint32_t next = row.next[labels[child]];
      if (next != kNoIndex) enter(child, next);
    }
  }
  auto out = std::make_unique<Table>();
  // Those who share large sets count them there.
  const auto finish = [&](MaskCache::Sink& sink) {
    std::shared_ptr<const TokenSet> set = sink.finish();
    if (set->dense.empty()) bytes_ += set->memory_usage();
    return cache_.shared(std::move(set));
  };
  out->inside = finish(building.inside);
  for (auto& [at, sink] : building.checks) out->checks.push_back({at, finish(sink)});
  for (Building::Open& group : building.groups) {
    out->groups.push_back({group.terminal, group.guard, finish(group.ends),
                           SuffixTree(group.suffixes), std::move(group.parts),
                           std::move(group.large)});
    Group& done = out->groups.back();
    done.cuts = std::move(group.cuts);
    done.settled = settles(done.suffixes, settled_by(group.guard)) &&
                   std::ranges::all_of(done.parts, &Group::settled);
    bytes_ += out->groups.back().suffixes.memory_usage() + sizeof(Group);
  }
  bytes_ += out->checks.size() * 64;
  return *known.emplace(key, std::move(out)).first->second;
}

// Adds the tokens that begin text which goes on otherwise, such as a name, or a line that may not
// begin with a mark: as what goes on with it, but for how they begin.
bool MaskCache::begins_free(std::uint32_t state, std::uint32_t stack, std::uint32_t node,
                            Mask& out) {
  const TrieNode& at = vocabulary_->trie()[node];
  if (!options_.class_tables || at.rank_end - at.rank_begin <= options_.walked_tokens) return false;
  const LexedMasks::First first = lexed_->first_of(state);
  if (first.state == kNoIndex) return false;
  const Bitmap* limit = lexed_->limit_of(state, node);
  if (!limit) return false;
  const ExprId inside = pool_.lexing().inside(first.state, stack);
  if (inside == ExprPool::kEmptyId || !pool_.live(inside)) return true;
  const std::shared_ptr<const Mask> known = mask_at(inside, node);
  Sink sink(*vocabulary_);
  collect(*known, sink);
  out.parts.push_back({shared(sink.finish()), limit});
  return true;
}

// The mask of a state with a lexer, below a node of the trie.
void MaskCache::lexed_item(ExprId id, std::uint32_t node, Mask& out) {
  if (!lexed_) lexed_ = std::make_unique<LexedMasks>(*this);
  Lexing& lexing = pool_.lexing();
  const Node state = pool_.node(id);
  const std::uint32_t stack = state.b;
  const std::size_t before = lexed_->memory_usage();
  const std::uint32_t own = lexing.lexer_state(id);
  const bool beside = begins_free(own, stack, node, out);
  const LexedMasks::Table& table = lexed_->table(lexed_->alike(own, node), node,
                                                 beside ? &lexed_->first_of(own).bytes : nullptr);
  const auto add = [&](const std::shared_ptr<const TokenSet>& tokens) {
    if (!tokens->dense.empty() || !tokens->ids.empty()) out.parts.push_back({tokens, nullptr});
  };
  const auto add_beyond = [&](const LexedMasks::Group& group, ExprId next) {
    for (std::uint32_t large : group.large) append(out, next, large);
    for (const LexedMasks::Cut& cut : group.cuts) {
      if (!lexed_->may_begin(next, cut.class_index)) continue;
      for (std::uint32_t behind : lexed_->nodes_behind(cut)) append(out, next, behind);
    }
  };
  const auto add_group = [&](const LexedMasks::Group& group) {
    const ExprId next = lexing.after(group.terminal, group.guard, stack);
    if (next == ExprPool::kEmptyId || !pool_.live(next)) return;
    add(group.ends);
    if (!group.suffixes.empty() || !group.parts.empty()) {
      const ExprId free = lexing.after(group.terminal, ExprPool::kAllId, stack);
      add(lexed_->exits(group, next, free));
    }
    add_beyond(group, next);
  };
  const std::uint32_t head = options_.split_parts ? lexing.head_of(stack).stack : kNoIndex;
  if (head == kNoIndex) add(table.inside);
  for (const LexedMasks::Check& check : table.checks) {
    const ExprId inside = lexing.inside(check.state, stack);
    if (inside != ExprPool::kEmptyId && pool_.live(inside)) add(check.tokens);
  }
  if (head == kNoIndex) {
    for (const LexedMasks::Group& group : table.groups) add_group(group);
  } else {
    const LexedMasks::HeadMask& known = lexed_->head_mask(table, head);
    add(known.tokens);
    Sink sink(*vocabulary_);
    for (const LexedMasks::Opening& opening : known.openings) {
      lexed_->go_through(opening, stack, sink);
    }
    if (!sink.empty()) add(sink.finish());
    for (const LexedMasks::Group* group : known.groups) add_group(*group);
    for (const LexedMasks::Group* group : known.large) {
      const ExprId next = lexing.after(group->terminal, group->guard, stack);
      add_beyond(*group, next);
    }
  }
  bytes_ += lexed_->memory_usage() - before;
}

}  // namespace formgate
