// Masks of states with a lexer; see lexed_masks.cpp.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formgate/lexing.hpp"
#include "formgate/masks.hpp"

namespace formgate {

class LexedMasks {
 public:
  LexedMasks(ExprPool& pool, const Vocabulary& vocabulary) : pool_(pool), vocabulary_(vocabulary) {}

  using Ranks = std::pair<std::uint32_t, std::uint32_t>;  // tokens [first, second)
  // Texts that tokens go on with after a lexeme, as a tree.
  struct Suffix {
    std::vector<std::pair<std::uint8_t, std::uint32_t>> children;
    std::vector<Ranks> tokens;
  };
  // Tokens in which a lexeme ends as one terminal, under one guard.
  struct Group {
    std::uint16_t terminal = 0;
    ExprId guard{};
    std::shared_ptr<const TokenSet> ends{};  // at the end of the token
    std::vector<Suffix> suffixes{};          // the first is the root
    std::vector<const Group*> parts{};       // of tables of subtrees, with suffixes of their own
    std::vector<std::uint32_t> large{};  // nodes of the vocabulary's trie with many tokens below
  };
  // Tokens that stay in the lexeme and come to a state that must be looked at with the parser's.
  struct Check {
    std::uint32_t state;
    std::shared_ptr<const TokenSet> tokens;
  };
  struct Table {
    std::shared_ptr<const TokenSet> inside;  // tokens that stay in the lexeme, whatever the parser
    std::vector<Check> checks;
    std::vector<Group> groups;
  };

  // What the tokens below a node of the trie do to a state of the lexer.
  const Table& table(std::uint32_t state, std::uint32_t node);
  // Tokens of a group that go on in `next`.
  std::shared_ptr<const TokenSet> exits(const Group& group, ExprId next);
  std::size_t memory_usage() const { return bytes_; }
  void clear();

 private:
  struct Moves {
    std::uint32_t next[256];  // kNoIndex: none
    LoopSet loop;             // texts that stay in this state and leave no lexeme behind
  };
  struct Building;

  const Moves& moves(std::uint32_t state);
  LoopSet loop_of(std::uint32_t state, const Moves& moves);
  bool stays(std::uint32_t state);
  void leave(Building& building, std::uint32_t node, std::uint32_t state);
  void include(Building& building, const Table& table) const;
  void add_suffixes(std::vector<std::pair<std::string_view, Ranks>>& out, std::uint32_t node,
                    std::size_t skipped) const;
  static std::vector<Suffix> tree_of(std::vector<std::pair<std::string_view, Ranks>>& suffixes);

  struct ExitKey {
    const Group* group;
    std::uint32_t next;
    bool operator==(const ExitKey&) const = default;
  };
  struct ExitHash {
    std::size_t operator()(const ExitKey& key) const {
      return Hasher(reinterpret_cast<std::uintptr_t>(key.group)).add(key.next).finish().lo;
    }
  };

  ExprPool& pool_;
  const Vocabulary& vocabulary_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Table>> tables_;  // (state, node)
  std::unordered_map<std::uint64_t, std::unique_ptr<Group>> trees_;   // (guard, node)
  std::unordered_map<std::uint32_t, std::unique_ptr<Moves>> moves_;
  std::unordered_map<ExitKey, std::shared_ptr<const TokenSet>, ExitHash> exits_;
  std::size_t bytes_ = 0;
};

}  // namespace formgate
