#include "formgate/token_groups.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "formgate/vocabulary.hpp"

namespace formgate {
namespace {

// Adding a bitmap takes as long as adding so many tokens, for vocabularies of some 100,000.
constexpr std::uint32_t kSetWork = 1024;

}  // namespace

TokenGroups::TokenGroups(const std::vector<Group>& groups, std::vector<TokenId> ids,
                         std::vector<AsciiSet> ascii, std::size_t words)
    : ids_(std::move(ids)), ascii_(std::move(ascii)) {
  parts_.reserve(groups.size() * 2);
  if (!groups.empty()) split(groups, static_cast<std::uint32_t>(ids_.size()), words);
}

// Appends the part of some groups, which end at `end`. No deeper than twice the buckets.
void TokenGroups::split(std::span<const Group> groups, std::uint32_t end, std::size_t words) {
  const auto index = static_cast<std::uint32_t>(parts_.size());
  const Group& first = groups.front();
  const std::uint32_t size = end - first.begin;
  parts_.push_back({first.buckets, first.buckets, first.begun, first.ascii, first.begin, end,
                    index + 1, kNone, size});
  std::uint32_t worth = kSetWork;
  if (groups.size() > 1) {
    const auto key = first.buckets != groups.back().buckets ? &Group::buckets : &Group::begun;
    const BucketSet highest = std::bit_floor(first.*key ^ groups.back().*key);
    const auto low_end = std::ranges::partition_point(
        groups, [&](const Group& group) { return !(group.*key & highest); });
    const auto upper = static_cast<std::size_t>(low_end - groups.begin());
    split(groups.first(upper), groups[upper].begin, words);
    const auto second = static_cast<std::uint32_t>(parts_.size());
    split(groups.subspan(upper), end, words);
    const Part& low = parts_[index + 1];
    const Part& high = parts_[second];
    Part& own = parts_[index];
    own.any = low.any | high.any;
    own.common = low.common & high.common;
    own.begun = low.begun | high.begun;
    own.ascii = low.ascii;
    own.ascii |= high.ascii;
    own.next = static_cast<std::uint32_t>(parts_.size());
    own.work = low.work + high.work;
    worth = 2 * kSetWork;  // else the sets of its parts are nearly as good
  }
  Part& own = parts_[index];
  if (own.work <= worth) return;
  Bitmap all(words, 0);
  add_all(index, own.next, all);
  own.set = static_cast<std::uint32_t>(sets_.size());
  own.work = kSetWork;
  sets_.push_back(std::move(all));
}

// Adds the tokens of parts, given as their places.
void TokenGroups::add_all(std::uint32_t begin, std::uint32_t end, Bitmap& out) const {
  for (std::uint32_t index = begin; index < end;) {
    const Part& part = parts_[index];
    if (part.set != kNone) {
      const Bitmap& all = sets_[part.set];
      for (std::size_t i = 0; i < out.size(); ++i) out[i] |= all[i];
    } else if (part.next == index + 1) {
      for (std::uint32_t i = part.begin; i < part.end; ++i) set_bit(out.data(), ids_[i]);
    } else {
      ++index;
      continue;
    }
    index = part.next;
  }
}

std::size_t TokenGroups::memory_usage() const {
  std::size_t total = parts_.capacity() * sizeof(Part) + ids_.capacity() * sizeof(TokenId) +
                      ascii_.capacity() * sizeof(AsciiSet);
  for (const Bitmap& set : sets_) total += set.capacity() * 4;
  return total;
}

}  // namespace formgate
