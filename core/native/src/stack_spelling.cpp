// Liveness relative to the vocabulary, for recursive languages.
//
// Where some bytes occur only inside longer tokens, a text can be generated only if whole tokens
// spell it. The tokens with such bytes and the single-byte tokens form an automaton whose places
// are positions inside unfinished tokens, place 0 being between tokens. What an expression does to
// it is a relation between places: of a concatenation the product, of alternatives the union, of a
// call the least fixed point over the rules (the product of a pushdown system and a finite
// automaton; Bouajjani, Esparza, Maler, "Reachability analysis of pushdown automata", CONCUR 1997).
// A state is spelled to its end if its relation leads from place 0 to place 0; for the spine of a
// concatenation, the sets of places that lead to 0 are kept for every tail, so what a token pushes
// is all that is new.
#include "stack_spelling.hpp"

#include <algorithm>

#include "formgate/errors.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostPlacesOfStack = 1024;
constexpr std::size_t kMostBytes = 32u << 20;

void set(std::vector<std::uint64_t>& bits, std::uint32_t i) { bits[i >> 6] |= 1ull << (i & 63); }

bool test(const std::vector<std::uint64_t>& bits, std::uint32_t i) {
  return (bits[i >> 6] >> (i & 63)) & 1;
}

}  // namespace

StackSpelling::StackSpelling(ExprPool& pool, const Vocabulary& vocabulary, const Limits& limits)
    : pool_(pool), max_states_(limits.max_states) {
  const auto trie = vocabulary.trie();
  const auto labels = vocabulary.labels();
  const auto& entangled = vocabulary.on_entangled_path();
  std::unordered_map<std::uint32_t, std::uint32_t> places{{0, 0}};
  std::vector<std::uint32_t> nodes{0};
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    std::vector<Edge> edges;
    if (i == 0) {
      vocabulary.single_bytes().for_each([&](std::uint8_t b) { edges.push_back({b, 0}); });
    }
    const TrieNode& at = trie[nodes[i]];
    for (std::uint32_t child = at.first_child; child < at.first_child + at.child_count; ++child) {
      if (!entangled[child]) continue;
      if (trie[child].own_count > 0) edges.push_back({labels[child], 0});
      if (trie[child].child_count == 0) continue;
      const auto [it, fresh] = places.emplace(child, static_cast<std::uint32_t>(nodes.size()));
      if (fresh) nodes.push_back(child);
      edges.push_back({labels[child], it->second});
    }
    edges_.push_back(std::move(edges));
    if (nodes.size() > kMostPlacesOfStack) {
      throw Error(ErrorKind::kLimit,
                  "the grammar is recursive, and more than " + std::to_string(kMostPlacesOfStack) +
                      " places of this vocabulary's tokens are followed by bytes that are no token "
                      "by themselves; add single-byte tokens to the vocabulary");
    }
  }
  words_ = (edges_.size() + 63) / 64;
}

StackSpelling::Relation StackSpelling::same() const {
  Relation out = none();
  for (std::uint32_t i = 0; i < out.size(); ++i) set(out[i], i);
  return out;
}

bool StackSpelling::unite(Relation& into, const Relation& from) {
  bool changed = false;
  for (std::size_t i = 0; i < into.size(); ++i) {
    for (std::size_t w = 0; w < into[i].size(); ++w) {
      changed = changed || (from[i][w] & ~into[i][w]);
      into[i][w] |= from[i][w];
    }
  }
  return changed;
}

StackSpelling::Relation StackSpelling::then(const Relation& a, const Relation& b) const {
  Relation out = none();
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::uint32_t k = 0; k < b.size(); ++k) {
      if (!test(a[i], k)) continue;
      for (std::size_t w = 0; w < words_; ++w) out[i][w] |= b[k][w];
    }
  }
  return out;
}

