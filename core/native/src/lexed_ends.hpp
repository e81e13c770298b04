// Whether a state of a grammar with a lexer has some text, found from the rules; see
// lexed_ends.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formgate/lexing.hpp"
#include "formgate/types.hpp"
#include "rule_walk.hpp"

namespace formgate {

struct Node;

class LexedEnds : public RuleWalk {
 public:
  LexedEnds(ExprPool& pool, std::uint32_t lexicon);

  // Nothing where it is not known.
  std::optional<bool> has_text(ExprId id);

 private:
  // Between two lexemes, or behind the first byte of a symbol: what the text to come must be.
  struct Place {
    ExprId guard;
    std::uint16_t before;  // the last terminal, or kAnywhere where all compete
    std::uint32_t byte;    // 0 for none, else the byte that was read, plus one
    auto operator<=>(const Place&) const = default;
  };
  struct Way {
    std::uint16_t terminal;
    std::uint32_t place;
  };
  struct Row {  // of a place between lexemes
    bool ends = false;
    std::vector<Way> ways;  // at once or after ignored lexemes
  };
  using Known = std::map<std::pair<ExprId, ExprId>, std::optional<bool>>;  // by state and guard

  static constexpr std::uint16_t kAnywhere = 0xFFFF;

  std::uint32_t begin(std::uint16_t before);
  ExprId guarding(ExprId guard);
  std::uint32_t place_after(std::uint16_t terminal, ExprId guard);
  std::uint32_t place_of(Place place);
  const std::vector<Lexing::Left>& own_lexemes(std::uint32_t place);
  const Row& row(std::uint32_t place);
  std::optional<bool> ends(ExprId id, ExprId guard, unsigned depth, Known& known);
  std::optional<bool> reading_ends(const Node& node, ExprId guard);
  std::optional<bool> rest_ends(ExprId rest, std::uint32_t place);
  void read(std::uint32_t place, std::uint8_t byte, std::vector<std::uint32_t>& out) override;
  bool better(std::uint32_t one, std::uint32_t other) override;
  Places other(ExprId id) override;
  void tick() override;

  Lexing& lexing_;
  const std::uint32_t lexicon_;
  const bool exact_;  // all terminals compete everywhere, so that there is no wrong no either
  std::uint32_t all_compete_ = kNoIndex;  // state of the lexer in which all compete
  std::vector<Place> places_;
  std::map<Place, std::uint32_t> place_index_;
  std::unordered_map<std::uint32_t, std::vector<Lexing::Left>> own_;  // by place
  std::unordered_map<std::uint32_t, Row> rows_;
  std::size_t spent_ = 0;
  bool given_up_ = false;
};

}  // namespace formgate
