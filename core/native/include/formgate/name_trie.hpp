// The names of a list's entries as a trie of characters.
//
// Nodes lie level by level, so children stand side by side; what lies below a node is a range of
// the names in order. Cost: the characters of all names, where they branch, and a sort.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formgate/char_set.hpp"
#include "formgate/types.hpp"

namespace formgate {

class NameTrie {
 public:
  // Characters stand for themselves where they may, if all of their bytes are allowed.
  NameTrie(std::span<const std::string_view> names, const ByteSet& allowed);

  std::size_t size() const { return nodes_.size(); }
  // The nodes one character on: from the first up to the end.
  std::uint32_t first_child(std::uint32_t node) const { return nodes_[node].first_child; }
  std::uint32_t end_child(std::uint32_t node) const { return nodes_[node].end_child; }
  // The numbers of names at or below a node, and of the one that ends there, or kNoIndex.
  std::span<const std::uint32_t> entries(std::uint32_t node) const {
    return std::span(order_).subspan(nodes_[node].first, nodes_[node].end - nodes_[node].first);
  }
  std::uint32_t entry(std::uint32_t node) const { return nodes_[node].entry; }
  // The character that leads to a node, and its bytes, if it may stand for itself.
  std::uint32_t character(std::uint32_t node) const { return nodes_[node].character; }
  std::string_view spelling(std::uint32_t node) const {
    return {nodes_[node].spelling.data(), nodes_[node].spelled};
  }
  std::size_t memory_usage() const {
    return sizeof(*this) + nodes_.capacity() * sizeof(Node) + order_.capacity() * 4;
  }

 private:
  struct Node {
    std::uint32_t first;  // of `order_`
    std::uint32_t end;
    std::uint32_t character = 0;
    std::uint32_t first_child = 0;
    std::uint32_t end_child = 0;
    std::uint32_t entry = kNoIndex;
    std::array<char, 4> spelling = {};
    std::uint8_t spelled = 0;  // bytes of it
  };
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;  // names sorted by their bytes
};

}  // namespace formgate
