#include "formgate/row_table.hpp"

#include <algorithm>
#include <unordered_set>

namespace formgate {
namespace {

constexpr std::uint32_t kFirstRows = 64;
constexpr std::int32_t kNoRow = -1;

}  // namespace

std::vector<std::uint32_t> RowTable::place(std::span<const RowItem> items, std::int32_t* rows) {
  begin();
  // What is there already is marked first, so that nothing of this batch makes room for the rest.
  std::vector<std::uint32_t> missing;
  std::size_t needed = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    rows[i] = kNoRow;
    if (items[i].kind == RowItem::Kind::kNone) continue;
    if (items[i].kind == RowItem::Kind::kShared) {
      const auto found = rows_.find(items[i].key);
      if (found != rows_.end()) {
        rows[i] = static_cast<std::int32_t>(found->second);
        if (slots_[found->second].batch != batch_) ++needed;
        use(found->second);
        continue;
      }
    }
    missing.push_back(i);
  }
  std::unordered_set<RowKey, HashOf> others;
  for (const std::uint32_t i : missing) {
    needed += items[i].kind == RowItem::Kind::kAlone || others.insert(items[i].key).second;
  }
  std::vector<std::uint32_t> fresh;
  fresh.reserve(missing.size());
  for (const std::uint32_t i : missing) {
    const bool shared = items[i].kind == RowItem::Kind::kShared;
    if (shared) {
      const auto found = rows_.find(items[i].key);  // an earlier item of this batch
      if (found != rows_.end()) {
        rows[i] = static_cast<std::int32_t>(found->second);
        continue;
      }
    }
    const std::uint32_t row = take(needed);
    rows[i] = static_cast<std::int32_t>(row);
    fresh.push_back(i);
    if (shared) {
      pending_.push_back(row);
      slots_[row].key = items[i].key;
      slots_[row].at = order_.insert(order_.end(), row);
      slots_[row].batch = batch_;
      rows_.emplace(items[i].key, row);
    } else {
      alone_.push_back(row);
    }
  }
  return fresh;
}

void RowTable::begin() {
  ++batch_;
  for (const std::uint32_t row : pending_) drop(row);
  pending_.clear();
  free_.insert(free_.end(), alone_.begin(), alone_.end());
  alone_.clear();
}

// A row that is free, was never used, or has not been used for longest, but not by this batch.
std::uint32_t RowTable::take(std::size_t needed) {
  if (free_.empty()) {
    const bool idle = !order_.empty() && slots_[order_.front()].batch != batch_;
    if (slots_.size() < std::max<std::size_t>(most_, needed)) {
      const std::size_t before = slots_.size();
      const std::size_t grown =
          std::min<std::size_t>(std::max<std::size_t>(4 * before, kFirstRows), most_);
      slots_.resize(std::max({grown, needed, before + 1}));
      for (std::size_t row = slots_.size(); row-- > before;) {
        free_.push_back(static_cast<std::uint32_t>(row));
      }
    } else if (idle) {
      drop(order_.front());
    }
  }
  const std::uint32_t row = free_.back();
  free_.pop_back();
  return row;
}

void RowTable::use(std::uint32_t row) {
  slots_[row].batch = batch_;
  order_.splice(order_.end(), order_, slots_[row].at);
}

void RowTable::drop(std::uint32_t row) {
  rows_.erase(slots_[row].key);
  order_.erase(slots_[row].at);
  free_.push_back(row);
}

}  // namespace formgate
