// Texts that tokens go on with after a lexeme, as a tree.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "formgate/types.hpp"

namespace formgate {

class SuffixTree {
 public:
  using Ranks = std::pair<std::uint32_t, std::uint32_t>;  // tokens [first, second)
  struct Node {                                           // children stand side by side, by byte
    std::uint32_t child = 0;
    std::uint32_t children = 0;
    std::uint32_t first = 0;  // of the node's tokens
    std::uint32_t last = 0;
    std::uint32_t size = 1;  // of the subtree, in nodes
  };

  SuffixTree() : nodes_(1), labels_(1) {}
  // Sorts the texts. A text may come more than once.
  explicit SuffixTree(std::vector<std::pair<std::string_view, Ranks>>& texts);
  // All trees in one, but for texts whose first byte is not among `first`.
  SuffixTree(const std::vector<const SuffixTree*>& trees, const ByteSet& first);

  bool empty() const { return nodes_.size() == 1; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const Node& node(std::uint32_t index) const { return nodes_[index]; }
  const Ranks* begin(const Node& node) const { return tokens_.data() + node.first; }
  const Ranks* end(const Node& node) const { return tokens_.data() + node.last; }
  // Calls `visit(byte, child)` for the children of a node.
  template <typename Visit>
  void children(std::uint32_t index, Visit&& visit) const {
    const Node& node = nodes_[index];
    for (std::uint32_t at = node.child; at < node.child + node.children; ++at) {
      visit(labels_[at], at);
    }
  }
  std::size_t memory_usage() const {
    return nodes_.capacity() * (sizeof(Node) + 1) + tokens_.capacity() * sizeof(Ranks);
  }

 private:
  struct Link {                 // a node while the tree is built
    std::uint32_t child = 0;    // the first; 0: none, since the root is nobody's child
    std::uint32_t sibling = 0;  // the next child of the same node
    std::uint32_t tokens = 0;   // their number
    std::uint8_t byte = 0;
  };
  std::vector<std::uint32_t> lay_out(const std::vector<Link>& links);

  std::vector<Node> nodes_;
  std::vector<std::uint8_t> labels_;  // by node, the byte that leads to it
  std::vector<Ranks> tokens_;
};

}  // namespace formgate
