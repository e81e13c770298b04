// Masks of text that a quote ends, where the text has Boolean operators.
//
// The tokens that stay inside do not depend on what follows, and the few places where a quote ends
// the text are found once for it; only from there on does what follows matter.
#include <algorithm>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"
#include "part_walk.hpp"

namespace formgate {

const std::vector<std::uint32_t>& MaskCache::closing_quotes(ExprId text, std::uint32_t node) {
  const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32) | index_of(text);
  if (const auto it = quotes_.find(key); it != quotes_.end()) return it->second;
  const TrieNode& top = vocabulary_->trie()[node];
  const std::size_t skipped = vocabulary_->path(node).size();
  std::vector<std::uint32_t> out;
  for (std::uint32_t quote : vocabulary_->nodes_by_label('"')) {
    const TrieNode& at = vocabulary_->trie()[quote];
    if (quote == node || at.rank_begin < top.rank_begin || at.rank_end > top.rank_end) continue;
    const std::string path = vocabulary_->path(quote);
    if (path.size() <= skipped) continue;  // above the node
    ExprId state = text;
    for (char c : std::string_view(path).substr(skipped, path.size() - skipped - 1)) {
      state = pool_.step(state, static_cast<std::uint8_t>(c));
      if (state == ExprPool::kEmptyId) break;
    }
    if (state != ExprPool::kEmptyId && pool_.nullable(state)) out.push_back(quote);
  }
  bytes_ += out.size() * 4 + 64;
  return quotes_.emplace(key, std::move(out)).first->second;
}

bool MaskCache::quoted_item(ExprId id, std::uint32_t node, Mask& out) {
  const ExprId text = pool_.head(id);
  const ExprId tail = pool_.tail(id);
  if (tail == ExprPool::kEpsilonId || !pool_.free_of_context(id)) return false;
  const LinearForm form = pool_.linear_form(tail);
  if (form.size() != 1 || form[0].bytes != ByteSet::of('"') || !pool_.live(form[0].target)) {
    return false;
  }
  const ExprId rest = form[0].target;
  append(out, text, node);
  Sink sink(*vocabulary_);
  const std::vector<std::uint32_t> quotes = closing_quotes(text, node);
  for (std::uint32_t quote : quotes) {
    const TrieNode& at = vocabulary_->trie()[quote];
    sink.add_ranks(at.rank_begin, at.own_end());
    if (at.child_count > 0) walk(quote, rest, sink);
  }
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
  return true;
}

}  // namespace formgate
