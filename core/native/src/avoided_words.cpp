// Masks of text that may be anything but what has some words in it.
//
// Nearly every state of such text goes on with nearly every character, so no class of characters
// keeps to one state. But text can only lead astray where all characters of a word are left to
// come. A walk that knows what each state still needs for that is over where the tokens below a
// node of the trie lack one of them.
#include "avoided_words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "formgate/masks.hpp"
#include "mask_sink.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostStates = 128;
constexpr std::size_t kMostNodes = 2048;  // made on the way
constexpr unsigned kSoon = 12;            // characters
constexpr std::size_t kMostNeeds = 8;     // of a state
constexpr unsigned kMostRounds = 64;      // until nothing new is needed
constexpr unsigned kFewBytes = 4;         // characters that lead on alike; more are any character
constexpr unsigned kLeastPlain = 80;      // of the 95 that can be seen
constexpr int kLeastNeeded = 2;           // characters; of fewer a class tells as well

struct Step {
  std::size_t from;
  std::optional<std::size_t> to;  // nothing: astray
  AsciiSet with;                  // empty: any character
};

// Keeps the least sets; whether there is a new one.
bool need(std::vector<AsciiSet>& needs, AsciiSet more) {
  if (std::ranges::any_of(needs, [&](const AsciiSet& one) { return one.subset_of(more); })) {
    return false;
  }
  std::erase_if(needs, [&](const AsciiSet& one) { return more.subset_of(one); });
  if (needs.size() >= kMostNeeds) {  // less is needed than is known, so nothing is overlooked
    more &= needs.back();
    needs.pop_back();
    need(needs, more);
    return true;
  }
  needs.push_back(more);
  return true;
}

}  // namespace

bool AvoidedWords::covers(ExprId state, const TrieNode& node, const AsciiSet& below) {
  const auto it = numbers.find(index_of(state));
  return it != numbers.end() && text.covers(node, below) &&
         std::ranges::none_of(needs[it->second],
                              [&](const AsciiSet& one) { return one.subset_of(below); });
}

// Whether a run of one character soon leads to one state: with a count, each makes others.
bool ExprPool::settles(ExprId id) {
  for (unsigned step = 0; step < kSoon; ++step) {
    const ExprId next{row(id).next[static_cast<std::uint8_t>('x')]};
    if (next == id) return true;
    id = next;
  }
  return false;
}

// What each state that text leads to needs before it can lead astray; nothing where these are many,
// or where a character beyond ASCII leads astray that is no end of a line.
std::optional<AvoidedWords> ExprPool::avoided_words(ExprId id) {
  const bool spelled = node(head(id)).kind == Kind::kSpelled;
  AvoidedWords out;
  std::vector<Interval> plain{{0x80, 0x2027}, {0x202A, kMaxCodePoint}};
  for (std::uint32_t b = 0; b < 0x80; ++b) {
    if (row(id).next[b] == 0 || (spelled && (b == '"' || b == '\\'))) continue;
    plain.push_back({b, b});
  }
  if (plain.size() <= kLeastPlain) return std::nullopt;
  if (!settles(id)) return std::nullopt;
  out.text = class_loop(intern_class(CharSet(std::move(plain))));
  const std::size_t most_nodes = node_count() + kMostNodes;
  std::vector<ExprId> states{id};
  std::vector<Step> steps;
  const auto number = [&](ExprId state) -> std::size_t {
    const auto [it, fresh] =
        out.numbers.try_emplace(index_of(state), static_cast<std::uint32_t>(states.size()));
    if (fresh) states.push_back(state);
    return it->second;
  };
  out.numbers.emplace(index_of(id), 0u);
  for (std::size_t i = 0; i < states.size(); ++i) {
    std::array<std::uint32_t, 0x80> next;
    std::ranges::copy(std::span(row(states[i]).next).first(next.size()), next.begin());
    std::vector<std::pair<std::uint32_t, AsciiSet>> ways;
    for (std::uint8_t b = 0; b < 0x80; ++b) {
      AsciiSet one;
      one.insert(b);
      if (!one.subset_of(out.text.ascii)) continue;
      const auto way = std::ranges::find(ways, next[b], &decltype(ways)::value_type::first);
      if (way == ways.end()) {
        ways.emplace_back(next[b], one);
      } else {
        way->second |= one;
      }
    }
    for (const auto& [target, bytes] : ways) {
      const auto to = target == 0 ? std::nullopt : std::optional(number(ExprId{target}));
      if (to == i) continue;
      if (bytes.size() > static_cast<int>(kFewBytes)) {
        steps.push_back({i, to, {}});
        continue;
      }
      for (std::uint8_t b = 0; b < 0x80; ++b) {
        AsciiSet one;
        one.insert(b);
        if (one.subset_of(bytes)) steps.push_back({i, to, one});
      }
    }
    std::vector<ExprId> targets;
    if (!beyond_ascii_leads_on(states[i], targets)) return std::nullopt;
    for (const ExprId target : targets) steps.push_back({i, number(target), {}});
    if (states.size() > kMostStates || node_count() > most_nodes) return std::nullopt;
  }
  out.needs.resize(states.size());
  bool more = true;
  for (unsigned round = 0; more; ++round) {
    if (round == kMostRounds) return std::nullopt;
    more = false;
    for (const Step& step : steps) {
      const std::vector<AsciiSet> after =
          step.to ? out.needs[*step.to] : std::vector<AsciiSet>{AsciiSet{}};
      for (AsciiSet one : after) {
        one |= step.with;
        more = need(out.needs[step.from], one) || more;
      }
    }
  }
  const bool helps = std::ranges::all_of(
      out.needs[0], [](const AsciiSet& one) { return one.size() >= kLeastNeeded; });
  return helps ? std::optional(std::move(out)) : std::nullopt;
}

bool MaskCache::avoiding_item(ExprId id, std::uint32_t node, Mask& out) {
  const Node& first = pool_.node(pool_.head(id));
  const bool spelled = first.kind == Kind::kSpelled && first.b == 0;
  const bool boolean =
      first.kind == Kind::kAnd || first.kind == Kind::kNot || first.kind == Kind::kScope;
  if (node != 0 || pool_.tail(id) != ExprPool::kEpsilonId || !(spelled || boolean) ||
      !(pool_.node(id).flags & kText) || pool_.node(id).flags & kCalls ||
      !pool_.free_of_context(id)) {
    return false;
  }
  auto avoided = pool_.avoided_words(id);
  if (!avoided) return false;
  const auto trie = vocabulary_->trie();
  const auto labels = vocabulary_->labels();
  const auto ascii = vocabulary_->ascii();
  Sink sink(*vocabulary_);
  std::vector<std::pair<std::uint32_t, ExprId>> work{{node, id}};
  while (!work.empty()) {
    const auto [at, state] = work.back();
    work.pop_back();
    LongStep::tick();
    const Row& row = pool_.row(state);
    const std::uint32_t end = trie[at].first_child + trie[at].child_count;
    for (std::uint32_t child = trie[at].first_child; child < end; ++child) {
      const TrieNode& below = trie[child];
      const ExprId next{row.next[labels[child]]};
      if (next == ExprPool::kEmptyId) continue;
      if (below.child_count > 0 && avoided->covers(next, below, ascii[child])) {
        sink.add_ranks(below.rank_begin, below.rank_end);
        continue;
      }
      sink.add_ranks(below.rank_begin, below.own_end());
      if (below.child_count == 0) continue;
      prefetch_children(below, trie, labels, ascii);
      work.emplace_back(child, next);
    }
  }
  if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
  return true;
}

}  // namespace formgate
