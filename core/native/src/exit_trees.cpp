// Tokens that leave a class of characters, with what follows in them as a tree.
//
// Of some 130,000 tokens, 486 end a JSON string, and what they have after the quote are 224 texts:
// a state that comes after strings walks the tree of these texts, not the places in the vocabulary
// where strings end. It is the inverse token spanner table of Park, Zhou, D'Antoni, "Flexible and
// Efficient Grammar-Constrained Decoding" (ICML 2025), for classes.
#include "exit_trees.hpp"

#include <algorithm>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"
#include "part_walk.hpp"

namespace formgate {
namespace {

// Where more tokens leave by a byte, their subtrees in the vocabulary are walked.
constexpr std::size_t kMostTokens = 8192;
constexpr std::size_t kMostInMask = 2048;  // unless it is one tree
constexpr std::size_t kMostPlaces = 256;   // nodes that text of a narrow class leads to

}  // namespace

MaskCache::ClassTable::ClassTable() = default;
MaskCache::ClassTable::~ClassTable() = default;

std::unique_ptr<MaskCache::ExitTree> MaskCache::ExitTree::of(std::vector<Entry> entries) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    if (a.key != b.key) return a.key < b.key;
    // Of texts with one key, one that ends within it begins the other.
    const std::size_t shorter = std::min(a.text.size(), b.text.size());
    const int order = shorter <= sizeof(a.key) ? 0 : a.text.compare(b.text);
    if (order != 0) return order < 0;
    return a.text.size() != b.text.size() ? a.text.size() < b.text.size() : a.id < b.id;
  });
  auto tree = std::make_unique<ExitTree>();
  tree->ids.reserve(entries.size());
  tree->lengths.reserve(entries.size());
  tree->counts.reserve(entries.size());
  for (const Entry& entry : entries) {
    tree->ids.push_back(entry.id);
    tree->lengths.push_back(static_cast<std::uint16_t>(entry.text.size()));
    tree->counts.push_back(entry.count);
    const std::size_t escape = entry.text.find('\\');
    if (escape != std::string_view::npos) {
      tree->escaped.push_back(static_cast<std::uint32_t>(tree->ids.size() - 1));
    }
  }
  const auto size = static_cast<std::uint32_t>(entries.size());
  tree->nodes.reserve(size * 2 + 1);
  tree->labels.reserve(size * 2 + 1);
  tree->nodes.push_back({0, 0, 0, size, 0, 0, 0, 0});
  tree->labels.push_back(0);
  for (std::uint32_t at = 0; at < tree->nodes.size(); ++at) {
    const TrieNode node = tree->nodes[at];
    std::uint32_t rank = node.rank_begin;
    while (rank < node.rank_end && entries[rank].text.size() == node.height) ++rank;
    tree->nodes[at].own_count = static_cast<std::uint16_t>(rank - node.rank_begin);
    const auto first = static_cast<std::uint32_t>(tree->nodes.size());
    while (rank < node.rank_end) {
      const char label = entries[rank].text[node.height];
      std::uint32_t next = rank + 1;
      while (next < node.rank_end && entries[next].text[node.height] == label) ++next;
      tree->nodes.push_back(
          {0, 0, rank, next, at, 0, 0, static_cast<std::uint16_t>(node.height + 1)});
      tree->labels.push_back(static_cast<std::uint8_t>(label));
      rank = next;
    }
    tree->nodes[at].first_child = first;
    tree->nodes[at].child_count = static_cast<std::uint16_t>(tree->nodes.size() - first);
  }
  return tree;
}

const MaskCache::ExitTree* MaskCache::exit_tree(ClassTable& table, std::uint32_t class_index,
                                                std::uint8_t byte) {
  if (const auto it = table.trees.find(byte); it != table.trees.end()) return it->second.get();
  // A tree costs as much as a few walks, a large one as more of them.
  constexpr std::size_t kFirstUses = 2;
  constexpr std::size_t kTokensPerUse = 1024;
  const auto trie = vocabulary_->trie();
  const std::span<const Exit> leaving = exits_by(table, class_index, byte);
  std::size_t tokens = 0;
  for (const Exit& exit : leaving) {
    if (exit.count > 0) tokens += trie[exit.node].rank_end - trie[exit.node].rank_begin;
  }
  if (table.uses[byte] < kFirstUses + std::min(tokens, kMostTokens) / kTokensPerUse) {
    ++table.uses[byte];
    return nullptr;
  }
  // Trees that many states use are due at the same time: one mask does not pay for all of them.
  if (in_trees_ > 0 && in_trees_ + tokens > kMostInMask) return nullptr;
  std::unique_ptr<ExitTree>& slot = table.trees[byte];
  if (tokens > kMostTokens) return nullptr;
  in_trees_ += tokens;
  std::vector<ExitTree::Entry> entries;
  entries.reserve(tokens);
  for (const Exit& exit : leaving) {
    if (exit.count == 0) continue;
    const TrieNode& node = trie[exit.node];
    const std::size_t skipped = vocabulary_->path(exit.node).size();
    for (std::uint32_t rank = node.rank_begin; rank < node.rank_end; ++rank) {
      const TokenId id = vocabulary_->ids()[rank];
      const std::string_view text = vocabulary_->token_bytes(id)->substr(skipped);
      entries.push_back({leading_bytes(text), text, id, exit.count});
    }
  }
  slot = ExitTree::of(std::move(entries));
  bytes_ += slot->memory_usage();
  return slot.get();
}

