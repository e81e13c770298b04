// Lowering of a grammar to one expression.
#include <algorithm>

#include "formgate/errors.hpp"
#include "formgate/grammar.hpp"
#include "rule_lowering.hpp"
#include "special_tokens.hpp"

namespace formgate {
namespace {

// Texts that begin with a match, without looking at what follows it: among well-formed texts they
// are the same, and what is not among them is dead as soon as the match is complete.
ExprId open_ended(ExprPool& pool, ExprId id) {
  if (!(pool.node(id).flags & kText)) return id;
  std::vector<ExprId> parts;
  if (pool.node(id).kind == Kind::kUnion) {
    const auto members = pool.members(pool.node(id));
    for (ExprId member : std::vector<ExprId>(members.begin(), members.end())) {
      parts.push_back(open_ended(pool, member));
    }
    return pool.unite(parts);
  }
  for (; pool.node(id).kind == Kind::kConcat; id = pool.tail(id)) parts.push_back(pool.head(id));
  ExprId out = id == ExprPool::kTextId ? ExprPool::kAllId : id;
  for (; !parts.empty(); parts.pop_back()) out = pool.concat(parts.back(), out);
  return out;
}

// Of fewer words each is an alternative of its own.
constexpr std::size_t kManyWords = 16;

}  // namespace

// Look-behinds of one scope: trackers, and which node became which.
struct Grammar::Scope {
  std::vector<ExprId> trackers;
  Done done;
};

ExprId Grammar::lower(ExprPool& pool, CompileContext& context, std::unique_lock<std::mutex>& lock,
                      const ByteSet& allowed, const ByteSet& lexemes,
                      const TokenMeanings& tokens) const {
  if (!has_start_) {
    throw Error(ErrorKind::kGrammar, "the grammar has no start; call start(node) once");
  }
  if (odd_bytes_ && !token_uses_.empty()) {
    throw Error(ErrorKind::kUnsupported,
                "the grammar has special tokens beside bytes above 0xF4, which are no text; keep "
                "one of the two");
  }
  const Symbols symbols{lock, lexemes, tokens, {}, false};
  if (!rules_.empty()) {
    RuleLowering rules(*this, start_, pool, context, lock, allowed, symbols);
    if (rules.recursive()) {
      if (const auto known = rules.by_known()) return *known;
      const ExprId out = rules.run();
      pool.keyed().settle(context);
      return out;
    }
  }
  Done scopes;
  return pool.restrict_to(lower_scope(pool, start_, context, scopes, 0, symbols), allowed);
}

bool Grammar::is_choice(std::uint32_t at) const {
  const Node& node = nodes_[at];
  // With an empty alternative it may become an optional part, which a union keeps as it is.
  return node.op == Op::kSequence ? node.parts.size() == 1 : node.worded;
}

// Its parts are there already.
bool Grammar::is_worded(const Node& choice) const {
  const auto has_text = [this](std::uint32_t part) {
    const Node& own = nodes_[part];
    return own.op == Op::kChars || own.op == Op::kBytes || own.op == Op::kRule || own.worded ||
           (own.op == Op::kLiteral && !own.text.empty());
  };
  return std::ranges::all_of(choice.parts, [&](std::uint32_t part) {
    return has_text(part) ||
           (nodes_[part].op == Op::kSequence && std::ranges::any_of(nodes_[part].parts, has_text));
  });
}

std::unordered_set<std::uint32_t> Grammar::inner_choices(std::uint32_t root) const {
  std::unordered_map<std::uint32_t, std::uint32_t> uses{{root, 1}};
  std::vector<std::uint32_t> found{root};
  const auto body_of = [this](std::uint32_t at) {
    const auto it = nodes_[at].op == Op::kRule ? rules_.find(nodes_[at].text) : rules_.end();
    return it == rules_.end() ? kNoIndex : it->second;
  };
  const auto use = [&](std::uint32_t at) {
    if (at != kNoIndex && ++uses[at] == 1) found.push_back(at);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    use(body_of(found[i]));
    for (std::uint32_t part : nodes_[found[i]].parts) use(part);
  }
  std::unordered_set<std::uint32_t> out;
  std::vector<std::uint32_t> work;
  for (std::uint32_t at : found) {
    if (nodes_[at].op == Op::kChoice) work.push_back(at);
  }
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    for (std::uint32_t part : nodes_[at].parts) {
      if (uses.at(part) != 1) continue;
      const std::uint32_t body = body_of(part);
      const std::uint32_t inner = body == kNoIndex ? part : body;
      if (uses.at(inner) != 1 || !is_choice(inner)) continue;
      out.insert({part, inner});
      if (nodes_[inner].op != Op::kChoice) work.push_back(inner);  // the others are there already
    }
  }
  return out;
}

