// Masks of states that read runs of a set of ASCII characters uniformly.
#include <algorithm>
#include <optional>

#include "formgate/json_spelling.hpp"
#include "formgate/masks.hpp"
#include "mask_sink.hpp"

namespace formgate {
namespace {

// Smaller sets lead into so little of the trie that a walk is as fast.
constexpr unsigned kFewest = 8;
constexpr std::size_t kMostParted = 16'384;  // nodes of the trie that lead two states apart
constexpr unsigned kMostAscii = 80;          // of the 95 that can be seen
constexpr unsigned kMostLeads = 4;           // bytes with which characters that leave a run begin
constexpr unsigned kContinuations = 64;
constexpr std::size_t kMostPlaces = 8192;  // in the trie, that are followed one by one

// In text, the bytes that leave runs of some characters; nothing where a walk is as fast.
std::optional<ByteSet> leaving_bytes(const CharSet& chars, const ByteSet& alphabet) {
  if (chars.ascii().size() < kMostAscii) return std::nullopt;
  const ByteSet leaving = alphabet - chars.ascii() - chars.leads();
  if ((leaving & ByteSet::range(0x80, 0xFF)).size() > kMostLeads + kContinuations) {
    return std::nullopt;
  }
  return leaving - ByteSet::range(0x80, 0xBF);  // inside of characters
}

}  // namespace

// The largest set of ASCII characters that lead on together.
ByteSet MaskCache::widest_step(ExprId id) {
  const ByteSet ascii = ByteSet::range(0, 0x7F);
  ByteSet widest;
  for (const LinearTerm& term : pool_.linear_form(id)) {
    if ((term.bytes & ascii).size() > widest.size() && pool_.live(term.target)) {
      widest = term.bytes & ascii;
    }
  }
  return widest;
}

// Where text of nearly all characters never leads astray, whatever states it leads through (a
// pattern may match anywhere in a string), tokens of such text are those of a class, as everywhere,
// and only others are followed.
bool MaskCache::closed_item(ExprId id, std::uint32_t node, Mask& out) {
  const Node& first = pool_.node(pool_.head(id));
  const bool spelled = first.kind == Kind::kSpelled;
  if (pool_.tail(id) != ExprPool::kEpsilonId ||
      (spelled ? first.b != 0 : first.kind != Kind::kAnd)) {
    return false;
  }
  std::uint32_t index = pool_.closed_class(spelled ? ExprId{first.a} : id);
  if (index == kNoIndex) return false;
  if (spelled) {
    index = pool_.intern_class(pool_.char_class(index).intersect(pool_.plain_characters(first)));
  }
  const ByteSet ascii = pool_.char_class(index).ascii();
  if (ascii.size() < kMostAscii) return false;
  const ByteSet leaving =
      leaving_by(id, index, (pool_.alphabet(id) & ByteSet::range(0, 0x7F)) - ascii);
  if (vocabulary_->places(leaving) > kMostPlaces) return false;
  out.parts.push_back({class_table(index, node).inside, nullptr});
  replay(id, node, index, leaving, out);
  return true;
}

// Where one alternative takes text of nearly all characters again and again (a pattern that may
// match anywhere goes on looking), tokens of such text need nothing of the others, and of what
// leaves it all alternatives are followed at once.
bool MaskCache::covered_item(ExprId id, std::uint32_t node, Mask& out) {
  const Node& own = pool_.node(id);
  if (own.kind != Kind::kUnion || !(own.flags & kText) || !pool_.free_of_context(id)) return false;
  std::uint32_t index = kNoIndex;
  std::optional<ByteSet> leaving;
  const auto list = pool_.members(own);
  for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
    const Node head = pool_.node(pool_.head(member));
    if (head.kind != Kind::kRepeat || head.max != kUnbounded || !pool_.live(member)) continue;
    index = pool_.loop_of(ExprId{head.a}).class_index;
    if (index != kNoIndex) leaving = leaving_bytes(pool_.char_class(index), pool_.alphabet(id));
    if (leaving) break;
  }
  if (!leaving) return false;
  leaving = leaving_by(id, index, *leaving);
  if (vocabulary_->places(*leaving) > kMostPlaces) return false;
  out.parts.push_back({class_table(index, node).inside, nullptr});
  replay(id, node, index, *leaving, out);
  return true;
}

