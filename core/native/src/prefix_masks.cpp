// Masks of states that begin with what many states begin with.
//
// After a colon text goes on with blanks, a quote, any characters and a quote, whatever the names
// of the object are and whatever schema it belongs to. For such a prefix P there is one table for
// each vocabulary: the tokens that stay within P, and of those that go beyond it the texts they
// have after it, as a tree. The mask of P K has the former; K is walked through the latter only.
// The split goes back to the tables of Beurer-Kellner, Fischer, Vechev, "Guiding LLMs The Right
// Way: Fast, Non-Invasive Constrained Generation" (ICML 2024), where they are made of single
// terminals beforehand; here they are made of whatever sequence has shown to come again.
#include <algorithm>
#include <array>
#include <utility>

#include "exit_trees.hpp"
#include "formgate/masks.hpp"
#include "mask_sink.hpp"
#include "part_walk.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostParts = 10;
constexpr std::size_t kMostWays = 6;        // of one choice
constexpr unsigned kMostNestedChoices = 6;  // choices
// Tokens that go beyond a prefix: of blanks alone that is every other word.
constexpr std::size_t kMostBeyondPrefix = 4096;
constexpr std::size_t kMostTextBeyond = 1u << 17;  // bytes of what they have after it
constexpr std::size_t kUses = 1u << 12;
constexpr std::size_t kMostInHead = 48;  // parts
constexpr unsigned kHeadUses = 2;        // before a head has a table

}  // namespace

struct MaskCache::Prefix {
  std::shared_ptr<const TokenSet> inside;
  std::unique_ptr<ExitTree> beyond;  // null: too many
  bool nullable = false;
};

MaskCache::PrefixUse& MaskCache::prefix_use(const Hash128& key) {
  if (prefix_uses_.empty()) prefix_uses_.resize(kUses);
  PrefixUse& use = prefix_uses_[key.hi & (kUses - 1)];
  if (use.key != key.lo) use = {key.lo, 0};
  return use;
}

// Where the parts begin that few states share: rules, lists of names, what looks around.
bool MaskCache::common_part(ExprId part) const {
  const Node& node = pool_.node(part);
  return node.kind != Kind::kKeyed && !(node.flags & kCalls) && pool_.free_of_context(part);
}

// The mask of a sequence.
bool MaskCache::prefix_item(std::span<const ExprId> sequence, Mask& out) {
  for (ExprId id : sequence) {
    if (!(pool_.node(id).flags & kText)) return false;
  }
  std::array<ExprId, kMostParts> parts;
  Hasher hasher(0x9FE1);
  std::size_t size = 0;
  ExprId rest = ExprPool::kEpsilonId;
  for (;;) {
    for (; rest == ExprPool::kEpsilonId; sequence = sequence.subspan(1)) {
      if (sequence.empty()) return false;
      rest = sequence.front();
    }
    const ExprId part = pool_.head(rest);
    if (!common_part(part)) break;
    if (size == parts.size()) return false;
    parts[size++] = part;
    hasher.add(index_of(part));
    rest = pool_.tail(rest);
  }
  if (size == 0) return false;
  const Hash128 key = hasher.finish();
  const Prefix* prefix = nullptr;
  if (const auto known = prefixes_.find(key); known != prefixes_.end()) {
    prefix = known->second.get();
  } else {
    if (++prefix_use(key).count < options_.prefix_uses) {
      if (depth_ == 1) untabled_ = key;
      return false;
    }
    prefix = make_prefix(key, std::span(parts).first(size));
  }
  if (!prefix->beyond) return prefix_choices(std::span(parts).first(size), rest, sequence, out);
  if (new_key_next(rest) && !prefix->nullable) {
    prefix_keys(*prefix, std::span(parts).first(size), rest, sequence, out);
    return true;
  }
  if (!walk_beyond(*prefix, rest, sequence, out)) return false;
  out.parts.push_back({prefix->inside, nullptr});
  if (prefix->nullable) append(out, pool_.concat(rest, sequence_of(sequence)), 0);
  return true;
}

// Whether all texts of an expression end with a character that tells their end: few tokens go
// beyond it, where beyond a name or an expression go most.
bool MaskCache::closes(ExprId id, unsigned depth) const {
  constexpr unsigned kMostDeep = 6;
  for (unsigned i = 0; pool_.tail(id) != ExprPool::kEpsilonId; id = pool_.tail(id)) {
    if (++i > kMostInHead) return false;
  }
  const Node& last = pool_.node(pool_.head(id));
  if (last.kind == Kind::kBytes || last.kind == Kind::kLeaf) return !pool_.nullable(id);
  if (last.kind != Kind::kUnion || depth >= kMostDeep) return false;
  return std::ranges::all_of(pool_.members(last),
                             [&](ExprId member) { return closes(member, depth + 1); });
}

