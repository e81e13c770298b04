// Restricts an expression to the texts made of given bytes.
//
// A byte that no token supplies can never be generated. Where no longer token contains such bytes
// either, the spellable texts are exactly those over the remaining bytes, and narrowing the leaves
// of the expression is exact. Look-around and complements need no change: they stand beside a part
// that is narrowed.
#include <unordered_map>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

// Code points whose UTF-8 spelling uses only the allowed bytes.
CharSet spellable(const ByteSet& allowed) {
  std::vector<Interval> intervals;
  const auto add = [&](std::uint32_t code_point) {
    if (!intervals.empty() && intervals.back().high + 1 == code_point) {
      intervals.back().high = code_point;
    } else {
      intervals.push_back({code_point, code_point});
    }
  };
  const auto ok = [&](unsigned byte) { return allowed.contains(static_cast<std::uint8_t>(byte)); };
  for (std::uint32_t c = 0; c < 0x80; ++c) {
    if (ok(c)) add(c);
  }
  for (unsigned lead = 0xC2; lead <= 0xF4; ++lead) {
    if (!ok(lead)) continue;
    const unsigned rest = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    const std::uint32_t base = lead & (0x3Fu >> rest);
    // Smaller values would be overlong spellings.
    static constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    for (std::uint32_t low = 0; low < (1u << (6 * rest)); ++low) {
      bool spelled = true;
      for (unsigned i = 0; i < rest; ++i) spelled = spelled && ok(0x80 | ((low >> (6 * i)) & 0x3F));
      const std::uint32_t value = (base << (6 * rest)) | low;
      if (spelled && value >= kLeast[rest]) add(value);
    }
  }
  return CharSet(std::move(intervals));
}

}  // namespace

ExprId ExprPool::restrict_to(ExprId id, const ByteSet& allowed) {
  if (allowed == ByteSet::all()) return id;
  std::unordered_map<std::uint32_t, ExprId> done;
  std::unordered_map<std::uint32_t, ExprId> classes;
  std::optional<CharSet> chars_allowed;
  // Recursion depth is the nesting of the expression, which compilation limits.
  const auto visit = [&](auto&& self, ExprId e) -> ExprId {
    if (auto it = done.find(index_of(e)); it != done.end()) return it->second;
    const Node node = this->node(e);
    ExprId out = e;
    switch (node.kind) {
      case Kind::kEmpty:
      case Kind::kEpsilon:
      case Kind::kLook:
      case Kind::kBehind:
      case Kind::kCall:   // its body was narrowed when it was defined
      case Kind::kLexed:  // its terminals were narrowed
      case Kind::kNot:
        break;
      case Kind::kKeyed:
        out = keyed_.restricted(e, allowed, [&](ExprId part) { return self(self, part); });
        break;
      case Kind::kBytes:
        out = bytes(byte_set(node) & allowed);
        break;
      case Kind::kLeaf: {
        const Automaton automaton = automata_[node.a];
        if (automaton.class_index != kNoIndex && automaton.dfa->start() == node.b) {
          if (!chars_allowed) chars_allowed = spellable(allowed);
          out = chars(classes_[automaton.class_index].intersect(*chars_allowed));
        } else {
          // Only whole automata occur in a grammar that has not been walked yet.
          out = strings(std::make_shared<const LeafDfa>(automaton.dfa->restricted(allowed)));
        }
        break;
      }
      case Kind::kConcat: {
        std::vector<ExprId> spine;
        for (ExprId rest = e; rest != kEpsilonId; rest = tail(rest)) {
          spine.push_back(self(self, head(rest)));
        }
        out = kEpsilonId;
        for (std::size_t i = spine.size(); i-- > 0;) out = concat(spine[i], out);
        break;
      }
      case Kind::kUnion: {
        std::vector<ExprId> parts;
        for (ExprId member : std::vector<ExprId>(members(node).begin(), members(node).end())) {
          parts.push_back(self(self, member));
        }
        out = unite(parts);
        break;
      }
      case Kind::kAnd: {
        std::vector<ExprId> parts;
        for (ExprId member : std::vector<ExprId>(members(node).begin(), members(node).end())) {
          parts.push_back(self(self, member));
        }
        out = intersect(parts);
        break;
      }
      case Kind::kRepeat:
        out = repeat(self(self, ExprId{node.a}), node.min, node.max);
        break;
      case Kind::kScope: {
        const auto parts = members(node);
        const std::vector<ExprId> trackers(parts.begin() + 1, parts.end());
        out = scope(self(self, parts[0]), trackers);
        break;
      }
    }
    done.emplace(index_of(e), out);
    return out;
  };
  return visit(visit, id);
}

}  // namespace formgate
