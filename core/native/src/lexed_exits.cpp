// Tokens that go on after a lexeme: the rests of tokens, as a tree, read from a parser's state.
//
// What a tree does to the lexer depends on the lexer's state alone, and many parser states share
// one. So it is found once for each, and a parser state looks at the ends of lexemes only.
#include <algorithm>

#include "formgate/expr_pool.hpp"
#include "lexed_building.hpp"

namespace formgate {
namespace {

// Smaller trees are read by the parser's states themselves.
constexpr std::uint32_t kFewNodes = 12;

}  // namespace

// The bytes after which a guard allows all text.
ByteSet LexedMasks::settled_by(ExprId guard) {
  if (guard == ExprPool::kAllId) return ByteSet::all();
  ByteSet out;
  for (const LinearTerm& term : pool_.linear_form(guard)) {
    if (term.target == ExprPool::kAllId || term.target == ExprPool::kTextId) out = out | term.bytes;
  }
  return out;
}

bool LexedMasks::settles(const SuffixTree& tree, const ByteSet& settled) {
  bool all = true;
  tree.children(0, [&](std::uint8_t byte, std::uint32_t) { all = all && settled.contains(byte); });
  return all;
}

// How texts of a tree go on below a node where a lexeme ends. What the guard forbids must not be
// read without it.
LexedMasks::WayOn LexedMasks::way_on(const SuffixTree& tree, std::uint32_t node,
                                     const Ending& ending) {
  WayOn out;
  tree.children(node, [&](std::uint8_t first, std::uint32_t) {
    out.goes_on = out.goes_on || ending.onward.contains(first);
    out.settled =
        out.settled && (!ending.begun.contains(first) ||
                        (ending.onward.contains(first) && ending.settled.contains(first)));
  });
  return out;
}

const LexedMasks::Onward& LexedMasks::onward(const Group& group, std::uint32_t node,
                                             std::uint32_t state) {
  std::unique_ptr<Onward>& slot = onwards_[{&group, node, state}];
  if (slot) return *slot;
  auto out = std::make_unique<Onward>();
  const Lexing& lexing = pool_.lexing();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{node, state}};
  const SuffixTree& tree = group.suffixes;
  while (!stack.empty()) {
    const auto [at, from] = stack.back();
    stack.pop_back();
    const Moves& row = moves(from);
    tree.children(at, [&](std::uint8_t byte, std::uint32_t child) {
      const std::uint32_t next = row.next[byte];
      if (next == kNoIndex) return;
      const SuffixTree::Node& suffix = tree.node(child);
      const auto add = [&](std::vector<Ranks>& ranks) {
        ranks.insert(ranks.end(), tree.begin(suffix), tree.end(suffix));
      };
      bool own = suffix.first != suffix.last;
      if (lexing.states_[next].open) {
        if (own && stays(next)) {
          add(out->inside);
          own = false;  // whatever ends here
        } else if (own) {
          auto it = std::ranges::find(out->checks, next, &Onward::Check::state);
          if (it == out->checks.end()) it = out->checks.insert(it, {next, {}});
          add(it->tokens);
        }
        if (suffix.children != 0) stack.emplace_back(child, next);
      }
      for (const Ending& ending : endings(next)) {
        const auto [goes_on, settled] = way_on(tree, child, ending);
        if (!goes_on && !own) continue;
        auto it = std::ranges::find_if(out->ends, [&](const Onward::End& end) {
          return end.terminal == ending.terminal && end.guard == ending.guard;
        });
        if (it == out->ends.end()) {
          it = out->ends.insert(it, {ending.terminal, ending.guard, {}, {}});
        }
        if (own) add(it->tokens);
        if (goes_on) it->nodes.push_back({child, settled});
      }
    });
  }
  bytes_ += sizeof(Onward) + out->inside.capacity() * sizeof(Ranks);
  for (const Onward::Check& check : out->checks) {
    bytes_ += sizeof(check) + check.tokens.capacity() * sizeof(Ranks);
  }
  for (const Onward::End& end : out->ends) {
    bytes_ += sizeof(end) + (end.tokens.capacity() + end.nodes.capacity()) * sizeof(Ranks);
  }
  slot = std::move(out);
  return *slot;
}

