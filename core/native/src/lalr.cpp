// The LALR(1) automaton that the lark package makes of a grammar.
//
// Its states are those of LR(0); for look-ahead sets and conflicts see lalr_lookaheads.cpp.
#include "lalr.hpp"

#include <algorithm>
#include <unordered_map>

#include "formgate/errors.hpp"
#include "formgate/types.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostStates = 20'000;
constexpr std::size_t kMostItems = 2'000'000;   // in all states
constexpr std::size_t kMostWords = 16'000'000;  // of one table of sets

struct HashOfHash {
  std::size_t operator()(const Hash128& hash) const { return hash.lo; }
};

}  // namespace

void lalr_too_large(const std::string& what, std::size_t most) {
  throw Error(ErrorKind::kLimit, "the LALR automaton of the rules has more than " +
                                     std::to_string(most) + " " + what +
                                     "; simplify the rules, or let all terminals compete always");
}

std::optional<LalrGrammar> needed_part(const LalrGrammar& grammar) {
  std::vector<bool> productive(grammar.names.size(), false);
  for (std::uint32_t i = 0; i < grammar.terminals; ++i) productive[i] = !grammar.dead[i];
  std::vector<std::vector<std::uint32_t>> users(grammar.names.size());
  std::vector<std::size_t> left;  // symbols of a production that have no sentence yet
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = 0; i < grammar.productions.size(); ++i) {
    std::size_t count = 0;
    for (std::uint32_t symbol : grammar.productions[i].body) {
      if (productive[symbol]) continue;
      users[symbol].push_back(i);
      ++count;
    }
    left.push_back(count);
    if (count == 0) work.push_back(i);
  }
  while (!work.empty()) {
    const std::uint32_t head = grammar.productions[work.back()].head;
    work.pop_back();
    if (productive[head]) continue;
    productive[head] = true;
    for (std::uint32_t user : users[head]) {
      if (--left[user] == 0) work.push_back(user);
    }
  }
  if (std::ranges::count(left, 0u) == std::ssize(left)) return std::nullopt;
  LalrGrammar out = grammar;
  out.productions.clear();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == 0) out.productions.push_back(grammar.productions[i]);
  }
  return out;
}

Lalr::Lalr(LalrGrammar grammar, CompileContext& context)
    : grammar_(std::move(grammar)), context_(context) {
  const auto root = static_cast<std::uint32_t>(grammar_.names.size());
  grammar_.names.emplace_back("$root");
  grammar_.productions.push_back({root, {grammar_.start}, 0});
  closures_.resize(grammar_.names.size());
  order_productions();
  find_nullable();
  build();
  if (transitions_.size() * (grammar_.terminals / 64 + 1) > kMostWords) {
    lalr_too_large("transitions times terminals", kMostWords * 64);
  }
  find_reads();
  relate();
  find_follow();
  find_accepted();
  resolve();
  find_certain();
}

// Optional parts make many productions that begin alike.
void Lalr::order_productions() {
  by_head_.resize(grammar_.names.size());
  for (std::uint32_t i = 0; i < grammar_.productions.size(); ++i) {
    by_head_[grammar_.productions[i].head].push_back(i);
  }
  shared_.assign(grammar_.productions.size(), 0);
  const auto body = [this](std::uint32_t i) -> const auto& { return grammar_.productions[i].body; };
  for (std::vector<std::uint32_t>& list : by_head_) {
    std::ranges::sort(list, {}, body);
    for (std::size_t i = 1; i < list.size(); ++i) {
      const auto& own = body(list[i]);
      const auto differ = std::ranges::mismatch(own, body(list[i - 1])).in1;
      shared_[list[i]] = static_cast<std::size_t>(differ - own.begin());
    }
  }
}

// The heads that a text of one may begin with, itself included.
const std::vector<std::uint32_t>& Lalr::closure(std::uint32_t head) {
  std::vector<std::uint32_t>& out = closures_[head];
  if (!out.empty()) return out;
  std::vector<bool> seen(grammar_.names.size(), false);
  out.push_back(head);
  seen[head] = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    context_.tick();
    for (std::uint32_t production : by_head_[out[i]]) {
      const auto& body = grammar_.productions[production].body;
      if (body.empty() || body[0] < grammar_.terminals || seen[body[0]]) continue;
      seen[body[0]] = true;
      out.push_back(body[0]);
    }
  }
  return out;
}

