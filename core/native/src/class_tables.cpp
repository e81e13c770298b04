// Per-class tables: the tokens spelled in a class, and the edges on which text leaves it.
//
// From the root, the tokens of most classes come from sets of tokens by their buckets, and edges
// are looked up by their byte when a tail asks for it: neither walks the trie. Below another node,
// for narrow classes, and where most tokens would have to be read, the trie is walked once.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "formgate/buckets.hpp"
#include "formgate/masks.hpp"
#include "mask_sink.hpp"

namespace formgate {
namespace {

constexpr std::size_t kUsualExits = 1024;  // of a narrow class, as of digits or blanks

}  // namespace

// Walks the part of the trie that is spelled in the class. A subtree whose text lies wholly inside
// is taken as a range; where text leaves the class, the edge is recorded.
// Without `inside`, only the edges are found.
void MaskCache::scan_class(std::uint32_t class_index, std::uint32_t node, Sink* inside,
                           std::vector<std::pair<std::uint8_t, Exit>>& exits,
                           std::uint32_t& longest) {
  const auto trie = vocabulary_->trie();
  const LeafDfa& dfa = pool_.class_automaton(class_index);
  const auto labels = vocabulary_->labels();
  const auto ascii = vocabulary_->ascii();
  const LoopSet loop = options_.cut_subtrees ? pool_.class_loop(class_index) : LoopSet{};
  std::uint32_t first_byte[256];
  for (unsigned b = 0; b < 256; ++b) {
    first_byte[b] = dfa.next(dfa.start(), static_cast<std::uint8_t>(b));
  }
  struct Step {
    std::uint32_t node;
    std::uint32_t state;  // inside a character; the start state between characters
    std::uint16_t count;  // complete characters before it
  };
  std::vector<Step> stack{{node, dfa.start(), 0}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const TrieNode& parent = trie[step.node];
    const bool between = step.state == dfa.start();
    const std::uint32_t end = parent.first_child + parent.child_count;
    for (std::uint32_t child = parent.first_child; child < end; ++child) {
      const std::uint8_t label = labels[child];
      const std::uint32_t next = between ? first_byte[label] : dfa.next(step.state, label);
      // A begun character may also be one that is not of the class, whether or not a token ends it.
      if (between && (next == LeafDfa::kDead || !dfa.accepting(next))) {
        exits.push_back({label, {child, step.count}});
      }
      if (next == LeafDfa::kDead) continue;
      const TrieNode& below = trie[child];
      longest = std::max<std::uint32_t>(longest, step.count + 1u);
      if (dfa.accepting(next)) {  // a character is complete: members have no common prefixes
        if (below.child_count == 0 || loop.covers(below, ascii[child])) {
          longest = std::max<std::uint32_t>(longest, step.count + 1u + below.height);
          if (inside) inside->add_ranks(below.rank_begin, below.rank_end);
          continue;
        }
        if (inside) inside->add_ranks(below.rank_begin, below.own_end());
        if (below.child_count > 0) {
          prefetch_children(below, trie, labels, ascii);
          stack.push_back({child, dfa.start(), static_cast<std::uint16_t>(step.count + 1)});
        }
      } else {
        if (inside) inside->add_ranks(below.rank_begin, below.own_end());
        if (below.child_count > 0) {
          prefetch_children(below, trie, labels, ascii);
          stack.push_back({child, next, step.count});
        }
      }
    }
  }
}

MaskCache::ClassFilter MaskCache::filter_of(std::uint32_t class_index, std::uint32_t node) {
  const LoopSet& loop = pool_.class_loop(class_index);
  const BucketSet touched = buckets_touched(pool_.char_class(class_index)) | kIncompleteBucket;
  ClassFilter filter{touched, touched & ~loop.buckets, loop.ascii,
                     &pool_.class_automaton(class_index)};
  if (node != 0) {
    const std::uint8_t before = vocabulary_->labels()[node];
    filter.skipped = 1;
    filter.foreign = !pool_.char_class(class_index).ascii().contains(before);
    filter.touched |= bucket_of(before);
    filter.ascii.insert(before);
  }
  return filter;
}

// Whether the tokens of a class that are below a node come from sets, too: those behind a blank,
// which are as many as those without.
bool MaskCache::gathers_below(std::uint32_t class_index, std::uint32_t node) {
  constexpr unsigned kFewest = 20;  // smaller classes spell a small part of the trie
  constexpr unsigned kMost = 79;    // larger ones have most subtrees whole
  const unsigned size = pool_.char_class(class_index).ascii().size();
  return vocabulary_->trie()[node].parent == 0 && vocabulary_->labels()[node] < 0x80 &&
         is_large(vocabulary_->trie()[node]) && size >= kFewest && size <= kMost;
}

// Whether the text from the root to a node is well-formed up to its last character and made of
// characters of the class (begun ones included).
bool MaskCache::spelled_in(const ClassFilter& filter, std::uint32_t node) const {
  const PathText& text = vocabulary_->paths()[node];
  if ((text.buckets & ~filter.touched) || !text.ascii.subset_of(filter.ascii)) return false;
  if (!(text.buckets & filter.cut) && !filter.foreign) return true;
  const std::string path = vocabulary_->path(node);
  return spelled_in(filter, std::string_view(path).substr(filter.skipped));
}

bool MaskCache::spelled_in(const ClassFilter& filter, std::string_view text) const {
  std::uint32_t state = filter.dfa->start();
  for (char c : text) {
    if (filter.dfa->accepting(state)) state = filter.dfa->start();
    state = filter.dfa->next(state, static_cast<std::uint8_t>(c));
    if (state == LeafDfa::kDead) return false;
  }
  return true;
}

// The tokens of a class; null where these are few, or most that may be of it would have to be
// read: a walk of the trie finds their edges, too, and reads beginnings once and in order.
std::shared_ptr<const TokenSet> MaskCache::gather_class(const ClassFilter& filter) {
  const TokenGroups& groups = vocabulary_->groups();
  const auto parts = groups.parts();
  const BucketSet inside = filter.touched & ~filter.cut;
  const BucketSet outside = ~filter.touched | (filter.cut & ~kIncompleteBucket);
  std::vector<const TokenGroups::Part*> whole;
  std::vector<const TokenGroups::Part*> listed;  // the ASCII characters of their tokens tell
  std::vector<const TokenGroups::Part*> unsure;  // their texts do
  std::size_t read = 0;
  std::size_t taken = 0;
  for (std::uint32_t index = 0; index < parts.size();) {
    const TokenGroups::Part& part = parts[index];
    const bool group = part.next == index + 1;
    if (part.common & ~filter.touched ||
        (part.common & kIncompleteBucket && !(part.begun & filter.touched))) {
      index = part.next;
    } else if ((group || part.set != TokenGroups::kNone) && !(part.any & outside) &&
               !(part.begun & ~inside) && part.ascii.subset_of(filter.ascii)) {
      whole.push_back(&part);
      taken += part.end - part.begin;
      index = part.next;
    } else {
      if (group) {
        const bool told = !(part.any & outside) && !(part.begun & ~inside);
        (told ? listed : unsure).push_back(&part);
        (told ? taken : read) += part.end - part.begin;
      }
      ++index;
    }
  }
  if (read > taken || read + taken <= Sink::kMostListed) return nullptr;
  Sink sink(*vocabulary_);
  for (const TokenGroups::Part* part : whole) {
    if (part->set != TokenGroups::kNone) {
      sink.add_dense(groups.set(*part));
    } else {
      sink.add_ids(groups.ids().subspan(part->begin, part->end - part->begin));
    }
  }
  const auto each = [&](const TokenGroups::Part* part, auto&& visit) {
    for (std::uint32_t i = part->begin; i < part->end; ++i) {
      if (groups.ascii()[i].subset_of(filter.ascii)) visit(groups.ids()[i]);
    }
  };
  for (const TokenGroups::Part* part : listed) each(part, [&](TokenId id) { sink.add(id); });
  std::vector<TokenId> doubtful;
  for (const TokenGroups::Part* part : unsure) {
    each(part, [&](TokenId id) {
      doubtful.push_back(id);
      vocabulary_->prefetch_place(id);
    });
  }
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < doubtful.size(); ++i) {
    if (i + kAhead < doubtful.size()) vocabulary_->prefetch_bytes(doubtful[i + kAhead]);
    const std::string_view text = *vocabulary_->token_bytes(doubtful[i]);
    if (text.size() >= filter.skipped && spelled_in(filter, text.substr(filter.skipped))) {
      sink.add(doubtful[i]);
    }
  }
  return sink.finish();
}

