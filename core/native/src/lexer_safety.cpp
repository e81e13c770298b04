// Whether a lexer can come to a point where no text leads on.
//
// Cutting text into lexemes may leave no way out: after /a+/ no "a" can follow as a lexeme of its
// own. Usually any terminal can come after any that it may follow, by some lexeme, at once or after
// an ignored one; then every parser state has a way on. This is looked for in the lexer in which
// all terminals compete: if a lexeme ends as a terminal there, it does so where fewer compete, too,
// and guards only weaken. For each terminal a set of guards is kept under which some of its lexemes
// are left, closed under what may follow; what leads on under one of them does under any that
// allows more, so these need not be kept. Guards met later that none of them covers join them if
// all that they lead to can. Where that fails, states are explored instead (liveness.cpp).
//
// White space is tried first: what comes behind it is left under few guards, and is found once for
// all guards that white space may come under, and for all terminals before it, where all compete.
// Keywords may be worse off where fewer do: see lexer_keywords.cpp.
//
// Text such as /[^<]+/ cannot stand behind itself, though rules may let it. Terminals that do not
// come after others are put up with if sentences do without them there: see sentences.cpp; or there
// are ways of leaving a terminal behind which they come: see lexer_left_ways.cpp.
#include <algorithm>
#include <limits>
#include <unordered_set>

#include "expr_helpers.hpp"
#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"
#include "lexeme_search.hpp"
#include "sentences.hpp"
#include "symbol_follow.hpp"

namespace formgate {
namespace {

// Expressions looked at for a text that a guard forbids.
constexpr std::size_t kMostForbidden = 32;

// Guards kept of one terminal.
constexpr std::size_t kMostGuards = 32;
constexpr std::size_t kMostLate = 256;  // of one terminal, with those met while masks are made

// First bytes of ignored lexemes that are looked at one by one.
constexpr unsigned kFewBytes = 8;

// Guards and terminals looked at where a guard is met that is not covered; and how often in vain.
constexpr std::size_t kMostVisits = 128;
constexpr std::size_t kMostFailures = 4;

}  // namespace

// What is left of a demand where a lexeme ends under a guard; nothing where no text can follow.
ExprId Lexing::left_under(ExprId demand, ExprId guard, bool text) {
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(demand)) << 32) | index_of(guard);
  auto& known = left_[text ? 1 : 0];
  if (const auto it = known.find(key); it != known.end()) return it->second;
  ExprId both = pool_.intersect(demand, guard);
  if (text) both = pool_.intersect(both, ExprPool::kTextId);
  if (!pool_.found_live(both)) both = ExprPool::kEmptyId;
  known.emplace(key, both);
  return both;
}

// Whether all texts of one expression are texts of another. Guards of many terminals differ in one
// condition of several, so each is asked about by itself.
bool Lexing::contains(ExprId guard, ExprId known) {
  if (known == guard || guard == ExprPool::kAllId) return true;
  if (guard == ExprPool::kTextId && (pool_.node(known).flags & kText)) return true;
  if (pool_.node(guard).kind == Kind::kAnd) {
    const auto members = pool_.members(pool_.node(guard));
    return std::ranges::all_of(std::vector<ExprId>(members.begin(), members.end()),
                               [&](ExprId member) { return contains(member, known); });
  }
  if (pool_.node(known).kind != Kind::kAnd) {
    return answer(About::kContained, index_of(known), guard,
                  [&] { return find_contained(guard, known); });
  }
  const auto list = pool_.members(pool_.node(known));
  const std::vector<ExprId> members(list.begin(), list.end());
  if (std::ranges::find(members, guard) != members.end()) return true;
  if (sufficient_.known(guard, members)) return true;
  return answer(About::kContained, index_of(known), guard, [&] {
    if (!find_contained(guard, known)) return false;
    sufficient_.note(guard, members, [&](const std::vector<ExprId>& few) {
      return contains(guard, pool_.intersect(few));
    });
    return true;
  });
}

// Whether all texts of a sequence are texts of another, as they differ by how often parts may come.
bool Lexing::counts_within(ExprId texts, ExprId others) const {
  while (texts != others) {
    if (texts == ExprPool::kEpsilonId || others == ExprPool::kEpsilonId) return false;
    const ExprId first = pool_.head(texts);
    const ExprId second = pool_.head(others);
    if (first != second) {
      const Node& few = pool_.node(first);
      const Node& many = pool_.node(second);
      if (few.kind != Kind::kRepeat || many.kind != Kind::kRepeat || few.a != many.a) return false;
      if (few.min < many.min || few.max > many.max) return false;
    }
    texts = pool_.tail(texts);
    others = pool_.tail(others);
  }
  return true;
}