// once{min,max}, by squaring.
StackSpelling::Relation StackSpelling::repeated(const Relation& once, std::uint32_t min,
                                                std::uint32_t max) const {
  const auto power = [this](Relation base, std::uint32_t count) {
    Relation out = same();
    for (; count; count >>= 1) {
      if (count & 1) out = then(out, base);
      if (count > 1) base = then(base, base);
    }
    return out;
  };
  Relation more = same();
  unite(more, once);
  // Beyond as many steps as there are places nothing new is reached.
  const auto most = static_cast<std::uint32_t>(edges_.size());
  const std::uint32_t rest = max == kUnbounded ? most : std::min(max - min, most);
  return then(power(once, min), power(more, rest));
}

// Follows a part without calls byte by byte, together with the tokens.
StackSpelling::Relation StackSpelling::explore(ExprId id) const {
  Relation out = none();
  for (std::uint32_t start = 0; start < edges_.size(); ++start) {
    std::unordered_map<std::uint64_t, bool> seen;
    std::vector<std::pair<ExprId, std::uint32_t>> work{{id, start}};
    const auto visit = [&](ExprId state, std::uint32_t place) {
      const std::uint64_t key = (static_cast<std::uint64_t>(index_of(state)) << 32) | place;
      if (!seen.emplace(key, true).second) return;
      if (seen.size() > max_states_) {
        throw Error(ErrorKind::kLimit,
                    "deciding which texts this vocabulary can spell takes more than " +
                        std::to_string(max_states_) +
                        " states (Limits.max_states): the grammar is recursive, and some bytes of "
                        "it occur only inside longer tokens; raise the limit, or leave these "
                        "characters out");
      }
      work.emplace_back(state, place);
    };
    while (!work.empty()) {
      if (context_) context_->tick();
      const auto [state, place] = work.back();
      work.pop_back();
      if (pool_.nullable(state)) set(out[start], place);
      const LinearForm form = pool_.linear_form(state);
      for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
        if (!pool_.live(term.target)) continue;
        for (const Edge& edge : edges_[place]) {
          if (term.bytes.contains(edge.byte)) visit(term.target, edge.place);
        }
      }
    }
  }
  return out;
}

StackSpelling::Relation StackSpelling::relation(ExprId id) {
  if (const auto it = known_.find(index_of(id)); it != known_.end()) return *it->second;
  Relation out = compute(id);
  if (settled_ || !(pool_.node(id).flags & kCalls)) {
    known_.emplace(index_of(id), std::make_shared<const Relation>(out));
  }
  return out;
}

// Whether there are lists of keys or values in a part without calls: they have states without end.
bool StackSpelling::holds_keys(ExprId id) {
  if (const auto it = holds_keys_.find(index_of(id)); it != holds_keys_.end()) return it->second;
  bool out = false;
  for (ExprId rest = id; !out && rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
    const Node node = pool_.node(pool_.head(rest));
    switch (node.kind) {
      case Kind::kKeyed:
        out = true;
        break;
      case Kind::kUnion:
      case Kind::kAnd:
      case Kind::kScope: {
        const auto list = pool_.members(node);
        const std::vector<ExprId> members(list.begin(), list.end());
        out = std::ranges::any_of(members, [this](ExprId member) { return holds_keys(member); });
        break;
      }
      case Kind::kRepeat:
      case Kind::kNot:
        out = holds_keys(ExprId{node.a});
        break;
      default:
        break;
    }
  }
  holds_keys_.emplace(index_of(id), out);
  return out;
}

StackSpelling::Relation StackSpelling::compute(ExprId id) {
  const Node node = pool_.node(id);
  if (!(node.flags & kCalls) && !holds_keys(id)) return explore(id);
  switch (node.kind) {
    case Kind::kCall: {
      // Grammars compiled before this vocabulary needed any of this are met when they decode.
      if (!calls_.contains(index_of(id))) add(id, nullptr);
      return calls_.at(index_of(id));
    }
    case Kind::kUnion: {
      Relation out = none();
      const auto list = pool_.members(node);
      for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
        unite(out, relation(member));
      }
      return out;
    }
    case Kind::kRepeat:
      return repeated(relation(ExprId{node.a}), node.min, node.max);
    case Kind::kLexed:
    case Kind::kKeyed:
    case Kind::kAnd:
    case Kind::kNot:
    case Kind::kScope: {
      Relation out = none();  // lexemes and keys are made of single-byte tokens
      set(out[0], 0);
      return out;
    }
    default: {
      Relation out = same();
      for (ExprId rest = id; rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
        out = then(out, relation(pool_.head(rest)));
      }
      return out;
    }
  }
}

