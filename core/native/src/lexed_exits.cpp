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

bool LexedMasks::settles(const std::vector<Suffix>& tree, const ByteSet& settled) {
  return std::ranges::all_of(tree[0].children,
                             [&](const auto& child) { return settled.contains(child.first); });
}

const LexedMasks::Onward& LexedMasks::onward(const Group& group, std::uint32_t node,
                                             std::uint32_t state) {
  std::unique_ptr<Onward>& slot = onwards_[{&group, node, state}];
  if (slot) return *slot;
  auto out = std::make_unique<Onward>();
  const Lexing& lexing = pool_.lexing();
  const auto add = [](std::vector<Ranks>& ranks, const std::vector<Ranks>& more) {
    ranks.insert(ranks.end(), more.begin(), more.end());
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{node, state}};
  while (!stack.empty()) {
    const auto [at, from] = stack.back();
    stack.pop_back();
    const Moves& row = moves(from);
    for (const auto& [byte, child] : group.suffixes[at].children) {
      const std::uint32_t next = row.next[byte];
      if (next == kNoIndex) continue;
      const Suffix& suffix = group.suffixes[child];
      if (lexing.states_[next].open) {
        if (!suffix.tokens.empty() && stays(next)) {
          add(out->inside, suffix.tokens);
        } else if (!suffix.tokens.empty()) {
          auto it = std::ranges::find(out->checks, next, &Onward::Check::state);
          if (it == out->checks.end()) it = out->checks.insert(it, {next, {}});
          add(it->tokens, suffix.tokens);
        }
        if (!suffix.children.empty()) stack.emplace_back(child, next);
      }
      for (const Ending& ending : endings(next)) {
        auto it = std::ranges::find_if(out->ends, [&](const Onward::End& end) {
          return end.terminal == ending.terminal && end.guard == ending.guard;
        });
        if (it == out->ends.end()) {
          it = out->ends.insert(it, {ending.terminal, ending.guard, {}, {}});
        }
        add(it->tokens, suffix.tokens);
        bool goes_on = false;
        bool settled = true;
        for (const auto& [first, below] : suffix.children) {
          if (!ending.onward.contains(first)) continue;
          goes_on = true;
          settled = settled && ending.settled.contains(first);
        }
        // What the guard forbids must not be read without it.
        settled = settled && std::ranges::all_of(suffix.children, [&](const auto& each) {
                    return ending.onward.contains(each.first);
                  });
        if (goes_on) it->nodes.push_back({child, settled});
      }
    }
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

// Adds the tokens of a group's own tree that go on in `next`.
void LexedMasks::go_on(const Group& group, ExprId next, MaskCache::Sink& sink) {
  Lexing& lexing = pool_.lexing();
  const auto add = [&](const std::vector<Ranks>& tokens) {
    for (const auto& [begin, end] : tokens) sink.add_ranks(begin, end);
  };
  std::vector<std::pair<std::uint32_t, ExprId>> stack{{0, next}};
  while (!stack.empty()) {
    const auto [at, here] = stack.back();
    stack.pop_back();
    const Node node = pool_.node(here);
    if (node.kind != Kind::kLexed || group.suffixes[at].size < kFewNodes) {
      // What no terminal begins with leads nowhere, whatever is left to parse.
      const Moves* row = node.kind == Kind::kLexed ? &moves(lexing.lexer_state(here)) : nullptr;
      for (const auto& [byte, child] : group.suffixes[at].children) {
        if (row && row->next[byte] == kNoIndex) continue;
        const ExprId state = pool_.step(here, byte);
        if (state == ExprPool::kEmptyId) continue;
        add(group.suffixes[child].tokens);
        if (!group.suffixes[child].children.empty()) stack.emplace_back(child, state);
      }
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

}  // namespace formgate
