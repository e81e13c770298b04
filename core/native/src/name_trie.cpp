#include "formgate/name_trie.hpp"

#include <algorithm>
#include <numeric>

#include "formgate/json_spelling.hpp"
#include "utf8.hpp"

namespace formgate {

NameTrie::NameTrie(std::span<const std::string_view> names, const ByteSet& allowed)
    : order_(names.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return names[i]; });
  const ByteSet plain = json_plain().ascii() & allowed;
  std::vector<std::uint32_t> depths{0};  // of nodes, in bytes
  nodes_.push_back({0, static_cast<std::uint32_t>(order_.size())});
  for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
    const std::uint32_t depth = depths[at];
    std::uint32_t i = nodes_[at].first;
    const std::uint32_t end = nodes_[at].end;
    for (; i < end && names[order_[i]].size() == depth; ++i) nodes_[at].entry = order_[i];
    nodes_[at].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (i < end) {
      std::size_t after = depth;
      const std::string_view name = names[order_[i]];
      Node child{i, i + 1};
      child.character = character_at(name, after);
      const std::string_view spelling = name.substr(depth, after - depth);
      const auto byte = static_cast<std::uint8_t>(spelling[0]);
      const bool ascii = byte < 0x80;
      // By the character, as names may be no text.
      const auto leads_here = [&](std::uint32_t number) {
        if (ascii) return names[number][depth] == spelling[0];
        std::size_t own = depth;
        return character_at(names[number], own) == child.character && own == after;
      };
      // Below most nodes there is but one name, or but one character to go on with.
      if (ascii && leads_here(order_[end - 1])) child.end = end;
      while (child.end < end && leads_here(order_[child.end])) ++child.end;
      const bool spelled = ascii ? plain.contains(byte)
                                 : json_plain().contains(child.character) &&
                                       std::ranges::all_of(spelling, [&](char c) {
                                         return allowed.contains(static_cast<std::uint8_t>(c));
                                       });
      if (spelled) {
        std::ranges::copy(spelling, child.spelling.begin());
        child.spelled = static_cast<std::uint8_t>(spelling.size());
      }
      i = child.end;
      nodes_.push_back(child);
      depths.push_back(static_cast<std::uint32_t>(after));
    }
    nodes_[at].end_child = static_cast<std::uint32_t>(nodes_.size());
  }
  nodes_.shrink_to_fit();
}

}  // namespace formgate
