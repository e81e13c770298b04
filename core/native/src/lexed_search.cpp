// A way on for a lexer: whether a state with one has any text.
//
// Structure does not say so, for a lexeme may have to be followed by what none can begin with; nor
// does a search through all successors, which may be without end (liveness.cpp looks for those of
// other states). So it is searched for a text, and where none is soon found, the rules are asked.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "formgate/errors.hpp"
#include "formgate/expr_pool.hpp"
#include "liveness.hpp"
#include "utf8.hpp"

namespace formgate {
namespace {

// States explored while decoding, to find a way on for a lexer that may be stuck. A state for which
// none is found counts as dead; the way found for the states before it does not lead there.
constexpr std::size_t kMostLexed = 4000;
constexpr std::size_t kMostLexedNodes = 200000;  // expressions made on the way
// One mask or token that has made so many expressions looks no further than this for any more.
constexpr std::size_t kMostSpent = 1'000'000;
constexpr std::size_t kMostLexedLate = 200;
// The same for what a compilation looks for, beside its own limits.
constexpr std::size_t kMostCompiled = 20000;
constexpr std::size_t kMostCompiledNodes = 500000;
// After so many states the rules are asked.
constexpr std::size_t kAskedAt = 256;

// A terminal's name for an error: derived from a long string, it says no more in full.
std::string cut_name(const std::string& name) {
  constexpr std::size_t kMostBytes = 40;
  if (name.size() <= kMostBytes) return name;
  std::size_t end = kMostBytes - 3;
  while (end > 0 && is_continuation(static_cast<std::uint8_t>(name[end]))) --end;
  return name.substr(0, end) + "...";
}

}  // namespace

// For errors: which terminals a state with a lexer may be in.
std::string ExprPool::after_terminals(ExprId id) const {
  constexpr std::size_t kMostNames = 8;
  const Node& own = node(id);
  if (own.kind == Kind::kAnd || own.kind == Kind::kUnion) {
    for (ExprId member : members(own)) {
      if (std::string found = after_terminals(member); !found.empty()) return found;
    }
  }
  if (own.kind != Kind::kLexed) return "";
  const std::vector<std::string> names = lexing_->names(id);
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    out += (i == 0 ? ", where it reads " : ", ") + cut_name(names[i]);
  }
  return names.size() > kMostNames ? out + ", ..." : out;
}