// As `contains`, for guards that forbid the same but for counts; no is no answer.
bool Lexing::plainly_contains(ExprId guard, ExprId known) const {
  const auto members = [this](ExprId id) {
    if (pool_.node(id).kind != Kind::kAnd) return std::vector<ExprId>{id};
    const auto list = pool_.members(pool_.node(id));
    return std::vector<ExprId>(list.begin(), list.end());
  };
  const std::vector<ExprId> given = members(known);
  return std::ranges::all_of(members(guard), [&](ExprId wanted) {
    const Node& mild = pool_.node(wanted);
    return std::ranges::any_of(given, [&](ExprId each) {
      const Node& strict = pool_.node(each);
      if (each == wanted) return true;
      return mild.kind == Kind::kNot && strict.kind == Kind::kNot &&
             counts_within(ExprId{mild.a}, ExprId{strict.a});
    });
  });
}

// A short text that a guard forbids, whatever follows; empty where none is soon found.
const std::string& Lexing::forbidden(ExprId guard) {
  if (const auto it = forbidden_.find(index_of(guard)); it != forbidden_.end()) return it->second;
  std::string out;
  std::vector<std::pair<ExprId, std::string>> work{{guard, ""}};
  std::unordered_set<std::uint32_t> seen{index_of(guard)};
  for (std::size_t i = 0; i < work.size() && i < kMostForbidden && out.empty(); ++i) {
    const auto [from, read] = work[i];
    ByteSet missing = ByteSet::range(0, 0x7F);
    for (const LinearTerm& term : pool_.linear_form(from)) {
      missing = missing - term.bytes;
      const ByteSet ascii = term.bytes & ByteSet::range(0, 0x7F);
      if (ascii.empty() || !seen.insert(index_of(term.target)).second) continue;
      work.emplace_back(term.target, read + static_cast<char>(ascii.first()));
    }
    if (!missing.empty()) out = read + static_cast<char>(missing.first());
  }
  return forbidden_.emplace(index_of(guard), std::move(out)).first->second;
}

// Guards mostly differ in a byte or two, so the first byte often tells.
bool Lexing::find_contained(ExprId guard, ExprId known) {
  Verdict verdict = pool_.nullable(known) && !pool_.nullable(guard) ? Verdict::kNo : Verdict::kYes;
  const LinearForm form = pool_.linear_form(guard);
  for (const LinearTerm& term : pool_.linear_form(known)) {
    ByteSet bytes = term.bytes;
    for (const LinearTerm& other : form) {
      if ((bytes & other.bytes).empty()) continue;
      bytes = bytes - other.bytes;
      if (other.target == term.target || other.target == ExprPool::kAllId) continue;
      const bool refuted = pool_.nullable(term.target) && !pool_.nullable(other.target);
      verdict = refuted ? Verdict::kNo : verdict == Verdict::kYes ? Verdict::kUnknown : verdict;
    }
    if (bytes.empty()) continue;
    const bool refuted = pool_.nullable(term.target);
    verdict = refuted ? Verdict::kNo : verdict == Verdict::kYes ? Verdict::kUnknown : verdict;
  }
  if (verdict == Verdict::kUnknown) {
    const std::string& text = forbidden(guard);
    if (!text.empty() && pool_.found_live(pool_.walk(known, text))) return false;
    const bool found = !pool_.found_live(pool_.intersect(known, pool_.complement(guard)));
    verdict = found ? Verdict::kYes : Verdict::kNo;
  }
  return verdict == Verdict::kYes;
}

// Whether a guard allows what one of those known of a terminal allows, and so leads on as that
// does.
bool Lexing::covered(std::uint32_t index, std::uint16_t terminal, ExprId guard) {
  const std::vector<ExprId>& known = safeties_[index].guards[terminal];
  if (std::ranges::find(known, guard) != known.end()) return true;
  const auto plain = [&](ExprId each) { return plainly_contains(guard, each); };
  if (std::ranges::any_of(known, plain)) return true;
  return std::ranges::any_of(known, [&](ExprId each) { return contains(guard, each); });
}

// Whether a lexeme of `wanted` can come under `guard`, at once or after an ignored one, and how it
// is left then.
bool Lexing::connect(std::uint32_t start, ExprId guard, std::uint16_t wanted, ExprId& after) {
  const std::uint32_t index = states_[start].lexicon;
  const auto take = [&](std::uint16_t terminal, ExprId left) {
    if (terminal != wanted) return false;
    // A guard that is known already makes the closure smaller.
    if (after == kNoExpr || covered(index, wanted, left)) after = left;
    return true;
  };
  after = kNoExpr;
  if (reaches(guard, start, take)) return true;
  return reaches(guard, start, [&](std::uint16_t terminal, ExprId left) {
    return lexicons_[index].terminals[terminal].ignored && reaches(left, start, take);
  });
}

