// What the head of a parser state says of a mask, whatever stands below it on the stack.
//
// Parser states differ by what is below more often than by what they begin with: a list in a list
// in a list, an expression in one more query. So the tokens that a head allows by itself are found
// once for it and kept, with the places where text comes to its end; only there is the state itself
// asked, which has another head by then. Stack invariance, after Dong, Ruan, Cai, Lai, Xu, Zhao,
// Chen, "XGrammar" (2024), who cut where a rule ends.
#include <algorithm>

#include "formgate/expr_pool.hpp"
#include "lexed_building.hpp"

namespace formgate {

// Keeps an opening at a node, with others of the kind.
void LexedMasks::keep(Summary& summary, Opening opening, std::uint32_t node) {
  const auto same = [&](const Opening& other) {
    return other.head == opening.head && other.state == opening.state &&
           other.terminal == opening.terminal && other.guard == opening.guard &&
           other.settled == opening.settled;
  };
  auto it = std::ranges::find_if(summary.openings, same);
  if (it == summary.openings.end()) it = summary.openings.insert(it, std::move(opening));
  it->nodes.push_back(node);
}

// What a head says of a tree of rests of tokens, below a node of it.
const LexedMasks::Summary& LexedMasks::summary(const Group& group, std::uint32_t node,
                                               std::uint32_t head) {
  std::unique_ptr<Summary>& slot = summaries_[{&group, node, head}];
  if (slot) return *slot;
  auto out = std::make_unique<Summary>();
  MaskCache::Sink sink(vocabulary_);
  read_tree(group, node, head, false, sink, *out);
  out->tokens = sink.finish();
  bytes_ += sizeof(Summary) + 64 + out->openings.capacity() * (sizeof(Opening) + 16);
  if (out->tokens->dense.empty()) bytes_ += out->tokens->memory_usage();
  out->tokens = cache_.shared(std::move(out->tokens));
  slot = std::move(out);
  return *slot;
}

// Reads a tree in a head, or in a whole parser state.
void LexedMasks::read_tree(const Group& group, std::uint32_t node, std::uint32_t head, bool whole,
                           MaskCache::Sink& sink, Summary& out) {
  Lexing& lexing = pool_.lexing();
  const SuffixTree& tree = group.suffixes;
  struct Item {
    std::uint32_t node;
    std::uint32_t state;  // of the lexer
    std::uint32_t head;
  };
  std::vector<Item> stack{{node, lexing.expanded(head).start, head}};
  while (!stack.empty()) {
    const Item at = stack.back();
    stack.pop_back();
    LongStep::tick();
    const Moves& row = moves(at.state);
    tree.children(at.node, [&](std::uint8_t byte, std::uint32_t child) {
      const std::uint32_t next = row.next[byte];
      if (next == kNoIndex) return;
      const SuffixTree::Node& suffix = tree.node(child);
      const auto add = [&] {
        for (const Ranks* each = tree.begin(suffix); each != tree.end(suffix); ++each) {
          sink.add_ranks(each->first, each->second);
        }
      };
      bool added = false;
      if (lexing.states_[next].open) {
        if (stays(next)) {
          add();
          added = true;
          if (suffix.children != 0) stack.push_back({child, next, at.head});
        } else {
          keep(out, {&group, at.head, next, 0, {}, false}, child);
        }
      }
      for (const Ending& ending : endings(next)) {
        const auto [goes_on, settled] = way_on(tree, child, ending);
        if (!goes_on && (added || suffix.first == suffix.last)) continue;
        const std::uint32_t after = lexing.head_after(at.head, ending.terminal, whole);
        const bool sure =
            after != kNoIndex && lexing.surely_goes_on(after, ending.terminal, ending.guard);
        if (sure) add();
        if (sure && goes_on && settled) {
          stack.push_back({child, lexing.expanded(after).start, after});
        } else if (!sure || goes_on) {
          keep(out, {&group, at.head, kNoIndex, ending.terminal, ending.guard, settled}, child);
        }
      }
    });
  }
}

// Goes on from an opening of what `stack` begins with.
void LexedMasks::open(const Opening& opening, std::uint32_t stack, Work& work,
                      MaskCache::Sink& sink) {
  Lexing& lexing = pool_.lexing();
  const Lexing::Head& own = lexing.head_of(stack);
  std::uint32_t here = opening.head;
  if (own.stack != kNoIndex) {
    here = opening.head == own.stack ? stack : lexing.stack_with(opening.head, own);
  }
  const ExprId next = opening.state != kNoIndex
                          ? lexing.inside(opening.state, here)
                          : lexing.after(opening.terminal, opening.guard, here);
  if (next == ExprPool::kEmptyId || !pool_.live(next)) return;
  ExprId from = next;
  if (opening.state == kNoIndex && opening.settled) {
    const ExprId free = lexing.after(opening.terminal, ExprPool::kAllId, here);
    if (pool_.node(free).flags & kText) from = free;
  }
  const SuffixTree& tree = opening.group->suffixes;
  for (const std::uint32_t node : opening.nodes) {
    const SuffixTree::Node& suffix = tree.node(node);
    for (const Ranks* each = tree.begin(suffix); each != tree.end(suffix); ++each) {
      sink.add_ranks(each->first, each->second);
    }
    if (suffix.children != 0) work.emplace_back(node, from);
  }
}

void LexedMasks::go_through(const Opening& opening, std::uint32_t stack, MaskCache::Sink& sink) {
  Work work;
  open(opening, stack, work, sink);
  if (!work.empty()) go_on(*opening.group, std::move(work), sink);
}

// What a head says of all tokens below a node of the vocabulary's trie.
const LexedMasks::HeadMask& LexedMasks::head_mask(const Table& table, std::uint32_t head) {
  std::unique_ptr<HeadMask>& slot = head_masks_[{&table, head}];
  if (slot) return *slot;
  auto out = std::make_unique<HeadMask>();
  Lexing& lexing = pool_.lexing();
  MaskCache::Sink sink(vocabulary_);
  sink.add_set(*table.inside);
  for (const Group& group : table.groups) {
    const std::uint32_t after = lexing.head_after(head, group.terminal, false);
    if (after == kNoIndex || !lexing.surely_goes_on(after, group.terminal, group.guard)) {
      out->groups.push_back(&group);
      continue;
    }
    sink.add_set(*group.ends);
    const auto through = [&](const Group& own, bool settled) {
      if (own.suffixes.empty()) return;
      if (!settled) {
        out->openings.push_back({&own, head, kNoIndex, group.terminal, group.guard, false, {0}});
        return;
      }
      const Summary& known = summary(own, 0, after);
      sink.add_set(*known.tokens);
      for (const Opening& opening : known.openings) out->openings.push_back(opening);
    };
    through(group, settles(group.suffixes, settled_by(group.guard)));
    if (!group.parts.empty()) {
      const Joined& parts = joined(group);
      through(parts.settled, true);
      through(parts.open, false);
    }
    if (!group.large.empty() || !group.cuts.empty()) out->large.push_back(&group);
  }
  out->tokens = sink.finish();
  bytes_ += sizeof(HeadMask) + 64 + out->openings.capacity() * (sizeof(Opening) + 16) +
            (out->groups.capacity() + out->large.capacity()) * sizeof(const Group*);
  if (out->tokens->dense.empty()) bytes_ += out->tokens->memory_usage();
  out->tokens = cache_.shared(std::move(out->tokens));
  slot = std::move(out);
  return *slot;
}

}  // namespace formgate
