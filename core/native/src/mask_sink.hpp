// Collects tokens during a walk: a list while there are few, a bitmap once there are many.
#pragma once

#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "formgate/masks.hpp"

namespace formgate {

class MaskCache::Sink {
 public:
  // A list of this many tokens is filled about as fast as a bitmap of 16 KiB is copied.
  static constexpr std::size_t kMostListed = 512;

  explicit Sink(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  // Tokens of ranks [begin, end).
  void add_ranks(std::uint32_t begin, std::uint32_t end) {
    const auto ids = vocabulary_.ids();
    if (dense_.empty()) {
      if (list_.size() + (end - begin) <= kMostListed) {
        for (std::uint32_t rank = begin; rank < end; ++rank) list_.push_back(ids[rank]);
        return;
      }
      densify();
    }
    for (std::uint32_t rank = begin; rank < end; ++rank) set_bit(dense_.data(), ids[rank]);
  }
  void add(TokenId id) {
    if (!dense_.empty()) {
      set_bit(dense_.data(), id);
    } else if (list_.size() < kMostListed) {
      list_.push_back(id);
    } else {
      densify();
      set_bit(dense_.data(), id);
    }
  }
  void add_ids(std::span<const TokenId> ids) {
    if (dense_.empty() && list_.size() + ids.size() <= kMostListed) {
      list_.insert(list_.end(), ids.begin(), ids.end());
      return;
    }
    if (dense_.empty()) densify();
    for (TokenId id : ids) set_bit(dense_.data(), id);
  }
  void add_dense(const Bitmap& set) {
    if (dense_.empty()) densify();
    for (std::size_t i = 0; i < dense_.size(); ++i) dense_[i] |= set[i];
  }
  void add_set(const TokenSet& set) {
    add_ids(set.ids);
    if (!set.dense.empty()) add_dense(set.dense);
  }
  // Tokens of both bitmaps.
  void add_words(const Bitmap& set, const Bitmap& limit) {
    if (dense_.empty()) {
      std::size_t count = list_.size();
      for (std::size_t i = 0; i < set.size() && count <= kMostListed; ++i) {
        count += static_cast<std::size_t>(std::popcount(set[i] & limit[i]));
      }
      if (count > kMostListed) {
        densify();
      } else {
        for (std::size_t i = 0; i < set.size(); ++i) {
          for (std::uint32_t word = set[i] & limit[i]; word; word &= word - 1) {
            list_.push_back(static_cast<TokenId>(i * 32) +
                            static_cast<TokenId>(std::countr_zero(word)));
          }
        }
        return;
      }
    }
    for (std::size_t i = 0; i < set.size(); ++i) dense_[i] |= set[i] & limit[i];
  }
  void remove(const Bitmap& gone) {
    std::erase_if(list_, [&](TokenId id) { return test_bit(gone.data(), id); });
    for (std::size_t i = 0; i < dense_.size(); ++i) dense_[i] &= ~gone[i];
  }
  bool empty() const { return list_.empty() && dense_.empty(); }

  std::shared_ptr<const TokenSet> finish() {
    auto set = std::make_shared<TokenSet>();
    set->ids.assign(list_.begin(), list_.end());
    set->dense = std::move(dense_);
    return set;
  }

 private:
  void densify() {
    dense_.assign(vocabulary_.words(), 0);
    for (TokenId id : list_) set_bit(dense_.data(), id);
    list_.clear();
  }

  const Vocabulary& vocabulary_;
  std::vector<TokenId> list_;
  Bitmap dense_;
};

}  // namespace formgate
