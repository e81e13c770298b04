// Masks inside a key or value that must be new.
//
// A key under way is read as if nothing had to be remembered, which is a state that many keys and
// many grammars share. Tokens that would spell a key that must not come are taken out of its mask.
// Few tokens end a key and hold another besides, or ask for one: these are followed one by one.
#include <algorithm>
#include <cstring>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"
#include "part_walk.hpp"

namespace formgate {

void MaskCache::collect(const Mask& mask, Sink& sink) const {
  for (const Mask::Part& part : mask.parts) {
    if (part.plain()) {
      sink.add_set(*part.tokens);
      continue;
    }
    for (TokenId token : part.tokens->ids) {
      if (!part.lacks(token)) sink.add(token);
    }
    if (!part.gone) {
      sink.add_words(part.tokens->dense, *part.limit);
      continue;
    }
    for (std::size_t i = 0; i < part.tokens->dense.size(); ++i) {
      const std::uint32_t within = part.limit ? (*part.limit)[i] : ~0u;
      for (std::uint32_t word = part.tokens->dense[i] & within; word; word &= word - 1) {
        const auto token =
            static_cast<TokenId>(i * 32) + static_cast<TokenId>(std::countr_zero(word));
        if (!part.lacks(token)) sink.add(token);
      }
    }
  }
}

// Tokens that may end a key and, after what separates keys, begin another, or even end it.
const MaskCache::KeyTokens& MaskCache::key_tokens(bool commas, bool another) {
  auto& slot = key_tokens_[(commas ? 1 : 0) + (another ? 2 : 0)];
  if (slot) return *slot;
  slot = std::make_unique<KeyTokens>();
  slot->member.assign(vocabulary_->words(), 0);
  for (std::uint32_t rank : vocabulary_->ranks_with('"')) {
    const TokenId token = vocabulary_->ids()[rank];
    const std::string_view text = *vocabulary_->token_bytes(token);
    std::size_t at = text.find('"');
    if (commas) at = text.find(',', at + 1);
    if (another && at != std::string_view::npos) {
      at = text.find('"', at + 1);
      if (at != std::string_view::npos) at = text.find('"', at + 1);
    }
    if (at == std::string_view::npos) continue;
    slot->ids.push_back(token);
    set_bit(slot->member.data(), token);
  }
  return *slot;
}

// The vocabulary's trie.
const TokenTree& MaskCache::token_tree() {
  if (!tree_) {
    tree_ = std::make_unique<TokenTree>(TokenTree{vocabulary_->trie(),
                                                  vocabulary_->labels(),
                                                  vocabulary_->ascii(),
                                                  vocabulary_->ids(),
                                                  {},
                                                  {}});
  }
  return *tree_;
}

// Ranks of tokens below a node that end a key that must not come.
void MaskCache::taken_keys(const TokenTree& tree, std::uint32_t node, const Keyed::Plain& plain,
                           Ranges& gone) {
  for (const std::string& key : plain.taken) {
    std::uint32_t at = node;
    for (char c : key) {
      const auto byte = static_cast<std::uint8_t>(c);
      at = byte < 0x20 || c == '"' || c == '\\' ? 0 : tree.child(at, byte);
      if (at == 0) break;
    }
    if (at == 0 && !key.empty()) continue;
    const std::uint32_t quote = tree.child(at, '"');
    if (quote != 0) gone.emplace_back(tree.nodes[quote].rank_begin, tree.nodes[quote].rank_end);
  }
  if (plain.taken.empty()) return;
  const TrieNode& top = tree.nodes[node];
  const bool local = tree.ascii.empty();
  if (!local && !escaped_known_) {
    for (std::uint32_t rank : vocabulary_->ranks_with('\\')) {
      const std::string_view text = *vocabulary_->token_bytes(tree.ids[rank]);
      const std::size_t at = text.find('\\');
      if (text.find('"', at + 2) != std::string_view::npos) {
        escaped_.push_back(rank);
      }
    }
    escaped_known_ = true;
  }
  for (std::uint32_t rank : local ? tree.escaped : escaped_) {
    if (rank < top.rank_begin || rank >= top.rank_end) continue;
    const std::string_view text = *vocabulary_->token_bytes(tree.ids[rank]);
    const std::size_t skipped =
        local ? text.size() - tree.lengths[rank] + top.height : vocabulary_->path(node).size();
    JsonReader reader;
    for (char c : text.substr(skipped)) {
      if (c == '"' && reader.pending().empty()) {
        if (std::ranges::find(plain.taken, reader.text()) != plain.taken.end()) {
          gone.emplace_back(rank, rank + 1);
        }
        break;
      }
      reader.push(static_cast<std::uint8_t>(c));
    }
  }
}

bool MaskCache::capture_item(ExprId id, std::uint32_t node, Mask& out) {
  const ExprId first = pool_.head(id);
  Keyed& keyed = pool_.keyed();
  if (!keyed.captures(first)) return false;
  if (!keyed.inside_key(first)) return value_item(id, node, keyed.plain(first), out);
  key_item(first, pool_.tail(id), node, out);
  return true;
}

// A new key under way and what follows it, as if nothing had to be remembered: the same for all
// places in the key that may still become anything.
void MaskCache::add_new_key(const Keyed::Plain& plain, ExprId tail, std::uint32_t node, Mask& out) {
  const ExprId sequence[] = {plain.keys, plain.after, tail};
  if (!takes_prefix(node)) return append(out, sequence_of(sequence), node);
  const GroupKey key{index_of(plain.keys), index_of(plain.after), index_of(tail)};
  if (const auto it = new_keys_.find(key); it != new_keys_.end()) {
    out.parts.insert(out.parts.end(), it->second.begin(), it->second.end());
    return;
  }
  const std::size_t before = out.parts.size();
  if (!prefix_item(sequence, out)) return append(out, sequence_of(sequence), node);
  std::vector<Mask::Part> parts(out.parts.begin() + static_cast<std::ptrdiff_t>(before),
                                out.parts.end());
  bytes_ += 64 + parts.size() * sizeof(Mask::Part);
  new_keys_.emplace(key, std::move(parts));
}

// Tokens of ranks [begin, end) in the order of their ids.
const std::vector<TokenId>& MaskCache::sorted_ids(std::uint32_t begin, std::uint32_t end) {
  std::vector<TokenId>& out = sorted_ids_[(static_cast<std::uint64_t>(begin) << 32) | end];
  if (out.empty() && begin < end) {
    const auto ids = vocabulary_->ids().subspan(begin, end - begin);
    out.assign(ids.begin(), ids.end());
    std::ranges::sort(out);
    bytes_ += out.size() * sizeof(TokenId) + 48;
  }
  return out;
}

// A key under way, and what follows the object.
void MaskCache::key_item(ExprId key, ExprId tail, std::uint32_t node, Mask& out) {
  const Keyed::Plain plain = pool_.keyed().plain(key);
  const std::size_t before = out.parts.size();
  add_new_key(plain, tail, node, out);
  const TokenTree& tree = token_tree();
  Ranges gone;
  taken_keys(tree, node, plain, gone);
  std::vector<TokenId> dead;
  if (gone.size() == 1) {
    dead = sorted_ids(gone[0].first, gone[0].second);
  } else {
    for (const auto& [begin, end] : gone) {
      dead.insert(dead.end(), tree.ids.begin() + begin, tree.ids.begin() + end);
    }
  }
  const ExprId whole[] = {key, tail};
  remove_taken(plain, before, node, whole, std::move(dead), out);
}

// Takes out of parts, from one on, tokens that are dead, and those that hold more than the key and
// are not allowed by the whole.
void MaskCache::remove_taken(const Keyed::Plain& plain, std::size_t first_part, std::uint32_t node,
                             std::span<const ExprId> whole, std::vector<TokenId> dead, Mask& out) {
  const std::size_t skipped = vocabulary_->path(node).size();
  const auto follow = [&](TokenId token) {
    const std::string_view text = vocabulary_->token_bytes(token)->substr(skipped);
    if (pool_.walk(sequence_of(whole), text) == ExprPool::kEmptyId) dead.push_back(token);
  };
  const KeyTokens& followed = key_tokens(plain.commas, plain.endless);
  for (std::size_t i = first_part; i < out.parts.size() && !followed.ids.empty(); ++i) {
    const TokenSet& set = *out.parts[i].tokens;
    for (TokenId token : set.ids) {
      if (test_bit(followed.member.data(), token)) follow(token);
    }
    if (set.dense.empty()) continue;
    for (TokenId token : followed.ids) {
      if (test_bit(set.dense.data(), token)) follow(token);
    }
  }
  if (dead.empty()) return;
  if (!std::ranges::is_sorted(dead)) std::ranges::sort(dead);
  for (std::size_t i = first_part; i < out.parts.size(); ++i) remove(out.parts[i], dead);
}

// Bytes of which one ends each text of an expression; all where that is not seen at a glance.
ByteSet MaskCache::last_bytes(ExprId value, unsigned depth) const {
  constexpr unsigned kDeepest = 4;
  while (pool_.node(value).kind == Kind::kConcat) value = pool_.tail(value);
  const Node& node = pool_.node(value);
  if (node.kind == Kind::kBytes) return pool_.byte_set(node);
  if (node.kind != Kind::kUnion || depth == kDeepest) return ByteSet::all();
  ByteSet out;
  for (ExprId member : pool_.members(node)) out = out | last_bytes(member, depth + 1);
  return out;
}

// Ranks of tokens that may end a value with one of some bytes and, after what separates values,
// begin another or say that one must come.
const std::vector<std::uint32_t>& MaskCache::value_ranks(bool commas, bool another,
                                                         const ByteSet& last) {
  constexpr std::size_t kMost = 16;
  for (const ValueRanks& known : value_ranks_) {
    if (known.commas == commas && known.another == another && known.last == last) {
      return known.ranks;
    }
  }
  if (value_ranks_.size() >= kMost && last != ByteSet::all()) {
    return value_ranks(commas, another, ByteSet::all());
  }
  ValueRanks out{commas, another, last, {}};
  const auto ids = vocabulary_->ids();
  const auto add = [&](std::uint32_t rank) {
    const std::string_view text = *vocabulary_->token_bytes(ids[rank]);
    const auto end = std::ranges::find_if(
        text, [&](char c) { return last.contains(static_cast<std::uint8_t>(c)); });
    // What ends the value may be the last byte of the token before where it may be any.
    auto at = static_cast<std::size_t>(end - text.begin()) + (last == ByteSet::all() ? 0 : 1);
    if (at >= text.size()) return;
    if (commas) at = text.find(',', at);
    if (another && at != std::string_view::npos) {
      at = text.find_first_not_of(" \t\n\r", commas ? at + 1 : at);
    }
    if (at != std::string_view::npos) out.ranks.push_back(rank);
  };
  if (commas) {
    for (std::uint32_t rank : vocabulary_->ranks_with(',')) add(rank);
  } else {
    for (std::uint32_t rank = 0; rank < ids.size(); ++rank) add(rank);
  }
  return value_ranks_.emplace_back(std::move(out)).ranks;
}

// Those of them, below a node, that end what is left of a value and go on. Tokens that begin alike
// follow each other, so no beginning is read twice.
const std::vector<TokenId>& MaskCache::ending(ExprId value, std::uint32_t node, bool commas,
                                              bool another) {
  const std::uint32_t which = (commas ? 1u : 0u) + (another ? 2u : 0u);
  const GroupKey key{which, node, index_of(value)};
  if (const auto it = ending_.find(key); it != ending_.end()) return it->second;
  const TrieNode& top = vocabulary_->trie()[node];
  const std::size_t skipped = vocabulary_->path(node).size();
  const ByteSet last = pool_.nullable(value) ? ByteSet::all() : last_bytes(value);
  const std::vector<std::uint32_t>& ranks = value_ranks(commas, another, last);
  std::vector<TokenId> out;
  std::vector<ExprId> states{value};  // after so many bytes, up to where the value may end
  std::string_view before;
  for (auto it = std::ranges::lower_bound(ranks, top.rank_begin);
       it != ranks.end() && *it < top.rank_end; ++it) {
    const TokenId token = vocabulary_->ids()[*it];
    const std::string_view text = vocabulary_->token_bytes(token)->substr(skipped);
    const auto [end, other] = std::ranges::mismatch(text, before);
    const auto same = static_cast<std::size_t>(end - text.begin());
    states.resize(std::min(states.size(), same + 1));
    before = text;
    while (states.size() <= text.size() && states.back() != ExprPool::kEmptyId &&
           !pool_.nullable(states.back())) {
      const char c = text[states.size() - 1];
      states.push_back(pool_.step(states.back(), static_cast<std::uint8_t>(c)));
    }
    const bool goes_on = states.size() <= text.size() && states.back() != ExprPool::kEmptyId;
    if (goes_on) out.push_back(token);
  }
  bytes_ += out.size() * sizeof(TokenId) + 64;
  return ending_.emplace(key, std::move(out)).first->second;
}

// A value under way is read as if nothing had to be remembered. Taken out are tokens on which it
// becomes, or can only become, one that must not come, and tokens after whose end of the value the
// next one is in the same case.
bool MaskCache::value_item(ExprId id, std::uint32_t node, const Keyed::Plain& plain, Mask& out) {
  const std::size_t before = out.parts.size();
  append(out, pool_.concat(plain.keys, pool_.concat(plain.after, pool_.tail(id))), node);
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  std::vector<std::uint32_t> gone;  // nodes of the trie
  std::vector<std::pair<std::uint32_t, ExprId>> work{{node, id}};
  while (!work.empty()) {
    const auto [at, state] = work.back();
    work.pop_back();
    const std::uint32_t end = trie[at].first_child + trie[at].child_count;
    const ByteSet bytes = pool_.keyed().contested(state);
    for (std::uint32_t child = trie[at].first_child; child < end; ++child) {
      if (!bytes.contains(labels[child])) continue;
      const ExprId next = pool_.step(state, labels[child]);
      if (next == ExprPool::kEmptyId) {
        gone.push_back(child);
      } else if (trie[child].child_count > 0) {
        work.emplace_back(child, next);
      }
    }
  }
  std::vector<TokenId> dead;
  const std::size_t skipped = vocabulary_->path(node).size();
  std::vector<ExprId> states{id};  // after so many bytes; tokens that begin alike share them
  std::string_view read;
  for (TokenId token : ending(plain.keys, node, plain.commas, plain.endless)) {
    const std::string_view text = vocabulary_->token_bytes(token)->substr(skipped);
    const auto [end, other] = std::ranges::mismatch(text, read);
    states.resize(std::min(states.size(), static_cast<std::size_t>(end - text.begin()) + 1));
    read = text;
    while (states.size() <= text.size() && states.back() != ExprPool::kEmptyId) {
      const char c = text[states.size() - 1];
      states.push_back(pool_.step(states.back(), static_cast<std::uint8_t>(c)));
    }
    if (states.back() == ExprPool::kEmptyId) dead.push_back(token);
  }
  std::ranges::sort(dead);
  std::ranges::sort(gone);
  for (std::size_t i = before; i < out.parts.size(); ++i) {
    if (!dead.empty()) remove(out.parts[i], dead);
    if (!gone.empty()) remove_below(out.parts[i], node, gone);
  }
  return true;
}

// Takes tokens out of a part that lie below nodes, sorted, which are below `top`. Nodes may have
// many tokens of which the part has few.
void MaskCache::remove_below(Mask::Part& part, std::uint32_t top,
                             const std::vector<std::uint32_t>& nodes) const {
  const auto trie = vocabulary_->trie();
  auto own = std::make_shared<TokenSet>(*part.tokens);
  if (own->dense.empty()) {
    const auto labels = vocabulary_->labels();
    const std::size_t skipped = vocabulary_->path(top).size();
    const auto is_below = [&](TokenId token) {
      std::uint32_t at = top;
      for (char c : vocabulary_->token_bytes(token)->substr(skipped)) {
        const auto* first = labels.data() + trie[at].first_child;
        const void* found = std::memchr(first, static_cast<std::uint8_t>(c), trie[at].child_count);
        at = trie[at].first_child +
             static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(found) - first);
        if (std::ranges::binary_search(nodes, at)) return true;
      }
      return false;
    };
    if (std::erase_if(own->ids, is_below) == 0) return;
  } else {
    for (std::uint32_t node : nodes) {
      for (std::uint32_t rank = trie[node].rank_begin; rank < trie[node].rank_end; ++rank) {
        const TokenId id = vocabulary_->ids()[rank];
        clear_bit(own->dense.data(), id);
      }
    }
  }
  part.tokens = std::move(own);
}

// Takes tokens out of a part, which others may share.
void MaskCache::remove(Mask::Part& part, const std::vector<TokenId>& dead) const {
  const TokenSet& set = *part.tokens;
  if (set.dense.empty()) {
    const auto is_dead = [&](TokenId id) { return std::ranges::binary_search(dead, id); };
    if (std::ranges::none_of(set.ids, is_dead)) return;
    auto own = std::make_shared<TokenSet>(set);
    std::erase_if(own->ids, is_dead);
    part.tokens = std::move(own);
    return;
  }
  std::vector<TokenId> gone;
  for (TokenId id : dead) {
    if (test_bit(set.dense.data(), id)) gone.push_back(id);
  }
  if (gone.empty()) return;
  if (part.gone) {
    gone.insert(gone.end(), part.gone->begin(), part.gone->end());
    std::ranges::sort(gone);
  }
  part.gone = std::make_shared<const std::vector<TokenId>>(std::move(gone));
}

}  // namespace formgate
