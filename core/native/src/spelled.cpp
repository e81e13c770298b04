// JSON's spellings of a language, read one character at a time.
//
// Of text with Boolean operators the spellings would have many times as many states, all of which
// must be decided. So such a language stays as it is, and an escape under way is kept beside it:
// what is left is live as long as some character the escape may become is.
#include <algorithm>
#include <map>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

constexpr std::string_view kEscapable = "\"/\\bfnrt";
constexpr std::string_view kEscaped = "\"/\\\b\f\n\r\t";

struct Range {
  std::uint32_t low;
  std::uint32_t high;
};

// The code points whose spelling by code units begins with "\u" and more, in lower case.
std::vector<Range> beginning_with(std::string_view pending) {
  const auto digits = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < std::min(pending.size(), at + 4); ++i) {
      const char c = pending[i];
      value = value * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return value;
  };
  const auto span = [](std::uint32_t value, std::size_t read) {
    const auto left = static_cast<unsigned>(4 * (4 - read));
    return Range{value << left, (value << left) | ((1u << left) - 1)};
  };
  const std::size_t read = std::min<std::size_t>(pending.size() - 2, 4);
  const Range unit = span(read == 0 ? 0 : digits(2), read);
  if (pending.size() <= 6) {
    std::vector<Range> out;
    if (unit.low < 0xD800) out.push_back({unit.low, std::min(unit.high, 0xD7FFu)});
    if (unit.high > 0xDFFF) out.push_back({std::max(unit.low, 0xE000u), unit.high});
    const std::uint32_t first = std::max(unit.low, 0xD800u);
    const std::uint32_t last = std::min(unit.high, 0xDBFFu);
    if (first <= last) {
      out.push_back(
          {0x10000 + ((first - 0xD800) << 10), 0x10000 + ((last - 0xD800) << 10) + 0x3FF});
    }
    return out;
  }
  const std::uint32_t base = 0x10000 + ((unit.low - 0xD800) << 10);
  if (pending.size() <= 8) return {{base, base + 0x3FF}};
  Range second = span(digits(8), pending.size() - 8);
  second.low = std::max(second.low, 0xDC00u);
  second.high = std::min(second.high, 0xDFFFu);
  if (second.low > second.high) return {};
  return {{base + second.low - 0xDC00, base + second.high - 0xDC00}};
}

bool canonical_digits(std::string_view pending) {
  // Only control characters are spelled so: 00, then 0 or 1.
  constexpr std::string_view kBefore = "\\u00";
  if (!kBefore.starts_with(pending.substr(0, 4))) return false;
  return pending.size() < 5 || pending[4] == '0' || pending[4] == '1';
}

}  // namespace

ExprId ExprPool::spelled(ExprId text, bool canonical) { return spelled_at(text, canonical, "", 0); }

ExprId ExprPool::spelled_at(ExprId text, bool canonical, std::string_view pending,
                            std::uint32_t bounds) {
  if (text == kEmptyId || !live(text)) return kEmptyId;
  if (text == kEpsilonId) return pending.empty() ? kEpsilonId : kEmptyId;
  std::uint32_t index = 0;
  if (!pending.empty()) {
    const auto [it, fresh] =
        pending_index_.emplace(pending, static_cast<std::uint32_t>(pending_.size()));
    if (fresh) pending_.emplace_back(pending);
    index = it->second;
  }
  const Node& inner = this->node(text);
  Node node{};
  node.kind = Kind::kSpelled;
  node.a = index_of(text);
  node.b = index;
  node.min = canonical ? 1 : 0;
  node.max = bounds;
  node.flags = inner.flags & kText;
  if (pending.empty()) node.flags |= inner.flags & kNullable;
  node.depth = deeper(inner.depth);
  Hasher hasher(seed(Kind::kSpelled));
  hasher.add(inner.hash).add(pending).add(node.min);
  for (unsigned i = 0; bounds != 0 && i < 4; ++i) hasher.add(bounds_[bounds].allowed.word(i));
  node.hash = hasher.finish();
  return intern(node);
}

ExprId ExprPool::spelled_within(ExprId spelled, ExprId texts) {
  const Node node = this->node(spelled);
  return spelled_at(intersect(ExprId{node.a}, texts), node.min != 0, pending_[node.b], node.max);
}

