// Calls of rules: the step from regular to context-free languages.
//
// What is left to match is a concatenation: the rest of the innermost rule, then the rest of the
// rule that called it, and so on. So the spine of a concatenation is the parser's stack, persistent
// and shared, and the derivative of a call is that of its body (Might, Darais, Spiewak, "Parsing
// with Derivatives", ICFP 2011, on hash-consed expressions and without left recursion, so that no
// fixed point is needed). Alternatives that begin alike share what they begin with, and their
// stacks are united (Tomita's graph-structured stack): a(bK|bL) and not abK|abL.
#include <algorithm>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {
ExprId ExprPool::call(const Hash128& hash, std::string_view name, const Path& path) {
  Node node{};
  node.kind = Kind::kCall;
  node.a = static_cast<std::uint32_t>(rules_.size());
  node.flags = kText | kCalls;
  node.depth = 1;
  node.hash = Hasher(seed(Kind::kCall)).add(hash).finish();
  const std::size_t before = nodes_.size();
  const ExprId id = intern(node);
  if (nodes_.size() > before) rules_.push_back({kEmptyId, {}, path, std::string(name)});
  return id;
}

void ExprPool::define(ExprId call, ExprId body, const ByteSet& alphabet) {
  Rule& rule = rules_[node(call).a];
  rule.body = body;
  rule.alphabet = alphabet;
  if (open_found_.size() > 0) open_found_.clear();
}

ExprId ExprPool::without_empty(ExprId id) {
  if (!nullable(id)) return id;
  const Node node = this->node(id);
  switch (node.kind) {
    case Kind::kEpsilon:
      return kEmptyId;
    case Kind::kUnion: {
      std::vector<ExprId> parts(members(node).begin(), members(node).end());
      for (ExprId& part : parts) part = without_empty(part);
      return unite(parts);
    }
    case Kind::kConcat: {
      // xy without the empty text, where both may be empty: x'y | y'.
      std::vector<ExprId> parts;
      for (ExprId rest = id; rest != kEpsilonId; rest = tail(rest)) {
        parts.push_back(concat(without_empty(head(rest)), tail(rest)));
      }
      return unite(parts);
    }
    case Kind::kRepeat: {
      const ExprId child{node.a};
      const std::uint32_t more = node.max == kUnbounded ? kUnbounded : node.max - 1;
      return concat(without_empty(child), repeat(child, 0, more));
    }
    case Kind::kKeyed:
      return keyed_.without_empty(id);
    default: {
      std::vector<ExprId> parts;
      const LinearForm form = linear_form(id);
      for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
        parts.push_back(concat(bytes(term.bytes), term.target));
      }
      return unite(parts);
    }
  }
}

// h K | h L becomes h (K | L), where calls are involved: stacks are united frame by frame, each
// pair of parts once. Stacks may be as deep as the text is long, so open unions are kept on a list.
ExprId ExprPool::unite_stacks(std::vector<ExprId> members) {
  struct Open {
    Hash128 key;
    std::vector<std::pair<std::uint32_t, ExprId>> by_head;
    std::size_t next = 0;  // of those above
    std::vector<ExprId> out = {};
    ExprId head{};  // whose tails are being united
  };
  std::vector<Open> open;
  ExprId done{};
  // Says whether the union is known; otherwise it is opened.
  const auto begin = [&](const std::vector<ExprId>& list) {
    Hasher hasher(seed(Kind::kUnion) + (absorbing() ? 0x400 : 0));
    for (ExprId id : list) hasher.add(index_of(id));
    const Hash128 key = hasher.finish();
    if (const auto it = unions_.find(key); it != unions_.end()) {
      done = it->second;
      return true;
    }
    Open one{key, {}};
    for (ExprId id : list) one.by_head.emplace_back(index_of(head(id)), id);
    std::sort(one.by_head.begin(), one.by_head.end());
    open.push_back(std::move(one));
    return false;
  };
  if (begin(members)) return done;
  std::vector<ExprId> tails;
  bool waits = true;
  while (!open.empty()) {
    waits = false;
    for (Open* top = &open.back(); !waits && top->next < top->by_head.size();) {
      const std::size_t first = top->next;
      tails.clear();
      bool calls = false;
      for (; top->next < top->by_head.size() &&
             top->by_head[top->next].first == top->by_head[first].first;
           ++top->next) {
        tails.push_back(tail(top->by_head[top->next].second));
        calls = calls || (node(top->by_head[top->next].second).flags & kCalls);
      }
      if (tails.size() == 1 || !calls) {
        for (std::size_t i = first; i < top->next; ++i) top->out.push_back(top->by_head[i].second);
        continue;
      }
      top->head = ExprId{top->by_head[first].first};
      if (const auto known = simple_union(tails, members)) {
        done = *known;
      } else if (std::ranges::none_of(members,
                                      [this](ExprId id) { return node(id).flags & kCalls; })) {
        done = unite_members(members);
      } else if (!begin(members)) {
        waits = true;  // `top` has moved
        continue;
      }
      top->out.push_back(concat(top->head, done));
    }
    if (waits) continue;
    std::vector<ExprId>& out = open.back().out;
    done = out.size() == 1 ? out[0] : unite_members(std::move(out));
    unions_.emplace(open.back().key, done);
    open.pop_back();
    if (!open.empty()) open.back().out.push_back(concat(open.back().head, done));
  }
  return done;
}

// Z[a,b] stands for the ways of one or more steps from a to b. Ways that go on from b to b, if at
// all, are among them: Z[a,b] Z[b,b]? is Z[a,b].
bool ExprPool::absorbs(ExprId first, ExprId second) const {
  if (node(second).kind != Kind::kRepeat || node(second).min != 0) return false;
  const Path* a = path_of(first);
  const Path* b = path_of(ExprId{node(second).a});
  return a && b && a->group == b->group && a->to == b->from && b->from == b->to;
}

const ExprPool::Path* ExprPool::path_of(ExprId id) const {
  const Node& node = this->node(id);
  if (node.kind != Kind::kCall || rules_[node.a].path.group == 0) return nullptr;
  return &rules_[node.a].path;
}

}  // namespace formgate
