// Trees of texts, from a list and from other trees.
#include "suffix_tree.hpp"

#include <algorithm>

namespace formgate {

// Numbers the nodes so that children stand side by side. Tells each link's node.
std::vector<std::uint32_t> SuffixTree::lay_out(const std::vector<Link>& links) {
  std::vector<std::uint32_t> order{0};
  std::vector<std::uint32_t> place(links.size(), 0);
  order.reserve(links.size());
  nodes_.reserve(links.size());
  labels_.reserve(links.size());
  nodes_.assign(1, {});
  labels_.assign(1, 0);
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Link& link = links[order[i]];
    nodes_[i].first = nodes_[i].last = total;
    total += link.tokens;
    nodes_[i].child = size();
    for (std::uint32_t at = link.child; at != 0; at = links[at].sibling) {
      place[at] = size();
      order.push_back(at);
      nodes_.push_back({});
      labels_.push_back(links[at].byte);
    }
    nodes_[i].children = size() - nodes_[i].child;
  }
  tokens_.resize(total);
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    for (std::uint32_t k = 0; k < nodes_[i].children; ++k) {
      nodes_[i].size += nodes_[nodes_[i].child + k].size;
    }
  }
  return place;
}

SuffixTree::SuffixTree(std::vector<std::pair<std::string_view, Ranks>>& texts) {
  std::ranges::sort(texts);
  std::vector<Link> links(1);
  std::vector<std::uint32_t> at;  // of each text, its link
  at.reserve(texts.size());
  std::vector<std::uint32_t> path{0};  // links of the text before
  std::string_view before;
  for (const auto& [text, ranks] : texts) {
    const auto differ =
        static_cast<std::size_t>(std::ranges::mismatch(before, text).in1 - before.begin());
    // What comes next is a sibling of what came before at this depth.
    std::uint32_t sibling = differ + 1 < path.size() ? path[differ + 1] : 0;
    path.resize(differ + 1);
    for (char c : text.substr(differ)) {
      const auto fresh = static_cast<std::uint32_t>(links.size());
      (sibling != 0 ? links[sibling].sibling : links[path.back()].child) = fresh;
      sibling = 0;
      links.push_back({0, 0, 0, static_cast<std::uint8_t>(c)});
      path.push_back(fresh);
    }
    ++links[path.back()].tokens;
    at.push_back(path.back());
    before = text;
  }
  const std::vector<std::uint32_t> place = lay_out(links);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    tokens_[nodes_[place[at[i]]].last++] = texts[i].second;
  }
}

SuffixTree::SuffixTree(const std::vector<const SuffixTree*>& trees, const ByteSet& first) {
  struct Pair {
    const SuffixTree* tree;
    std::uint32_t from;
    std::uint32_t to;
  };
  std::vector<Pair> pairs;  // nodes of the trees, and their links
  std::vector<Link> links(1);
  for (const SuffixTree* tree : trees) {
    const std::size_t begun = pairs.size();
    pairs.push_back({tree, 0, 0});
    for (std::size_t i = begun; i < pairs.size(); ++i) {
      const auto [own, from, to] = pairs[i];
      // Children are in order, here and there.
      std::uint32_t before = 0;
      std::uint32_t at = links[to].child;
      for (std::uint32_t k = 0; k < tree->nodes_[from].children; ++k) {
        const std::uint32_t child = tree->nodes_[from].child + k;
        const std::uint8_t byte = tree->labels_[child];
        if (to == 0 && !first.contains(byte)) continue;
        while (at != 0 && links[at].byte < byte) {
          before = at;
          at = links[at].sibling;
        }
        if (at == 0 || links[at].byte != byte) {
          const auto fresh = static_cast<std::uint32_t>(links.size());
          (before != 0 ? links[before].sibling : links[to].child) = fresh;
          links.push_back({0, at, 0, byte});
          at = fresh;
        }
        const Node& node = tree->nodes_[child];
        links[at].tokens += node.last - node.first;
        pairs.push_back({tree, child, at});
      }
    }
  }
  const std::vector<std::uint32_t> place = lay_out(links);
  for (const Pair& pair : pairs) {
    if (pair.to == 0) continue;
    Node& to = nodes_[place[pair.to]];
    const Node& from = pair.tree->nodes_[pair.from];
    std::copy(pair.tree->begin(from), pair.tree->end(from), tokens_.data() + to.last);
    to.last += from.last - from.first;
  }
}

}  // namespace formgate
