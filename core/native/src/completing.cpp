#include "completing.hpp"

#include <algorithm>
#include <cstring>

namespace formgate {
namespace {

// Steps of expressions for one question: some 50 ms where all of them are new.
constexpr std::size_t kMostSteps = 1u << 16;
// What the transitions of a state that has none yet count.
constexpr std::size_t kStepsPerRow = 64;
// Keys and values that must be new, one inside another within one token.
constexpr unsigned kMostNested = 16;
// Longer texts are walked, but not searched for keys: that takes the square of their length.
constexpr std::size_t kLongestText = 256;

}  // namespace

Completing::Completing(ExprPool& pool, const Vocabulary& vocabulary, std::string_view text,
                       const Bitmap& among)
    : pool_(pool), vocabulary_(vocabulary), text_(text), among_(among), steps_left_(kMostSteps) {
  const auto ids = vocabulary.ids();
  before_.reserve(ids.size() + 1);
  std::uint32_t count = 0;
  for (TokenId id : ids) {
    before_.push_back(count);
    count += test_bit(among.data(), id);
  }
  before_.push_back(count);
  // Alternatives are walked each for itself.
  visits_left_ = 4 * vocabulary.trie().size() + kMostSteps;
}

ExprId Completing::step(ExprId id, std::string_view bytes) {
  for (char c : bytes) {
    if (steps_left_ == 0) return ExprPool::kEmptyId;
    --steps_left_;
    id = pool_.step(id, static_cast<std::uint8_t>(c));
    if (id == ExprPool::kEmptyId) break;
  }
  return id;
}

bool Completing::ends(ExprId id) {
  const auto known = ends_.find(index_of(id));
  if (known != ends_.end()) return known->second;
  const ExprId last = step(id, text_);
  const bool found = last != ExprPool::kEmptyId && pool_.nullable(last);
  ends_.emplace(index_of(id), found);
  return found;
}

void Completing::walk(std::uint32_t node, ExprId id, Bitmap& out, unsigned depth) {
  const auto trie = vocabulary_.trie();
  const auto labels = vocabulary_.labels();
  const auto ids = vocabulary_.ids();
  std::vector<std::pair<std::uint32_t, ExprId>> stack{{node, id}};
  while (!stack.empty() && steps_left_ > 0 && visits_left_ > 0) {
    const auto [at, here] = stack.back();
    stack.pop_back();
    --visits_left_;
    const TrieNode& parent = trie[at];
    if (!asked(parent.own_end(), parent.rank_end)) continue;
    if (pool_.node(here).flags & kCaptures && pool_.free_of_context(here)) {
      const ExprId first = pool_.head(here);
      const Node head = pool_.node(first);
      if (head.kind == Kind::kUnion) {
        const auto span = pool_.members(head);
        const std::vector<ExprId> members(span.begin(), span.end());
        for (ExprId member : members) {
          stack.emplace_back(at, pool_.concat(member, pool_.tail(here)));
        }
        continue;
      }
      if (head.kind == Kind::kKeyed && pool_.keyed().captures(first)) {
        captured(at, here, out, depth);
        continue;
      }
    }
    if (pool_.node(here).row == kNoIndex) steps_left_ -= std::min(steps_left_, kStepsPerRow);
    const Row& row = pool_.row(here);
    const std::uint32_t end = parent.first_child + parent.child_count;
    for (std::uint32_t child = parent.first_child; child < end; ++child) {
      const ExprId next{row.next[labels[child]]};
      const TrieNode& below = trie[child];
      if (next == ExprPool::kEmptyId || !asked(below.rank_begin, below.rank_end)) continue;
      if (asked(below.rank_begin, below.own_end()) && ends(next)) {
        for (std::uint32_t rank = below.rank_begin; rank < below.own_end(); ++rank) {
          if (asked(rank, rank + 1)) set_bit(out.data(), ids[rank]);
        }
      }
      if (below.child_count > 0) stack.emplace_back(child, next);
    }
  }
}

void Completing::captured(std::uint32_t node, ExprId id, Bitmap& out, unsigned depth) {
  if (depth == kMostNested) return;
  const ExprId first = pool_.head(id);
  const Keyed::Plain plain = pool_.keyed().plain(first);
  Tokens followed;
  const bool as_plain = plain.quoted ? key_exceptions(node, plain, followed)
                                     : value_exceptions(node, id, plain, followed);
  Bitmap own(out.size(), 0);
  if (as_plain) {
    const ExprId rest = pool_.concat(plain.after, pool_.tail(id));
    walk(node, pool_.concat(plain.keys, rest), own, depth + 1);
  }
  const std::size_t skipped = vocabulary_.path(node).size();
  for (TokenId token : followed) clear_bit(own.data(), token);
  for (TokenId token : followed) {
    const ExprId next = step(id, vocabulary_.token_bytes(token)->substr(skipped));
    if (next != ExprPool::kEmptyId && ends(next)) set_bit(own.data(), token);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] |= own[i];
}

void Completing::add_own(std::uint32_t node, Tokens& out) const {
  const TrieNode& at = vocabulary_.trie()[node];
  for (std::uint32_t rank = at.rank_begin; rank < at.own_end(); ++rank) {
    if (asked(rank, rank + 1)) out.push_back(vocabulary_.ids()[rank]);
  }
}

// Tokens below a node that are beginnings of a text.
void Completing::add_path(std::uint32_t node, std::string_view text, Tokens& out) const {
  const auto trie = vocabulary_.trie();
  const std::uint8_t* labels = vocabulary_.labels().data();
  for (char c : text) {
    const std::uint8_t* begin = labels + trie[node].first_child;
    const void* found = std::memchr(begin, static_cast<std::uint8_t>(c), trie[node].child_count);
    if (!found) return;
    node = trie[node].first_child +
           static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(found) - begin);
    add_own(node, out);
  }
}

