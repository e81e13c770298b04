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
namespace {

// Stacks that agree in more frames than this are kept side by side: uniting them goes frame by
// frame, and recursion must not follow the input.
constexpr unsigned kMostJoined = 256;

}  // namespace

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

// h K | h L becomes h (K | L), where calls are involved.
void ExprPool::join_stacks(std::vector<ExprId>& members) {
  if (joining_ == 0) joined_partly_ = false;
  if (joining_ >= kMostJoined) joined_partly_ = true;
  if (members.size() < 2 || joining_ >= kMostJoined) return;
  if (std::ranges::none_of(members, [this](ExprId id) { return node(id).flags & kCalls; })) return;
  std::vector<std::pair<std::uint32_t, ExprId>> by_head;
  for (ExprId id : members) by_head.emplace_back(index_of(head(id)), id);
  std::sort(by_head.begin(), by_head.end());
  std::vector<ExprId> out;
  ++joining_;
  for (std::size_t i = 0; i < by_head.size();) {
    std::size_t end = i;
    std::vector<ExprId> tails;
    bool calls = false;
    for (; end < by_head.size() && by_head[end].first == by_head[i].first; ++end) {
      tails.push_back(tail(by_head[end].second));
      calls = calls || (node(by_head[end].second).flags & kCalls);
    }
    if (tails.size() == 1 || !calls || by_head[i].second == kEpsilonId) {
      for (std::size_t k = i; k < end; ++k) out.push_back(by_head[k].second);
    } else {
      out.push_back(concat(ExprId{by_head[i].first}, unite(tails)));
    }
    i = end;
  }
  --joining_;
  members = std::move(out);
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
