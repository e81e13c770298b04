// Which expressions are well-formed text although their flags do not say so, since their characters
// are spelled in bytes.
#include <unordered_map>

#include "formgate/expr_pool.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

constexpr unsigned kDeepest = 100;  // parts of parts looked at; deeper ones count as no text

}  // namespace

// What follows a character that is spelled in bytes; kEmptyId where these are none.
ExprId ExprPool::behind_character(ExprId spelled) const {
  const Node& leads = node(head(spelled));
  if (leads.kind != Kind::kBytes) return kEmptyId;
  int count = -1;
  bool alike = true;
  ByteSet next = ByteSet::range(0x80, 0xBF);  // Unicode 15, table 3-7
  byte_set(leads).for_each([&](std::uint8_t lead) {
    const int own = continuations(lead);
    alike = alike && own > 0 && (count == -1 || own == count);
    count = own;
    if (lead == 0xE0) next = next & ByteSet::range(0xA0, 0xBF);
    if (lead == 0xED) next = next & ByteSet::range(0x80, 0x9F);
    if (lead == 0xF0) next = next & ByteSet::range(0x90, 0xBF);
    if (lead == 0xF4) next = next & ByteSet::range(0x80, 0x8F);
  });
  if (!alike) return kEmptyId;
  ExprId rest = tail(spelled);
  while (count > 0) {
    const Node* part = &node(head(rest));
    if (part->kind == Kind::kRepeat) {  // of equal bytes
      if (part->min != part->max || part->max > static_cast<std::uint32_t>(count)) return kEmptyId;
      count -= static_cast<int>(part->max) - 1;
      part = &node(ExprId{part->a});
    }
    if (part->kind != Kind::kBytes || !byte_set(*part).subset_of(next)) return kEmptyId;
    --count;
    next = ByteSet::range(0x80, 0xBF);
    rest = tail(rest);
  }
  return rest;
}

bool ExprPool::is_text(ExprId id) const {
  std::unordered_map<std::uint32_t, bool> known;
  const auto ask = [&](auto&& self, ExprId of, unsigned depth) -> bool {
    while (!(node(of).flags & kText) && of != kEpsilonId && of != kEmptyId) {
      if (depth > kDeepest) return false;
      if (const auto it = known.find(index_of(of)); it != known.end()) return it->second;
      const Node& own = node(of);
      bool text = false;
      if (own.kind == Kind::kUnion) {
        text = true;
        for (ExprId member : members(own)) text = text && self(self, member, depth + 1);
      } else if (own.kind == Kind::kRepeat) {
        text = self(self, ExprId{own.a}, depth + 1);
      } else if (own.kind == Kind::kLeaf) {
        text = automaton(own).text_from(own.b);
      } else if (own.kind == Kind::kConcat) {
        ExprId rest = behind_character(of);
        if (rest == kEmptyId && self(self, head(of), depth + 1)) rest = tail(of);
        if (rest != kEmptyId) {
          of = rest;
          continue;
        }
      }
      known.emplace(index_of(of), text);
      return text;
    }
    return true;
  };
  return ask(ask, id, 0);
}

}  // namespace formgate
