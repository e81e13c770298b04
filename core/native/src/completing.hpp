// Which tokens a given text completes: asked of a whole mask at once.
//
// Whoever has found one way to end an output asks here after which tokens it ends there too. The
// trie is walked state by state, and from each state that a token leads to the text is walked once.
// Inside a key or a value that must be new nearly every token leads to a state of its own. There
// the trie is walked as if nothing had to be remembered, as masks are (capture_masks.cpp), and only
// tokens for which what is remembered may matter are followed one by one.
//
// All tokens found are right. Some may be missing: the steps of one question are bounded, and of a
// text that itself goes on to other keys or items not everything is known.
//
// Cost: a visit to each node of the trie above a token asked about, some 20 ns, and steps of the
// text for each state met: 2 to 4 ms for 50,000 tokens in a string.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/vocabulary.hpp"

namespace formgate {

class Completing {
 public:
  // `among` are the tokens asked about, the only ones that are found.
  Completing(ExprPool& pool, const Vocabulary& vocabulary, std::string_view text,
             const Bitmap& among);

  // Adds tokens after which `id` is completed by the text. Needs the pool's mutex. A token that
  // `id` does not allow at all may be among them.
  void find(ExprId id, Bitmap& out) { walk(0, id, out, 0); }

 private:
  using Tokens = std::vector<TokenId>;

  void walk(std::uint32_t node, ExprId id, Bitmap& out, unsigned depth);
  void captured(std::uint32_t node, ExprId id, Bitmap& out, unsigned depth);
  bool key_exceptions(std::uint32_t node, const Keyed::Plain& plain, Tokens& out);
  bool value_exceptions(std::uint32_t node, ExprId id, const Keyed::Plain& plain, Tokens& out);
  void add_path(std::uint32_t node, std::string_view text, Tokens& out) const;
  template <typename Matches>
  void add_with(std::uint8_t byte, std::uint32_t node, Matches&& matches, Tokens& out) const;
  void add_own(std::uint32_t node, Tokens& out) const;
  bool ends(ExprId id);
  ExprId step(ExprId id, std::string_view bytes);
  bool asked(std::uint32_t begin, std::uint32_t end) const { return before_[begin] < before_[end]; }

  ExprPool& pool_;
  const Vocabulary& vocabulary_;
  std::string_view text_;
  const Bitmap& among_;
  std::vector<std::uint32_t> before_;  // by rank: tokens asked about before it
  std::unordered_map<std::uint32_t, bool> ends_;
  std::size_t steps_left_;
  std::size_t visits_left_;
};

}  // namespace formgate