void StackSpelling::calls_of(ExprId id, std::vector<ExprId>& out) const {
  const Node& node = pool_.node(id);
  if (!(node.flags & kCalls) || node.kind == Kind::kLexed || node.kind == Kind::kKeyed ||
      node.kind == Kind::kAnd) {
    return;
  }
  if (node.kind == Kind::kCall) {
    out.push_back(id);
  } else if (node.kind == Kind::kUnion) {
    for (ExprId member : pool_.members(node)) calls_of(member, out);
  } else if (node.kind == Kind::kRepeat) {
    calls_of(ExprId{node.a}, out);
  } else {
    for (ExprId rest = id; rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
      calls_of(pool_.head(rest), out);
    }
  }
}

void StackSpelling::add(ExprId root, CompileContext* context) {
  std::vector<ExprId> fresh;
  std::vector<ExprId> found;
  calls_of(root, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!calls_.emplace(index_of(found[i]), none()).second) continue;
    fresh.push_back(found[i]);
    calls_of(pool_.body(found[i]), found);
  }
  if (fresh.empty()) return;
  context_ = context;
  settled_ = false;
  try {
    for (bool changed = true; changed;) {
      changed = false;
      for (ExprId call : fresh) {
        if (context) context->check();
        const Relation own = relation(pool_.body(call));
        changed = unite(calls_.at(index_of(call)), own) || changed;
      }
    }
  } catch (...) {
    for (ExprId call : fresh) calls_.erase(index_of(call));
    settled_ = true;
    context_ = nullptr;
    throw;
  }
  settled_ = true;
  context_ = nullptr;
}

const StackSpelling::Set& StackSpelling::before(ExprId id) {
  std::vector<ExprId> spine;
  ExprId rest = id;
  for (; rest != ExprPool::kEpsilonId && !before_.contains(index_of(rest));
       rest = pool_.tail(rest)) {
    spine.push_back(rest);
  }
  if (rest == ExprPool::kEpsilonId && !before_.contains(index_of(rest))) {
    Set end(words_);
    set(end, 0);
    before_.emplace(index_of(rest), std::move(end));
  }
  while (!spine.empty()) {
    const ExprId here = spine.back();
    spine.pop_back();
    Set out(words_);
    if (pool_.node(here).kind == Kind::kUnion) {
      const auto list = pool_.members(pool_.node(here));
      for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
        const Set& own = before(member);
        for (std::size_t w = 0; w < words_; ++w) out[w] |= own[w];
      }
    } else {
      const Relation own = relation(pool_.head(here));
      const Set after = before_.at(index_of(pool_.tail(here)));
      for (std::uint32_t i = 0; i < own.size(); ++i) {
        bool leads = false;
        for (std::size_t w = 0; w < words_; ++w) leads = leads || (own[i][w] & after[w]);
        if (leads) set(out, i);
      }
    }
    before_.emplace(index_of(here), std::move(out));
  }
  return before_.at(index_of(id));
}

bool StackSpelling::spellable(ExprId id, CompileContext* context) {
  struct Lent {  // for one question
    CompileContext*& slot;
    ~Lent() { slot = nullptr; }
  } lent{context_};
  context_ = context;
  // Relations can be computed again; the sets of a spine are few bits a state.
  if (known_.size() * edges_.size() * words_ * 8 > kMostBytes) known_.clear();
  return test(before(id), 0);
}

}  // namespace formgate
