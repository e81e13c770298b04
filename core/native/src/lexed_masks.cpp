// Masks of states with a lexer: what the tokens do to the lexer is found once for each state of it,
// and only tokens in which a lexeme ends meet the parser.
//
// A table holds, for a state of the lexer, the tokens that stay in the lexeme, and those in which
// it ends, grouped by terminal and guard, with the rests of the tokens as a tree: the inverse token
// spanner table of Park, Zhou, D'Antoni, "Flexible and Efficient Grammar-Constrained Decoding"
// (ICML 2025), but built as far as decoding comes, and with guards. A parser state walks the trees
// of the terminals that it takes.
#include "lexed_masks.hpp"

#include <algorithm>

#include "formgate/buckets.hpp"
#include "formgate/expr_pool.hpp"
#include "mask_sink.hpp"

namespace formgate {
namespace {

// More tokens than this below a node are not written out as suffixes: their masks are shared.
constexpr std::uint32_t kLargeSubtree = 512;

}  // namespace

struct LexedMasks::Building {
  struct Open {
    std::uint16_t terminal;
    ExprId guard;
    MaskCache::Sink ends;
    std::map<std::string, std::vector<Ranks>> suffixes;
    std::vector<std::uint32_t> large;
  };
  std::vector<Open> groups;
};

void LexedMasks::clear() {
  tables_.clear();
  exits_.clear();
  moves_.clear();
  bytes_ = 0;
}

const LexedMasks::Moves& LexedMasks::moves(std::uint32_t state) {
  std::unique_ptr<Moves>& slot = moves_[state];
  if (slot) return *slot;
  auto out = std::make_unique<Moves>();
  std::ranges::fill(out->next, kNoIndex);
  for (const Lexing::Edge& edge : pool_.lexing().expanded_state(state).edges) {
    edge.bytes.for_each([&](std::uint8_t byte) { out->next[byte] = edge.target; });
  }
  out->loop = loop_of(state, *out);
  bytes_ += sizeof(Moves) + 32;
  slot = std::move(out);
  return *slot;
}

// A token may end here whatever the parser's state is.
bool LexedMasks::stays(std::uint32_t state) {
  Lexing& lexing = pool_.lexing();
  return lexing.lexicons_[lexing.states_[state].lexicon].contextual &&
         lexing.leads_on(state, nullptr);
}

LoopSet LexedMasks::loop_of(std::uint32_t state, const Moves& moves) {
  const Lexing::State& from = pool_.lexing().states_[state];
  if (!from.open || !stays(state)) return {};
  ByteSet bytes;
  for (unsigned b = 0; b < 128; ++b) {
    if (moves.next[b] == state) bytes.insert(static_cast<std::uint8_t>(b));
  }
  for (const Lexing::Accept& accept : from.accepts) {
    for (const LinearTerm& term : pool_.linear_form(accept.guard)) {
      if (pool_.live(term.target)) bytes = bytes - term.bytes;
    }
  }
  if (bytes.size() < 4) return {};
  return pool_.class_loop(pool_.intern_class(CharSet::from_ascii(bytes)));
}

void LexedMasks::add_suffixes(std::map<std::string, std::vector<Ranks>>& out,
                              std::uint32_t node) const {
  const auto trie = vocabulary_.trie();
  const auto labels = vocabulary_.labels();
  struct Step {
    std::uint32_t node;
    std::size_t length;
  };
  std::string text;
  std::vector<Step> stack{{node, 0}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    text.resize(step.length);
    text += static_cast<char>(labels[step.node]);
    const TrieNode& at = trie[step.node];
    if (at.own_count > 0) out[text].emplace_back(at.rank_begin, at.own_end());
    for (std::uint32_t i = 0; i < at.child_count; ++i) {
      stack.push_back({at.first_child + i, step.length + 1});
    }
  }
}

std::vector<LexedMasks::Suffix> LexedMasks::tree_of(
    const std::map<std::string, std::vector<Ranks>>& suffixes) {
  std::vector<Suffix> out(1);
  for (const auto& [text, tokens] : suffixes) {
    std::uint32_t at = 0;
    for (char c : text) {
      const auto byte = static_cast<std::uint8_t>(c);
      // Sorted texts: what they share was added last.
      if (out[at].children.empty() || out[at].children.back().first != byte) {
        out[at].children.emplace_back(byte, static_cast<std::uint32_t>(out.size()));
        out.emplace_back();
      }
      at = out[at].children.back().second;
    }
    out[at].tokens = tokens;
  }
  return out;
}

// Notes the lexemes that end at a node.
void LexedMasks::leave(Building& building, std::uint32_t node, std::uint32_t state) {
  const auto trie = vocabulary_.trie();
  const auto labels = vocabulary_.labels();
  const TrieNode& at = trie[node];
  const std::vector<Lexing::Accept> accepts = pool_.lexing().states_[state].accepts;
  for (const Lexing::Accept& accept : accepts) {
    auto group = std::ranges::find_if(building.groups, [&](const Building::Open& open) {
      return open.terminal == accept.terminal && open.guard == accept.guard;
    });
    if (group == building.groups.end()) {
      building.groups.push_back(
          {accept.terminal, accept.guard, MaskCache::Sink(vocabulary_), {}, {}});
      group = building.groups.end() - 1;
    }
    group->ends.add_ranks(at.rank_begin, at.own_end());
    std::vector<std::uint32_t> onward;
    std::uint32_t tokens = 0;
    for (std::uint32_t i = 0; i < at.child_count; ++i) {
      const std::uint32_t child = at.first_child + i;
      if (accept.guard != ExprPool::kAllId &&
          pool_.step(accept.guard, labels[child]) == ExprPool::kEmptyId) {
        continue;
      }
      onward.push_back(child);
      tokens += trie[child].rank_end - trie[child].rank_begin;
    }
    if (tokens > kLargeSubtree) {
      group->large.push_back(node);
      continue;
    }
    for (std::uint32_t child : onward) add_suffixes(group->suffixes, child);
  }
}

const LexedMasks::Table& LexedMasks::table(std::uint32_t state, std::uint32_t node) {
  std::unique_ptr<Table>& slot = tables_[(static_cast<std::uint64_t>(state) << 32) | node];
  if (slot) return *slot;
  const auto trie = vocabulary_.trie();
  const auto labels = vocabulary_.labels();
  const auto letters = vocabulary_.letters();
  MaskCache::Sink inside(vocabulary_);
  std::map<std::uint32_t, MaskCache::Sink> checks;
  Building building;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{node, state}};
  while (!stack.empty()) {
    const auto [at, from] = stack.back();
    stack.pop_back();
    const Moves& row = moves(from);
    const TrieNode& parent = trie[at];
    for (std::uint32_t i = 0; i < parent.child_count; ++i) {
      const std::uint32_t child = parent.first_child + i;
      const std::uint32_t next = row.next[labels[child]];
      if (next == kNoIndex) continue;
      const TrieNode& below = trie[child];
      const bool open = pool_.lexing().states_[next].open;
      if (open && below.child_count > 0 && moves(next).loop.covers(below, letters[child])) {
        inside.add_ranks(below.rank_begin, below.rank_end);
        const auto& accepts = pool_.lexing().states_[next].accepts;
        if (accepts.empty()) continue;
        // Lexemes end everywhere below, and nothing goes on after them.
        leave(building, child, next);
        for (Building::Open& group : building.groups) {
          const auto same = [&](const Lexing::Accept& accept) {
            return accept.terminal == group.terminal && accept.guard == group.guard;
          };
          if (std::ranges::any_of(accepts, same)) {
            group.ends.add_ranks(below.rank_begin, below.rank_end);
          }
        }
        continue;
      }
      if (open && below.own_count > 0) {
        if (stays(next)) {
          inside.add_ranks(below.rank_begin, below.own_end());
        } else {
          checks.try_emplace(next, vocabulary_)
              .first->second.add_ranks(below.rank_begin, below.own_end());
        }
      }
      leave(building, child, next);
      if (open && below.child_count > 0) stack.emplace_back(child, next);
    }
  }
  auto out = std::make_unique<Table>();
  out->inside = inside.finish();
  for (auto& [at, sink] : checks) out->checks.push_back({at, sink.finish()});
  for (Building::Open& group : building.groups) {
    out->groups.push_back({group.terminal, group.guard, group.ends.finish(),
                           tree_of(group.suffixes), std::move(group.large)});
    bytes_ += out->groups.back().ends->memory_usage();
    bytes_ += out->groups.back().suffixes.size() * (sizeof(Suffix) + 24);
  }
  bytes_ += out->inside->memory_usage() + out->checks.size() * 64;
  return *(tables_[(static_cast<std::uint64_t>(state) << 32) | node] = std::move(out));
}