// Those of a set that are below a node; where its character is foreign to a class, without those
// that have it again.
std::shared_ptr<const TokenSet> MaskCache::only_below(std::uint32_t node, const TokenSet& set,
                                                      bool foreign) {
  const auto trie = vocabulary_->trie();
  const auto ids = vocabulary_->ids();
  const TrieNode& top = trie[node];
  Bitmap& below = below_[node];
  if (below.empty()) {
    below.assign(vocabulary_->words(), 0);
    for (std::uint32_t rank = top.own_end(); rank < top.rank_end; ++rank) {
      set_bit(below.data(), ids[rank]);
    }
    bytes_ += below.size() * 4;
  }
  Sink sink(*vocabulary_);
  for (TokenId id : set.ids) {
    if (test_bit(below.data(), id)) sink.add(id);
  }
  if (!set.dense.empty()) sink.add_words(set.dense, below);
  if (foreign) {
    Bitmap again(vocabulary_->words(), 0);
    for (const std::uint32_t other : vocabulary_->nodes_by_label(vocabulary_->labels()[node])) {
      const TrieNode& at = trie[other];
      if (other == node || at.rank_begin < top.rank_begin || at.rank_end > top.rank_end) continue;
      for (std::uint32_t rank = at.rank_begin; rank < at.rank_end; ++rank) {
        set_bit(again.data(), ids[rank]);
      }
    }
    sink.remove(again);
  }
  return sink.finish();
}