// Adds the tokens of a group's own tree that go on in the states at some of its nodes.
void LexedMasks::go_on(const Group& group, Work work, MaskCache::Sink& sink) {
  Lexing& lexing = pool_.lexing();
  const auto add = [&](const std::vector<Ranks>& tokens) {
    for (const auto& [begin, end] : tokens) sink.add_ranks(begin, end);
  };
  const SuffixTree& tree = group.suffixes;
  Work& stack = work;
  while (!stack.empty()) {
    const auto [at, here] = stack.back();
    stack.pop_back();
    const Node node = pool_.node(here);
    if (by_heads() && node.kind == Kind::kLexed && node.a == kNoIndex) {
      const Lexing::Head& head = lexing.head_of(node.b);
      if (head.stack != kNoIndex) {
        const Summary& found = summary(group, at, head.stack);
        sink.add_set(*found.tokens);
        for (const Opening& opening : found.openings) open(opening, node.b, stack, sink);
        continue;
      }
      if (head.sure) {
        Summary found;
        read_tree(group, at, node.b, true, sink, found);
        for (const Opening& opening : found.openings) open(opening, node.b, stack, sink);
        continue;
      }
    }
    if (node.kind != Kind::kLexed || tree.node(at).size < kFewNodes) {
      // What no terminal begins with leads nowhere, whatever is left to parse.
      const Moves* row = node.kind == Kind::kLexed ? &moves(lexing.lexer_state(here)) : nullptr;
      tree.children(at, [&](std::uint8_t byte, std::uint32_t child) {
        if (row && row->next[byte] == kNoIndex) return;
        const ExprId state = pool_.step(here, byte);
        if (state == ExprPool::kEmptyId) return;
        const SuffixTree::Node& suffix = tree.node(child);
        for (const Ranks* each = tree.begin(suffix); each != tree.end(suffix); ++each) {
          sink.add_ranks(each->first, each->second);
        }
        if (suffix.children != 0) stack.emplace_back(child, state);
      });
      continue;
    }
    const Onward& found = onward(group, at, lexing.lexer_state(here));
    add(found.inside);
    for (const Onward::Check& check : found.checks) {
      const ExprId inside = lexing.inside(check.state, node.b);
      if (inside != ExprPool::kEmptyId && pool_.live(inside)) add(check.tokens);
    }
    for (const Onward::End& end : found.ends) {
      const ExprId after = lexing.after(end.terminal, end.guard, node.b);
      if (after == ExprPool::kEmptyId || !pool_.live(after)) continue;
      add(end.tokens);
      if (end.nodes.empty()) continue;
      const ExprId free = lexing.after(end.terminal, ExprPool::kAllId, node.b);
      const bool text = pool_.node(free).flags & kText;
      for (const Onward::Node& below : end.nodes) {
        stack.emplace_back(below.node, text && below.settled ? free : after);
      }
    }
  }
}

// Groups of many lexer states have the same parts, and each is read from many parser states.
const LexedMasks::Joined& LexedMasks::joined(const Group& group) {
  const Joined*& slot = joined_[&group];
  if (slot) return *slot;
  std::vector<const Group*> parts = group.parts;
  std::ranges::sort(parts);
  parts.erase(std::ranges::unique(parts).begin(), parts.end());
  Hasher hasher(index_of(group.guard));
  for (const Group* part : parts) hasher.add(reinterpret_cast<std::uintptr_t>(part));
  const std::size_t hash = hasher.finish().lo;
  const auto [first, last] = joined_parts_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (it->second->parts == parts && it->second->guard == group.guard) {
      return *(slot = it->second.get());
    }
  }
  auto out = std::make_unique<Joined>();
  out->guard = group.guard;
  std::vector<const SuffixTree*> trees;
  for (const Group* part : parts) trees.push_back(&part->suffixes);
  const ByteSet settled = settled_by(group.guard);
  out->settled.suffixes = SuffixTree(trees, settled);
  out->settled.settled = true;
  out->open.suffixes = SuffixTree(trees, ByteSet::all() - settled);
  bytes_ += out->settled.suffixes.memory_usage() + out->open.suffixes.memory_usage();
  out->parts = std::move(parts);
  bytes_ += out->parts.capacity() * sizeof(const Group*) + sizeof(Joined) + 64;
  slot = out.get();
  joined_parts_.emplace(hash, std::move(out));
  return *slot;
}

std::shared_ptr<const TokenSet> LexedMasks::exits(const Group& group, ExprId next, ExprId free) {
  // Where the guard is met it allows all text, and such is all that follows.
  if (group.settled && pool_.node(free).flags & kText) next = free;
  std::shared_ptr<const TokenSet>& slot = exits_[{&group, index_of(next)}];
  if (slot) return slot;
  MaskCache::Sink sink(vocabulary_);
  if (!group.suffixes.empty()) go_on(group, {{0, next}}, sink);
  if (!group.parts.empty()) {
    const Joined& parts = joined(group);
    for (const Group* part : {&parts.settled, &parts.open}) {
      if (!part->suffixes.empty()) sink.add_set(*exits(*part, next, free));
    }
  }
  std::shared_ptr<const TokenSet> out = sink.finish();
  bytes_ += 64;
  if (out->dense.empty()) bytes_ += out->memory_usage();
  out = cache_.shared(std::move(out));
  return slot = std::move(out);
}

}  // namespace formgate
