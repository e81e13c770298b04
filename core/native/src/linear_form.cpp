// Derivatives for all bytes at once, and the transition rows made from them.
#include <algorithm>
#include <unordered_set>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

constexpr std::size_t kFewTerms = 16;  // as many as most forms have, and more

}  // namespace

LinearForm ExprPool::linear_form(ExprId id) {
  Node& node = nodes_[index_of(id)];
  if (node.form) return {node.form, node.form_size};
  if (!free_of_context(id)) return form_here(id, 0);
  const Deriving deriving(*this);
  if (nested_forms_ >= kNestedForms) derive_beginnings(id);
  ++nested_forms_;
  std::vector<LinearTerm> terms;
  try {
    terms = compute_form(id);
  } catch (...) {
    --nested_forms_;
    throw;
  }
  --nested_forms_;
  const LinearForm form = store_form(terms);
  nodes_[index_of(id)].form = form.data();
  nodes_[index_of(id)].form_size = static_cast<std::uint32_t>(form.size());
  return form;
}

// Derives what an expression begins with, the innermost first, so that deriving it takes no
// recursion: through calls, beginnings are as many as a grammar has rules.
void ExprPool::derive_beginnings(ExprId id) {
  std::vector<std::pair<ExprId, bool>> stack;  // and whether its beginnings are derived
  std::unordered_set<std::uint32_t> seen;
  const auto add = [&](ExprId part) {
    if (!node(part).form && free_of_context(part)) stack.push_back({part, false});
  };
  const auto add_beginnings = [&](ExprId of) {
    const Node& own = node(of);
    switch (own.kind) {
      case Kind::kUnion:
      case Kind::kAnd:
        for (ExprId member : members(own)) add(member);
        break;
      case Kind::kRepeat:
      case Kind::kNot:
        add(ExprId{own.a});
        break;
      case Kind::kConcat:
        for_each_beginning(of, [&](ExprId at) { add(head(at)); });
        break;
      case Kind::kCall:
        add(body(of));
        break;
      default:
        break;
    }
  };
  add_beginnings(id);
  while (!stack.empty()) {
    auto& [part, ready] = stack.back();
    const ExprId at = part;
    if (!ready && seen.insert(index_of(at)).second) {
      ready = true;
      add_beginnings(at);
    } else if (!ready) {
      stack.pop_back();
    } else {
      stack.pop_back();
      linear_form(at);
    }
  }
}

// Recursion depth is the nesting of the expression, up to kNestedForms; concatenations are walked
// in a loop.
std::vector<LinearTerm> ExprPool::compute_form(ExprId id) {
  LongStep::tick();
  const Node& node = this->node(id);
  std::vector<LinearTerm> terms;
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
    case Kind::kLook:
    case Kind::kBehind:
      return terms;
    case Kind::kBytes:
      terms.push_back({byte_set(node), kEpsilonId});
      return terms;
    case Kind::kLeaf:
      automaton(node).for_each_edge(
          node.b, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
            terms.push_back({ByteSet::range(low, high), leaf(node.a, target)});
          });
      return join_equal(std::move(terms));
    case Kind::kConcat:
      terms.reserve(kFewTerms);
      concat_terms(id, terms);
      return merge_terms(std::move(terms));
    case Kind::kUnion:
      terms.reserve(kFewTerms);
      for (ExprId member : members(node)) {
        const LinearForm form = linear_form(member);
        terms.insert(terms.end(), form.begin(), form.end());
      }
      return merge_terms(std::move(terms));
    case Kind::kRepeat: {
      const std::uint32_t less = node.min == 0 ? 0 : node.min - 1;
      const std::uint32_t more = node.max == kUnbounded ? kUnbounded : node.max - 1;
      const ExprId rest = repeat(ExprId{node.a}, less, more);
      const LinearForm form = linear_form(ExprId{node.a});
      terms.reserve(form.size());
      for (const LinearTerm& term : form) {
        terms.push_back({term.bytes, concat(term.target, rest)});
      }
      return join_equal(std::move(terms));
    }
    case Kind::kAnd: {
      std::vector<LinearForm> forms;
      for (ExprId member : members(node)) forms.push_back(linear_form(member));
      return product(forms);
    }
    case Kind::kNot: {
      ByteSet open = ByteSet::all();
      for (const LinearTerm& term : linear_form(ExprId{node.a})) {
        open = open - term.bytes;
        const ExprId target = complement(term.target);
        if (target != kEmptyId) terms.push_back({term.bytes, target});
      }
      if (!open.empty()) terms.push_back({open, kAllId});
      return join_equal(std::move(terms));
    }
    case Kind::kCall: {
      const LinearForm form = linear_form(body(id));
      return {form.begin(), form.end()};
    }
    case Kind::kScope:
      return scope_form(id);
    case Kind::kLexed:
      return lexing_->form(id);
    case Kind::kKeyed:
      return keyed_.form(id);
    case Kind::kSpelled:
      return spelled_form(id);
  }
  return terms;
}

