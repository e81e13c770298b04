// Builds automata, minimal acyclic ones from the end: see leaf_dfa.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "formgate/leaf_dfa.hpp"

namespace formgate {

class LeafDfaBuilder {
 public:
  LeafDfaBuilder() : slots_(1024, kFree) {}

  // Adds a state whose successors exist already, or returns the one with the same right language.
  std::uint32_t state(bool accepting, std::span<const LeafEdge> edges) {
    std::uint64_t hash = avalanche(edges.size() * 2 + (accepting ? 1u : 0u) + 0x51ull);
    for (const LeafEdge& edge : edges) {
      hash = avalanche(hash ^ ((static_cast<std::uint64_t>(edge.target) << 16) |
                               (static_cast<std::uint64_t>(edge.low) << 8) | edge.high)) +
             0x9E37ull;
    }
    if ((dfa_.size() + 1) * 2 > slots_.size()) grow();
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t place = tag & (slots_.size() - 1);
    for (; slots_[place] != kFree; place = (place + 1) & (slots_.size() - 1)) {
      const auto known = static_cast<std::uint32_t>(slots_[place]);
      if (slots_[place] >> 32 == tag && same(known, accepting, edges)) return known;
    }
    const std::uint32_t id = add(accepting, edges);
    slots_[place] = slot(tag, id);
    return id;
  }

  // Adds a state whose successors may be still to come.
  std::uint32_t add(bool accepting, std::span<const LeafEdge> edges) {
    const std::uint32_t id = dfa_.size();
    for (const LeafEdge& edge : edges) {
      dfa_.low_.push_back(edge.low);
      dfa_.high_.push_back(edge.high);
      dfa_.ascii_only_ = dfa_.ascii_only_ && edge.high < 0x80;
      dfa_.ordered_ = dfa_.ordered_ && edge.target < id;
      dfa_.target_.push_back(edge.target);
    }
    dfa_.offsets_.push_back(static_cast<std::uint32_t>(dfa_.target_.size()));
    if ((id >> 6) >= dfa_.accepting_.size()) dfa_.accepting_.push_back(0);
    if (accepting) dfa_.accepting_[id >> 6] |= 1ull << (id & 63);
    return id;
  }

  LeafDfa finish(std::uint32_t start) {
    slots_ = {};
    dfa_.start_ = start;
    Hasher hasher(0xDFA);
    hasher.add(start).add(dfa_.size());
    for (std::uint32_t s = 0; s < dfa_.size(); ++s) {
      hasher.add((static_cast<std::uint64_t>(dfa_.offsets_[s + 1] - dfa_.offsets_[s]) << 1) |
                 (dfa_.accepting(s) ? 1u : 0u));
      dfa_.for_each_edge(s, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
        hasher.add((static_cast<std::uint64_t>(target) << 16) |
                   (static_cast<std::uint64_t>(low) << 8) | high);
      });
    }
    dfa_.hash_ = hasher.finish();
    if (!dfa_.ascii_only_ && dfa_.ordered_) dfa_.find_text();
    dfa_.offsets_.shrink_to_fit();
    dfa_.low_.shrink_to_fit();
    dfa_.high_.shrink_to_fit();
    dfa_.target_.shrink_to_fit();
    return std::move(dfa_);
  }

 private:
  bool same(std::uint32_t id, bool accepting, std::span<const LeafEdge> edges) const {
    const std::uint32_t begin = dfa_.offsets_[id];
    if (dfa_.accepting(id) != accepting || dfa_.offsets_[id + 1] - begin != edges.size()) {
      return false;
    }
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      if (dfa_.low_[begin + i] != edges[i].low || dfa_.high_[begin + i] != edges[i].high ||
          dfa_.target_[begin + i] != edges[i].target) {
        return false;
      }
    }
    return true;
  }

  static std::uint64_t slot(std::uint32_t tag, std::uint32_t id) {
    return (static_cast<std::uint64_t>(tag) << 32) | id;
  }

  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2, kFree);
    old.swap(slots_);
    for (std::uint64_t entry : old) {
      if (entry == kFree) continue;
      std::size_t place = (entry >> 32) & (slots_.size() - 1);
      while (slots_[place] != kFree) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = entry;
    }
  }

  // No state is that many.
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  LeafDfa dfa_;
  std::vector<std::uint64_t> slots_;  // half of the hash, and the state
};

}  // namespace formgate
