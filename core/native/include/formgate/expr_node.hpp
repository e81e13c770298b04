// What the expressions of a pool are, and their transitions; see expr_pool.hpp.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "formgate/types.hpp"
#include "formgate/vocabulary.hpp"

namespace formgate {

enum class Kind : std::uint8_t {
  kEmpty,    // no text
  kEpsilon,  // the empty text
  kBytes,    // one byte of a set
  kLeaf,     // the right language of a state of an automaton; see leaf_dfa.hpp
  kConcat,   // head (never a concatenation), tail
  kUnion,    // two or more members, sorted by hash
  kRepeat,   // child{min, max}
  kAnd,      // members, sorted by hash; members are languages of the rest of the text
  kNot,      // all byte strings but the child's
  kLook,     // zero width: the rest of the text is in the child
  kBehind,   // zero width: tracker a accepts the text so far (or does not, when b is 1)
  kCall,     // the texts of rule a, never the empty text
  kLexed,    // texts with a lexer; see lexing.hpp
  kKeyed,    // lists without repetition; see keyed.hpp
  kSpelled,  // JSON's spellings of expression a, escape b being under way, canonical if min is 1,
             // with the bytes that bounds max allow
  kScope,    // first member, with trackers for its look-behinds; its text is all look-around sees
};

constexpr std::uint8_t kNullable = 1;   // accepts the empty text whatever surrounds it
constexpr std::uint8_t kLooks = 2;      // has a look-ahead that sees beyond the expression
constexpr std::uint8_t kText = 4;       // only well-formed UTF-8
constexpr std::uint8_t kBoolean = 8;    // emptiness is not decided by structure alone
constexpr std::uint8_t kAround = 16;    // has look-around inside that no scope closes
constexpr std::uint8_t kCalls = 32;     // has calls of rules, or a lexer
constexpr std::uint8_t kCaptures = 64;  // a key is being read that must be new

struct LinearTerm {
  ByteSet bytes;
  ExprId target;
};
using LinearForm = std::span<const LinearTerm>;

struct Node {
  Kind kind;
  std::uint8_t flags;
  std::uint8_t liveness;  // verdict of liveness.cpp; only for kBoolean
  std::uint16_t depth;    // nesting, not counting concatenation
  std::uint32_t a;        // first child, or index of a byte set, automaton or member list
  std::uint32_t b;        // tail, automaton state or member count
  std::uint32_t min;      // of a repetition
  std::uint32_t max;
  std::uint32_t behinds;  // trackers that free look-behind atoms refer to
  std::uint32_t row;      // index of the transition row, or kNoIndex
  std::uint32_t form_size;
  const LinearTerm* form;  // null until computed
  Hash128 hash;
};

// Transitions of one state, as the mask walk reads them; `next[byte]` is 0 where nothing lives.
// Which text keeps a state alive whatever its order: text of ASCII characters and whole buckets.
struct LoopSet {
  BucketSet buckets = 0;  // kAsciiBuckets are always set: the characters decide
  AsciiSet ascii = {};
  std::uint32_t limit = 0;  // for so many characters

  bool covers(const TrieNode& node, const AsciiSet& below) const {
    return (node.buckets & ~buckets) == 0 && below.subset_of(ascii) && node.height <= limit;
  }
  int weight() const { return std::popcount(buckets) + ascii.size(); }
};

struct Row {
  std::uint32_t next[256];
  LoopSet loop;
};

}  // namespace formgate