void ExprPool::concat_terms(ExprId id, std::vector<LinearTerm>& out) {
  bool done = false;
  for_each_beginning(id, [&](ExprId at) {
    if (done) return;
    // What follows a part that may be empty follows many such parts.
    const Node& node = this->node(at);
    if (at != id && node.form && !(node.flags & kCalls)) {
      out.insert(out.end(), node.form, node.form + node.form_size);
      done = true;
      return;
    }
    const ExprId rest = tail(at);
    for (const LinearTerm& term : linear_form(head(at))) {
      out.push_back({term.bytes, concat(term.target, rest)});
    }
  });
}

std::vector<LinearTerm> ExprPool::join_equal(std::vector<LinearTerm> terms) {
  if (terms.size() < 2) return terms;
  std::sort(terms.begin(), terms.end(),
            [](const LinearTerm& a, const LinearTerm& b) { return a.target < b.target; });
  std::size_t out = 0;
  for (std::size_t i = 1; i < terms.size(); ++i) {
    if (terms[i].target == terms[out].target) {
      terms[out].bytes = terms[out].bytes | terms[i].bytes;
    } else {
      terms[++out] = terms[i];
    }
  }
  terms.resize(out + 1);
  return terms;
}

std::vector<LinearTerm> ExprPool::merge_terms(std::vector<LinearTerm> terms) {
  ByteSet seen;
  ByteSet shared;
  for (const LinearTerm& term : terms) {
    shared = shared | (seen & term.bytes);
    seen = seen | term.bytes;
  }
  if (shared.empty()) return join_equal(std::move(terms));
  // Most bytes are of one term alone.
  std::vector<LinearTerm> out;
  std::vector<LinearTerm> meeting;
  out.reserve(terms.size() + kFewTerms);
  meeting.reserve(terms.size());
  ByteGroups groups;
  for (const LinearTerm& term : terms) {
    const ByteSet own = term.bytes - shared;
    if (!own.empty()) out.push_back({own, term.target});
    const ByteSet others = term.bytes & shared;
    if (others.empty()) continue;
    groups.add(others, meeting.size());
    meeting.push_back({others, term.target});
  }
  std::vector<ExprId> targets;
  targets.reserve(meeting.size());
  groups.for_each(shared, [&](std::uint8_t representative, const ByteSet& set) {
    targets.clear();
    for (const LinearTerm& term : meeting) {
      if (term.bytes.contains(representative)) targets.push_back(term.target);
    }
    out.push_back({set, unite(targets)});
  });
  return join_equal(std::move(out));
}

std::vector<LinearTerm> ExprPool::product(std::span<const LinearForm> forms) {
  if (forms.size() == 2) {
    std::vector<LinearTerm> out;
    for (const LinearTerm& one : forms[0]) {
      for (const LinearTerm& other : forms[1]) {
        const ByteSet both = one.bytes & other.bytes;
        if (both.empty()) continue;
        const ExprId target = intersect(one.target, other.target);
        if (target != kEmptyId) out.push_back({both, target});
      }
    }
    return join_equal(std::move(out));
  }
  ByteGroups groups;
  ByteSet domain = ByteSet::all();
  std::uint64_t number = 0;
  for (const LinearForm& form : forms) {
    ByteSet covered;
    for (const LinearTerm& term : form) {
      groups.add(term.bytes, number++);
      covered = covered | term.bytes;
    }
    domain = domain & covered;
  }
  std::vector<LinearTerm> out;
  std::vector<ExprId> targets;
  groups.for_each(domain, [&](std::uint8_t representative, const ByteSet& set) {
    targets.clear();
    for (const LinearForm& form : forms) {
      for (const LinearTerm& term : form) {
        if (term.bytes.contains(representative)) targets.push_back(term.target);
      }
    }
    const ExprId target = intersect(targets);
    if (target != kEmptyId) out.push_back({set, target});
  });
  return join_equal(std::move(out));
}

ExprId ExprPool::step(ExprId id, std::uint8_t byte) {
  const Node& node = this->node(id);
  if (node.row != kNoIndex) return ExprId{rows_[node.row].next[byte]};
  if (id == kEmptyId) return id;
  if (const ExprId* known = steps_.find(id, byte)) return *known;
  const Deriving deriving(*this);
  const bool lexed = node.flags & kCalls && !node.form && lexing_->in_use() && lexing_->in(id);
  ExprId next = lexed ? lexing_->step(id, byte) : raw_step(id, byte);
  if (!live(next)) next = kEmptyId;
  steps_.put(id, byte, next);
  return next;
}