// What leaves a class: all of it as one set, or with the characters before. A token leaves the
// class at one place, so their number is one, too.
struct MaskCache::Leaving {
  const Vocabulary& vocabulary;
  Sink* all;       // or null,
  Exits* counted;  // and then these are not

  void add(std::uint16_t count, TokenId id) {
    if (all) return all->add(id);
    note(count);
    counted->listed.emplace_back(count, id);
  }
  void add_ranks(std::uint16_t count, std::uint32_t begin, std::uint32_t end) {
    if (all) return all->add_ranks(begin, end);
    if (begin == end) return;
    note(count);
    counted->ranges.push_back({count, begin, end});
  }
  void add_mask(std::uint16_t count, const Mask& mask, const MaskCache& cache) {
    if (all) return cache.collect(mask, *all);
    for (const Mask::Part& part : mask.parts) {
      if (part.plain()) {
        add_set(count, part.tokens);
      } else {
        Sink sink(vocabulary);
        cache.collect(Mask{{part}}, sink);
        add_set(count, sink.finish());
      }
    }
  }
  void add_set(std::uint16_t count, std::shared_ptr<const TokenSet> set) {
    if (all) return all->add_set(*set);
    if (set->dense.empty()) {
      for (TokenId id : set->ids) add(count, id);
      return;
    }
    note(count);
    counted->sets.emplace_back(count, std::move(set));
  }

 private:
  void note(std::uint16_t count) {
    counted->fewest = std::min(counted->fewest, count);
    counted->most = std::max(counted->most, count);
  }
};

MaskCache::Exits& MaskCache::exits(std::uint32_t class_index, std::uint32_t node, ExprId tail) {
  const GroupKey key{class_index, node, index_of(tail)};
  if (auto it = exits_.find(key); it != exits_.end()) return it->second;
  Exits out;
  Leaving found{*vocabulary_, nullptr, &out};
  leave_class(class_index, node, tail, found);
  bytes_ +=
      out.listed.size() * sizeof(out.listed[0]) + out.ranges.size() * sizeof(Exits::Range) + 64;
  for (const auto& [count, set] : out.sets) {
    if (set.use_count() == 1) bytes_ += set->memory_usage();  // those of masks are counted there
  }
  return exits_.emplace(key, std::move(out)).first->second;
}

// The same tokens, where it does not matter after how many characters.
std::shared_ptr<const TokenSet> MaskCache::all_exits(std::uint32_t class_index, std::uint32_t node,
                                                     ExprId tail) {
  const GroupKey key{class_index, node, index_of(tail)};
  if (auto it = exits_.find(key); it != exits_.end()) {
    return exits_between(it->second, 0, kUnbounded);
  }
  if (auto it = all_exits_.find(key); it != all_exits_.end()) return it->second;
  Sink sink(*vocabulary_);
  Leaving found{*vocabulary_, &sink, nullptr};
  leave_class(class_index, node, tail, found);
  std::shared_ptr<const TokenSet> out = sink.finish();
  bytes_ += out->memory_usage() + 64;
  return all_exits_.emplace(key, std::move(out)).first->second;
}

// The nodes that text of a narrow class leads to, as of blanks; for others the node itself alone.
void MaskCache::find_places(ClassTable& table, std::uint32_t class_index, std::uint32_t node) {
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  const LeafDfa& dfa = pool_.class_automaton(class_index);
  table.places.assign(1, {node, 0});
  std::vector<std::pair<Exit, std::uint32_t>> stack{{{node, 0}, dfa.start()}};
  while (!stack.empty()) {
    const auto [place, state] = stack.back();
    stack.pop_back();
    const TrieNode& at = trie[place.node];
    for (std::uint32_t child = at.first_child; child < at.first_child + at.child_count; ++child) {
      const std::uint32_t next = dfa.next(state, labels[child]);
      if (next == LeafDfa::kDead || trie[child].child_count == 0) continue;
      if (!dfa.accepting(next)) {
        stack.push_back({{child, place.count}, next});
        continue;
      }
      const Exit below{child, static_cast<std::uint16_t>(place.count + 1)};
      table.places.push_back(below);
      stack.push_back({below, dfa.start()});
      if (table.places.size() > kMostPlaces) {
        table.places.assign(1, {node, 0});
        return;
      }
    }
  }
  bytes_ += table.places.capacity() * sizeof(Exit);
}

// Whether a state repeats a class first, of which there are tables.
bool MaskCache::repeats_class(ExprId id) {
  const Node& head = pool_.node(pool_.head(id));
  return plain() && options_.class_tables && head.kind == Kind::kRepeat &&
         pool_.loop_of(ExprId{head.a}).class_index != kNoIndex;
}

