// Masks of states that differ in counts alone.
//
// A state has all the texts that it has with fewer repetitions left, and so its mask all their
// tokens. Where the mask with the most repetitions that were met is that with few, all between are
// the same: how many words may still come does not show until the last ones.
#include <algorithm>

#include "formgate/masks.hpp"

namespace formgate {
namespace {

// Repetitions that are few. Where the greater number shows in the mask, it does in most.
constexpr std::uint32_t kFew[] = {4, 16};

}  // namespace

// An expression with at most `most` repetitions where it has more, of what is no single character.
// Adds those numbers to `counts`.
ExprId ExprPool::fewer_counts(ExprId id, std::uint32_t most, std::vector<std::uint32_t>& counts) {
  const ExprId first = head(id);
  const Node own = node(first);
  if (own.kind == Kind::kSpelled && pending_[own.b].empty()) {
    const ExprId text{own.a};
    const ExprId fewer = fewer_counts(text, most, counts);
    if (fewer == text) return id;
    const ExprId out = spelled_at(fewer, own.min != 0, "", own.max);
    return out == kEmptyId ? id : concat(out, tail(id));
  }
  if (own.kind != Kind::kAnd) return fewer_in_parts(id, most, counts);
  if (!free_of_context(first)) return id;
  const auto list = members(own);
  std::vector<ExprId> parts(list.begin(), list.end());
  for (ExprId& part : parts) part = fewer_in_parts(part, most, counts);
  if (counts.empty()) return id;
  const ExprId out = intersect(parts);
  return live(out) ? concat(out, tail(id)) : id;
}

// The same of the first parts of a sequence.
ExprId ExprPool::fewer_in_parts(ExprId id, std::uint32_t most, std::vector<std::uint32_t>& counts) {
  constexpr std::size_t kParts = 8;
  std::size_t changed = 0;  // parts up to the last that is
  std::size_t size = 0;
  const auto more = [&](const Node& own) {
    return own.kind == Kind::kRepeat && own.max > most && own.max != kUnbounded &&
           own.min <= most && !spelled_class(ExprId{own.a});
  };
  for (ExprId at = id; at != kEpsilonId && size < kParts; at = tail(at)) {
    ++size;
    if (more(node(head(at)))) changed = size;
  }
  if (changed == 0 || !free_of_context(id)) return id;
  std::vector<ExprId> parts;
  for (; parts.size() < changed; id = tail(id)) {
    ExprId part = head(id);
    const Node own = node(part);
    if (more(own)) {
      counts.push_back(own.max);
      part = repeat(ExprId{own.a}, own.min, most);
    }
    parts.push_back(part);
  }
  for (std::size_t i = parts.size(); i-- > 0;) id = concat(parts[i], id);
  return id;
}

bool MaskCache::count_item(ExprId id, std::uint32_t node, Mask& out) {
  for (const std::uint32_t few : kFew) {
    std::vector<std::uint32_t> counts;
    const ExprId least = pool_.fewer_counts(id, few, counts);
    if (least == id) return false;
    const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32) | index_of(least);
    CountShape& shape = count_shapes_[key];
    if (shape.most == ExprPool::kEmptyId) bytes_ += sizeof(CountShape) + 64;
    const bool within = std::ranges::equal(
        counts, shape.counts, [](std::uint32_t own, std::uint32_t most) { return own <= most; });
    if (shape.most == ExprPool::kEmptyId || !within) {
      shape = {id, std::move(counts), CountShape::Use::kOnce};
      return false;
    }
    if (shape.most == id) return false;
    if (shape.use == CountShape::Use::kOnce) {
      shape.use = CountShape::Use::kShows;  // while it is not known
      const auto tokens = [&](ExprId state) {
        Bitmap row(vocabulary_->words());
        Mask{mask_at(state, node)->parts}.fill(row.data(), *vocabulary_);
        return row;
      };
      if (tokens(shape.most) == tokens(least)) shape.use = CountShape::Use::kHidden;
    }
    if (shape.use == CountShape::Use::kHidden) {
      append(out, shape.most, node);
      return true;
    }
  }
  return false;
}

}  // namespace formgate
