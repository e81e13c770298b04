// What competes after a terminal, and whether keywords are as safe without the regex that takes
// them.
//
// A terminal that competes with more others ends fewer lexemes, and under stronger guards; so what
// leads on there does where fewer compete (see lexer_safety.cpp). Keywords are the exception: a
// regex that comes first takes the whole text, which then is the keyword. Where the regex does not
// compete, another terminal before the keyword may take that text, or a part of it, or more. So
// each keyword is read beside its regex, and beside all that may come before it without that: it
// must end in the latter wherever it does in the former, under a guard that is no stronger.
#include <algorithm>
#include <set>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"

namespace formgate {
namespace {

// Bytes that a keyword may go on with, by case; and pairs of states looked at for one.
constexpr unsigned kMostBytes = 16;
constexpr std::size_t kMostPairs = 1000;

}  // namespace

// All that may come next after a terminal, and so all that can compete there; and what of it does
// in vain.
std::pair<Lexing::Symbols, Lexing::Symbols> Lexing::competing_after(std::uint32_t index,
                                                                    std::size_t before) const {
  const Symbols& next = safeties_.at(index).follow[before];
  const auto& around = lexicons_[index].track.around;
  const std::size_t count = lexicons_[index].terminals.size();
  Symbols competing(count, !lexicons_[index].contextual);
  Symbols vain(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    competing[i] = competing[i] || next[i] || lexicons_[index].terminals[i].ignored;
    if (competing[i] || around.empty() || !around[before][i]) continue;
    competing[i] = true;
    vain[i] = true;
  }
  if (lexicons_[index].track_start != ExprPool::kEmptyId) add_regexes(index, competing, vain);
  return {std::move(competing), std::move(vain)};
}

// The lexer's state after a terminal.
std::uint32_t Lexing::start_after(std::uint32_t index, std::size_t before) {
  std::uint32_t& known = safeties_[index].starts[before];
  if (known != kNoIndex) return known;
  const auto [competing, vain] = competing_after(index, before);
  return known = start_state(index, competing, vain);
}

// Whether a keyword that ends in lexer state `own`, or goes on from there, does in `other`.
bool Lexing::as_free(std::uint32_t own, std::uint32_t other, std::uint16_t keyword) {
  const auto onward = [&](std::uint32_t state) {
    ByteSet bytes;
    for (const Item& item : states_[state].items) {
      if (item.terminal == keyword) {
        const std::uint32_t truths = pool_.tracker_truths(item.trackers);
        for (const Thread& thread : item.threads) {
          for (const auto& term : pool_.conditional_terms(thread.rest, truths)) {
            bytes = bytes | term.bytes;
          }
        }
      }
      for (const LexKeyword& each : item.keywords) {
        if (each.terminal != keyword) continue;
        for (const LinearTerm& term : pool_.linear_form(each.literal)) bytes = bytes | term.bytes;
      }
    }
    return bytes & lexicons_[states_[state].lexicon].spelled;
  };
  const auto accepted = [&](std::uint32_t state) {
    const auto& accepts = states_[state].accepts;
    const auto it = std::ranges::find(accepts, keyword, &Accept::terminal);
    return it == accepts.end() ? nullptr : &*it;
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work{{own, other}};
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen{work[0]};
  while (!work.empty()) {
    const auto [from, beside] = work.back();
    work.pop_back();
    const auto& items = states_[beside].items;
    if (items.size() == 1 && items[0].terminal == keyword) continue;  // no other is left
    const ByteSet bytes = onward(from);
    if (bytes.size() > kMostBytes || seen.size() > kMostPairs) return false;
    bool holds = true;
    bytes.for_each([&](std::uint8_t byte) {
      const std::uint32_t next = stepped(from, byte);
      if (!holds || next == kNoIndex) return;
      const bool goes_on = !onward(next).empty();
      const Accept* ends = accepted(next);
      if (!goes_on && !ends) return;
      const std::uint32_t next_beside = stepped(beside, byte);
      holds = next_beside != kNoIndex;
      if (holds && ends) {
        const Accept* ends_beside = accepted(next_beside);
        holds = ends_beside && contains(ends_beside->guard, ends->guard);
      }
      if (holds && goes_on && seen.emplace(next, next_beside).second) {
        work.emplace_back(next, next_beside);
      }
    });
    if (!holds) return false;
  }
  return true;
}

bool Lexing::keywords_hold(std::uint32_t index, CompileContext& context) {
  const Lexicon& lexicon = lexicons_[index];
  if (!lexicon.contextual) return true;  // all compete always
  const auto count = static_cast<std::uint16_t>(lexicon.terminals.size());
  std::vector<std::vector<std::uint16_t>> regexes(count);  // of a keyword
  std::vector<bool> embedded(count, false);
  for (std::uint16_t i = 0; i < count; ++i) {
    for (const LexKeyword& each : lexicon.terminals[i].keywords) {
      regexes[each.terminal].push_back(i);
      embedded[each.terminal] = embedded[each.terminal] || each.embedded;
    }
  }
  if (std::ranges::all_of(regexes, &std::vector<std::uint16_t>::empty)) return true;
  std::vector<ByteSet> first;
  for (std::uint16_t i = 0; i < count; ++i) {
    const bool dead = lexicon.terminals[i].pattern == ExprPool::kEmptyId;
    first.push_back(dead ? ByteSet() : first_bytes(index, begun(lexicon, i)));
  }
  // What competes where a keyword is looked for: in a parser's states; and where they do not say
  // so, some of what may compete. Where a track was kept and is no longer, keywords compete with
  // their regexes.
  std::vector<Symbols> sets = lexicon.competing;
  const std::size_t exact = sets.size();
  const bool by_states = lexicon.by_states || lexicon.track_start != ExprPool::kEmptyId;
  for (std::size_t before = 0; !by_states && before <= count; ++before) {
    sets.push_back(competing_after(index, before).first);
  }
  const Symbols none(count, false);
  std::set<std::pair<std::uint32_t, std::uint32_t>> checked;
  for (std::uint16_t keyword = 0; keyword < count; ++keyword) {
    for (std::uint16_t regex : regexes[keyword]) {
      context.tick();
      Symbols together = none;
      together[regex] = together[keyword] = true;
      for (std::size_t at = 0; at < sets.size(); ++at) {
        const Symbols& set = sets[at];
        if (!set[keyword] || (set[regex] && at < exact)) continue;
        Symbols others = none;
        bool alone = true;
        for (std::uint16_t i = 0; i < count; ++i) {
          if (!set[i] || i == regex || i == keyword) continue;
          const bool takes_it = std::ranges::count(regexes[keyword], i) > 0;
          // What stands before the regex competes beside that, too.
          const bool before_it = i < keyword && (i > regex || embedded[i]);
          if (!takes_it && (!before_it || (first[i] & first[keyword]).empty())) continue;
          others[i] = true;
          alone = false;
        }
        if (alone) continue;
        others[keyword] = true;
        const std::uint32_t own = start_state(index, together, none);
        const std::uint32_t other = start_state(index, others, none);
        if (checked.emplace(own, other).second && !as_free(own, other, keyword)) return false;
      }
    }
  }
  return true;
}

}  // namespace formgate
