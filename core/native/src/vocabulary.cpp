#include "formgate/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "formgate/buckets.hpp"
#include "formgate/errors.hpp"
#include "utf8.hpp"

namespace formgate {
Vocabulary::Vocabulary(const std::vector<std::optional<std::string_view>>& tokens,
                       std::vector<TokenId> stop_ids, std::map<std::string, TokenId> special)
    : size_(tokens.size()), stop_ids_(std::move(stop_ids)), special_(std::move(special)) {
  if (tokens.empty()) {
    throw Error(ErrorKind::kVocabulary, "the vocabulary has no tokens; pass one entry for each id");
  }
  if (tokens.size() > (1u << 28)) {
    throw Error(ErrorKind::kVocabulary, "the vocabulary has " + std::to_string(tokens.size()) +
                                            " ids, more than the 2^28 that are supported");
  }
  std::sort(stop_ids_.begin(), stop_ids_.end());
  stop_ids_.erase(std::unique(stop_ids_.begin(), stop_ids_.end()), stop_ids_.end());
  for (TokenId id : stop_ids_) {
    if (id >= size_) {
      throw Error(ErrorKind::kVocabulary,
                  "stop id " + std::to_string(id) + " is outside the vocabulary of " +
                      std::to_string(size_) + " ids; pass the size of the model's vocabulary");
    }
  }
  for (const auto& [name, id] : special_) {
    if (id >= size_) {
      throw Error(ErrorKind::kVocabulary, "special token \"" + name + "\" has id " +
                                              std::to_string(id) + ", outside the vocabulary of " +
                                              std::to_string(size_) + " ids");
    }
  }
  store(tokens);
  build_trie(sort_tokens());
  annotate();
  describe_paths();
  group_tokens();
  count_characters();
  find_spellable();
}

void Vocabulary::store(const std::vector<std::optional<std::string_view>>& tokens) {
  std::vector<bool> silent(size_, false);
  for (TokenId id : stop_ids_) silent[id] = true;
  for (const auto& [name, id] : special_) silent[id] = true;
  std::size_t total = 0;
  for (std::size_t id = 0; id < size_; ++id) {
    if (silent[id] || !tokens[id]) continue;
    if (tokens[id]->empty()) {
      throw Error(ErrorKind::kVocabulary,
                  "token " + std::to_string(id) +
                      " has empty text, so it could be generated for ever; pass None for ids "
                      "without text");
    }
    if (tokens[id]->size() > 0xFFFF) {
      throw Error(ErrorKind::kVocabulary, "token " + std::to_string(id) + " has " +
                                              std::to_string(tokens[id]->size()) +
                                              " bytes, more than the 65535 that are supported");
    }
    total += tokens[id]->size();
  }
  bytes_.reserve(total);
  offsets_.reserve(size_ + 1);
  Hasher hasher(0xF0CAB);
  hasher.add(size_);
  for (std::size_t id = 0; id < size_; ++id) {
    offsets_.push_back(bytes_.size());
    if (!silent[id] && tokens[id]) bytes_.append(*tokens[id]);
  }
  offsets_.push_back(bytes_.size());
  // Lengths and the joined text determine every token.
  for (std::uint64_t offset : offsets_) hasher.add(offset);
  hasher.add(std::string_view(bytes_));
  hasher.add(stop_ids_.size());
  for (TokenId id : stop_ids_) hasher.add(id);
  for (const auto& [name, id] : special_) hasher.add(std::string_view(name)).add(id);
  fingerprint_ = hasher.finish();
}

std::optional<std::string_view> Vocabulary::token_bytes(TokenId id) const {
  if (id >= size_ || offsets_[id] == offsets_[id + 1]) return std::nullopt;
  return std::string_view(bytes_).substr(offsets_[id], offsets_[id + 1] - offsets_[id]);
}

// What `leading_bytes` says of a text among the others, most of which have eight bytes to load.
std::uint64_t Vocabulary::key_at(std::size_t offset, std::size_t size) const {
  if (offset + 8 > bytes_.size()) {
    return leading_bytes(std::string_view(bytes_).substr(offset, size));
  }
  std::uint64_t key = 0;
  std::memcpy(&key, bytes_.data() + offset, 8);
  if constexpr (std::endian::native == std::endian::little) key = __builtin_bswap64(key);
  return size < 8 ? key & ~(~0ull >> (8 * size)) : key;
}

LargeVector<Vocabulary::Entry> Vocabulary::sort_tokens() {
  // Sorted by some bits of the key after the others, the last ones first; then the few texts that
  // begin with the same eight bytes are compared.
  constexpr unsigned kBits = 11;
  constexpr std::size_t kDigits = (64 + kBits - 1) / kBits;
  const auto digit = [](std::uint64_t key, std::size_t i) {
    return static_cast<std::size_t>((key >> (kBits * i)) & ((1u << kBits) - 1));
  };
  std::array<std::array<std::uint32_t, 1u << kBits>, kDigits> places{};
  LargeVector<Entry> sorted;
  sorted.reserve(size_);
  for (std::size_t id = 0; id < size_; ++id) {
    const std::size_t size = offsets_[id + 1] - offsets_[id];
    if (size == 0) continue;
    const std::uint64_t key = key_at(offsets_[id], size);
    for (std::size_t i = 0; i < kDigits; ++i) ++places[i][digit(key, i)];
    sorted.push_back({key, static_cast<TokenId>(id), static_cast<std::uint32_t>(size)});
    max_bytes_ = std::max(max_bytes_, static_cast<std::uint32_t>(size));
  }
  LargeVector<Entry> next(sorted.size());
  for (std::size_t i = 0; i < kDigits; ++i) {
    std::uint32_t sum = 0;
    for (std::uint32_t& place : places[i]) sum += std::exchange(place, sum);
    for (const Entry& entry : sorted) next[places[i][digit(entry.key, i)]++] = entry;
    std::swap(sorted, next);
  }
  const auto before = [this](const Entry& a, const Entry& b) {
    const int order = a.length > 8 && b.length > 8
                          ? token_bytes(a.id)->substr(8).compare(token_bytes(b.id)->substr(8))
                          : static_cast<int>(a.length) - static_cast<int>(b.length);
    return order != 0 ? order < 0 : a.id < b.id;
  };
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    auto end = begin + 1;
    while (end != sorted.end() && end->key == begin->key) ++end;
    if (end - begin > 1) std::sort(begin, end, before);
    begin = end;
  }
  return sorted;
}