// States are numbered breadth first.
void Lalr::build() {
  const auto root = static_cast<std::uint32_t>(grammar_.productions.size() - 1);
  std::unordered_map<Hash128, std::uint32_t, HashOfHash> known;
  const auto hash_of = [](const std::vector<Item>& kernel) {
    Hasher hasher(0x1A18);
    for (const auto& [production, dot] : kernel) hasher.add(production).add(dot);
    return hasher.finish();
  };
  kernels_.push_back({{root, 0}});
  access_.push_back(kNoIndex);
  known.emplace(hash_of(kernels_[0]), 0);
  std::vector<std::vector<Item>> moves(grammar_.names.size());
  std::vector<std::uint32_t> moving;
  std::vector<std::uint32_t> heads;
  std::vector<std::uint32_t> round(grammar_.names.size(), kNoIndex);
  std::size_t items = 0;
  for (std::uint32_t state = 0; state < kernels_.size(); ++state) {
    context_.tick();
    std::vector<Reduction> reduced;
    heads.clear();
    moving.clear();
    const auto move = [&](std::uint32_t symbol, const Item& item) {
      if (moves[symbol].empty()) moving.push_back(symbol);
      moves[symbol].push_back(item);
    };
    for (const auto& [production, dot] : kernels_[state]) {
      const auto& body = grammar_.productions[production].body;
      if (dot == body.size()) {
        reduced.push_back({production});
        continue;
      }
      move(body[dot], {production, dot + 1});
      if (body[dot] < grammar_.terminals) continue;
      for (std::uint32_t head : closure(body[dot])) {
        if (round[head] == state) continue;
        round[head] = state;
        heads.push_back(head);
      }
    }
    for (std::uint32_t head : heads) {
      items += by_head_[head].size();
      for (std::uint32_t production : by_head_[head]) {
        const auto& body = grammar_.productions[production].body;
        if (body.empty()) {
          reduced.push_back({production});
        } else {
          move(body[0], {production, 1});
        }
      }
    }
    if (items > kMostItems) lalr_too_large("items", kMostItems);
    std::ranges::sort(moving);
    std::ranges::sort(reduced, {}, &Reduction::production);
    std::vector<Edge> edges;
    edges.reserve(moving.size());
    for (std::uint32_t symbol : moving) {
      std::vector<Item>& kernel = moves[symbol];
      std::ranges::sort(kernel);
      kernel.erase(std::unique(kernel.begin(), kernel.end()), kernel.end());
      const auto [it, fresh] =
          known.emplace(hash_of(kernel), static_cast<std::uint32_t>(kernels_.size()));
      if (fresh) {
        items += kernel.size();
        kernels_.push_back(kernel);
        access_.push_back(symbol);
        if (kernels_.size() > kMostStates) lalr_too_large("states", kMostStates);
      }
      std::uint32_t transition = kNoIndex;
      if (symbol >= grammar_.terminals) {
        transition = static_cast<std::uint32_t>(transitions_.size());
        transitions_.push_back({state, symbol});
      }
      kernel.clear();
      edges.push_back({symbol, it->second, transition});
    }
    edges_.push_back(std::move(edges));
    first_reduction_.push_back(static_cast<std::uint32_t>(reduction_places_.size()));
    for (std::uint32_t i = 0; i < reduced.size(); ++i) reduction_places_.emplace_back(state, i);
    reduced_.push_back(std::move(reduced));
  }
}

void Lalr::find_nullable() {
  nullable_.assign(grammar_.names.size(), false);
  std::vector<std::vector<std::uint32_t>> users(grammar_.names.size());
  std::vector<std::size_t> left;  // symbols of a production that may not be empty yet
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = 0; i < grammar_.productions.size(); ++i) {
    const auto& body = grammar_.productions[i].body;
    for (std::uint32_t symbol : body) users[symbol].push_back(i);
    left.push_back(body.size());
    if (body.empty()) work.push_back(i);
  }
  while (!work.empty()) {
    const std::uint32_t head = grammar_.productions[work.back()].head;
    work.pop_back();
    if (nullable_[head]) continue;
    nullable_[head] = true;
    for (std::uint32_t user : users[head]) {
      if (--left[user] == 0) work.push_back(user);
    }
  }
  for (const auto& production : grammar_.productions) {
    std::size_t tail = production.body.size();
    while (tail > 0 && nullable_[production.body[tail - 1]]) --tail;
    tails_.push_back(tail);
  }
}

std::pair<Lalr::Action, std::uint32_t> Lalr::action(std::uint32_t state,
                                                    std::uint32_t terminal) const {
  if (const Edge* shift = edge(state, terminal)) return {Action::kShift, shift->target};
  for (std::uint32_t i = 0; i < reduced_[state].size(); ++i) {
    const Reduction& reduction = reduced_[state][i];
    if (lookaheads_.test(first_reduction_[state] + i, terminal) &&
        !std::ranges::binary_search(reduction.dropped, terminal)) {
      return {Action::kReduce, reduction.production};
    }
  }
  return {Action::kNone, kNoIndex};
}

bool Lalr::takes(const std::vector<std::uint32_t>& terminals,
                 std::vector<std::uint32_t>& stack) const {
  stack.assign(1, 0);
  for (std::uint32_t terminal : terminals) {
    // Hidden left recursion may reduce empty productions for ever.
    for (std::size_t steps = 0;; ++steps) {
      const auto [what, argument] = action(stack.back(), terminal);
      if (what == Action::kNone || steps > 10'000) return false;
      if (what == Action::kShift) {
        stack.push_back(argument);
        break;
      }
      const auto& production = grammar_.productions[argument];
      stack.resize(stack.size() - production.body.size());
      stack.push_back(edge(stack.back(), production.head)->target);
    }
  }
  return true;
}

}  // namespace formgate
