#include "formgate/json_spelling.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "leaf_dfa_builder.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

constexpr std::uint32_t kDead = LeafDfa::kDead;

struct Short {
  char letter;
  std::uint32_t character;
};
constexpr Short kShort[] = {{'"', '"'},  {'/', '/'},  {'\\', '\\'}, {'b', 0x08},
                            {'f', 0x0C}, {'n', 0x0A}, {'r', 0x0D},  {'t', 0x09}};

const Short* short_of(std::uint32_t character) {
  for (const Short& item : kShort) {
    if (item.character == character) return &item;
  }
  return nullptr;
}

void append_edge(std::vector<LeafEdge>& edges, std::uint8_t byte, std::uint32_t target) {
  if (!edges.empty() && edges.back().target == target && edges.back().high + 1 == byte) {
    edges.back().high = byte;
  } else {
    edges.push_back({byte, byte, target});
  }
}

// Targets by value of a hexadecimal digit, as edges in order of bytes.
std::vector<LeafEdge> digit_edges(const std::uint32_t (&target)[16]) {
  std::vector<LeafEdge> edges;
  const auto add = [&](unsigned first, unsigned last, char base) {
    for (unsigned v = first; v <= last; ++v) {
      if (target[v] == kDead) continue;
      append_edge(edges, static_cast<std::uint8_t>(base + static_cast<char>(v - first)), target[v]);
    }
  };
  add(0, 9, '0');
  add(10, 15, 'A');
  add(10, 15, 'a');
  return edges;
}

// Escapes of a set of characters, which all lead to the same end.
class EscapeBuilder {
 public:
  LeafDfa build(const CharSet& chars, bool canonical) {
    accept_ = builder_.state(true, {});
    std::vector<LeafEdge> edges;
    CharSet coded = chars;
    if (canonical) {
      std::vector<Interval> controls;
      for (std::uint32_t c = 0; c < 0x20; ++c) {
        if (chars.contains(c) && !short_of(c)) controls.push_back({c, c});
      }
      coded = CharSet(std::move(controls));
    }
    const std::uint32_t units = coded.empty() ? kDead : first_digit(coded, canonical);
    for (const Short& item : kShort) {
      if (canonical && item.letter == '/') continue;
      if (chars.contains(item.character)) {
        append_edge(edges, static_cast<std::uint8_t>(item.letter), accept_);
      }
    }
    if (units != kDead) append_edge(edges, 'u', units);
    if (edges.empty()) return LeafDfa();
    std::ranges::sort(edges, {}, &LeafEdge::low);
    const LeafEdge open{'\\', '\\', builder_.state(false, edges)};
    return builder_.finish(builder_.state(false, std::span(&open, 1)));
  }

 private:
  using Values = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  // The part of the values whose bits from `shift` on are `top`, without those bits.
  static Values below(const Values& values, std::uint32_t top, unsigned shift) {
    const std::uint32_t low = top << shift;
    const std::uint32_t high = low | ((1u << shift) - 1);
    Values out;
    for (const auto& [first, last] : values) {
      const std::uint32_t a = std::max(first, low);
      const std::uint32_t b = std::min(last, high);
      if (a <= b) out.emplace_back(a - low, b - low);
    }
    return out;
  }

  std::uint32_t first_digit(const CharSet& chars, bool canonical) {
    Values basic;
    Values astral;
    for (const Interval& piece : chars.intervals()) {
      if (piece.low < 0x10000) basic.emplace_back(piece.low, std::min(piece.high, 0xFFFFu));
      if (piece.high > 0xFFFF) {
        astral.emplace_back(std::max(piece.low, 0x10000u) - 0x10000, piece.high - 0x10000);
      }
    }
    if (canonical) return lower_digits(basic);
    std::uint32_t target[16];
    for (std::uint32_t d = 0; d < 16; ++d) {
      const Values part = below(basic, d, 12);
      target[d] = d == 0xD ? second_digit(part, astral) : digits(part, 12);
    }
    return builder_.state(false, digit_edges(target));
  }

  // After "\ud": code units below D800, or the first of a pair.
  std::uint32_t second_digit(const Values& basic, const Values& astral) {
    std::uint32_t target[16];
    bool any = false;
    for (std::uint32_t e = 0; e < 16; ++e) {
      target[e] = kDead;
      if (e < 8) target[e] = digits(below(basic, e, 8), 8);
      if (e >= 8 && e < 12) target[e] = pair(below(astral, e - 8, 18), 18);
      any = any || target[e] != kDead;
    }
    return any ? builder_.state(false, digit_edges(target)) : kDead;
  }

