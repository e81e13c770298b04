// Which terminals compete where an LALR parser says what its lexer looks for.
//
// Such a lexer looks for every terminal that the parser's state has an action for. States are
// merged, so terminals compete that cannot come next. What competes beyond those that can is a
// function of the state that the last terminal led to; the parser, an expression over terminals,
// does not know states. So the grammar is written once more with states in its symbols: a head for
// each transition of the automaton on it, a symbol for each terminal with what competes after it;
// heads that derive the same are merged (by partition refinement, after Hopcroft). The automaton is
// deterministic, so all ways to read a text agree on the state.
//
// Where the parser resolves a conflict, some ways to read a text are not its own: a marker at the
// end of a production there says before which terminals the parser would not have ended it. None is
// needed for "A: x A" before what "A: A y" goes on with, ambiguous as operators without precedence
// are: both readings come to the same, if only y is followed alike.
//
// Most terminals that compete in vain are harmless, since no text begins both as they do and as
// another terminal does that competes. They are left out; with no other left, so is all of this.
#include "competing.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "formgate/errors.hpp"
#include "formgate/types.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostCodes = 16'000'000;
constexpr std::uint32_t kEndOfBody = kNoIndex;
constexpr std::uint32_t kNeverRead = kNoIndex - 1;

struct HashOfHash {
  std::size_t operator()(const Hash128& hash) const { return hash.lo; }
};

class Tracker {
 public:
  Tracker(const Lalr& automaton, const Lalr& needed, const std::vector<LexTerminal>& terminals,
          const Collide& collide, CompileContext& context)
      : automaton_(automaton),
        needed_(needed),
        terminals_(terminals),
        collide_(collide),
        context_(context) {}

  bool find_extras(bool keywords_apart);
  TrackGrammar write();

 private:
  bool plays(std::uint32_t terminal) const {
    return terminal < terminals_.size() && !automaton_.grammar().dead[terminal];
  }
  void pair_states();
  bool takes_surely(std::uint32_t state, std::uint32_t terminal) const;
  bool implies(std::uint32_t state, std::uint32_t one, std::uint32_t other);
  bool is_read(std::uint32_t state) const;
  std::vector<std::uint16_t> extras_of(std::uint32_t state);
  bool readings_differ();
  bool may_be_harmless(std::uint32_t state, const Lalr::Reduction& reduction) const;
  bool is_harmless(std::uint32_t state, const Lalr::Reduction& reduction) const;
  const std::vector<std::uint32_t>* dropped_at(std::uint32_t state, std::uint32_t production) const;
  bool alike(std::uint32_t one, std::uint32_t other, std::uint32_t production) const;
  std::uint32_t code_of(const Lalr::Edge& edge);
  void encode();
  std::uint32_t symbol_of(const TrackSymbol& symbol);
  std::uint32_t marker_of(const std::vector<std::uint32_t>& dropped);
  void refine();

  const Lalr& automaton_;
  const Lalr& needed_;
  std::vector<std::vector<std::uint32_t>> partners_;  // by state, those of `needed_`
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> implied_;
  bool sure_ = false;  // what `needed_` says of all stacks, the parser does
  const std::vector<LexTerminal>& terminals_;
  const Collide& collide_;
  CompileContext& context_;
  std::vector<std::uint32_t> class_of_;  // by state
  TrackSymbols symbols_;
  std::map<std::vector<std::uint16_t>, std::uint32_t> classes_;
  std::unordered_map<std::uint64_t, std::uint32_t> symbol_index_;  // by terminal and set
  std::map<std::vector<std::uint32_t>, std::uint32_t> marker_index_;
  std::vector<std::uint32_t> codes_;                            // bodies, of all transitions
  std::vector<std::size_t> first_code_;                         // by transition
  std::set<std::pair<std::uint32_t, std::uint32_t>> harmless_;  // states and productions
  std::vector<std::uint32_t> block_;                            // by transition
};