ExprId ExprPool::walk(ExprId id, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size() && id != kEmptyId;) {
    std::size_t skipped = skip_in_repeats(id, bytes.substr(i));
    if (skipped == 0) skipped = skip_in_keys(id, bytes.substr(i));
    if (skipped == 0) id = step(id, static_cast<std::uint8_t>(bytes[i]));
    i += std::max<std::size_t>(skipped, 1);
  }
  return id;
}

// The ASCII characters that are one repetition of `base` and nothing else, and begin nothing of
// `rest`, which follows.
ByteSet ExprPool::counting(ExprId base, ExprId rest) {
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(base)) << 32) | index_of(rest);
  if (const auto it = counting_.find(key); it != counting_.end()) return it->second;
  ByteSet out;
  for (const LinearTerm& term : linear_form(base)) {
    if (term.target == kEpsilonId) out = out | (term.bytes & ByteSet::range(0, 0x7F));
  }
  for (ExprId at = rest; at != kEpsilonId; at = tail(at)) {
    const ExprId first = head(at);
    if (node(first).kind == Kind::kKeyed || node(first).flags & kCaptures) {
      out = ByteSet();
    } else {
      for (const LinearTerm& term : linear_form(first)) out = out - term.bytes;
    }
    if (!nullable(first)) break;
  }
  counting_.emplace(key, out);
  return out;
}

// Characters that do nothing but count repetitions, as most in a string do: takes them at once, and
// says how many.
std::size_t ExprPool::skip_in_repeats(ExprId& id, std::string_view bytes) {
  const Node& first = node(head(id));
  if (first.kind != Kind::kRepeat || !free_of_context(id)) return 0;
  if (node(id).flags & kCalls && lexing_->in_use() && lexing_->in(id)) return 0;
  const ExprId base{first.a};
  const auto counts = [&](const LinearTerm& term) {
    return term.target == kEpsilonId && term.bytes.contains(static_cast<std::uint8_t>(bytes[0]));
  };
  if (std::ranges::none_of(linear_form(base), counts)) return 0;
  const ByteSet characters = counting(base, tail(id));
  const std::size_t most = std::min<std::size_t>(bytes.size(), first.max);
  std::uint32_t count = 0;
  while (count < most && characters.contains(static_cast<std::uint8_t>(bytes[count]))) ++count;
  const bool bounded = first.max != kUnbounded;
  if (count == 0 || (!bounded && first.min == 0)) return count;
  const Deriving deriving(*this);
  const std::uint32_t max = bounded ? first.max - count : kUnbounded;
  id = concat(repeat(base, first.min - std::min(first.min, count), max), tail(id));
  if (!live(id)) id = kEmptyId;
  return count;
}

// Inside keys each character leads to another state, which nothing asks for in the middle of a
// token: takes the characters that stand for themselves at once, and says how many.
std::size_t ExprPool::skip_in_keys(ExprId& id, std::string_view bytes) {
  const ExprId first = head(id);
  const Kind kind = node(first).kind;
  if ((kind != Kind::kKeyed && kind != Kind::kUnion) || !free_of_context(id)) return 0;
  const auto plain = [bytes](std::size_t i) {
    return i < bytes.size() && bytes[i] >= ' ' && bytes[i] < 0x7F && bytes[i] != '"' &&
           bytes[i] != '\\';
  };
  if (!plain(0) || !plain(1)) return 0;
  std::vector<ExprId> ways{first};
  if (kind == Kind::kUnion) {
    const auto list = members(node(first));
    ways.assign(list.begin(), list.end());
  }
  for (ExprId way : ways) {
    if (node(way).kind != Kind::kKeyed || !keyed_.inside_key(way)) return 0;
  }
  if (node(id).flags & kCalls && lexing_->in_use() && lexing_->in(id)) return 0;
  // Not before: outside of keys the rest of a long text would be read at each of its bytes.
  std::size_t count = 2;
  while (plain(count)) ++count;
  for (ExprId& way : ways) way = keyed_.skip(way, bytes.substr(0, count));
  id = concat(unite(ways), tail(id));
  if (!live(id)) id = kEmptyId;
  return count;
}