// How many bytes two texts share that are neighbours in their order.
std::uint32_t Vocabulary::shared_prefix(const Entry& a, const Entry& b) const {
  const std::uint32_t least = std::min(a.length, b.length);
  const auto first = static_cast<std::uint32_t>(std::countl_zero(a.key ^ b.key)) / 8;
  if (first < 8 || least <= 8) return std::min(first, least);
  const char* const left = bytes_.data() + offsets_[a.id];
  const char* const right = bytes_.data() + offsets_[b.id];
  return static_cast<std::uint32_t>(std::mismatch(left + 8, left + least, right + 8).first - left);
}

void Vocabulary::build_trie(const LargeVector<Entry>& entries) {
  const auto count = static_cast<std::uint32_t>(entries.size());
  std::vector<std::uint16_t> shared(count);  // bytes, with the text before
  std::size_t size = 1;  // of the trie: of each text what it does not share with the one before
  rank_to_id_.resize(count);
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    if (rank > 0) {
      shared[rank] = static_cast<std::uint16_t>(shared_prefix(entries[rank - 1], entries[rank]));
    }
    size += entries[rank].length - shared[rank];
    rank_to_id_[rank] = entries[rank].id;
  }
  const auto label_at = [&](std::uint32_t rank, std::uint32_t depth) {
    const Entry& entry = entries[rank];
    return static_cast<std::uint8_t>(depth < 8 ? entry.key >> (56 - 8 * depth)
                                               : bytes_[offsets_[entry.id] + depth]);
  };

  struct Pending {  // with the node's ranks, since the node itself is far by then
    std::uint32_t node;
    std::uint32_t depth;
    std::uint32_t begin;
    std::uint32_t end;
  };
  nodes_.reserve(size);
  labels_.reserve(size);
  nodes_.push_back({0, 0, 0, count, 0, 0, 0, 0});
  labels_.push_back(0);
  std::vector<Pending> stack{{0, 0, 0, count}};
  while (!stack.empty()) {
    const Pending item = stack.back();
    stack.pop_back();
    std::uint32_t rank = item.begin;
    const std::uint32_t end = item.end;
    while (rank < end && entries[rank].length == item.depth) ++rank;
    const std::uint32_t own = rank - item.begin;
    if (own > 0xFFFF) {
      throw Error(ErrorKind::kVocabulary,
                  std::to_string(own) + " tokens have the same text as token " +
                      std::to_string(rank_to_id_[rank - 1]) + "; at most 65535 may share one");
    }
    nodes_[item.node].own_count = static_cast<std::uint16_t>(own);
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    while (rank < end) {
      const std::uint8_t label = label_at(rank, item.depth);
      std::uint32_t next = rank + 1;
      while (next < end && shared[next] > item.depth) ++next;
      nodes_.push_back({0, 0, rank, next, item.node, 0, 0, 0});
      labels_.push_back(label);
      rank = next;
    }
    const auto children = static_cast<std::uint32_t>(nodes_.size()) - first;
    nodes_[item.node].first_child = first;
    nodes_[item.node].child_count = static_cast<std::uint16_t>(children);
    // Last child first, so that blocks lie in depth-first order.
    for (std::uint32_t i = children; i-- > 0;) {
      const TrieNode& child = nodes_[first + i];
      stack.push_back({first + i, item.depth + 1, child.rank_begin, child.rank_end});
    }
  }
}

