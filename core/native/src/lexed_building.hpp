// A table of a lexer's state while it is built.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "lexed_masks.hpp"
#include "mask_sink.hpp"

namespace formgate {

// The characters that begin with a byte; empty where it begins none.
const CharSet& beginning_with(std::uint8_t byte);

struct LexedMasks::Building {
  struct Open {
    std::uint16_t terminal;
    ExprId guard;
    MaskCache::Sink ends;
    std::vector<std::pair<std::string_view, Ranks>> suffixes;
    std::vector<const Group*> parts;
    std::vector<std::uint32_t> large;
    std::vector<Cut> cuts;
  };
  MaskCache::Sink inside;
  std::map<std::uint32_t, MaskCache::Sink> checks;
  std::vector<Open> groups;

  Open& group(std::uint16_t terminal, ExprId guard, const Vocabulary& vocabulary) {
    for (Open& open : groups) {
      if (open.terminal == terminal && open.guard == guard) return open;
    }
    groups.push_back({terminal, guard, MaskCache::Sink(vocabulary), {}, {}, {}, {}});
    return groups.back();
  }
};

}  // namespace formgate