// Where nearly all characters lead back to a state (text beside words that a pattern avoids or
// still looks for), only tokens with another byte are followed, from there on.
bool MaskCache::staying_item(ExprId id, std::uint32_t node, Mask& out) {
  if (!(pool_.node(id).flags & kText) || !pool_.free_of_context(id)) return false;
  const std::uint32_t index = pool_.self_loop(id);
  if (index == kNoIndex) return false;
  auto leaving = leaving_bytes(pool_.char_class(index), pool_.alphabet(id));
  if (!leaving) return false;
  leaving = *leaving & live_bytes(id);
  if (vocabulary_->places(*leaving) > kMostPlaces && avoiding_item(id, node, out)) return true;
  ClassTable& table = class_table(index, node);
  out.parts.push_back({table.inside, nullptr});
  prepare_exits(table, index, *leaving);
  const auto trie = vocabulary_->trie();
  Sink sink(*vocabulary_);
  leaving->for_each([&](std::uint8_t byte) {
    const ExprId next{pool_.row(id).next[byte]};
    if (next == ExprPool::kEmptyId) return;
    for (const Exit& exit : exits_by(table, index, byte)) {
      sink.add_ranks(trie[exit.node].rank_begin, trie[exit.node].own_end());
      if (trie[exit.node].child_count > 0) walk_states(exit.node, next, sink, nullptr);
    }
  });
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
  return true;
}

// A state from which characters lead to itself, and to which they lead from `id` in few steps, or
// from which they lead to the same, having one more to count; empty where there is none.
ExprId MaskCache::settled_state(ExprId id, std::uint8_t byte) {
  constexpr unsigned kMostSteps = 3;
  ExprId state = id;
  for (unsigned i = 0; i < kMostSteps; ++i) {
    const ExprId next{pool_.row(state).next[byte]};
    if (next == ExprPool::kEmptyId) return next;
    if (pool_.row(next).next[byte] == index_of(next)) return next;
    state = next;
  }
  const ExprId next{pool_.row(id).next[byte]};
  const ExprId counted = pool_.once_more(next);
  const bool same =
      counted != ExprPool::kEmptyId && pool_.row(counted).next[byte] == index_of(next);
  return same ? counted : ExprPool::kEmptyId;
}

// Where nearly all characters lead to a state that is simple (beside the words that a pattern
// avoids, text is free after the first character that is in none of them), the mask is that of a
// state from which they lead to the same, but for tokens that begin with what leads elsewhere: both
// states are walked down the trie until they are one.
bool MaskCache::settling_item(ExprId id, std::uint32_t node, Mask& out) {
  if (settling_) return false;  // two states could each lead to the other
  const ByteSet widest = widest_step(id);
  if (widest.size() < kFewest) return false;
  const ExprId settled = settled_state(id, widest.first());
  if (settled == id || settled == ExprPool::kEmptyId || !pool_.live(settled)) return false;
  struct Pair {
    std::uint32_t node;
    ExprId own, other;
  };
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  std::vector<Pair> work{{node, id, settled}};
  std::vector<std::uint32_t> dead;                       // nodes that the settled state knows alone
  std::vector<std::pair<std::uint32_t, ExprId>> others;  // that it does not
  for (std::size_t i = 0; i < work.size(); ++i) {
    LongStep::tick();
    const Pair at = work[i];
    const Row& own = pool_.row(at.own);
    const Row& other = pool_.row(at.other);
    const std::uint32_t end = trie[at.node].first_child + trie[at.node].child_count;
    for (std::uint32_t child = trie[at.node].first_child; child < end; ++child) {
      const ExprId target{own.next[labels[child]]};
      const ExprId known{other.next[labels[child]]};
      if (target == known) continue;
      if (target == ExprPool::kEmptyId) {
        dead.push_back(child);
      } else if (known == ExprPool::kEmptyId) {
        others.emplace_back(child, target);
      } else if (trie[child].child_count > 0) {
        work.push_back({child, target, known});
      }
    }
    if (work.size() + dead.size() + others.size() > kMostParted) return false;
  }
  settling_ = true;
  const std::shared_ptr<const Mask> shared = mask_at(settled, node);
  settling_ = false;
  Sink common(*vocabulary_);
  collect(*shared, common);
  Bitmap gone(vocabulary_->words(), 0);
  for (const std::uint32_t child : dead) {
    for (std::uint32_t rank = trie[child].rank_begin; rank < trie[child].rank_end; ++rank) {
      set_bit(gone.data(), vocabulary_->ids()[rank]);
    }
  }
  Sink sink(*vocabulary_);
  for (const auto& [child, target] : others) {
    sink.add_ranks(trie[child].rank_begin, trie[child].own_end());
    if (is_large(trie[child])) {
      append(out, target, child);
    } else {
      walk(child, target, sink, &out);
    }
  }
  common.remove(gone);
  if (!common.empty()) out.parts.push_back({common.finish(), nullptr});
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
  return true;
}