// Finds the states that both automata come to by the same symbols.
void Tracker::pair_states() {
  partners_.resize(automaton_.states());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work{{0, 0}};
  partners_[0].push_back(0);
  sure_ = !automaton_.is_overruled() && !needed_.is_overruled();
  while (!work.empty()) {
    context_.tick();
    const auto [state, own] = work.back();
    work.pop_back();
    for (const Lalr::Edge& edge : needed_.edges(own)) {
      const std::uint32_t target = automaton_.edge(state, edge.symbol)->target;
      std::vector<std::uint32_t>& known = partners_[target];
      if (std::ranges::find(known, edge.target) != known.end()) continue;
      known.push_back(edge.target);
      work.emplace_back(target, edge.target);
    }
    // It may shift towards what has no sentence.
    for (const Lalr::Reduction& reduction : automaton_.reductions(state)) {
      for (std::uint32_t terminal : reduction.dropped) {
        sure_ = sure_ && needed_.edge(own, terminal);
      }
    }
  }
}

bool Tracker::takes_surely(std::uint32_t state, std::uint32_t terminal) const {
  return sure_ && std::ranges::all_of(partners_[state], [&](std::uint32_t own) {
           return needed_.surely_accepts(own, terminal);
         });
}

bool Tracker::implies(std::uint32_t state, std::uint32_t one, std::uint32_t other) {
  const auto shifts = [&](std::uint32_t own) { return needed_.edge(own, one) != nullptr; };
  if (!sure_ || std::ranges::any_of(partners_[state], shifts)) return false;
  const auto [it, fresh] = implied_.emplace(std::pair{one, other}, false);
  if (fresh) it->second = needed_.implies(one, other);
  return it->second;
}

// The lexer is asked in states that a terminal leads to, and at the beginning.
bool Tracker::is_read(std::uint32_t state) const {
  if (partners_[state].empty()) return false;
  const std::uint32_t access = automaton_.access(state);
  return access == kNoIndex || (plays(access) && !terminals_[access].ignored);
}

// Terminals that may be looked for in vain and take texts from others.
std::vector<std::uint16_t> Tracker::extras_of(std::uint32_t state) {
  std::vector<std::uint16_t> competing;
  for (std::uint16_t i = 0; i < terminals_.size(); ++i) {
    if (plays(i) && (terminals_[i].ignored || automaton_.accepts(state, i))) competing.push_back(i);
  }
  std::vector<std::uint16_t> out;
  for (std::uint16_t i : competing) {
    if (terminals_[i].ignored || takes_surely(state, i)) continue;
    const auto loses = [&](std::uint16_t other) {
      context_.tick();
      return other != i && collide_(i, other) &&
             (terminals_[other].ignored || !implies(state, other, i));
    };
    if (std::ranges::any_of(competing, loses)) out.push_back(i);
  }
  return out;
}

// Whether a reading that the parser drops may let a terminal compete, to the loss of another.
bool Tracker::readings_differ() {
  std::vector<std::vector<bool>> follow(terminals_.size() + 1,
                                        std::vector<bool>(terminals_.size(), false));
  const auto slot = [&](std::uint32_t state) -> std::vector<bool>& {
    const std::uint32_t access = automaton_.access(state);
    return follow[access == kNoIndex ? terminals_.size() : access];
  };
  for (std::uint32_t state = 0; state < automaton_.states(); ++state) {
    if (!is_read(state)) continue;
    context_.tick();
    std::vector<bool>& after = slot(state);
    for (std::uint32_t i = 0; i < terminals_.size(); ++i) {
      if (automaton_.accepts(state, i)) after[i] = true;
    }
  }
  for (std::uint32_t state = 0; state < automaton_.states(); ++state) {
    if (!is_read(state)) continue;
    const std::vector<bool>& after = slot(state);
    for (std::uint16_t i = 0; i < terminals_.size(); ++i) {
      if (!after[i] || !plays(i) || automaton_.accepts(state, i)) continue;
      for (std::uint16_t other = 0; other < terminals_.size(); ++other) {
        if (other == i || !plays(other)) continue;
        if (!terminals_[other].ignored && !automaton_.accepts(state, other)) continue;
        context_.tick();
        if (collide_(i, other)) return true;
      }
    }
  }
  return false;
}