  // `bits` low bits of a code unit are still to come.
  std::uint32_t digits(const Values& values, unsigned bits) {
    if (values.empty()) return kDead;
    if (bits == 0) return accept_;
    const auto key = std::pair(bits, values);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    std::uint32_t target[16];
    for (std::uint32_t d = 0; d < 16; ++d) {
      target[d] = digits(below(values, d, bits - 4), bits - 4);
    }
    const std::uint32_t id = builder_.state(false, digit_edges(target));
    known_.emplace(key, id);
    return id;
  }

  // `bits` low bits of a pair's twenty are still to come: two digits, "\ud", a digit from c to f
  // with two bits, two digits.
  std::uint32_t pair(const Values& values, unsigned bits) {
    if (values.empty()) return kDead;
    if (bits == 8) return digits(values, 8);
    const auto key = std::pair(bits + 100, values);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    std::uint32_t target[16];
    std::ranges::fill(target, kDead);
    std::uint32_t id = kDead;
    if (bits == 10) {
      for (std::uint32_t d = 0; d < 4; ++d) target[12 + d] = pair(below(values, d, 8), 8);
      id = builder_.state(false, digit_edges(target));
      std::uint32_t surrogate[16];
      std::ranges::fill(surrogate, kDead);
      surrogate[0xD] = id;
      id = builder_.state(false, digit_edges(surrogate));
      for (const std::uint8_t byte : {std::uint8_t{'u'}, std::uint8_t{'\\'}}) {
        const LeafEdge edge{byte, byte, id};
        id = builder_.state(false, std::span(&edge, 1));
      }
    } else {
      for (std::uint32_t d = 0; d < 16; ++d) {
        target[d] = pair(below(values, d, bits - 4), bits - 4);
      }
      id = builder_.state(false, digit_edges(target));
    }
    known_.emplace(key, id);
    return id;
  }

  // Control characters as four digits in lower case.
  std::uint32_t lower_digits(const Values& values) {
    std::vector<LeafEdge> rows[2];
    for (const auto& [low, high] : values) {
      for (std::uint32_t c = low; c <= high; ++c) {
        append_edge(rows[c >> 4], static_cast<std::uint8_t>("0123456789abcdef"[c & 15]), accept_);
      }
    }
    std::vector<LeafEdge> third;
    for (unsigned row = 0; row < 2; ++row) {
      if (rows[row].empty()) continue;
      append_edge(third, static_cast<std::uint8_t>('0' + row), builder_.state(false, rows[row]));
    }
    std::uint32_t id = builder_.state(false, third);
    for (int i = 0; i < 2; ++i) {
      const LeafEdge edge{'0', '0', id};
      id = builder_.state(false, std::span(&edge, 1));
    }
    return id;
  }

  LeafDfaBuilder builder_;
  std::uint32_t accept_ = 0;
  std::map<std::pair<unsigned, Values>, std::uint32_t> known_;
};

// Spellings of a finite set of strings, character by character.
class SpelledBuilder {
 public:
  SpelledBuilder(const LeafDfa& strings, bool canonical, CompileContext& context)
      : strings_(strings), canonical_(canonical), context_(context) {}

  LeafDfa build() {
    // Successors have smaller numbers than their states, so one pass in order suffices. States
    // inside characters are passed through.
    renamed_.assign(strings_.size(), kDead);
    for (std::uint32_t s = 0; s < strings_.size(); ++s) {
      context_.tick();
      renamed_[s] = spell(s);
    }
    if (strings_.empty() || renamed_[strings_.start()] == kDead) return LeafDfa();
    return builder_.finish(renamed_[strings_.start()]);
  }

 private:
  struct Character {
    std::uint32_t value;
    std::uint32_t target;
  };
  struct Spelling {
    std::string text;
    std::uint32_t target;
  };