// The characters that a live text of the language begins with; those that a byte of UTF-8 is
// missing of do not count.
const CharSet& ExprPool::first_characters(ExprId id) {
  if (const auto it = first_characters_.find(index_of(id)); it != first_characters_.end()) {
    return it->second;
  }
  using Ranges = std::vector<Interval>;
  std::map<std::pair<std::uint32_t, unsigned>, Ranges> memo;
  const auto suffix = [&](auto&& self, ExprId state, unsigned rest) -> Ranges {
    const auto key = std::pair(index_of(state), rest);
    if (const auto it = memo.find(key); it != memo.end()) return it->second;
    Ranges out;
    const std::uint32_t span = 1u << (6 * (rest - 1));
    const LinearForm form = linear_form(state);
    for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
      if (!live(term.target)) continue;
      for (std::uint32_t b = 0x80; b < 0xC0; ++b) {
        if (!term.bytes.contains(static_cast<std::uint8_t>(b))) continue;
        const std::uint32_t base = (b & 0x3F) * span;
        if (rest == 1) {
          out.push_back({base, base});
          continue;
        }
        for (const Interval& part : self(self, term.target, rest - 1)) {
          out.push_back({base + part.low, base + part.high});
        }
      }
    }
    std::ranges::sort(out, {}, &Interval::low);
    Ranges merged;
    for (const Interval& part : out) {
      if (!merged.empty() && merged.back().high + 1 >= part.low) {
        merged.back().high = std::max(merged.back().high, part.high);
      } else {
        merged.push_back(part);
      }
    }
    memo.emplace(key, merged);
    return merged;
  };
  std::vector<Interval> found;
  const LinearForm form = linear_form(id);
  for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
    if (!live(term.target)) continue;
    term.bytes.for_each([&](std::uint8_t b) {
      const int rest = continuations(b);
      if (rest == 0) found.push_back({b, b});
      if (rest <= 0) return;
      const std::uint32_t base = lead_bits(b, rest) << (6 * rest);
      for (const Interval& part : suffix(suffix, term.target, static_cast<unsigned>(rest))) {
        if (base + part.high < kLeast[rest]) continue;
        found.push_back({std::max(base + part.low, kLeast[rest]), base + part.high});
      }
    });
  }
  return first_characters_.emplace(index_of(id), CharSet(std::move(found))).first->second;
}

// What is left of a text after a character; empty where that is dead.
ExprId ExprPool::after_character(ExprId id, std::uint32_t character) {
  std::string bytes;
  append_utf8(bytes, character);
  for (char byte : bytes) {
    if (id != kEmptyId) id = raw_step(id, static_cast<std::uint8_t>(byte));
  }
  return id != kEmptyId && live(id) ? id : kEmptyId;
}

// What is left of a text after one of its characters.
ExprId ExprPool::spelled_rest(ExprId rest, bool canonical, std::uint32_t bounds) {
  if (bounds == 0 && live(rest) && node(rest).kind == Kind::kRepeat) {
    // Spelled character by character, as texts without Boolean operators are from the start.
    const Node repeat = node(rest);
    const std::uint32_t index = class_of(ExprId{repeat.a});
    if (index != kNoIndex) {
      return this->repeat(json_chars(classes_[index], canonical), repeat.min, repeat.max);
    }
  }
  return spelled_at(rest, canonical, "", bounds);
}

// The step by an ASCII character that stands for itself, for which the others need not be decided.
std::optional<ExprId> ExprPool::spelled_step(ExprId id, std::uint8_t byte) {
  const Node node = this->node(id);
  const bool itself = byte >= ' ' && byte < 0x7F && byte != '"' && byte != '\\';
  const Node text = this->node(ExprId{node.a});
  if (!itself || !pending_[node.b].empty() || node.max != 0) return std::nullopt;
  if (text.kind != Kind::kAnd || text.flags & kCalls) {
    return spelled_rest(raw_step(ExprId{node.a}, byte), node.min != 0, 0);
  }
  const auto list = members(text);
  std::vector<ExprId> targets(list.begin(), list.end());
  for (ExprId& member : targets) {
    if (!free_of_context(member)) return std::nullopt;
    member = raw_step(member, byte);
    if (member == kEmptyId) return kEmptyId;
  }
  return spelled_rest(intersect(targets), node.min != 0, 0);
}