// Says whether it makes a difference what the automaton lets compete.
bool Tracker::find_extras(bool keywords_apart) {
  pair_states();
  classes_.emplace(std::vector<std::uint16_t>{}, 0);
  symbols_.extras.emplace_back();
  symbols_.around.assign(terminals_.size() + 1, std::vector<bool>(terminals_.size(), false));
  class_of_.assign(automaton_.states(), 0);
  for (std::uint32_t state = 0; state < automaton_.states(); ++state) {
    if (!is_read(state)) continue;
    std::vector<std::uint16_t> extras = extras_of(state);
    const std::uint32_t access = automaton_.access(state);
    std::vector<bool>& around = symbols_.around[std::min<std::size_t>(access, terminals_.size())];
    for (std::uint16_t i : extras) around[i] = true;
    const auto [it, fresh] =
        classes_.emplace(extras, static_cast<std::uint32_t>(symbols_.extras.size()));
    if (fresh) symbols_.extras.push_back(std::move(extras));
    class_of_[state] = it->second;
  }
  symbols_.start = class_of_[0];
  if (classes_.size() > 1) return true;
  return automaton_.has_conflicts() && (keywords_apart || readings_differ());
}

std::uint32_t Tracker::symbol_of(const TrackSymbol& symbol) {
  const std::uint64_t key = (static_cast<std::uint64_t>(symbol.set) << 32) | symbol.terminal;
  const auto [it, fresh] =
      symbol_index_.try_emplace(key, static_cast<std::uint32_t>(symbols_.symbols.size()));
  if (fresh) symbols_.symbols.push_back(symbol);
  return it->second;
}

std::uint32_t Tracker::marker_of(const std::vector<std::uint32_t>& dropped) {
  const auto [it, fresh] =
      marker_index_.emplace(dropped, static_cast<std::uint32_t>(symbols_.symbols.size()));
  if (fresh) {
    std::vector<bool> set(terminals_.size(), false);
    for (std::uint32_t terminal : dropped) {
      if (terminal < set.size()) set[terminal] = true;
    }
    symbols_.symbols.push_back(
        {TrackSymbol::kMarker, static_cast<std::uint32_t>(symbols_.dropped.size())});
    symbols_.dropped.push_back(std::move(set));
  }
  return it->second;
}

// Whether a production that ends in a state goes on with its own head only, after which the same
// head may go on.
bool Tracker::may_be_harmless(std::uint32_t state, const Lalr::Reduction& reduction) const {
  const auto& productions = automaton_.grammar().productions;
  const auto& [head, body, priority] = productions[reduction.production];
  if (body.empty() || body.back() != head) return false;
  for (const auto& [production, dot] : automaton_.kernel(state)) {
    if (production == reduction.production && dot == body.size()) continue;
    if (productions[production].head != head || dot != 1 ||
        productions[production].body[0] != head) {
      return false;
    }
  }
  return std::ranges::all_of(reduction.dropped, [&](std::uint32_t terminal) {
    return automaton_.edge(state, terminal) != nullptr;
  });
}

// Whether it makes no difference that the production is not ended there.
bool Tracker::is_harmless(std::uint32_t state, const Lalr::Reduction& reduction) const {
  const std::uint32_t head = automaton_.grammar().productions[reduction.production].head;
  const auto place = &reduction - automaton_.reductions(state).data();
  const auto lookback = automaton_.lookback(state, static_cast<std::size_t>(place));
  return std::ranges::all_of(lookback, [&](std::uint32_t transition) {
    const std::uint32_t from = automaton_.transitions()[transition].from;
    const std::uint32_t other = automaton_.edge(from, head)->target;
    return std::ranges::all_of(automaton_.kernel(state), [&](const Lalr::Item& item) {
      return item.first == reduction.production || alike(state, other, item.first);
    });
  });
}

// The terminals before which a production is not ended, where that matters; null for none.
const std::vector<std::uint32_t>* Tracker::dropped_at(std::uint32_t state,
                                                      std::uint32_t production) const {
  const auto& reductions = automaton_.reductions(state);
  const auto it =
      std::ranges::lower_bound(reductions, production, {}, &Lalr::Reduction::production);
  if (it->dropped.empty() || harmless_.contains({state, production})) return nullptr;
  return &it->dropped;
}

