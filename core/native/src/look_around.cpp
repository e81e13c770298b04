// Derivatives of expressions with free look-around.
//
// At a position of the text the look-behind atoms are plain truth values (`truths`, one bit a
// tracker). A look-ahead at the head of an expression is a condition on the rest of the text, that
// is again an expression: x with condition C means C & x. `empty_condition(x)` is what the rest
// must satisfy for x to match nothing here; `conditional_terms(x)` are the linear terms of x, each
// with the condition under which it may be taken. At the top of a language (the members of an
// intersection, the child of a complement, the body of a scope) conditions become intersections.
#include <algorithm>

#include "formgate/expr_pool.hpp"

namespace formgate {

ExprId ExprPool::empty_condition(ExprId id, std::uint32_t truths) {
  if (nullable(id)) return kAllId;
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(id)) << 32) | truths;
  if (auto it = conditions_.find(key); it != conditions_.end()) return it->second;
  const ExprId out = compute_condition(id, truths);
  conditions_.emplace(key, out);
  return out;
}

ExprId ExprPool::compute_condition(ExprId id, std::uint32_t truths) {
  const Node& node = this->node(id);
  switch (node.kind) {
    case Kind::kEpsilon:
      return kAllId;
    case Kind::kEmpty:
    case Kind::kBytes:
    case Kind::kLeaf:
      return kEmptyId;
    case Kind::kLook:
      return ExprId{node.a};
    case Kind::kBehind:
      return ((truths >> node.a) & 1) != node.b ? kAllId : kEmptyId;
    case Kind::kRepeat:
      return empty_condition(ExprId{node.a}, truths);
    case Kind::kConcat: {
      std::vector<ExprId> all;
      for (ExprId rest = id; rest != kEpsilonId; rest = tail(rest)) {
        all.push_back(empty_condition(head(rest), truths));
        if (all.back() == kEmptyId) return kEmptyId;
      }
      return intersect(all);
    }
    case Kind::kUnion: {
      std::vector<ExprId> any;
      for (ExprId member : members(node)) any.push_back(empty_condition(member, truths));
      return unite(any);
    }
    case Kind::kAnd:
      return std::ranges::all_of(members(node), [&](ExprId m) { return nullable_here(m, truths); })
                 ? kAllId
                 : kEmptyId;
    case Kind::kNot:
      return nullable_here(ExprId{node.a}, truths) ? kEmptyId : kAllId;
    case Kind::kCall:
    case Kind::kLexed:
    case Kind::kKeyed:
    case Kind::kSpelled:
    case Kind::kScope:
      return kEmptyId;  // nullable scopes carry the flag
  }
  return kEmptyId;
}

bool ExprPool::nullable_here(ExprId id, std::uint32_t truths) {
  if (nullable(id)) return true;
  if (free_of_context(id)) return false;
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(id)) << 32) | truths;
  if (auto it = nullables_.find(key); it != nullables_.end()) return it->second;
  const bool out = compute_nullable(id, truths);
  nullables_.emplace(key, out);
  return out;
}

bool ExprPool::compute_nullable(ExprId id, std::uint32_t truths) {
  const Node& node = this->node(id);
  if (node.kind == Kind::kNot) return !nullable_here(ExprId{node.a}, truths);
  if (node.kind == Kind::kAnd) {
    return std::ranges::all_of(members(node), [&](ExprId m) { return nullable_here(m, truths); });
  }
  // At the end of the text the condition must accept the empty rest. Conditions are parts of the
  // expression, so this ends.
  return nullable_here(empty_condition(id, truths), truths);
}

void ExprPool::conditional_terms(ExprId id, std::uint32_t truths, std::vector<Conditional>& out) {
  const Node& node = this->node(id);
  if (free_of_context(id) || node.kind == Kind::kAnd || node.kind == Kind::kNot ||
      node.kind == Kind::kScope) {
    for (const LinearTerm& term : form_here(id, truths)) {
      out.push_back({kAllId, term.bytes, term.target});
    }
    return;
  }
  switch (node.kind) {
    case Kind::kUnion:
      for (ExprId member : members(node)) conditional_terms(member, truths, out);
      return;
    case Kind::kConcat: {
      ExprId condition = kAllId;
      for (ExprId rest = id; rest != kEpsilonId; rest = tail(rest)) {
        std::vector<Conditional> own;
        conditional_terms(head(rest), truths, own);
        for (const Conditional& term : own) {
          const ExprId both = intersect(condition, term.condition);
          if (both != kEmptyId) out.push_back({both, term.bytes, concat(term.target, tail(rest))});
        }
        condition = intersect(condition, empty_condition(head(rest), truths));
        if (condition == kEmptyId) return;
      }
      return;
    }
    case Kind::kRepeat: {
      std::vector<Conditional> own;
      conditional_terms(ExprId{node.a}, truths, own);
      const std::uint32_t less = node.min == 0 ? 0 : node.min - 1;
      const std::uint32_t more = node.max == kUnbounded ? kUnbounded : node.max - 1;
      const ExprId rest = repeat(ExprId{node.a}, less, more);
      for (const Conditional& term : own) {
        out.push_back({term.condition, term.bytes, concat(term.target, rest)});
      }
      // Where the body may match nothing here, repetitions that are still owed are paid here.
      const ExprId empty = empty_condition(ExprId{node.a}, truths);
      if (less == 0 || empty == kEmptyId) return;
      const ExprId relaxed = repeat(ExprId{node.a}, 0, more);
      for (const Conditional& term : own) {
        const ExprId both = intersect(empty, term.condition);
        if (both != kEmptyId) out.push_back({both, term.bytes, concat(term.target, relaxed)});
      }
      return;
    }
    default:
      return;  // look-around itself consumes nothing
  }
}

