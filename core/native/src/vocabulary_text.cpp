// What the texts of a vocabulary are made of: characters below and above every trie node.
#include <algorithm>
#include <unordered_map>
#include <utility>

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
  for (const PathText& text : paths_) max_characters_ = std::max(max_characters_, text.count);
  at_most_.assign(std::min(max_characters_, kMostTables), Bitmap(words(), 0));
  for (std::uint32_t index = 1; index < nodes_.size(); ++index) {
    const TrieNode& node = nodes_[index];
    const std::uint32_t count = paths_[index].count;
    if (node.own_count == 0 || count >= at_most_.size()) continue;
    for (std::uint32_t rank = node.rank_begin; rank < node.own_end(); ++rank) {
      set_bit(at_most_[count].data(), rank_to_id_[rank]);
    }
  }
  for (std::size_t count = 1; count < at_most_.size(); ++count) {
    for (std::size_t i = 0; i < words(); ++i) at_most_[count][i] |= at_most_[count - 1][i];
  }
}

void Vocabulary::describe_paths() {
  // Parents come before their children: one forward pass.
  struct Open {
    std::uint32_t value;
    std::int8_t rest;
    std::int8_t length;
  };
  LargeVector<Open> open;
  open.reserve(nodes_.size());
  open.push_back({0, 0, 0});
  paths_.reserve(nodes_.size());
  paths_.push_back({});
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
    Open now{0, 0, 0};
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
    open.push_back(now);
    paths_.push_back(text);
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

// What the character can become that the path to a node has begun.
BucketSet Vocabulary::begun_at(std::uint32_t node) const {
  std::uint32_t value = 0;
  int read = 0;
  for (; is_continuation(labels_[node]); node = nodes_[node].parent, ++read) {
    value |= (labels_[node] & 0x3Fu) << (6 * read);
  }
  const int length = continuations(labels_[node]);
  value |= lead_bits(labels_[node], length) << (6 * read);
  const int shift = 6 * (length - read);
  return completions(value << shift, ((value + 1) << shift) - 1, length);
}

void Vocabulary::group_tokens() {
  const auto grouped = [this](auto&& visit) {
    for (std::uint32_t index = 1; index < nodes_.size(); ++index) {
      const PathText& text = paths_[index];
      if (nodes_[index].own_count == 0 || (text.buckets & kFragmentBucket)) continue;
      visit(index, text);
    }
  };
  // Counted before they are put in their places.
  using Key = std::pair<BucketSet, BucketSet>;
  const auto hash = [](const Key& key) { return key.first * 0x9E3779B97F4A7C15ull ^ key.second; };
  std::unordered_map<Key, std::uint32_t, decltype(hash)> number_of(64, hash);
  std::vector<TokenGroups::Group> groups;  // each begins at its size, until all are known
  std::vector<std::uint32_t> numbers;      // by node that is visited
  numbers.reserve(rank_to_id_.size());
  Key last{kFragmentBucket, 0};  // of those that are visited none; neighbours often agree
  std::uint32_t last_number = 0;
  grouped([&](std::uint32_t index, const PathText& text) {
    const Key key{text.buckets, text.buckets & kIncompleteBucket ? begun_at(index) : 0};
    if (key != last) {
      const auto [it, fresh] =
          number_of.try_emplace(key, static_cast<std::uint32_t>(groups.size()));
      if (fresh) groups.push_back({key.first, key.second, {}, 0});
      last = key;
      last_number = it->second;
    }
    groups[last_number].ascii |= text.ascii;
    groups[last_number].begin += nodes_[index].own_count;
    numbers.push_back(last_number);
  });
  std::ranges::sort(groups, [](const TokenGroups::Group& a, const TokenGroups::Group& b) {
    return a.buckets != b.buckets ? a.buckets < b.buckets : a.begun < b.begun;
  });
  std::uint32_t size = 0;
  std::vector<std::uint32_t> places(groups.size());  // of the next token, by number
  for (TokenGroups::Group& group : groups) {
    places[number_of.at({group.buckets, group.begun})] = size;
    size += std::exchange(group.begin, size);
  }
  std::vector<TokenId> ids(size);
  std::vector<AsciiSet> ascii(size);
  auto number = numbers.begin();
  grouped([&](std::uint32_t index, const PathText& text) {
    const TrieNode& node = nodes_[index];
    std::uint32_t& place = places[*number++];
    for (std::uint32_t rank = node.rank_begin; rank < node.own_end(); ++rank, ++place) {
      ids[place] = rank_to_id_[rank];
      ascii[place] = text.ascii;
    }
  });
  groups_ = TokenGroups(groups, std::move(ids), std::move(ascii), words());
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
