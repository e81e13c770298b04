// Texts that tokens have after some place in them, as a tree.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "formgate/masks.hpp"
#include "part_walk.hpp"

namespace formgate {

// Nodes have their depth for height.
struct MaskCache::ExitTree {
  struct Entry {
    std::uint64_t key;  // the first bytes of the text
    std::string_view text;
    TokenId id;
    std::uint16_t count;
  };
  static std::unique_ptr<ExitTree> of(std::vector<Entry> entries);

  std::vector<TrieNode> nodes;
  std::vector<std::uint8_t> labels;
  std::vector<TokenId> ids;
  std::vector<std::uint16_t> lengths;  // of the text in the tree, by rank
  std::vector<std::uint16_t> counts;   // characters of the class before the byte, by rank
  std::vector<std::uint32_t> escaped;

  TokenTree view() const { return {nodes, labels, {}, ids, lengths, escaped}; }
  std::size_t memory_usage() const {
    return sizeof(ExitTree) + nodes.size() * (sizeof(TrieNode) + 1) + ids.size() * 8;
  }
};

}  // namespace formgate