// Whether the text may end under `guard`, at once or after an ignored lexeme.
bool Lexing::ends_under(std::uint32_t start, ExprId guard) {
  const std::uint32_t index = states_[start].lexicon;
  if (pool_.nullable(guard)) return true;
  return reaches(guard, start, [&](std::uint16_t terminal, ExprId left) {
    return lexicons_[index].terminals[terminal].ignored && pool_.nullable(left);
  });
}

// An ignored lexeme of one byte that may come under a guard: how it is left, best without any
// condition; kNoExpr where there is none.
ExprId Lexing::separated(std::uint32_t start, ExprId guard) {
  const Lexicon& lexicon = lexicons_[states_[start].lexicon];
  ByteSet bytes;
  for (const Item& item : states_[start].items) {
    if (!lexicon.terminals[item.terminal].ignored) continue;
    bytes = bytes | first_bytes(states_[start].lexicon, item);
  }
  bytes = bytes & lexicon.spelled;
  ExprId out = kNoExpr;
  const LinearForm form = pool_.linear_form(guard);
  // Whether nothing better is to be found.
  const auto look = [&](const ByteSet& own, std::uint32_t target) {
    for (const Accept& accept : states_[target].accepts) {
      if (!lexicon.terminals[accept.terminal].ignored) continue;
      for (const LinearTerm& term : form) {
        if ((own & term.bytes).empty()) continue;
        const ExprId left = left_under(term.target, accept.guard, lexicon.text);
        const bool best = left == ExprPool::kAllId || left == ExprPool::kTextId;
        if (best || (left != ExprPool::kEmptyId && out == kNoExpr)) out = left;
        if (best) return true;
      }
    }
    return false;
  };
  if (bytes.size() <= kFewBytes) {
    bytes.for_each([&](std::uint8_t byte) {
      if (out == ExprPool::kAllId || out == ExprPool::kTextId) return;
      const std::uint32_t target = stepped(start, byte);
      if (target != kNoIndex) look(ByteSet::of(byte), target);
    });
    return out;
  }
  for (const Edge& edge : expanded_state(start).edges) {
    if (look(edge.bytes, edge.target)) break;
  }
  return out;
}

// Which terminals can come under a guard where all compete, and how each is left then; kNoExpr for
// those that cannot.
const std::vector<ExprId>& Lexing::comes_under(std::uint32_t index, ExprId guard) {
  auto& known = safeties_[index].anywhere;
  if (const auto it = known.find(index_of(guard)); it != known.end()) return it->second;
  const std::size_t count = lexicons_[index].terminals.size();
  std::vector<ExprId> out(count, kNoExpr);  // kept when it is whole: a deadline may pass
  Symbols wanted(count, false);
  for (const Symbols& follow : safeties_[index].follow) {
    for (std::size_t i = 0; i < count; ++i) wanted[i] = wanted[i] || follow[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    wanted[i] = wanted[i] && !lexicons_[index].terminals[i].ignored;
  }
  auto missing = std::ranges::count(wanted, true);
  const std::uint32_t start = start_state(index, Symbols(count, true), Symbols(count, false));
  Symbols sure(count, false);
  reaches(guard, start, [&](std::uint16_t terminal, ExprId left) {
    if (!wanted[terminal] || sure[terminal]) return false;
    missing -= out[terminal] == kNoExpr;
    // A guard that is known already makes the closure smaller.
    sure[terminal] = out[terminal] != kNoExpr && covered(index, terminal, left);
    if (out[terminal] == kNoExpr || sure[terminal]) out[terminal] = left;
    return missing == 0;
  });
  return known.emplace(index_of(guard), std::move(out)).first->second;
}

// Whether each terminal that may come after `before` can come under a guard where all compete: then
// it can where fewer do, and is left as free or freer. One search answers for all terminals.
bool Lexing::all_come(std::uint32_t index, std::size_t before, ExprId guard,
                      std::vector<ExprId>& after) {
  const Symbols& next = safeties_[index].follow[before];
  const std::vector<ExprId>& found = comes_under(index, guard);
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (next[i] && found[i] == kNoExpr) return false;
  }
  after = found;
  return true;
}