std::vector<LinearTerm> ExprPool::spelled_form(ExprId id) {
  const Node node = this->node(id);
  const ExprId text{node.a};
  const bool canonical = node.min != 0;
  const std::string pending = pending_[node.b];
  const Bounds& bounds = bounds_[node.max];
  std::vector<LinearTerm> out;
  const auto add = [&](const ByteSet& given, ExprId target) {
    const ByteSet bytes = given & bounds.allowed;
    if (target != kEmptyId && !bytes.empty()) out.push_back({bytes, target});
  };
  const auto at = [&](ExprId rest, std::string_view begun) {
    if (begun.empty()) return spelled_rest(rest, canonical, node.max);
    return spelled_at(rest, canonical, begun, node.max);
  };
  if (pending.empty()) {
    ByteSet special = ByteSet::range(0, 0x1F);
    special.insert('"');
    special.insert('\\');
    bool begins = false;  // some character, which may be escaped
    // Where bytes that go on in a character are missing, not all that begin may be finished.
    const bool whole = (ByteSet::range(0x80, 0xBF) - bounds.allowed).empty();
    std::vector<LinearTerm> of_plain;
    if (!whole) {
      const LinearForm form = linear_form(concat(chars(bounds.plain), kTextId));
      of_plain.assign(form.begin(), form.end());
    }
    const LinearForm form = linear_form(text);
    for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
      if (!live(term.target)) continue;
      const ByteSet leads = ByteSet::range(0, 0x7F) | ByteSet::range(0xC2, 0xF4);
      const ByteSet first = canonical ? special : leads;
      begins = begins || !(term.bytes & first).empty();
      if (whole) {
        add(term.bytes - special, at(term.target, ""));
        continue;
      }
      const ByteSet long_ones = term.bytes & ByteSet::range(0xC2, 0xF4);
      const ByteSet short_ones = term.bytes - special - long_ones;
      if (!short_ones.empty()) add(short_ones, at(term.target, ""));
      if (long_ones.empty()) continue;
      for (const LinearTerm& plain : of_plain) {
        const ByteSet both = long_ones & plain.bytes;
        if (!both.empty()) add(both, at(intersect(term.target, plain.target), ""));
      }
    }
    if (begins && node.max != 0) begins = first_characters(text).intersects(bounds.escaped);
    if (begins) add(ByteSet::of('\\'), at(text, "\\"));
    return join_equal(std::move(out));
  }
  const auto some = [&](std::string_view begun) {
    if (canonical && !canonical_digits(begun)) return false;
    const CharSet& all = first_characters(text);
    const CharSet first = node.max == 0 ? all : all.intersect(bounds.coded);
    for (const Range& range : beginning_with(begun)) {
      if (!first.intersects(CharSet({{range.low, range.high}}))) continue;
      if (!canonical) return true;
      for (std::uint32_t c = range.low; c <= std::min(range.high, 0x1Fu); ++c) {
        const bool letter = kEscaped.find(static_cast<char>(c)) != std::string_view::npos;
        if (!letter && first.contains(c)) return true;
      }
    }
    return false;
  };
  if (pending == "\\") {
    for (std::size_t i = 0; i < kEscapable.size(); ++i) {
      if (canonical && kEscapable[i] == '/') continue;
      const auto letter = static_cast<std::uint8_t>(kEscapable[i]);
      const ExprId rest = after_character(text, static_cast<std::uint8_t>(kEscaped[i]));
      add(ByteSet::of(letter), at(rest, ""));
    }
    if (some("\\u")) add(ByteSet::of('u'), at(text, "\\u"));
    return join_equal(std::move(out));
  }
  if (pending.size() == 6 || pending.size() == 7) {  // between the units of a pair
    const char next = pending.size() == 6 ? '\\' : 'u';
    add(ByteSet::of(static_cast<std::uint8_t>(next)), at(text, pending + next));
    return out;
  }
  for (const char digit : std::string_view("0123456789abcdef")) {
    const std::string more = pending + digit;
    if (!some(more)) continue;
    ByteSet bytes = ByteSet::of(static_cast<std::uint8_t>(digit));
    if (digit >= 'a' && !canonical) bytes.insert(static_cast<std::uint8_t>(digit - 'a' + 'A'));
    const Range range = beginning_with(more).front();
    const bool done = range.low == range.high && (more.size() == 6 || more.size() == 12);
    add(bytes, done ? at(after_character(text, range.low), "") : at(text, more));
  }
  return join_equal(std::move(out));
}

LoopSet ExprPool::spelled_loop(ExprId id) {
  const Node& node = this->node(id);
  if (node.b != 0) return {};
  LoopSet loop = loop_of_state(ExprId{node.a});
  const LoopSet& plain = class_loop(intern_class(plain_characters(node)));
  loop.buckets &= plain.buckets;
  loop.ascii &= plain.ascii;
  return loop;
}

// Whether infinitely many texts are left whatever was read: every state that text leads to has a
// successor, so that text goes on without end from each. States are looked at up to a bound, beyond
// which the answer is no.
bool ExprPool::endless(ExprId text) {
  if (const auto it = endless_.find(index_of(text)); it != endless_.end()) return it->second;
  constexpr std::size_t kMostStates = 512;
  std::vector<ExprId> states{text};
  std::unordered_map<std::uint32_t, std::uint32_t> number{{index_of(text), 0}};
  bool found = free_of_context(text) && !bounded(text);
  for (std::uint32_t i = 0; i < states.size() && found; ++i) {
    bool leads_on = false;
    const LinearForm form = linear_form(states[i]);
    for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
      if (!live(term.target)) continue;
      const auto next = static_cast<std::uint32_t>(states.size());
      const auto [it, fresh] = number.emplace(index_of(term.target), next);
      if (fresh) states.push_back(term.target);
      leads_on = true;
    }
    found = leads_on && states.size() <= kMostStates;
  }
  endless_.emplace(index_of(text), found);
  if (found) {
    for (ExprId state : states) endless_.emplace(index_of(state), true);
  }
  return found;
}

}  // namespace formgate