std::optional<const Bitmap*> Vocabulary::at_most(std::uint32_t node, std::uint64_t count) const {
  count += paths_[node].count;  // the sets count from the beginning of a token
  if (count >= max_characters_) return nullptr;
  if (count >= at_most_.size()) return std::nullopt;
  return &at_most_[count];
}

void Vocabulary::find_spellable() {
  const TrieNode& root = nodes_[0];
  for (std::uint32_t c = 0; c < root.child_count; ++c) {
    const TrieNode& child = nodes_[root.first_child + c];
    if (child.own_count > 0) single_bytes_.insert(labels_[root.first_child + c]);
  }
  if (single_bytes_ == ByteSet::all()) return;
  for (std::size_t rank = 0; rank < rank_to_id_.size() && !entangled_; ++rank) {
    const std::string_view text = *token_bytes(rank_to_id_[rank]);
    for (char c : text) {
      entangled_ = entangled_ || !single_bytes_.contains(static_cast<std::uint8_t>(c));
    }
  }
  if (!entangled_) return;
  // Marks the nodes on the way to a token with such a byte.
  entangled_nodes_.assign(nodes_.size(), false);
  for (std::size_t index = nodes_.size(); index-- > 1;) {
    const TrieNode& node = nodes_[index];
    bool marked = entangled_nodes_[index];
    if (!marked && node.own_count > 0) {
      for (std::size_t at = index; at != 0 && !marked; at = nodes_[at].parent) {
        marked = !single_bytes_.contains(labels_[at]);
      }
    }
    if (marked) {
      entangled_nodes_[index] = true;
      entangled_nodes_[node.parent] = true;
    }
  }
}

std::string Vocabulary::path(std::uint32_t node) const {
  std::string out;
  for (; node != 0; node = nodes_[node].parent) out.push_back(static_cast<char>(labels_[node]));
  std::reverse(out.begin(), out.end());
  return out;
}

std::size_t Vocabulary::memory_usage() const {
  std::size_t total = bytes_.capacity() + offsets_.capacity() * 8 + rank_to_id_.capacity() * 4 +
                      nodes_.capacity() * (sizeof(TrieNode) + 1 + sizeof(AsciiSet)) +
                      entangled_nodes_.capacity() / 8;
  for (const Bitmap& map : at_most_) total += map.capacity() * 4;
  return total + groups_.memory_usage() + paths_.capacity() * sizeof(PathText) +
         by_label_.capacity() * 4;
}

}  // namespace formgate