  void characters(std::uint32_t state, int left, std::uint32_t value, int length,
                  std::vector<Character>& out) const {
    strings_.for_each_edge(state, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
      for (unsigned b = low; b <= high; ++b) {
        const auto byte = static_cast<std::uint8_t>(b);
        if (left > 0) {
          if (!is_continuation(byte)) continue;
          const std::uint32_t more = (value << 6) | (byte & 0x3Fu);
          if (left > 1) {
            characters(target, left - 1, more, length, out);
          } else if (valid_character(more, length) && renamed_[target] != kDead) {
            out.push_back({more, renamed_[target]});
          }
          continue;
        }
        const int rest = continuations(byte);
        if (rest == 0 && renamed_[target] != kDead) out.push_back({byte, renamed_[target]});
        if (rest > 0) characters(target, rest, lead_bits(byte, rest), rest, out);
      }
    });
  }

  std::uint32_t spell(std::uint32_t state) {
    std::vector<Character> found;
    characters(state, 0, 0, 0, found);
    std::vector<Spelling> spellings;
    for (const Character& c : found) {
      const bool plain = json_plain().contains(c.value);
      if (plain) {
        spellings.push_back({"", c.target});
        append_utf8(spellings.back().text, c.value);
      }
      if (canonical_ && plain) continue;
      const Short* letter = short_of(c.value);
      if (letter) spellings.push_back({std::string("\\") + letter->letter, c.target});
      if (canonical_ && letter) continue;
      spellings.push_back({coded(c.value), c.target});
    }
    const bool accepting = strings_.accepting(state);
    if (spellings.empty() && !accepting) return kDead;
    std::ranges::sort(spellings, {}, &Spelling::text);
    return tree(spellings, 0, accepting);
  }

  static std::string coded(std::uint32_t c) {
    std::string out;
    const auto unit = [&](std::uint32_t value) {
      out += "\\u";
      for (unsigned shift = 16; shift > 0; shift -= 4) {
        out += "0123456789abcdef"[(value >> (shift - 4)) & 15];
      }
    };
    if (c < 0x10000) {
      unit(c);
    } else {
      unit(0xD800 + ((c - 0x10000) >> 10));
      unit(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
    return out;
  }

  // The state that reads the rest of sorted spellings from `depth` on. Depth is at most twelve.
  std::uint32_t tree(std::span<const Spelling> items, std::size_t depth, bool accepting) {
    if (depth > 0 && items.size() == 1 && items[0].text.size() == depth) return items[0].target;
    std::vector<LeafEdge> edges;
    for (std::size_t i = 0; i < items.size();) {
      const char c = items[i].text[depth];
      std::size_t end = i;
      while (end < items.size() && items[end].text[depth] == c) ++end;
      const std::uint32_t below = tree(items.subspan(i, end - i), depth + 1, false);
      edges.push_back({static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c), below});
      // Behind "\u" letters are digits, in either case.
      const bool digit = depth >= 2 && items[i].text[0] == '\\' && c >= 'a' && c <= 'f';
      if (digit && !canonical_) {
        const auto upper = static_cast<std::uint8_t>(c - 'a' + 'A');
        edges.push_back({upper, upper, below});
      }
      i = end;
    }
    std::ranges::sort(edges, {}, &LeafEdge::low);
    return builder_.state(accepting, edges);
  }

  const LeafDfa& strings_;
  bool canonical_;
  CompileContext& context_;
  LeafDfaBuilder builder_;
  std::vector<std::uint32_t> renamed_;
};

}  // namespace

const CharSet& json_plain() {
  static const CharSet plain({{0x20, 0x21}, {0x23, 0x5B}, {0x5D, kMaxCodePoint}});
  return plain;
}

LeafDfa json_escapes(const CharSet& chars, bool canonical) {
  return EscapeBuilder().build(chars, canonical);
}

LeafDfa json_spelled(const LeafDfa& strings, bool canonical, CompileContext& context) {
  return SpelledBuilder(strings, canonical, context).build();
}

void JsonReader::push(std::uint8_t byte) {
  if (pending_.empty()) {
    if (byte == '\\') {
      pending_.push_back('\\');
    } else {
      text_.push_back(static_cast<char>(byte));
    }
    return;
  }
  const bool letter = byte >= 'A' && byte <= 'F' && pending_.size() >= 2;
  pending_.push_back(static_cast<char>(letter ? byte - 'A' + 'a' : byte));
  if (pending_.size() == 2 && byte != 'u') {
    for (const Short& item : kShort) {
      if (item.letter == static_cast<char>(byte)) append_utf8(text_, item.character);
    }
    pending_.clear();
    return;
  }
  const auto unit = [this](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const char c = pending_[i];
      value = value * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return value;
  };
  if (pending_.size() == 6) {
    const std::uint32_t first = unit(2);
    if (first >= 0xD800 && first <= 0xDBFF) return;  // the first of a pair
    append_utf8(text_, first);
    pending_.clear();
  } else if (pending_.size() == 12) {
    append_utf8(text_, 0x10000 + ((unit(2) - 0xD800) << 10) + (unit(8) - 0xDC00));
    pending_.clear();
  }
}

}  // namespace formgate