// The mask of a parser state whose head, the parts up to one that closes it, is that of others: an
// expression in one more pair of brackets.
bool MaskCache::head_item(ExprId id, Mask& out) {
  if ((pool_.node(id).flags & (kText | kCalls)) != (kText | kCalls)) return false;
  std::array<ExprId, kMostInHead> parts;
  Hasher hasher(0x4EAD);
  std::size_t size = 0;
  bool calls = false;
  bool open = true;
  ExprId rest = id;
  for (; open && rest != ExprPool::kEpsilonId; rest = pool_.tail(rest)) {
    const ExprId part = pool_.head(rest);
    const Node& node = pool_.node(part);
    if (size == parts.size() || node.kind == Kind::kKeyed || node.kind == Kind::kLexed ||
        node.flags & kCaptures || !pool_.free_of_context(part)) {
      return false;
    }
    parts[size++] = part;
    hasher.add(index_of(part));
    calls = calls || node.flags & kCalls;
    open = !closes(part);
  }
  if (open || !calls || rest == ExprPool::kEpsilonId || rest == ExprPool::kTextId) return false;
  const Hash128 key = hasher.finish();
  const Prefix* head = nullptr;
  if (const auto known = prefixes_.find(key); known != prefixes_.end()) {
    head = known->second.get();
  } else {
    if (++prefix_use(key).count <= kHeadUses) return false;
    head = make_prefix(key, std::span(parts).first(size));
  }
  if (!head->beyond || !walk_beyond(*head, rest, {}, out)) return false;
  out.parts.push_back({head->inside, nullptr});
  return true;
}

// Adds the tokens that go beyond a prefix as a sequence allows.
bool MaskCache::walk_beyond(const Prefix& prefix, ExprId first, std::span<const ExprId> others,
                            Mask& out) {
  if (prefix.beyond->ids.empty()) return true;
  const TokenTree view = prefix.beyond->view();
  PartWalk walk(*this, view, nullptr);
  if (!walk.run(0, first, others)) return false;
  auto tokens = std::make_shared<TokenSet>();
  for (const auto& [begin, end] : walk.found()) {
    tokens->ids.insert(tokens->ids.end(), view.ids.begin() + begin, view.ids.begin() + end);
  }
  if (!tokens->ids.empty()) out.parts.push_back({std::move(tokens), nullptr});
  return true;
}

// Whether a key follows that may be known or new.
bool MaskCache::new_key_next(ExprId rest) const {
  const Node& keys = pool_.node(pool_.head(rest));
  if (keys.kind != Kind::kUnion) return false;
  bool some = false;
  for (const ExprId member : pool_.members(keys)) {
    if (pool_.node(member).kind != Kind::kKeyed || !pool_.keyed().inside_key(member)) return false;
    some = some || pool_.keyed().captures(member);
  }
  return some;
}

// New keys are read together with the prefix, as in capture_masks.cpp: the tokens within the prefix
// are among theirs.
void MaskCache::prefix_keys(const Prefix& prefix, std::span<const ExprId> parts, ExprId rest,
                            std::span<const ExprId> others, Mask& out) {
  std::vector<ExprId> after{pool_.tail(rest)};
  after.insert(after.end(), others.begin(), others.end());
  const auto list = pool_.members(pool_.node(pool_.head(rest)));
  for (const ExprId member : std::vector<ExprId>(list.begin(), list.end())) {
    if (pool_.keyed().captures(member)) {
      const Keyed::Plain plain = pool_.keyed().plain(member);
      std::vector<ExprId> sequence(parts.begin(), parts.end());
      sequence.insert(sequence.end(), {plain.keys, plain.after});
      sequence.insert(sequence.end(), after.begin(), after.end());
      const std::size_t before = out.parts.size();
      if (!prefix_item(sequence, out)) append(out, sequence_of(sequence), 0);
      const TokenTree view = prefix.beyond->view();
      Ranges gone;
      taken_keys(view, 0, plain, gone);
      std::vector<TokenId> dead;
      for (const auto& [begin, end] : gone) {
        dead.insert(dead.end(), view.ids.begin() + begin, view.ids.begin() + end);
      }
      sequence.assign(parts.begin(), parts.end());
      sequence.push_back(member);
      sequence.insert(sequence.end(), after.begin(), after.end());
      remove_taken(plain, before, 0, sequence, std::move(dead), out);
    } else if (!walk_beyond(prefix, member, after, out)) {
      std::vector<ExprId> sequence(parts.begin(), parts.end());
      sequence.push_back(member);
      sequence.insert(sequence.end(), after.begin(), after.end());
      append(out, sequence_of(sequence), 0);
    }
  }
}

// Too many tokens go beyond the prefix: what comes next has a table with it, where it is a choice
// each member for itself, those that are no rules and no lists together.
bool MaskCache::prefix_choices(std::span<const ExprId> parts, ExprId rest,
                               std::span<const ExprId> others, Mask& out) {
  ExprId choice = pool_.head(rest);
  if (pool_.node(choice).kind == Kind::kCall) choice = pool_.body(choice);
  if (pool_.node(choice).kind != Kind::kUnion || depth_ >= kMostNestedChoices) return false;
  std::vector<ExprId> common;
  std::vector<ExprId> ways;
  for (ExprId member : pool_.members(pool_.node(choice))) {
    (common_part(member) ? common : ways).push_back(member);
  }
  if (ways.size() > kMostWays) return false;
  if (!common.empty()) ways.push_back(pool_.unite(common));
  std::vector<ExprId> sequence(parts.begin(), parts.end());
  sequence.push_back(ExprPool::kEpsilonId);
  sequence.push_back(pool_.tail(rest));
  sequence.insert(sequence.end(), others.begin(), others.end());
  ++depth_;
  for (ExprId way : ways) {
    sequence[parts.size()] = way;
    if (!prefix_item(sequence, out)) {
      append(out, sequence_of(sequence), 0);
    }
  }
  --depth_;
  return true;
}