// From each such place on, the tail is walked part by part, where there is no table of what it
// repeats. False: that cannot be.
bool MaskCache::leave_places(const ClassTable& table, ExprId tail, Leaving& found) {
  const auto trie = vocabulary_->trie();
  const bool repeats = found.all && repeats_class(tail);
  PartWalk walk(*this, token_tree(), nullptr);
  for (const Exit& place : std::span(table.places).subspan(1)) {
    if (repeats && is_large(trie[place.node])) {
      collect(*mask_at(tail, place.node), *found.all);
      continue;
    }
    if (!walk.run(place.node, tail)) {
      given_up_ += walk.too_long() ? 1 : 0;
      return false;
    }
    for (const auto& [begin, end] : walk.found()) found.add_ranks(place.count, begin, end);
    for (const auto& mask : walk.masks()) found.add_mask(place.count, *mask, *this);
  }
  return true;
}

// Tokens with at least one character of the class, which go on as the tail begins.
void MaskCache::leave_class(std::uint32_t class_index, std::uint32_t node, ExprId tail,
                            Leaving& found) {
  ClassTable& table = class_table(class_index, node);
  const auto trie = vocabulary_->trie();
  // Rules have tables below such places; anything else is found faster byte by byte.
  if (begins_with_rules(tail) && walks_parts(tail)) {
    if (table.places.empty()) find_places(table, class_index, node);
    if (table.places.size() > 1 && leave_places(table, tail, found)) return;
  }
  // Of a class that repeats, as in words behind blanks, there are tables below large places.
  if (found.all && repeats_class(tail)) {
    if (table.places.empty()) find_places(table, class_index, node);
    const auto large = [&](const Exit& place) { return is_large(trie[place.node]); };
    if (std::ranges::any_of(std::span(table.places).subspan(1), large) &&
        leave_places(table, tail, found)) {
      return;
    }
  }
  const LinearForm form = pool_.linear_form(tail);
  ByteSet bytes;
  for (const LinearTerm& term : form) bytes = bytes | term.bytes;
  prepare_exits(table, class_index, bytes);
  const auto labels = vocabulary_->labels();
  for (const LinearTerm& term : form) {
    if (!pool_.live(term.target)) continue;
    const bool parts = walks_parts(term.target);
    ByteSet first;
    add_first(term.target, first);
    const auto leads_on = [&](const TrieNode& at) {
      const auto below = labels.subspan(at.first_child, at.child_count);
      return std::ranges::any_of(below, [&](std::uint8_t label) { return first.contains(label); });
    };
    term.bytes.for_each([&](std::uint8_t byte) {
      const ExitTree* tree = walks_parts(tail) ? exit_tree(table, class_index, byte) : nullptr;
      if (tree && !tree->ids.empty()) {
        const TokenTree view = tree->view();
        PartWalk walk(*this, view, nullptr);
        if (walk.run(0, term.target)) {
          const auto add = [&](std::uint32_t begin, std::uint32_t end) {
            for (std::uint32_t rank = begin; rank < end; ++rank) {
              found.add(tree->counts[rank], view.ids[rank]);
            }
          };
          add(0, view.nodes[0].own_end());
          for (const auto& [begin, end] : walk.found()) add(begin, end);
          return;
        }
        given_up_ += walk.too_long() ? 1 : 0;
      } else if (tree) {
        return;
      }
      const std::span<const Exit> leaving = exits_by(table, class_index, byte);
      PartWalk walk(*this, token_tree(), nullptr);
      for (const Exit& exit : leaving) {
        if (exit.count == 0) continue;  // the tail's own mask has these
        const TrieNode& at = trie[exit.node];
        found.add_ranks(exit.count, at.rank_begin, at.own_end());
        if (!leads_on(at)) continue;
        const bool whole = parts && walk.run(exit.node, term.target);
        if (whole && walk.masks().empty()) {
          for (const auto& [begin, end] : walk.found()) found.add_ranks(exit.count, begin, end);
          continue;
        }
        given_up_ += !whole && walk.too_long() ? 1 : 0;
        Sink sink(*vocabulary_);
        this->walk(exit.node, term.target, sink);
        found.add_set(exit.count, sink.finish());
      }
    });
  }
}

// Those with at least `min` and at most `max` characters of the class before they leave it.
std::shared_ptr<const TokenSet> MaskCache::exits_between(Exits& exits, std::uint32_t min,
                                                         std::uint32_t max) {
  const bool whole = exits.fewest >= min && exits.most <= max;
  if (whole && exits.all) return exits.all;
  const auto counts = [&](std::uint16_t count) { return count >= min && count <= max; };
  Sink sink(*vocabulary_);
  for (const auto& [count, id] : exits.listed) {
    if (counts(count)) sink.add(id);
  }
  for (const auto& [count, begin, end] : exits.ranges) {
    if (counts(count)) sink.add_ranks(begin, end);
  }
  for (const auto& [count, set] : exits.sets) {
    if (counts(count)) sink.add_set(*set);
  }
  std::shared_ptr<const TokenSet> out = sink.finish();
  if (whole) {
    exits.all = out;
    bytes_ += out->memory_usage();
  }
  return out;
}

}  // namespace formgate