// Appends states until there are `count`, or the run ends. Returns false when some characters of
// the set part company with others.
bool MaskCache::extend_run(Run& run, std::size_t count) {
  while (run.open && run.states.size() <= count) {
    ExprId next = ExprPool::kEmptyId;
    for (const LinearTerm& term : pool_.linear_form(run.states.back())) {
      if ((term.bytes & run.bytes).empty() || !pool_.live(term.target)) continue;
      if (!run.bytes.subset_of(term.bytes)) return false;
      next = term.target;
    }
    run.open = next != ExprPool::kEmptyId;
    if (run.open) run.states.push_back(next);
  }
  return true;
}

bool MaskCache::run_item(ExprId id, std::uint32_t node, Mask& out) {
  Run run{widest_step(id), {id}, true};
  if (run.bytes.size() < kFewest) return false;
  const std::uint32_t class_index = pool_.intern_class(CharSet::from_ascii(run.bytes));
  ClassTable& table = class_table(class_index, node);
  // No path through the trie has a longer run, so the states below are all that matter.
  if (!extend_run(run, table.longest)) return false;
  const std::size_t most = run.states.size() - 1;  // characters the run may have
  const Bitmap* limit = nullptr;
  if (!run.open && most < table.longest) {
    const auto known = vocabulary_->at_most(node, most);
    if (!known) return false;
    limit = *known;
  }
  out.parts.push_back({table.inside, limit});
  Sink leaving(*vocabulary_);
  leave_run(table, class_index, run, leaving);
  if (!leaving.empty()) out.parts.push_back({leaving.finish(), nullptr});

  // Text that does not begin with a character of the run.
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  Sink sink(*vocabulary_);
  const LinearForm form = pool_.linear_form(id);
  const std::uint32_t end = trie[node].first_child + trie[node].child_count;
  for (std::uint32_t child = trie[node].first_child; child < end; ++child) {
    if (run.bytes.contains(labels[child])) continue;
    for (const LinearTerm& term : form) {
      if (!term.bytes.contains(labels[child]) || !pool_.live(term.target)) continue;
      sink.add_ranks(trie[child].rank_begin, trie[child].own_end());
      walk(child, term.target, sink, &out);
    }
  }
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
  return true;
}

// Tokens that begin with a run and go on with another byte.
void MaskCache::leave_run(ClassTable& table, std::uint32_t class_index, const Run& run,
                          Sink& sink) {
  const auto trie = vocabulary_->trie();
  ByteSet leaving;
  for (std::size_t i = 1; i < run.states.size(); ++i) {
    for (const LinearTerm& term : pool_.linear_form(run.states[i])) {
      if (pool_.live(term.target)) leaving = leaving | term.bytes;
    }
  }
  leaving = leaving - run.bytes;
  prepare_exits(table, class_index, leaving);
  std::vector<ExprId> after;
  leaving.for_each([&](std::uint8_t byte) {
    after.clear();
    for (const Exit& exit : exits_by(table, class_index, byte)) {
      // Text that leaves at once is in no run; beyond the last state no run is that long.
      if (exit.count == 0 || exit.count >= run.states.size()) continue;
      for (std::size_t i = after.size(); i <= exit.count; ++i) {
        after.push_back(pool_.step(run.states[i], byte));
      }
      const ExprId next = after[exit.count];
      if (next == ExprPool::kEmptyId) continue;
      sink.add_ranks(trie[exit.node].rank_begin, trie[exit.node].own_end());
      if (trie[exit.node].child_count > 0) walk_states(exit.node, next, sink, nullptr);
    }
  });
}

}  // namespace formgate