// The table of a prefix.
const MaskCache::Prefix* MaskCache::make_prefix(const Hash128& key, std::span<const ExprId> parts) {
  const ExprId alone = sequence_of(parts);
  making_prefix_ = true;
  auto prefix = std::make_shared<Prefix>();
  prefix->nullable = pool_.nullable(alone);
  Sink inside(*vocabulary_);
  collect(*mask_at(alone, 0), inside);
  Sink all(*vocabulary_);
  // What leaves the prefix before it has any text is for the mask of what follows it.
  const ExprId some = prefix->nullable ? pool_.without_empty(alone) : alone;
  collect(*mask_at(pool_.concat(some, ExprPool::kTextId), 0), all);
  making_prefix_ = false;
  Bitmap within(vocabulary_->words(), 0);
  prefix->inside = inside.finish();
  for (TokenId token : prefix->inside->ids) set_bit(within.data(), token);
  if (!prefix->inside->dense.empty()) within = prefix->inside->dense;
  all.remove(within);
  const std::shared_ptr<const TokenSet> beyond = all.finish();
  std::vector<TokenId> tokens = beyond->ids;
  for (std::size_t i = 0; i < beyond->dense.size() && tokens.size() <= kMostBeyondPrefix; ++i) {
    for (std::uint32_t word = beyond->dense[i]; word; word &= word - 1) {
      tokens.push_back(static_cast<TokenId>(i * 32) + static_cast<TokenId>(std::countr_zero(word)));
    }
  }
  std::vector<ExitTree::Entry> entries;
  std::size_t bytes = 0;
  const std::size_t count = tokens.size();
  if (count > kMostBeyondPrefix) tokens.clear();
  for (TokenId token : tokens) {
    const std::string_view text = *vocabulary_->token_bytes(token);
    LongStep::tick();
    ExprId state = alone;
    for (std::size_t i = 0; i < text.size() && bytes <= kMostTextBeyond; ++i) {
      if (i > 0 && pool_.nullable(state)) {
        entries.push_back({leading_bytes(text.substr(i)), text.substr(i), token, 0});
        bytes += text.size() - i;
      }
      state = pool_.step(state, static_cast<std::uint8_t>(text[i]));
      if (state == ExprPool::kEmptyId) break;
    }
  }
  if (tokens.size() == count && bytes <= kMostTextBeyond) {
    prefix->beyond = ExitTree::of(std::move(entries));
    bytes_ += prefix->beyond->memory_usage() + prefix->inside->memory_usage();
  } else {
    prefix->inside = nullptr;
  }
  bytes_ += sizeof(Prefix);
  return prefixes_.emplace(key, std::move(prefix)).first->second.get();
}

ExprId MaskCache::sequence_of(std::span<const ExprId> parts) {
  ExprId out = ExprPool::kEpsilonId;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) out = pool_.concat(*part, out);
  return out;
}

// Inside a key, where it may be known or new.
bool MaskCache::keys_item(ExprId id, Mask& out) {
  if (!new_key_next(id) || !pool_.free_of_context(id)) return false;
  const ExprId tail = pool_.tail(id);
  for (ExprId member : pool_.members(pool_.node(pool_.head(id)))) {
    if (pool_.keyed().captures(member)) {
      key_item(member, tail, 0, out);
      continue;
    }
    PartWalk walk(*this, token_tree(), &out);
    const ExprId then[] = {tail};
    if (!walk.run(0, member, then)) {
      append(out, pool_.concat(member, tail), 0);
      continue;
    }
    Sink sink(*vocabulary_);
    for (const auto& [begin, end] : walk.found()) sink.add_ranks(begin, end);
    if (!sink.empty()) out.parts.push_back({sink.finish(), nullptr});
    for (const auto& mask : walk.masks()) {
      out.parts.insert(out.parts.end(), mask->parts.begin(), mask->parts.end());
    }
  }
  return true;
}

// After a member of an object: a comma and more, or what follows the object.
bool MaskCache::rest_item(ExprId id, Mask& out) {
  const ExprId first = pool_.head(id);
  Keyed& keyed = pool_.keyed();
  if (pool_.node(first).kind != Kind::kKeyed || keyed.captures(first) ||
      keyed.spells_names(first)) {
    return false;
  }
  const ExprId more = keyed.expanded(first);
  const ExprId tail = pool_.tail(id);
  const ExprId sequence[] = {more, tail};
  if (!prefix_item(sequence, out)) append(out, pool_.concat(more, tail), 0);
  if (pool_.nullable(first)) append(out, tail, 0);
  return true;
}

}  // namespace formgate