// An upper bound: where the class cuts a bucket, paths of the bucket count as spelled.
std::uint32_t MaskCache::longest_path(const ClassFilter& filter) const {
  for (std::uint32_t node : vocabulary_->long_paths()) {
    const PathText& text = vocabulary_->paths()[node];
    if (text.buckets & ~filter.touched || !text.ascii.subset_of(filter.ascii)) continue;
    return text.count;
  }
  return Vocabulary::kLongPath;
}

void MaskCache::scan_into(ClassTable& table, std::uint32_t class_index, std::uint32_t node) {
  Sink inside(*vocabulary_);
  std::vector<std::pair<std::uint8_t, Exit>> exits;
  exits.reserve(kUsualExits);
  scan_class(class_index, node, table.inside ? nullptr : &inside, exits, table.longest);
  if (!table.inside) {
    table.inside = inside.finish();
    bytes_ += table.inside->memory_usage();
  }
  for (const auto& [byte, exit] : exits) ++table.first[byte + 1u];
  for (std::size_t byte = 0; byte < 256; ++byte) table.first[byte + 1] += table.first[byte];
  std::array<std::uint32_t, 257> next = table.first;
  table.all.resize(exits.size());
  for (const auto& [byte, exit] : exits) table.all[next[byte]++] = exit;
  table.complete = true;
  bytes_ += exits.size() * sizeof(Exit);
}

MaskCache::ClassTable& MaskCache::class_table(std::uint32_t class_index, std::uint32_t node) {
  auto& slot = tables_[(static_cast<std::uint64_t>(node) << 32) | class_index];
  if (slot) return *slot;
  auto table = std::make_unique<ClassTable>();
  table->node = node;
  if (options_.cut_subtrees && (node == 0 || gathers_below(class_index, node))) {
    const ClassFilter& filter = table->filter.emplace(filter_of(class_index, node));
    table->inside = gather_class(filter);
    if (table->inside && node != 0) {
      table->inside = only_below(node, *table->inside, filter.foreign);
    }
    if (table->inside) {
      table->longest = longest_path(filter);
      bytes_ += table->inside->memory_usage();
    }
  }
  // The part of the trie that a narrow class spells is small: its edges are found by a scan, while
  // looking each byte up would visit every place where it occurs.
  if (!table->inside || table->inside->dense.empty()) scan_into(*table, class_index, node);
  bytes_ += sizeof(ClassTable);
  slot = std::move(table);
  return *slot;
}

// Nodes reached by a byte, those left out that cannot be edges of the class.
std::span<const std::uint32_t> MaskCache::places_of(std::uint32_t class_index,
                                                    std::uint8_t byte) const {
  return pool_.char_class(class_index).ascii_only() ? vocabulary_->nodes_after_ascii(byte)
                                                    : vocabulary_->nodes_by_label(byte);
}

void MaskCache::prepare_exits(ClassTable& table, std::uint32_t class_index, const ByteSet& bytes) {
  if (table.complete) return;
  // A scan follows the class through the trie; looking up a byte visits all its places, in no
  // order.
  constexpr std::size_t kMostPlaces = 20'000;
  std::size_t places = 0;
  bytes.for_each([&](std::uint8_t byte) {
    if (!table.exits.contains(byte)) places += places_of(class_index, byte).size();
  });
  if (places > kMostPlaces) scan_into(table, class_index, table.node);
}

// Edges by `byte` after text of the class, the empty text included. They stay where they are.
std::span<const MaskCache::Exit> MaskCache::exits_by(ClassTable& table, std::uint32_t class_index,
                                                     std::uint8_t byte) {
  if (table.complete) {
    return std::span(table.all).subspan(table.first[byte],
                                        table.first[byte + 1u] - table.first[byte]);
  }
  if (auto it = table.exits.find(byte); it != table.exits.end()) return it->second;
  std::vector<Exit>& exits = table.exits[byte];
  if (!table.filter) table.filter = filter_of(class_index, table.node);
  const ClassFilter& filter = *table.filter;
  const std::uint32_t begun = filter.dfa->next(filter.dfa->start(), byte);
  // After a character that the byte completes, the text has not left the class.
  if (begun != LeafDfa::kDead && filter.dfa->accepting(begun)) return exits;
  const auto trie = vocabulary_->trie();
  const TrieNode& top = trie[table.node];
  for (std::uint32_t node : places_of(class_index, byte)) {
    const TrieNode& at = trie[node];
    if (node == table.node || at.rank_begin < top.rank_begin || at.rank_end > top.rank_end) {
      continue;
    }
    const PathText& text = vocabulary_->paths()[at.parent];
    if ((text.buckets & kIncompleteBucket) || !spelled_in(filter, at.parent)) continue;
    exits.push_back({node, static_cast<std::uint16_t>(text.count - filter.skipped)});
  }
  bytes_ += exits.capacity() * sizeof(Exit);
  return exits;
}

}  // namespace formgate
