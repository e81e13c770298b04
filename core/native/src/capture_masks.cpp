// Masks inside a key that must be new.
//
// A key under way is read as if nothing had to be remembered, which is a state that many keys and
// many grammars share. Tokens that would spell a key that must not come are taken out of its mask.
// Few tokens end a key and hold another besides, or ask for one: these are followed one by one.
#include <algorithm>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"

namespace formgate {

void MaskCache::collect(ExprId id, std::uint32_t node, Sink& sink) {
  const auto own = mask_at(id, node);
  for (const Mask::Part& part : own->parts) {
    if (!part.limit) {
      sink.add_set(*part.tokens);
      continue;
    }
    for (TokenId token : part.tokens->ids) {
      if (test_bit(part.limit->data(), token)) sink.add(token);
    }
    for (std::size_t i = 0; i < part.tokens->dense.size(); ++i) {
      for (std::uint32_t word = part.tokens->dense[i] & (*part.limit)[i]; word; word &= word - 1) {
        sink.add(static_cast<TokenId>(i * 32) + static_cast<TokenId>(std::countr_zero(word)));
      }
    }
  }
}

// Tokens that may end a key and, after what separates keys, begin another, or even end it.
const std::vector<TokenId>& MaskCache::key_tokens(bool commas, bool another) {
  auto& slot = key_tokens_[(commas ? 1 : 0) + (another ? 2 : 0)];
  if (slot) return *slot;
  slot = std::make_unique<std::vector<TokenId>>();
  for (TokenId token : vocabulary_->ids()) {
    const std::string_view text = *vocabulary_->token_bytes(token);
    std::size_t at = text.find('"');
    if (at != std::string_view::npos && commas) at = text.find(',', at + 1);
    if (another && at != std::string_view::npos) {
      at = text.find('"', at + 1);
      if (at != std::string_view::npos) at = text.find('"', at + 1);
    }
    if (at != std::string_view::npos) slot->push_back(token);
  }
  return *slot;
}

bool MaskCache::capture_item(ExprId id, std::uint32_t node, Mask& out) {
  const ExprId first = pool_.head(id);
  Keyed& keyed = pool_.keyed();
  if (!keyed.captures(first)) return false;
  const Keyed::Plain plain = keyed.plain(first);
  if (!plain.quoted) return false;
  const ExprId rest = pool_.concat(plain.after, pool_.tail(id));
  const bool blocked = plain.blocked != ExprPool::kEmptyId;
  ExprId keys = plain.keys;
  if (blocked && !plain.extensible) keys = pool_.intersect(keys, pool_.complement(plain.blocked));
  Mask own;
  append(own, pool_.concat(keys, rest), node);
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> gone;  // ranks
  if (blocked && plain.extensible) {
    std::vector<std::pair<std::uint32_t, ExprId>> work{{node, plain.blocked}};
    while (!work.empty()) {
      const auto [at, state] = work.back();
      work.pop_back();
      const LinearForm form = pool_.linear_form(state);
      const std::uint32_t end = trie[at].first_child + trie[at].child_count;
      for (std::uint32_t child = trie[at].first_child; child < end; ++child) {
        if (labels[child] == '"' && pool_.nullable(state)) {
          gone.emplace_back(trie[child].rank_begin, trie[child].rank_end);
        }
        for (const LinearTerm& term : form) {
          if (term.bytes.contains(labels[child])) work.emplace_back(child, term.target);
        }
      }
    }
  }
  std::vector<TokenId> dead;
  const auto path = vocabulary_->path(node);
  for (TokenId token : key_tokens(plain.commas, plain.endless)) {
    const std::string_view text = *vocabulary_->token_bytes(token);
    if (!text.starts_with(path) || text.size() == path.size()) continue;
    ExprId state = id;
    for (char c : text.substr(path.size())) {
      state = pool_.step(state, static_cast<std::uint8_t>(c));
      if (state == ExprPool::kEmptyId) break;
    }
    if (state == ExprPool::kEmptyId) dead.push_back(token);
  }
  if (gone.empty() && dead.empty()) {
    out.parts.insert(out.parts.end(), own.parts.begin(), own.parts.end());
    return true;
  }
  auto flat = std::make_shared<TokenSet>();
  flat->dense.assign(vocabulary_->words(), 0);
  own.fill(flat->dense.data(), *vocabulary_);
  const auto remove = [&](TokenId token) { flat->dense[token >> 5] &= ~(1u << (token & 31)); };
  for (const auto& [begin, end] : gone) {
    for (std::uint32_t rank = begin; rank < end; ++rank) remove(vocabulary_->ids()[rank]);
  }
  for (TokenId token : dead) remove(token);
  out.parts.push_back({std::move(flat), nullptr});
  return true;
}

}  // namespace formgate
