// Which terminals compete beside those that can come next; see competing.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/lexing.hpp"
#include "lalr.hpp"

namespace formgate {

// Whether terminals `other` may lose a text to the first one where both compete.
using Collide = std::function<bool(std::uint16_t, std::uint16_t)>;

// A grammar whose symbols say which state of an LALR automaton a terminal leads to, as far as that
// matters to the lexer.
struct TrackGrammar {
  struct Rule {
    std::string name;
    // Numbers of rules, and, with the highest bit, of symbols.
    std::vector<std::vector<std::uint32_t>> bodies = {};
  };
  static constexpr std::uint32_t kSymbol = 1u << 31;
  TrackSymbols symbols;
  std::vector<Rule> rules;  // the first is the start
};

// Nothing, where it makes no difference what the automaton lets compete. `needed` is the automaton
// of the productions that are needed, often the same one. `terminals` are those of the automaton
// but its last, in order of preference; `keywords_apart` says whether some state asks for a keyword
// without a regex that takes it. Throws Error(kLimit).
std::optional<TrackGrammar> track_competing(const Lalr& automaton, const Lalr& needed,
                                            const std::vector<LexTerminal>& terminals,
                                            bool keywords_apart, const Collide& collide,
                                            CompileContext& context);

}  // namespace formgate