std::vector<std::uint32_t> Grammar::alternatives(
    std::uint32_t choice, const std::unordered_set<std::uint32_t>& inner) const {
  std::vector<std::uint32_t> out;
  std::vector<std::uint32_t> work(nodes_[choice].parts.rbegin(), nodes_[choice].parts.rend());
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (!inner.contains(at)) {
      out.push_back(at);
    } else if (nodes_[at].op == Op::kRule) {
      work.push_back(rules_.at(nodes_[at].text));
    } else {
      work.insert(work.end(), nodes_[at].parts.rbegin(), nodes_[at].parts.rend());
    }
  }
  return out;
}

void Grammar::check_parts(const ExprPool& pool, std::size_t before, const CompileContext& context,
                          const std::string& place) {
  const std::size_t most = context.limits().max_nodes;
  if (pool.part_count() - before <= most) return;
  throw Error(ErrorKind::kLimit,
              (place.empty() ? "the grammar" : place) +
                  " needs more than Limits.max_nodes = " + std::to_string(most) +
                  " expressions: parts that are written out again wherever they are used, or "
                  "repeated in each other; raise the limit, or share less");
}

// Rules are not recursive here. Depth-first with an explicit stack; only nested scopes recurse, up
// to the depth limit.
ExprId Grammar::lower_scope(ExprPool& pool, std::uint32_t root, CompileContext& context,
                            Done& scopes, std::size_t depth, const Symbols& symbols,
                            const std::string& place) const {
  std::vector<ExprId> trackers;
  const ExprId body = lower_open(pool, root, context, scopes, depth, symbols, trackers, place);
  return pool.scope(body, trackers);
}

