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

// Which characters a JSON string can spell with the bytes allowed.
std::uint32_t ExprPool::bounds_of(const ByteSet& allowed, bool canonical) {
  if (allowed == ByteSet::all()) return 0;
  for (std::uint32_t i = 1; i < bounds_.size(); ++i) {
    if (bounds_[i].allowed == allowed && bounds_[i].canonical == canonical) return i;
  }
  const auto ok = [&](char c) { return allowed.contains(static_cast<std::uint8_t>(c)); };
  const bool coded = ok('\\') && ok('u');
  bool digit[16];
  for (unsigned d = 0; d < 16; ++d) {
    const auto upper = static_cast<char>(d < 10 ? '0' + d : 'A' + d - 10);
    const auto lower = static_cast<char>(d < 10 ? '0' + d : 'a' + d - 10);
    digit[d] = ok(lower) || (!canonical && ok(upper));
  }
  const auto unit = [&](std::uint32_t value) {
    return digit[value >> 12] && digit[(value >> 8) & 15] && digit[(value >> 4) & 15] &&
           digit[value & 15];
  };
  std::vector<Interval> by_code;
  for (std::uint32_t c = 0; coded && c <= (canonical ? 0x1Fu : kMaxCodePoint); ++c) {
    const bool pair = c > 0xFFFF;
    const bool spelled =
        pair ? unit(0xD800 + ((c - 0x10000) >> 10)) && unit(0xDC00 + ((c - 0x10000) & 0x3FF))
             : unit(c);
    if (spelled) by_code.push_back({c, c});
  }
  CharSet plain = formgate::spellable(allowed).intersect(json_plain());
  std::vector<Interval> all = plain.intervals();
  all.insert(all.end(), by_code.begin(), by_code.end());
  const std::vector<std::pair<char, std::uint32_t>> letters = {
      {'"', '"'}, {'/', '/'}, {'\\', '\\'}, {'b', 8}, {'f', 12}, {'n', 10}, {'r', 13}, {'t', 9}};
  std::vector<Interval> by_letter;
  for (const auto& [letter, c] : letters) {
    if (ok('\\') && ok(letter)) by_letter.push_back({c, c});
  }
  all.insert(all.end(), by_letter.begin(), by_letter.end());
  by_letter.insert(by_letter.end(), by_code.begin(), by_code.end());
  bounds_.push_back({allowed, canonical, CharSet(std::move(all)), CharSet(std::move(by_letter)),
                     CharSet(std::move(by_code)), std::move(plain)});
  return static_cast<std::uint32_t>(bounds_.size() - 1);
}

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
      case Kind::kSpelled: {
        // Characters that neither stand for themselves nor have an escape are left out. The states
        // to decide are no more than those that are decided.
        const std::uint32_t bounds = bounds_of(allowed, node.min != 0);
        const CharSet& whole = bounds_[bounds].spellable;
        const ExprId texts = repeat(chars(whole), 0, kUnbounded);
        const ExprId text =
            whole == CharSet::all() ? ExprId{node.a} : intersect(ExprId{node.a}, texts);
        out = spelled_at(text, node.min != 0, "", bounds);
        break;
      }
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