// Tokens below a node whose text from there on has a byte, and matches.
template <typename Matches>
void Completing::add_with(std::uint8_t byte, std::uint32_t node, Matches&& matches,
                          Tokens& out) const {
  const TrieNode& top = vocabulary_.trie()[node];
  const std::size_t skipped = vocabulary_.path(node).size();
  const std::vector<std::uint32_t> ranks = vocabulary_.ranks_with(byte);
  for (auto it = std::ranges::lower_bound(ranks, top.own_end());
       it != ranks.end() && *it < top.rank_end; ++it) {
    const TokenId token = vocabulary_.ids()[*it];
    if (asked(*it, *it + 1) && matches(vocabulary_.token_bytes(token)->substr(skipped))) {
      out.push_back(token);
    }
  }
}

// Tokens inside a key for which it may matter what keys came before, and which it is itself. False:
// it may matter for any.
bool Completing::key_exceptions(std::uint32_t node, const Keyed::Plain& plain, Tokens& out) {
  const auto has = [](char c) {
    return [c](std::string_view text) { return text.find(c) != std::string_view::npos; };
  };
  const bool goes_on = has(',')(text_);
  add_with('\\', node, has('\\'), out);  // other spellings of what must not come
  add_with(
      '"', node,
      [&](std::string_view text) {
        const std::size_t quote = text.find('"');
        if (quote == std::string_view::npos) return false;
        return goes_on || !plain.commas || text.find(',', quote) != std::string_view::npos;
      },
      out);
  for (const std::string& rest : plain.taken) add_path(node, rest, out);
  if (!plain.commas || has('\\')(text_)) return false;
  if (!goes_on) return true;
  // The text may begin other keys, of which this one must be none. Where the key cannot end, it may
  // be inside a character or an escape, of which its spelling says nothing.
  if (!plain.endless || text_.size() > kLongestText || !pool_.nullable(plain.keys)) return false;
  for (std::size_t begin = 0; begin <= text_.size();) {
    const std::size_t end = std::min(text_.find('"', begin), text_.size());
    for (std::size_t at = begin; at < end; ++at) {
      add_path(node, text_.substr(at, end - at), out);
    }
    begin = end + 1;
  }
  return true;
}

// The same inside a value.
bool Completing::value_exceptions(std::uint32_t node, ExprId id, const Keyed::Plain& plain,
                                  Tokens& out) {
  const auto trie = vocabulary_.trie();
  const auto labels = vocabulary_.labels();
  std::vector<std::pair<std::uint32_t, ExprId>> work{{node, id}};
  while (!work.empty()) {
    const auto [at, state] = work.back();
    work.pop_back();
    const ByteSet bytes = pool_.keyed().contested(state);
    const std::uint32_t end = trie[at].first_child + trie[at].child_count;
    for (std::uint32_t child = trie[at].first_child; child < end; ++child) {
      if (!bytes.contains(labels[child])) continue;
      if (!asked(trie[child].rank_begin, trie[child].rank_end)) continue;
      const char byte = static_cast<char>(labels[child]);
      const ExprId next = step(state, {&byte, 1});
      if (steps_left_ == 0) return false;
      add_own(child, out);
      if (next != ExprPool::kEmptyId && trie[child].child_count > 0) work.emplace_back(child, next);
    }
  }
  if (!plain.commas) return false;
  add_with(
      ',', node, [](std::string_view text) { return text.find(',') != std::string_view::npos; },
      out);
  return text_.find(',') == std::string_view::npos;
}

}  // namespace formgate
