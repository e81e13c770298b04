// What the texts of a vocabulary are made of: characters below and above every trie node.
#include <algorithm>
#include <unordered_map>

#include "formgate/buckets.hpp"
#include "formgate/vocabulary.hpp"
#include "utf8.hpp"

namespace formgate {

void Vocabulary::annotate() {
  // Children come after their parents, so one backward pass sees them finished. A character
  // below a node is read down from the node itself: what is text from there may be a fragment from
  // the root, and the other way round.
  struct Step {
    std::uint32_t node;
    std::uint32_t value;  // bits read so far
    int rest;             // continuation bytes to come
    int length;           // continuation bytes in all
  };
  std::vector<Step> stack;
  ascii_.assign(nodes_.size(), {});
  for (std::size_t index = nodes_.size(); index-- > 0;) {
    TrieNode& node = nodes_[index];
    BucketSet buckets = 0;
    std::uint32_t height = 0;
    const auto finish = [&](const Step& step) {
      const TrieNode& reached = nodes_[step.node];
      const bool valid = valid_character(step.value, step.length);
      buckets |= valid ? bucket_of(step.value) | reached.buckets : kFragmentBucket;
      height = std::max(height, 1u + reached.height);
    };
    for (std::uint32_t c = 0; c < node.child_count; ++c) {
      const std::uint32_t child = node.first_child + c;
      const std::uint8_t label = labels_[child];
      ascii_[index] |= ascii_[child];
      if (label < 0x80) {
        ascii_[index].insert(label);
        finish({child, label, 0, 0});
        continue;
      }
      const int length = continuations(label);
      if (length < 0) {
        buckets |= kFragmentBucket;
        height = std::max(height, 1u + nodes_[child].height);
        continue;
      }
      stack.push_back({child, lead_bits(label, length), length, length});
      while (!stack.empty()) {
        const Step step = stack.back();
        stack.pop_back();
        if (step.rest == 0) {
          finish(step);
          continue;
        }
        const TrieNode& at = nodes_[step.node];
        if (at.own_count > 0) {  // a token ends inside the character
          const unsigned shift = 6u * static_cast<unsigned>(step.rest);
          buckets |= completions(step.value << shift, ((step.value + 1) << shift) - 1, step.length);
          height = std::max(height, 1u);
        }
        for (std::uint32_t i = 0; i < at.child_count; ++i) {
          const std::uint32_t below = at.first_child + i;
          const std::uint8_t byte = labels_[below];
          if (is_continuation(byte)) {
            stack.push_back(
                {below, (step.value << 6) | (byte & 0x3Fu), step.rest - 1, step.length});
          } else {
            buckets |= kFragmentBucket;
            height = std::max(height, 1u + nodes_[below].height);
          }
        }
      }
    }
    node.buckets = buckets;
    node.height = static_cast<std::uint16_t>(std::min(height, 0xFFFFu));
  }
}

void Vocabulary::count_characters() {
  // A table for every count would be large where single tokens are huge; beyond the table, bounded
  // repetitions are walked instead.
  constexpr std::uint32_t kMostTables = 256;
  std::vector<std::vector<TokenId>> by_count(kMostTables + 1);
  for (std::uint32_t index = 1; index < nodes_.size(); ++index) {
    const TrieNode& node = nodes_[index];
    if (node.own_count == 0) continue;
    const std::uint32_t count = paths_[index].count;
    max_characters_ = std::max(max_characters_, count);
    if (count > kMostTables) continue;
    for (std::uint32_t rank = node.rank_begin; rank < node.own_end(); ++rank) {
      by_count[count].push_back(rank_to_id_[rank]);
    }
  }
  const std::uint32_t tables = std::min(max_characters_, kMostTables);
  Bitmap current(words(), 0);
  at_most_.reserve(tables);
  for (std::uint32_t count = 0; count < tables; ++count) {
    for (TokenId id : by_count[count]) set_bit(current.data(), id);
    at_most_.push_back(current);
  }
}

void Vocabulary::describe_paths() {
  // Parents come before their children: one forward pass.
  struct Open {
    std::uint32_t value;
    std::int8_t rest;
    std::int8_t length;
  };
  std::vector<Open> open(nodes_.size(), {0, 0, 0});
  paths_.assign(nodes_.size(), {});
  label_offsets_.assign(257, 0);
  after_ascii_.assign(256, 0);
  for (std::uint32_t index = 1; index < nodes_.size(); ++index) {
    const std::uint8_t label = labels_[index];
    ++label_offsets_[label + 1u];
    const Open before = open[nodes_[index].parent];
    PathText text = paths_[nodes_[index].parent];
    if ((text.buckets & ~kAsciiBuckets) == 0) ++after_ascii_[label];
    text.buckets &= ~kIncompleteBucket;
    if (!is_continuation(label)) ++text.count;
    if (label < 0x80) text.ascii.insert(label);
    Open& now = open[index];
    if (before.rest > 0) {
      now = {(before.value << 6) | (label & 0x3Fu), static_cast<std::int8_t>(before.rest - 1),
             before.length};
      if (!is_continuation(label)) text.buckets |= kFragmentBucket;
    } else {
      const int length = continuations(label);
      if (length < 0) {
        text.buckets |= kFragmentBucket;
      } else {
        const auto rest = static_cast<std::int8_t>(length);
        now = {lead_bits(label, length), rest, rest};
      }
    }
    if (now.rest > 0) {
      text.buckets |= kIncompleteBucket;
    } else if (!(text.buckets & kFragmentBucket)) {
      text.buckets |=
          valid_character(now.value, now.length) ? bucket_of(now.value) : kFragmentBucket;
    }
    paths_[index] = text;
    if (text.count > kLongPath) long_paths_.push_back(index);
  }
  std::stable_sort(
      long_paths_.begin(), long_paths_.end(),
      [this](std::uint32_t a, std::uint32_t b) { return paths_[a].count > paths_[b].count; });
  for (unsigned b = 0; b < 256; ++b) label_offsets_[b + 1] += label_offsets_[b];
  by_label_.resize(nodes_.size() - 1);
  std::vector<std::uint32_t> first = label_offsets_;
  std::vector<std::uint32_t> second = label_offsets_;
  for (unsigned b = 0; b < 256; ++b) second[b] += after_ascii_[b];
  for (std::uint32_t index = 1; index < nodes_.size(); ++index) {
    const bool ascii = (paths_[nodes_[index].parent].buckets & ~kAsciiBuckets) == 0;
    by_label_[(ascii ? first : second)[labels_[index]]++] = index;
  }
}

void Vocabulary::group_tokens() {
  constexpr std::size_t kDense = 1024;  // from here on a bitmap is faster than a list
  const auto grouped = [this](auto&& visit) {
    for (std::uint32_t index = 1; index < nodes_.size(); ++index) {
      const PathText& text = paths_[index];
      if (nodes_[index].own_count == 0 || (text.buckets & kFragmentBucket)) continue;
      visit(nodes_[index], text);
    }
  };
  // Counted before they are filled.
  std::unordered_map<BucketSet, std::uint32_t> place_of;
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> places;  // by node that is visited
  places.reserve(rank_to_id_.size());
  BucketSet last = kFragmentBucket;  // of those that are visited none; neighbours often agree
  std::uint32_t last_place = 0;
  grouped([&](const TrieNode& node, const PathText& text) {
    if (text.buckets != last) {
      const auto [it, fresh] =
          place_of.try_emplace(text.buckets, static_cast<std::uint32_t>(sizes.size()));
      if (fresh) sizes.push_back(0);
      last = text.buckets;
      last_place = it->second;
    }
    sizes[last_place] += node.own_count;
    places.push_back(last_place);
  });
  groups_.resize(sizes.size());
  for (const auto& [buckets, place] : place_of) {
    groups_[place].buckets = buckets;
    groups_[place].ids.reserve(sizes[place]);
    groups_[place].ascii.reserve(sizes[place]);
  }
  auto place = places.begin();
  grouped([&](const TrieNode& node, const PathText& text) {
    TokenGroup& group = groups_[*place++];
    group.all_ascii |= text.ascii;
    for (std::uint32_t rank = node.rank_begin; rank < node.own_end(); ++rank) {
      group.ids.push_back(rank_to_id_[rank]);
      group.ascii.push_back(text.ascii);
    }
  });
  std::ranges::sort(groups_, {}, &TokenGroup::buckets);
  for (TokenGroup& group : groups_) {
    if (group.ids.size() <= kDense) continue;
    group.dense.assign(words(), 0);
    for (TokenId id : group.ids) set_bit(group.dense.data(), id);
  }
}

std::vector<std::uint32_t> Vocabulary::ranks_with(std::uint8_t byte) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  for (std::uint32_t node : nodes_by_label(byte)) {
    ranges.emplace_back(nodes_[node].rank_begin, nodes_[node].rank_end);
  }
  std::sort(ranges.begin(), ranges.end());
  std::vector<std::uint32_t> out;
  std::uint32_t done = 0;  // a node may lie below another one
  for (const auto& [begin, end] : ranges) {
    for (std::uint32_t rank = std::max(begin, done); rank < end; ++rank) out.push_back(rank);
    done = std::max(done, end);
  }
  return out;
}

}  // namespace formgate