ExprId Grammar::lower_open(ExprPool& pool, std::uint32_t root, CompileContext& context,
                           Done& scopes, std::size_t depth, const Symbols& symbols,
                           std::vector<ExprId>& trackers, const std::string& place) const {
  if (depth > context.limits().max_depth) {
    throw Error(ErrorKind::kLimit, "scopes are nested deeper than Limits.max_depth = " +
                                       std::to_string(context.limits().max_depth));
  }
  Scope scope;
  const std::size_t first_parts = pool.part_count();
  struct Frame {
    std::uint32_t node;
    std::size_t next = 0;
    // The parts, where choices within choices are united at once: level by level, the alternatives
    // of the innermost would be copied as often as they are nested.
    std::optional<std::vector<std::uint32_t>> flat = {};
    std::optional<ExprId> listed = {};  // alternatives of these that are words
  };
  std::vector<Frame> stack;
  stack.push_back({root});
  std::optional<std::unordered_set<std::uint32_t>> nested;
  const auto flatten = [&](Frame& frame) {
    const Node& node = nodes_[frame.node];
    if (node.op != Op::kChoice || frame.next > 0) return;
    if (std::ranges::none_of(node.parts, [this](std::uint32_t part) {
          return is_choice(part) || nodes_[part].op == Op::kRule;
        })) {
      return;
    }
    if (!nested) nested = inner_choices(root);
    frame.flat = alternatives(frame.node, *nested);
  };
  const auto place_here = [&]() {
    for (std::size_t i = stack.size(); i-- > 0;) {
      const Node& node = nodes_[stack[i].node];
      if (node.op == Op::kRule) return "rule \"" + node.text + "\"";
    }
    return place;
  };
  const auto leave = [&](std::uint32_t node, ExprId value) {
    if (pool.node(value).depth > context.limits().max_depth) {
      const std::string here = place_here();
      throw Error(ErrorKind::kLimit,
                  (here.empty() ? "the grammar" : here) +
                      " is nested deeper than Limits.max_depth = " +
                      std::to_string(context.limits().max_depth) +
                      " (repetitions, alternatives, Boolean operators); raise the limit or flatten "
                      "the grammar");
    }
    if (pool.part_count() - first_parts > context.limits().max_nodes) {
      check_parts(pool, first_parts, context, place_here());
    }
    scope.done.emplace(node, value);
    stack.pop_back();
  };
  while (!stack.empty()) {
    context.tick();
    const std::uint32_t at = stack.back().node;
    if (scope.done.contains(at)) {
      stack.pop_back();
      continue;
    }
    const Node& node = nodes_[at];
    if (node.op == Op::kScope) {
      // A scope means the same wherever it stands, so it is lowered once.
      if (!scopes.contains(at)) {
        const ExprId inner = lower_scope(pool, node.parts[0], context, scopes, depth + 1, symbols);
        scopes.emplace(at, inner);
      }
      leave(at, scopes.at(at));
      continue;
    }
    if (node.op == Op::kInclude) {
      leave(at, lower_included(pool, *included_[node.extra], context, depth, symbols));
      continue;
    }
    if (node.op == Op::kJsonText) {
      leave(at, lower_json(pool, node, context, depth, symbols));
      continue;
    }
    if (node.op == Op::kRule) {
      const auto it = rules_.find(node.text);
      if (it == rules_.end()) {
        throw Error(ErrorKind::kGrammar, "rule \"" + node.text +
                                             "\" is used but not defined; call define(\"" +
                                             node.text + "\", node)");
      }
      if (symbols.calls != nullptr) {
        if (const auto call = symbols.calls->find(node.text); call != symbols.calls->end()) {
          leave(at, call->second);
          continue;
        }
      }
      if (const auto body = scope.done.find(it->second); body != scope.done.end()) {
        leave(at, body->second);
        continue;
      }
      stack.back().next = 1;
      stack.push_back({it->second});
      continue;
    }
    flatten(stack.back());
    if (node.op == Op::kChoice && stack.back().next == 0) {
      Frame& frame = stack.back();
      if ((frame.flat ? *frame.flat : node.parts).size() >= kManyWords) {
        if (!frame.flat) frame.flat = node.parts;
        frame.listed = list_words(pool, *frame.flat, context, symbols);
      }
    }
    const std::vector<std::uint32_t>& its = stack.back().flat ? *stack.back().flat : node.parts;
    if (stack.back().next < its.size()) {
      const std::uint32_t part = its[stack.back().next++];
      stack.push_back({part});
      continue;
    }
    std::vector<ExprId> parts;
    parts.reserve(its.size());
    for (std::uint32_t part : its) parts.push_back(scope.done.at(part));
    if (stack.back().listed) parts.push_back(*stack.back().listed);
    leave(at, build(pool, node, parts, scope, context, symbols));
  }
  trackers = scope.trackers;
  return scope.done.at(root);
}

// Takes many words out of a list of alternatives: an automaton has them all in one state.
std::optional<ExprId> Grammar::list_words(ExprPool& pool, std::vector<std::uint32_t>& parts,
                                          CompileContext& context, const Symbols& symbols) const {
  std::vector<std::string_view> words;
  const auto is_word = [this](std::uint32_t part) {
    return nodes_[part].op == Op::kLiteral && nodes_[part].text.size() > 1;
  };
  for (std::uint32_t part : parts) {
    if (is_word(part)) words.push_back(nodes_[part].text);
  }
  if (words.size() < kManyWords) return std::nullopt;
  std::erase_if(parts, is_word);
  LeafDfa automaton = LeafDfa::of_strings(std::move(words), context);
  if (symbols.spelling == Symbols::Spelling::kJson ||
      symbols.spelling == Symbols::Spelling::kCanonicalJson) {
    const bool canonical = symbols.spelling == Symbols::Spelling::kCanonicalJson;
    automaton = json_spelled(automaton, canonical, context);
  }
  return pool.strings(std::make_shared<const LeafDfa>(std::move(automaton)));
}

