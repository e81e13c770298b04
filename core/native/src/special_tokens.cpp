// Special tokens: what a grammar's names and ids of them mean in a vocabulary, and their masks.
//
// A special token is spelled by bytes that no text contains, so the engine follows it as it follows
// text. "All but one token" is a byte of text or one of the other special tokens. There any byte is
// text, so those that special tokens are spelled with are spelled behind marks (special_text.hpp),
// and so are the few tokens that have such bytes.
#include "special_tokens.hpp"

#include <algorithm>

#include "formgate/engine.hpp"
#include "formgate/errors.hpp"
#include "special_text.hpp"

namespace formgate {

ExprId token_expr(ExprPool& pool, const TokenUse& use, TokenId id, const TokenMeanings& tokens,
                  CompileContext& context) {
  if (!use.except) return pool.literal(special_text(id));
  std::vector<ExprId> either{pool.bytes(ByteSet::range(0, kSpecialDigit - 1))};
  if (!tokens.odd.empty()) {
    const std::string marks{static_cast<char>(kSpecialMark), static_cast<char>(kOddMark)};
    either.push_back(pool.concat(pool.literal(marks), pool.bytes(tokens.odd)));
  }
  std::vector<std::string> texts;
  for (TokenId other : tokens.special) {
    if (other != id) texts.push_back(special_text(other));
  }
  if (!texts.empty()) {
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    either.push_back(
        pool.strings(std::make_shared<const LeafDfa>(LeafDfa::of_strings(views, context))));
  }
  return pool.unite(either);
}

// The id of a token that a grammar names. Throws Error(kGrammar | kUnsupported).
TokenId Engine::resolve(const TokenUse& use) const {
  const Vocabulary& words = *vocabulary_;
  const std::map<std::string, TokenId>& special = words.special();
  const auto ordinary = [](const std::string& what) {
    return Error(ErrorKind::kUnsupported,
                 what +
                     ", not a special one: other tokens may spell the same text, and states know "
                     "the text alone; write the text as a literal, or make the token special "
                     "with Vocabulary(..., special={name: id})");
  };
  TokenId id{};
  std::string shown;
  if (use.id) {
    id = *use.id;
    shown = "token id " + std::to_string(id);
    if (static_cast<std::size_t>(id) >= words.size()) {
      throw Error(ErrorKind::kGrammar, "the vocabulary has no " + shown + "; it has " +
                                           std::to_string(words.size()) + " ids, from 0 on");
    }
    const bool known =
        is_stop(id) || std::ranges::any_of(special, [&](const auto& s) { return s.second == id; });
    if (!known && words.token_bytes(id)) throw ordinary(shown + " is an ordinary token");
    if (!known) {
      throw Error(ErrorKind::kGrammar,
                  shown +
                      " stands for nothing in the vocabulary: it has no text, and is no special "
                      "token");
    }
  } else {
    shown = "special token \"" + use.name + "\"";
    const auto known = special.find(use.name);
    if (known == special.end()) {
      for (TokenId each : words.ids()) {
        if (words.token_bytes(each) != std::string_view(use.name)) continue;
        throw ordinary("\"" + use.name + "\" is an ordinary token (id " + std::to_string(each) +
                       ")");
      }
      std::string names;
      for (const auto& [name, each] : special) {
        if (names.size() < 120) names += (names.empty() ? "" : ", ") + name;
      }
      throw Error(ErrorKind::kGrammar, "the vocabulary has no " + shown + "; it has " +
                                           (names.empty() ? std::string("none") : names));
    }
    id = known->second;
  }
  if (!use.except && is_stop(id)) {
    throw Error(ErrorKind::kGrammar, shown +
                                         " ends the output, so nothing can follow it; leave it "
                                         "out, or take its id from the stop ids");
  }
  return id;
}

// What the tokens that a grammar names mean, and those that could be taken for parts of them.
TokenMeanings Engine::find_specials(const Grammar& grammar) {
  TokenMeanings out;
  if (grammar.token_uses().empty()) return out;
  const Vocabulary& words = *vocabulary_;
  for (const TokenUse& use : grammar.token_uses()) {
    out.used.push_back(resolve(use));
    escapes_ = escapes_ || use.except;
    if (!use.except) specials_.emplace(out.used.back(), special_text(out.used.back()));
  }
  for (const auto& [name, id] : words.special()) {
    if (is_stop(id)) continue;
    out.special.push_back(id);
    if (escapes_) specials_.emplace(id, special_text(id));
  }
  std::ranges::sort(out.special);
  out.odd = words.single_bytes() & ByteSet::range(kSpecialDigit, 0xFF);
  if (words.has_entangled_bytes()) {
    throw Error(ErrorKind::kUnsupported,
                "special tokens need a vocabulary whose bytes are tokens by themselves; some bytes "
                "of this one occur only inside longer tokens");
  }
  for (TokenId token : words.ids()) {
    const std::string_view bytes = *words.token_bytes(token);
    if (!is_odd(bytes)) continue;
    odd_.push_back(token);
    if (escapes_) specials_.emplace(token, escaped_text(bytes));
  }
  std::ranges::sort(odd_);
  return out;
}

// Text as the grammar's expressions spell it; odd bytes as they are match nothing beside special
// tokens.
std::string Engine::spelled(std::string_view text) const {
  if (specials_.empty() || !is_odd(text)) return std::string(text);
  return escapes_ ? escaped_text(text) : std::string(1, static_cast<char>(kOddMark));
}

// Masks with special tokens that are kept: states of free text come again and again.
constexpr std::size_t kKeptMasks = 16;

std::shared_ptr<const Mask> Engine::special_mask(ExprId expr) const {
  if (const auto kept = special_masks_.find(index_of(expr)); kept != special_masks_.end()) {
    return kept->second;
  }
  const std::shared_ptr<const Mask> made = make_special_mask(expr);
  if (special_masks_.size() >= kKeptMasks) special_masks_.clear();
  special_masks_.emplace(index_of(expr), made);
  return made;
}

// Special tokens have no text in the vocabulary's trie: they are asked for one by one.
std::shared_ptr<const Mask> Engine::make_special_mask(ExprId expr) const {
  std::shared_ptr<const Mask> found = cache_->mask(expr);
  std::vector<TokenId> added;
  if (escapes_ || pool_->step(expr, kSpecialMark) != ExprPool::kEmptyId) {
    for (const auto& [token, text] : specials_) {
      if (walk_bytes(expr, text) != ExprPool::kEmptyId) added.push_back(token);
    }
  }
  std::vector<TokenId> odd = odd_;
  std::erase_if(odd, [&](TokenId token) { return !found->contains(token, *vocabulary_); });
  if (added.empty() && odd.empty()) return found;
  auto flat = std::make_shared<TokenSet>();
  flat->dense.assign(vocabulary_->words(), 0);
  Mask text = *found;
  text.accepting = false;
  text.fill(flat->dense.data(), *vocabulary_);
  for (TokenId token : odd) clear_bit(flat->dense.data(), token);
  for (TokenId token : added) set_bit(flat->dense.data(), token);
  auto out = std::make_shared<Mask>();
  out->accepting = found->accepting;
  out->parts.push_back({std::move(flat), nullptr});
  return out;
}

}  // namespace formgate
