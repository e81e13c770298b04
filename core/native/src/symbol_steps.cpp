// What rules become by one symbol.
//
// The form of a rule has a term for each symbol that it may begin with, and each is joined to what
// follows the rule. Lexemes ask for one symbol at a time, and of most parser states for few: only
// what these lead to is built. What rules, their repetitions and alternatives become stands in many
// states, and is kept.
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"
#include "formgate/long_step.hpp"

namespace formgate {
namespace {

constexpr unsigned kNested = 64;  // rules looked into by recursion

std::uint64_t key_of(ExprId id, std::uint8_t byte) {
  return (static_cast<std::uint64_t>(index_of(id)) << 8) | byte;
}

}  // namespace

ExprId Lexing::step_symbol(ExprId id, std::uint8_t byte, unsigned depth) {
  const ExprPool::Deriving deriving(pool_);
  const Node& node = pool_.node(id);  // nodes are never moved
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
      return ExprPool::kEmptyId;
    case Kind::kBytes:
      return pool_.byte_set(node).contains(byte) ? ExprPool::kEpsilonId : ExprPool::kEmptyId;
    case Kind::kCall:
    case Kind::kRepeat:
    case Kind::kUnion:
    case Kind::kConcat:
      break;
    default:
      return pool_.raw_step(id, byte);
  }
  // Where rules nest deeply they are derived without recursion.
  if (node.form || depth >= kNested || !pool_.free_of_context(id)) return pool_.raw_step(id, byte);
  LongStep::tick();
  if (node.kind == Kind::kConcat) return step_sequence(id, byte, depth);
  const std::uint64_t key = key_of(id, byte);
  if (const auto it = symbol_steps_.find(key); it != symbol_steps_.end()) return it->second;
  ExprId out = ExprPool::kEmptyId;
  if (node.kind == Kind::kCall) {
    out = step_symbol(pool_.body(id), byte, depth + 1);
  } else if (node.kind == Kind::kRepeat) {
    out = step_symbol(ExprId{node.a}, byte, depth + 1);
    if (out != ExprPool::kEmptyId) {
      const std::uint32_t less = node.min == 0 ? 0 : node.min - 1;
      const std::uint32_t more = node.max == kUnbounded ? kUnbounded : node.max - 1;
      out = pool_.concat(out, pool_.repeat(ExprId{node.a}, less, more));
    }
  } else {
    std::vector<ExprId> targets;
    const auto list = pool_.members(node);
    for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
      if (!begins_with(member, depth).contains(byte)) continue;
      targets.push_back(step_symbol(member, byte, depth + 1));
    }
    out = pool_.unite(targets);
  }
  symbol_steps_.emplace(key, out);
  return out;
}

ExprId Lexing::step_sequence(ExprId id, std::uint8_t byte, unsigned depth) {
  std::vector<ExprId> targets;
  pool_.for_each_beginning(id, [&](ExprId at) {
    const ExprId first = pool_.head(at);
    if (!begins_with(first, depth).contains(byte)) return;
    const ExprId next = step_symbol(first, byte, depth + 1);
    if (next != ExprPool::kEmptyId) targets.push_back(pool_.concat(next, pool_.tail(at)));
  });
  return pool_.unite(targets);
}

// The first bytes of symbols that an expression over them may begin with.
ByteSet Lexing::begins_with(ExprId id, unsigned depth) {
  const Node& node = pool_.node(id);
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
      return {};
    case Kind::kBytes:
      return pool_.byte_set(node);
    case Kind::kCall:
    case Kind::kRepeat:
    case Kind::kUnion:
    case Kind::kConcat:
      break;
    default:
      return pool_.first_bytes(id);
  }
  if (const auto it = symbols_first_.find(index_of(id)); it != symbols_first_.end()) {
    return it->second;
  }
  ByteSet out;
  if (node.form || depth >= kNested || !pool_.free_of_context(id)) {
    out = pool_.first_bytes(id);
  } else if (node.kind == Kind::kCall) {
    out = begins_with(pool_.body(id), depth + 1);
  } else if (node.kind == Kind::kRepeat) {
    out = begins_with(ExprId{node.a}, depth + 1);
  } else if (node.kind == Kind::kUnion) {
    const auto list = pool_.members(node);
    for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
      out = out | begins_with(member, depth + 1);
    }
  } else {
    // Sequences are parser states, too many to keep what each begins with.
    for (ExprId at = id; at != ExprPool::kEpsilonId; at = pool_.tail(at)) {
      out = out | begins_with(pool_.head(at), depth + 1);
      if (!pool_.nullable(pool_.head(at))) break;
    }
    return out;
  }
  symbols_first_.emplace(index_of(id), out);
  return out;
}

}  // namespace formgate