// What stands alone depends on the spelling of characters only.
ExprId Grammar::lower_included(ExprPool& pool, const Grammar& other, CompileContext& context,
                               std::size_t depth, const Symbols& symbols) const {
  const std::uint64_t key = (other.number_ << 8) | static_cast<std::uint64_t>(symbols.spelling);
  if (const std::optional<ExprId> known = pool.included(key)) return *known;
  Done scopes;
  const ExprId out = other.lower_scope(pool, other.start_, context, scopes, depth + 1, symbols);
  pool.keep_included(key, out);
  return out;
}

ExprId Grammar::build(ExprPool& pool, const Node& node, const std::vector<ExprId>& parts,
                      Scope& scope, CompileContext& context, const Symbols& symbols) const {
  const bool text = symbols.spelling != Symbols::Spelling::kPlain;  // inside a JSON string
  const bool canonical = symbols.spelling == Symbols::Spelling::kCanonicalJson;
  const bool json = canonical || symbols.spelling == Symbols::Spelling::kJson;
  switch (node.op) {
    case Op::kLiteral:
      return json ? json_literal(pool, node.text, canonical) : pool.literal(node.text);
    case Op::kChars: {
      const CharSet& set = char_sets_[node.extra];
      return json ? pool.json_chars(set, canonical) : pool.chars(set);
    }
    case Op::kBytes:
      if (text) break;
      return pool.bytes(byte_sets_[node.extra]);
    case Op::kSequence: {
      ExprId out = ExprPool::kEpsilonId;
      for (std::size_t i = parts.size(); i-- > 0;) out = pool.concat(parts[i], out);
      return out;
    }
    case Op::kChoice:
      return pool.unite(parts);
    case Op::kRepeat:
      return pool.repeat(parts[0], node.min, node.max);
    case Op::kIntersection: {
      std::vector<ExprId> members = parts;
      pool.part_counts(members);
      return pool.intersect(members);
    }
    case Op::kComplement:
      if (json) {
        const ExprId texts = pool.repeat(pool.json_chars(CharSet::all(), canonical), 0, kUnbounded);
        return pool.intersect(texts, pool.complement(parts[0]));
      }
      return pool.intersect(ExprPool::kTextId, pool.complement(parts[0]));
    case Op::kStrings:
      if (json) {
        return pool.strings(std::make_shared<const LeafDfa>(
            json_spelled(*automata_[node.extra], canonical, context)));
      }
      return pool.strings(automata_[node.extra]);
    case Op::kLookAhead:
      return pool.look(node.negative ? pool.complement(open_ended(pool, parts[0])) : parts[0]);
    case Op::kLookBehind: {
      const auto known = std::ranges::find(scope.trackers, parts[0]);
      const auto tracker = static_cast<std::uint32_t>(known - scope.trackers.begin());
      if (known == scope.trackers.end()) {
        if (tracker >= ExprPool::kMaxTrackers) {
          throw Error(ErrorKind::kLimit,
                      "more than " + std::to_string(ExprPool::kMaxTrackers) +
                          " different look-behinds in one pattern; merge some of them");
        }
        scope.trackers.push_back(parts[0]);
      }
      return pool.behind(tracker, node.negative);
    }
    case Op::kKeyed:
      if (text) break;
      return build_keyed(pool, node, parts, context, symbols, ByteSet::all());
    case Op::kSpecial:
      if (text) break;
      return token_expr(pool, token_uses_[node.extra], symbols.tokens.used[node.extra],
                        symbols.tokens, context);
    case Op::kTerminal: {
      if (text) break;
      const auto code = symbols.codes.find(node.text);
      if (code != symbols.codes.end()) return code->second;
      throw Error(ErrorKind::kGrammar,
                  "terminal \"" + node.text +
                      (symbols.inside ? "\" is used but is not among those of lexed(...)"
                                      : "\" is used outside lexed(...), which gives it a pattern"));
    }
    case Op::kLexed:
      if (text) break;
      return lower_lexed(pool, lexed_[node.extra], context, symbols);
    case Op::kJsonText:
    case Op::kScope:
    case Op::kRule:
    case Op::kInclude:
      break;
  }
  throw Error(ErrorKind::kGrammar,
              "json_text(...) takes characters, literals, strings and what is made of them; bytes, "
              "lexers, keys and other JSON text have no spelling inside a JSON string");
}

}  // namespace formgate