// Whether a production goes on in two states, after its first symbol, with the same symbols.
bool Tracker::alike(std::uint32_t one, std::uint32_t other, std::uint32_t production) const {
  const auto& body = automaton_.grammar().productions[production].body;
  for (std::size_t i = 1; i < body.size(); ++i) {
    const Lalr::Edge& left = *automaton_.edge(one, body[i]);
    const Lalr::Edge* right = automaton_.edge(other, body[i]);
    if (!right) return false;
    if (left.transition != kNoIndex ? block_[left.transition] != block_[right->transition]
                                    : class_of_[left.target] != class_of_[right->target]) {
      return false;
    }
    one = left.target;
    other = right->target;
  }
  const auto* left = dropped_at(one, production);
  const auto* right = dropped_at(other, production);
  return (!left && !right) || (left && right && *left == *right);
}

std::uint32_t Tracker::code_of(const Lalr::Edge& edge) {
  if (edge.transition != kNoIndex) return edge.transition;
  if (!plays(edge.symbol) || terminals_[edge.symbol].ignored) return kNeverRead;
  return TrackGrammar::kSymbol |
         symbol_of({static_cast<std::uint16_t>(edge.symbol), class_of_[edge.target]});
}

// Writes the productions of each transition with states in them.
void Tracker::encode() {
  symbols_.symbols.clear();
  symbols_.dropped.clear();
  symbol_index_.clear();
  marker_index_.clear();
  codes_.clear();
  first_code_.clear();
  const auto& grammar = automaton_.grammar();
  codes_.reserve(automaton_.transitions().size() * 16);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path;  // states and codes
  for (const auto& [from, head] : automaton_.transitions()) {
    context_.tick();
    first_code_.push_back(codes_.size());
    path.clear();
    for (std::uint32_t production : automaton_.productions_of(head)) {
      const auto& body = grammar.productions[production].body;
      path.resize(automaton_.shared(production));
      std::uint32_t at = path.empty() ? from : path.back().first;
      for (std::size_t i = path.size(); i < body.size(); ++i) {
        const Lalr::Edge& next = *automaton_.edge(at, body[i]);
        at = next.target;
        path.emplace_back(at, code_of(next));
      }
      // What has a symbol that the lexer never hands on is never read.
      const bool read =
          std::ranges::none_of(path, [](const auto& step) { return step.second == kNeverRead; });
      if (!read) continue;
      for (const auto& step : path) codes_.push_back(step.second);
      if (const auto* dropped = dropped_at(at, production)) {
        codes_.push_back(TrackGrammar::kSymbol | marker_of(*dropped));
      }
      codes_.push_back(kEndOfBody);
    }
    if (codes_.size() > kMostCodes) {
      throw Error(ErrorKind::kLimit,
                  "the rules with the states of their LALR automaton have more than " +
                      std::to_string(kMostCodes) +
                      " symbols; simplify them, or let all terminals compete always");
    }
  }
  first_code_.push_back(codes_.size());
}