std::shared_ptr<const TokenSet> LexedMasks::exits(const Group& group, ExprId next) {
  std::shared_ptr<const TokenSet>& slot = exits_[{&group, index_of(next)}];
  if (slot) return slot;
  MaskCache::Sink sink(vocabulary_);
  std::vector<std::pair<std::uint32_t, ExprId>> stack{{0, next}};
  while (!stack.empty()) {
    const auto [at, here] = stack.back();
    stack.pop_back();
    for (const auto& [byte, child] : group.suffixes[at].children) {
      const ExprId state = pool_.step(here, byte);
      if (state == ExprPool::kEmptyId) continue;
      const Suffix& suffix = group.suffixes[child];
      for (const auto& [begin, end] : suffix.tokens) sink.add_ranks(begin, end);
      if (!suffix.children.empty()) stack.emplace_back(child, state);
    }
  }
  auto out = sink.finish();
  bytes_ += out->memory_usage() + 64;
  return exits_[{&group, index_of(next)}] = std::move(out);
}

// The mask of a state with a lexer, below a node of the trie.
void MaskCache::lexed_item(ExprId id, std::uint32_t node, Mask& out) {
  if (!lexed_) lexed_ = std::make_unique<LexedMasks>(pool_, *vocabulary_);
  Lexing& lexing = pool_.lexing();
  const Node state = pool_.node(id);
  const std::uint32_t stack = state.b;
  const std::size_t before = lexed_->memory_usage();
  const LexedMasks::Table& table = lexed_->table(lexing.lexer_state(id), node);
  const auto add = [&](const std::shared_ptr<const TokenSet>& tokens) {
    if (!tokens->dense.empty() || !tokens->ids.empty()) out.parts.push_back({tokens, nullptr});
  };
  add(table.inside);
  for (const LexedMasks::Check& check : table.checks) {
    const ExprId inside = lexing.inside(check.state, stack);
    if (inside != ExprPool::kEmptyId && pool_.live(inside)) add(check.tokens);
  }
  for (const LexedMasks::Group& group : table.groups) {
    const ExprId next = lexing.after(group.terminal, group.guard, stack);
    if (next == ExprPool::kEmptyId || !pool_.live(next)) continue;
    add(group.ends);
    if (group.suffixes.size() > 1) add(lexed_->exits(group, next));
    for (std::uint32_t large : group.large) append(out, next, large);
  }
  bytes_ += lexed_->memory_usage() - before;
}

}  // namespace formgate