// Whether each terminal that may come after `before` can come under a guard, at once or after an
// ignored one, and how each is left then.
bool Lexing::all_follow(std::uint32_t index, std::size_t before, ExprId guard,
                        std::vector<ExprId>& after) {
  const Symbols& next = safeties_[index].follow[before];
  const std::uint32_t start = start_after(index, before);
  std::vector<ExprId> separators;
  std::size_t missing = 0;
  // One search finds them all.
  const auto take = [&](std::uint16_t terminal, ExprId left) {
    if (lexicons_[index].terminals[terminal].ignored) {
      if (std::ranges::find(separators, left) == separators.end()) separators.push_back(left);
    } else if (next[terminal]) {
      missing -= after[terminal] == kNoExpr;
      // A guard that is known already makes the closure smaller.
      if (after[terminal] == kNoExpr || covered(index, terminal, left)) after[terminal] = left;
    }
    return missing == 0;
  };
  const auto search = [&](ExprId from) {
    after.assign(next.size(), kNoExpr);
    missing = static_cast<std::size_t>(std::ranges::count(next, true));
    reaches(from, start, take);
    return missing == 0;
  };
  // Behind white space most guards are the same, and demand little.
  if (const ExprId left = separated(start, guard); left != kNoExpr) {
    if (safeties_[index].shared && all_come(index, before, left, after)) return true;
    Hasher hasher(start);
    hasher.add(index_of(left));
    for (bool bit : next) hasher.add(bit);
    auto& known = safeties_[index].separated;
    const Hash128 key = hasher.finish();
    auto it = known.find(key);
    if (it == known.end()) {
      search(left);
      it = known.emplace(key, missing == 0 ? after : std::vector<ExprId>{}).first;
    }
    if (!it->second.empty()) {
      after = it->second;
      return true;
    }
  }
  separators.clear();
  if (search(guard)) return true;
  for (std::size_t i = 0; missing != 0 && i < separators.size() && i < kMostGuards; ++i) {
    reaches(separators[i], start, take);
  }
  return missing == 0 || lacks_known(index, before, after);
}

// The terminals that may come behind one; null where any may.
const Lexing::Symbols* Lexing::followers(std::uint32_t index, std::uint16_t terminal) const {
  const auto it = safeties_.find(index);
  if (lexicons_[index].terminals[terminal].ignored) return nullptr;
  if (it == safeties_.end() || it->second.follow.empty()) return nullptr;
  return &it->second.follow[terminal];
}

// Whether sentences do without the terminals that do not come after one.
bool Lexing::lacks_known(std::uint32_t index, std::size_t before,
                         const std::vector<ExprId>& after) {
  Safety& safety = safeties_[index];
  if (safety.apart.empty() || before >= lexicons_[index].terminals.size()) return false;
  Symbols& apart = safety.apart[before];
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!safety.follow[before][i] || after[i] != kNoExpr || apart[i]) continue;
    if (!safety.apart_noted) return false;
    apart[i] = true;
  }
  return true;
}

// Whether every sentence, as far as it is read, has an end in which no two terminals stand side by
// side that are apart.
bool Lexing::does_without(std::uint32_t index, ExprId rest, CompileContext& context) {
  const std::vector<Symbols>& apart = safeties_[index].apart;
  if (apart.size() > Sentences::kMostTerminals) return false;
  std::vector<Sentences::Set> next(apart.size());
  for (std::size_t i = 0; i < apart.size(); ++i) {
    for (std::size_t k = 0; k < apart.size(); ++k) next[i][k] = !apart[i][k];
  }
  return Sentences(pool_, next, false, context).all_go_on(rest);
}

// Every terminal must be reachable after every one that it may follow, however that was left. Looks
// at those in `work`, and at all that they lead to.
bool Lexing::close_guards(std::uint32_t index, std::vector<Left> work, std::size_t most_visits,
                          CompileContext* context) {
  Safety& safety = safeties_[index];
  const std::size_t count = lexicons_[index].terminals.size();
  std::vector<ExprId> after;
  // After many terminals the same may follow, as after operators.
  std::unordered_set<Hash128, HashOfHash> visited;
  while (!work.empty()) {
    if (context) context->tick();
    const auto [before, guard] = work.back();
    work.pop_back();
    const std::uint32_t start = start_after(index, before);
    const bool last = before < count && safety.follow[count + 1][before];
    if (last && !ends_under(start, guard)) return false;
    Hasher hasher(start);
    hasher.add(index_of(guard));
    for (bool bit : safety.follow[before]) hasher.add(bit);
    if (!safety.apart.empty()) hasher.add(before);  // what does not come after it is its own
    if (!visited.insert(hasher.finish()).second) continue;
    if (visited.size() > most_visits || !all_follow(index, before, guard, after)) return false;
    for (std::uint16_t i = 0; i < count; ++i) {
      auto& known = safety.guards[i];
      if (!safety.follow[before][i] || after[i] == kNoExpr || covered(index, i, after[i])) continue;
      known.push_back(after[i]);
      work.push_back({i, after[i]});
      if (known.size() > kMostGuards) return false;
    }
  }
  return true;
}