// Merges transitions on one head that derive the same. Those that have a transition in their bodies
// whose block is new are looked at again; others of their block stay together.
void Tracker::refine() {
  const auto count = static_cast<std::uint32_t>(automaton_.transitions().size());
  std::vector<std::uint32_t> calls;     // transitions in bodies
  std::vector<std::size_t> first_call;  // by transition
  std::vector<std::uint32_t> first_user(count + 1, 0);
  std::unordered_map<Hash128, std::uint32_t, HashOfHash> found;
  block_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    context_.tick();
    first_call.push_back(calls.size());
    Hasher hasher(automaton_.transitions()[i].head);
    for (std::size_t k = first_code_[i]; k < first_code_[i + 1]; ++k) {
      const std::uint32_t code = codes_[k];
      if (code & TrackGrammar::kSymbol) {
        hasher.add(code);
        continue;
      }
      hasher.add(automaton_.transitions()[code].head);
      calls.push_back(code);
      ++first_user[code + 1];
    }
    block_.push_back(
        found.try_emplace(hasher.finish(), static_cast<std::uint32_t>(found.size())).first->second);
  }
  first_call.push_back(calls.size());
  for (std::uint32_t i = 0; i < count; ++i) first_user[i + 1] += first_user[i];
  std::vector<std::uint32_t> users(calls.size());  // by transition called
  std::vector<std::uint32_t> filled = first_user;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::size_t k = first_call[i]; k < first_call[i + 1]; ++k) users[filled[calls[k]]++] = i;
  }
  auto blocks = static_cast<std::uint32_t>(found.size());
  std::vector<std::uint32_t> size(blocks, 0);
  for (std::uint32_t block : block_) ++size[block];
  std::vector<std::uint32_t> waiting(count);
  std::iota(waiting.begin(), waiting.end(), 0u);
  std::vector<bool> listed(count, false);
  while (!waiting.empty()) {
    std::vector<std::uint32_t> looked_at(blocks, 0);  // of each block
    for (std::uint32_t i : waiting) ++looked_at[block_[i]];
    found.clear();
    std::vector<bool> kept(blocks, false);  // the number of the block is taken by a part of it
    std::vector<std::pair<std::uint32_t, std::uint32_t>> moved;  // transition, block
    for (std::uint32_t i : waiting) {
      context_.tick();
      const std::uint32_t own = block_[i];
      Hasher hasher(own);
      for (std::size_t k = first_call[i]; k < first_call[i + 1]; ++k) hasher.add(block_[calls[k]]);
      const auto [it, fresh] = found.try_emplace(hasher.finish(), own);
      if (fresh && (kept[own] || looked_at[own] < size[own])) it->second = blocks++;
      kept[own] = true;
      if (it->second != own) moved.emplace_back(i, it->second);
    }
    size.resize(blocks, 0);
    for (std::uint32_t i : waiting) listed[i] = false;
    waiting.clear();
    for (const auto& [i, block] : moved) {
      --size[block_[i]];
      ++size[block];
      block_[i] = block;
      for (std::uint32_t k = first_user[i]; k < first_user[i + 1]; ++k) {
        if (!listed[users[k]]) waiting.push_back(users[k]);
        listed[users[k]] = true;
      }
    }
  }
}

TrackGrammar Tracker::write() {
  for (std::uint32_t state = 0; state < automaton_.states(); ++state) {
    for (const Lalr::Reduction& reduction : automaton_.reductions(state)) {
      if (!reduction.dropped.empty() && may_be_harmless(state, reduction)) {
        harmless_.emplace(state, reduction.production);
      }
    }
  }
  // One that proves to matter may make others matter.
  std::size_t before = 0;
  do {
    encode();
    refine();
    before = harmless_.size();
    std::erase_if(harmless_, [&](const auto& place) {
      const auto& reductions = automaton_.reductions(place.first);
      return !is_harmless(place.first, *std::ranges::lower_bound(reductions, place.second, {},
                                                                 &Lalr::Reduction::production));
    });
  } while (harmless_.size() != before);
  const Lalr::Edge* start = automaton_.edge(0, automaton_.grammar().start);
  TrackGrammar out;
  std::unordered_map<std::uint32_t, std::uint32_t> number;  // of blocks
  std::vector<std::uint32_t> order;                         // a transition of each
  const auto visit = [&](std::uint32_t transition) {
    const auto [it, fresh] =
        number.emplace(block_[transition], static_cast<std::uint32_t>(order.size()));
    if (fresh) order.push_back(transition);
    return it->second;
  };
  visit(start->transition);
  for (std::size_t i = 0; i < order.size(); ++i) {
    context_.tick();
    const std::uint32_t head = automaton_.transitions()[order[i]].head;
    out.rules.push_back({automaton_.grammar().names[head] + "#" + std::to_string(i)});
    std::vector<std::uint32_t> body;
    for (std::size_t k = first_code_[order[i]]; k < first_code_[order[i] + 1]; ++k) {
      if (codes_[k] == kEndOfBody) {
        out.rules[i].bodies.push_back(std::move(body));
        body.clear();
      } else {
        body.push_back(codes_[k] & TrackGrammar::kSymbol ? codes_[k] : visit(codes_[k]));
      }
    }
  }
  out.symbols = std::move(symbols_);
  return out;
}

}  // namespace

std::optional<TrackGrammar> track_competing(const Lalr& automaton, const Lalr& needed,
                                            const std::vector<LexTerminal>& terminals,
                                            bool keywords_apart, const Collide& collide,
                                            CompileContext& context) {
  Tracker tracker(automaton, needed, terminals, collide, context);
  if (!tracker.find_extras(keywords_apart)) return std::nullopt;
  return tracker.write();
}

}  // namespace formgate