const std::vector<ExprPool::Conditional>& ExprPool::conditional_terms(ExprId id,
                                                                      std::uint32_t truths) {
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(id)) << 32) | truths;
  if (auto it = conditional_terms_.find(key); it != conditional_terms_.end()) return it->second;
  std::vector<Conditional> terms;
  conditional_terms(id, truths, terms);
  form_bytes_ += terms.size() * sizeof(Conditional) + 64;
  return conditional_terms_.emplace(key, std::move(terms)).first->second;
}

LinearForm ExprPool::form_here(ExprId id, std::uint32_t truths) {
  if (free_of_context(id)) return linear_form(id);
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(id)) << 32) | truths;
  if (auto it = forms_here_.find(key); it != forms_here_.end()) return it->second;
  const Node& node = this->node(id);
  std::vector<LinearTerm> terms;
  if (node.kind == Kind::kAnd) {
    std::vector<LinearForm> forms;
    for (ExprId member : members(node)) forms.push_back(form_here(member, truths));
    terms = product(forms);
  } else if (node.kind == Kind::kNot) {
    ByteSet open = ByteSet::all();
    for (const LinearTerm& term : form_here(ExprId{node.a}, truths)) {
      open = open - term.bytes;
      const ExprId target = complement(term.target);
      if (target != kEmptyId) terms.push_back({term.bytes, target});
    }
    if (!open.empty()) terms.push_back({open, kAllId});
  } else {
    std::vector<Conditional> conditional;
    conditional_terms(id, truths, conditional);
    for (const Conditional& term : conditional) {
      if (term.condition == kAllId) {
        terms.push_back({term.bytes, as_language(term.target)});
        continue;
      }
      for (const LinearTerm& demand : form_here(term.condition, truths)) {
        const ByteSet both = demand.bytes & term.bytes;
        if (both.empty()) continue;
        const ExprId target =
            demand.target == kAllId ? term.target : intersect(demand.target, term.target);
        if (target != kEmptyId) terms.push_back({both, target});
      }
    }
    for (LinearTerm& term : terms) term.target = as_language(term.target);
    terms = merge_terms(std::move(terms));
    for (LinearTerm& term : terms) term.target = as_language(term.target);
  }
  const LinearForm form = store_form(terms);
  forms_here_.emplace(key, form);
  return form;
}

std::uint32_t ExprPool::tracker_truths(std::span<const ExprId> trackers) {
  // A tracker refers only to earlier ones, so their truth is known when it is read.
  std::uint32_t truths = 0;
  for (std::size_t i = 0; i < trackers.size(); ++i) {
    if (nullable_here(trackers[i], truths)) truths |= 1u << i;
  }
  return truths;
}

std::vector<LinearTerm> ExprPool::scope_form(ExprId id) {
  const auto parts = members(node(id));
  const std::vector<ExprId> trackers(parts.begin() + 1, parts.end());
  const ExprId body = parts[0];
  const std::uint32_t truths = tracker_truths(trackers);
  // Split the body's terms further until every tracker moves uniformly.
  struct Piece {
    ByteSet bytes;
    std::vector<ExprId> targets;
  };
  std::vector<Piece> pieces;
  for (const LinearTerm& term : form_here(body, truths)) {
    pieces.push_back({term.bytes, {term.target}});
  }
  for (ExprId tracker : trackers) {
    const LinearForm form = form_here(tracker, truths);
    std::vector<Piece> split;
    for (Piece& piece : pieces) {
      ByteSet open = piece.bytes;
      for (const LinearTerm& term : form) {
        const ByteSet both = open & term.bytes;
        if (both.empty()) continue;
        open = open - both;
        Piece part{both, piece.targets};
        part.targets.push_back(term.target);
        split.push_back(std::move(part));
      }
      if (!open.empty()) {
        piece.bytes = open;
        piece.targets.push_back(kEmptyId);
        split.push_back(std::move(piece));
      }
    }
    pieces = std::move(split);
  }
  std::vector<LinearTerm> out;
  for (const Piece& piece : pieces) {
    const ExprId target = scope(piece.targets[0], std::span(piece.targets).subspan(1));
    if (target != kEmptyId) out.push_back({piece.bytes, target});
  }
  return join_equal(std::move(out));
}

}  // namespace formgate