// Whether a terminal may also be left under a guard that none of those known covers: those that it
// leads to become known then.
bool Lexing::extend(std::uint32_t index, std::uint16_t terminal, ExprId guard) {
  Safety& safety = safeties_[index];
  if (safety.failures > kMostFailures || safety.guards[terminal].size() >= kMostLate) return false;
  std::vector<std::size_t> sizes;
  for (const auto& known : safety.guards) sizes.push_back(known.size());
  const auto forget = [&] {
    for (std::size_t i = 0; i < sizes.size(); ++i) safety.guards[i].resize(sizes[i]);
  };
  safety.guards[terminal].push_back(guard);
  try {
    if (close_guards(index, {{terminal, guard}}, kMostVisits, nullptr)) return true;
  } catch (...) {  // of a deadline or a limit: what was not closed is not known
    forget();
    throw;
  }
  forget();
  ++safety.failures;
  return false;
}

// Whether the same holds where an ignored lexeme came after a terminal, or at the beginning, and
// was left under `guard`: then the text goes on whatever the parser's state is.
bool Lexing::skips(std::uint32_t index, ExprId guard) {
  return answer(About::kSkipped, index, guard, [&] { return find_skipped(index, guard); });
}

bool Lexing::find_skipped(std::uint32_t index, ExprId guard) {
  const Safety& safety = safeties_[index];
  const std::size_t count = lexicons_[index].terminals.size();
  std::vector<ExprId> after;
  const auto goes_on = [&](std::size_t before) {
    if (before < count) {
      if (safety.guards[before].empty()) return true;  // it never comes
      if (covered(index, static_cast<std::uint16_t>(before), guard)) return true;
    }
    const bool last = before < count ? safety.follow[count + 1][before]
                                     : std::ranges::count(safety.follow[before], true) == 0;
    if (last && !ends_under(start_after(index, before), guard)) return false;
    const auto all_covered = [&] {
      for (std::uint16_t i = 0; i < count; ++i) {
        if (!safety.follow[before][i] || after[i] == kNoExpr) continue;
        if (!covered(index, i, after[i])) return false;
      }
      return true;
    };
    if (all_come(index, before, guard, after) && all_covered()) return true;
    return all_follow(index, before, guard, after) && all_covered();
  };
  bool found = true;
  for (std::size_t before = 0; before <= count && found; ++before) found = goes_on(before);
  return found;
}

void Lexing::decide_safety(std::uint32_t index, ExprId rest, CompileContext& context) {
  if (safeties_.contains(index)) return;
  try {
    lexicons_[index].safe = find_safety(index, rest, context);
  } catch (...) {  // of a deadline or a limit: the next that asks begins anew
    safeties_.erase(index);
    throw;
  }
}

bool Lexing::find_safety(std::uint32_t index, ExprId rest, CompileContext& context) {
  const Lexicon& lexicon = lexicons_[index];
  Safety& safety = safeties_[index];
  safety.guards.resize(lexicon.terminals.size());
  safety.starts.assign(lexicon.terminals.size() + 1, kNoIndex);
  if (lexicon.symbol_bytes != 1) return false;
  safety.follow = follow_sets(pool_, rest, lexicon.terminals.size(), context);
  safety.freer = keywords_hold(index, context);
  if (!safety.freer) return false;
  const auto close = [&] {
    return close_guards(index, {{lexicon.terminals.size(), ExprPool::kAllId}},
                        std::numeric_limits<std::size_t>::max(), &context);
  };
  if (close()) return true;
  const auto again = [&] {
    safety.separated.clear();
    for (auto& known : safety.guards) known.clear();
    return close();
  };
  // Where fewer compete, lexemes are left freer.
  safety.shared = false;
  if (again()) return true;
  // Text that goes on until some character has no text of its kind behind it, and needs none.
  const std::size_t count = lexicon.terminals.size();
  safety.apart.assign(count, Symbols(count, false));
  safety.apart_noted = true;
  const bool closed = again();
  safety.apart_noted = false;
  if (closed && does_without(index, rest, context)) return true;
  return goes_on_by_ways(index, rest, context);
}

}  // namespace formgate