// Only the successor that is asked for is built: literal sets may have a million states below, a
// captured key has another one for each byte, and what follows the head of a concatenation is
// joined to each of its successors.
ExprId ExprPool::raw_step(ExprId id, std::uint8_t byte) {
  const Deriving deriving(*this);
  const Node& node = this->node(id);
  if (!node.form && free_of_context(id)) {
    std::vector<ExprId> targets;
    switch (node.kind) {
      case Kind::kEmpty:
      case Kind::kEpsilon:
        return kEmptyId;
      case Kind::kBytes:
        return byte_set(node).contains(byte) ? kEpsilonId : kEmptyId;
      case Kind::kLeaf: {
        const std::uint32_t target = automaton(node).next(node.b, byte);
        return target == LeafDfa::kDead ? kEmptyId : leaf(node.a, target);
      }
      case Kind::kKeyed:
        return keyed_.step(id, byte);
      case Kind::kUnion: {
        const auto list = members(node);
        const auto make = [&] {
          for (ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
            targets.push_back(raw_step(member, byte));
          }
          return unite(targets);
        };
        return node.flags & kCaptures ? keyed_.step_within(id, byte, make) : make();
      }
      case Kind::kConcat:
        for_each_beginning(id, [&](ExprId at) {
          // Heads stand in many states: their forms are kept, and parts that they share among them
          // are derived once. Only of captured keys there is none.
          const Node& first = this->node(head(at));
          const bool single = first.kind == Kind::kBytes || first.kind == Kind::kLeaf ||
                              first.kind == Kind::kKeyed || (first.flags & kCaptures) != 0 ||
                              (first.kind == Kind::kSpelled && !first.form);
          ExprId next = kEmptyId;
          if (single) {
            next = raw_step(head(at), byte);
          } else {
            for (const LinearTerm& term : linear_form(head(at))) {
              if (term.bytes.contains(byte)) next = term.target;
            }
          }
          if (next != kEmptyId) targets.push_back(concat(next, tail(at)));
        });
        return unite(targets);
      case Kind::kSpelled:
        if (const auto target = spelled_step(id, byte)) return *target;
        break;
      default:
        break;
    }
  }
  for (const LinearTerm& term : linear_form(id)) {
    if (term.bytes.contains(byte)) return term.target;
  }
  return kEmptyId;
}

// Builds no successors of concatenations, of which most are never asked for.
ByteSet ExprPool::first_bytes(ExprId id) {
  const Node& node = this->node(id);
  ByteSet out;
  if (!node.form && free_of_context(id)) {
    if (node.kind == Kind::kUnion) {
      // Alternatives of rules share parts, which nest: each is looked at once.
      if (const auto it = first_bytes_.find(index_of(id)); it != first_bytes_.end()) {
        return it->second;
      }
      for (ExprId member : members(node)) out = out | first_bytes(member);
      first_bytes_.emplace(index_of(id), out);
      return out;
    }
    if (node.kind == Kind::kConcat) {
      for (ExprId at = id; at != kEpsilonId; at = tail(at)) {
        out = out | first_bytes(head(at));
        if (!nullable(head(at))) break;
      }
      return out;
    }
  }
  for (const LinearTerm& term : linear_form(id)) out = out | term.bytes;
  return out;
}

const Row& ExprPool::row(ExprId id) {
  if (const std::uint32_t index = node(id).row; index != kNoIndex) return rows_[index];
  const LinearForm form = linear_form(id);
  Row row{};
  for (const LinearTerm& term : form) {
    if (!live(term.target)) continue;
    term.bytes.for_each([&](std::uint8_t b) { row.next[b] = index_of(term.target); });
  }
  row.loop = loop_of_state(id);
  const auto index = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back(row);
  nodes_[index_of(id)].row = index;
  return rows_[index];
}

bool ExprPool::meets(std::uint32_t class_index, ExprId id) {
  // Of a concatenation of texts, the parts are looked at, which many concatenations share.
  while (node(id).kind == Kind::kConcat && free_of_context(id) && node(head(id)).flags & kText &&
         !(node(id).flags & kBoolean)) {
    if (meets(class_index, head(id))) return true;
    if (!nullable(head(id))) return false;
    id = tail(id);
  }
  const std::uint64_t key = (static_cast<std::uint64_t>(index_of(id)) << 32) | class_index;
  if (auto it = meets_.find(key); it != meets_.end()) return it->second;
  const LeafDfa& dfa = class_automaton(class_index);
  const bool found = meets_from(dfa, dfa.start(), id);
  meets_.emplace(key, found);
  return found;
}

bool ExprPool::meets_from(const LeafDfa& dfa, std::uint32_t state, ExprId id) {
  const LinearForm form = linear_form(id);
  bool found = false;
  dfa.for_each_edge(state, [&](std::uint8_t low, std::uint8_t high, std::uint32_t target) {
    if (found) return;
    const ByteSet range = ByteSet::range(low, high);
    for (const LinearTerm& term : form) {
      if (found || (term.bytes & range).empty() || !live(term.target)) continue;
      found = dfa.accepting(target) || meets_from(dfa, target, term.target);
    }
  });
  return found;
}

}  // namespace formgate