// Looks for some text of a state with a lexer, whose successors may have no end: those first that
// the parser is nearest to an end in. What the way found leads through is live; where all
// successors have been looked at in vain, they are dead. Where none is soon found the rules are
// asked (lexed_ends.cpp), and if they do not tell, the search goes on.
void ExprPool::search_way(ExprId root, CompileContext* context) {
  if (node(root).liveness != kUndecided) return;
  if (lexing_->surely_live(root)) {
    assume_live(root);
    return;
  }
  const auto told_by_rules = [&](bool begun) {
    const std::optional<bool> found = lexing_->has_text(root, begun);
    if (found) set_liveness(root, *found);
    return found.has_value();
  };
  if (told_by_rules(true)) return;
  const std::size_t budget =
      context ? std::min(context->limits().max_states, kMostCompiled) : kMostLexed;
  struct Place {
    ExprId id;
    std::vector<ExprId> targets = {};
    std::vector<std::uint32_t> sources = {};
    std::uint32_t strain = 0;  // on the way here
    bool told = false;         // sources know that it is live
    bool expanded = false;     // its targets are known
  };
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  StableVector<Place> places;
  // Four queues in turn. One takes what is nearest to an end by symbols and strain, the first
  // found first, so that none waits for ever. Another goes straight on, which a way mostly does.
  // The third asks for symbols only: an end may be had by much strain alone. Strain grows with
  // bytes beyond ASCII, whose many ways mostly lead to the same, and with guards, which may pile up
  // for ever. The fourth ends lexemes under way, which may be long, by what is left of them, and
  // sheds what competes.
  using Entry = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // rank, order, place
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
  std::array<Queue, 4> open;
  std::size_t turn = 0;
  const auto visit = [&](ExprId id, std::uint32_t strain) {
    const auto [it, fresh] =
        number.emplace(index_of(id), static_cast<std::uint32_t>(places.size()));
    if (fresh) {
      strain += node(id).kind == Kind::kAnd ? 1 : 0;
      places.push_back({id});
      places.back().strain = strain;
      const std::uint32_t symbols = lexing_->least_symbols(id);
      open[0].emplace(symbols + strain, it->second, it->second);
      open[1].emplace(strain, ~it->second, it->second);
      open[2].emplace(symbols, it->second, it->second);
      const std::uint64_t left = lexing_->least_text(id);
      open[3].emplace(left << 32 | lexing_->terminals_under_way(id), ~it->second, it->second);
    }
    return it->second;
  };
  visit(root, 0);
  std::size_t expanded = 0;
  bool asked = false;
  const std::size_t before = part_count();  // alternatives that pile up cost as many expressions
  std::vector<std::uint32_t> ready;
  std::vector<ExprId> parts;
  const auto settle = [&](std::uint32_t i) {
    Node& component = nodes_[index_of(places[i].id)];
    if (places[i].told) return;
    // It may have been found live beside this search, when another form was computed.
    if (component.liveness != kLive && !nullable(places[i].id) &&
        std::ranges::none_of(places[i].targets,
                             [this](ExprId target) { return live_by_parts(target); })) {
      return;
    }
    component.liveness = kLive;
    places[i].told = true;
    ready.push_back(i);
  };
  while (std::ranges::none_of(open, &Queue::empty)) {
    Queue& queue = open[turn++ % open.size()];
    const std::uint32_t i = std::get<2>(queue.top());
    queue.pop();
    if (places[i].expanded) continue;
    places[i].expanded = true;
    ++expanded;
    if (context) context->tick();
    const std::size_t most =
        context ? std::min(context->limits().max_nodes, kMostCompiledNodes) : kMostLexedNodes;
    const bool late =
        !context && ceiling_ != kUnlimited && part_count() + growth_ > ceiling_ + kMostSpent;
    const bool too_much = expanded > (late ? std::min(budget, kMostLexedLate) : budget) ||
                          part_count() - before > most;
    if (!asked && (too_much || expanded == std::min(kAskedAt, budget))) {
      asked = true;
      if (told_by_rules(false)) return;
      if (context && lexing_->surely_empty(root, *context)) {
        set_liveness(root, false);
        return;
      }
    }
    if (too_much) {
      if (!context) {
        nodes_[index_of(root)].liveness = kDead;
        return;
      }
      throw Error(ErrorKind::kLimit,
                  "deciding whether the lexer can ever come to an end takes more than " +
                      std::to_string(budget) + " states or " + std::to_string(most) +
                      " expressions" + after_terminals(root) +
                      "; see that every terminal can be matched where it is needed, and "
                      "ignore some separator that fits between all lexemes");
    }
    std::vector<bool> wide;
    for (const LinearTerm& term : linear_form(places[i].id)) {
      places[i].targets.push_back(term.target);
      wide.push_back((term.bytes.word(0) | term.bytes.word(1)) == 0);
    }
    settle(i);
    while (!ready.empty()) {
      const std::uint32_t found = ready.back();
      ready.pop_back();
      for (std::uint32_t source : places[found].sources) settle(source);
    }
    if (node(root).liveness == kLive) return;
    if (node(places[i].id).liveness == kLive) continue;
    for (std::size_t k = 0; k < places[i].targets.size(); ++k) {
      parts.clear();
      components(places[i].targets[k], parts);
      for (ExprId part : parts) {
        if (node(part).liveness != kUndecided) continue;
        places[visit(part, places[i].strain + (wide[k] ? 1 : 0))].sources.push_back(i);
      }
    }
  }
  for (const Place& place : places) {
    Node& component = nodes_[index_of(place.id)];
    if (component.liveness == kUndecided) component.liveness = kDead;
  }
}

}  // namespace formgate
