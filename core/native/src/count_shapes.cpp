// Masks of states that differ in counts alone.
//
// A state has all the texts that it has with fewer repetitions left, and so its mask all their
// tokens. Where the mask with the most repetitions that were met is that with few, all between are
// the same: how many words may still come does not show until the last ones.
#include <algorithm>
#include <tuple>

#include "formgate/masks.hpp"

namespace formgate {
namespace {

// Repetitions that are few. Where the greater number shows in the mask, it does in most.
constexpr std::uint32_t kFew[] = {4, 16};

}  // namespace

// An expression with at most `most` repetitions where it has more, of what is no single character.
// What it is besides goes into `shape`, the numbers into `counts`: expressions of one shape have
// such numbers in the same places, and are else the same. They are not told by what they become,
// since what is put together is simplified.
ExprId ExprPool::fewer_counts(ExprId id, std::uint32_t most, Hasher& shape,
                              std::vector<std::uint32_t>& counts) {
  const ExprId first = head(id);
  const Node own = node(first);
  if (own.kind == Kind::kSpelled && pending_[own.b].empty()) {
    const ExprId text{own.a};
    const ExprId fewer = fewer_counts(text, most, shape, counts);
    if (fewer == text) return id;
    shape.add(1).add(own.min).add(own.max).add(index_of(tail(id)));
    const ExprId out = spelled_at(fewer, own.min != 0, "", own.max);
    return out == kEmptyId ? id : concat(out, tail(id));
  }
  if (own.kind != Kind::kAnd) return fewer_in_parts(id, most, shape, counts);
  if (!free_of_context(first)) return id;
  // Members are in the order of their hashes, which the numbers are a part of.
  struct Member {
    Hash128 shape;
    std::vector<std::uint32_t> counts;
  };
  std::vector<Member> shapes;
  const auto list = members(own);
  std::vector<ExprId> parts(list.begin(), list.end());
  for (ExprId& part : parts) {
    Hasher hasher(2);
    Member& member = shapes.emplace_back();
    const ExprId fewer = fewer_in_parts(part, most, hasher, member.counts);
    if (member.counts.empty()) hasher.add(index_of(part));
    member.shape = hasher.finish();
    part = fewer;
  }
  std::ranges::sort(shapes, [](const Member& a, const Member& b) {
    return std::tie(a.shape.hi, a.shape.lo) < std::tie(b.shape.hi, b.shape.lo);
  });
  const auto alike = [](const Member& a, const Member& b) { return a.shape == b.shape; };
  if (std::ranges::adjacent_find(shapes, alike) != shapes.end()) return id;
  for (const Member& member : shapes) {
    shape.add(member.shape);
    counts.insert(counts.end(), member.counts.begin(), member.counts.end());
  }
  if (counts.empty()) return id;
  shape.add(index_of(tail(id)));
  const ExprId out = intersect(parts);
  return live(out) ? concat(out, tail(id)) : id;
}

// The same of the first parts of a sequence.
ExprId ExprPool::fewer_in_parts(ExprId id, std::uint32_t most, Hasher& shape,
                                std::vector<std::uint32_t>& counts) {
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
      shape.add(3).add(own.a).add(own.min);
      part = repeat(ExprId{own.a}, own.min, most);
    } else {
      shape.add(4).add(index_of(part));
    }
    parts.push_back(part);
  }
  shape.add(5).add(index_of(id));
  for (std::size_t i = parts.size(); i-- > 0;) id = concat(parts[i], id);
  return id;
}

bool MaskCache::count_item(ExprId id, std::uint32_t node, Mask& out) {
  for (const std::uint32_t few : kFew) {
    std::vector<std::uint32_t> counts;
    Hasher hasher(few);
    const ExprId least = pool_.fewer_counts(id, few, hasher, counts);
    if (least == id) return false;
    CountShape& shape = count_shapes_[hasher.add(node).finish()];
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
