// Which conditions together are enough for another one.
//
// Many conjunctions contain the same few conditions that imply what is asked: once it is known
// which these are, all of them are answered without being looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formgate/types.hpp"

namespace formgate {

class SufficientConditions {
 public:
  // Sets of conditions kept for each.
  static constexpr std::size_t kMost = 8;

  // Whether some of the conditions are known to be enough for `wanted`.
  bool known(ExprId wanted, const std::vector<ExprId>& conditions) const {
    const auto it = sets_.find(index_of(wanted));
    if (it == sets_.end()) return false;
    return std::ranges::any_of(it->second, [&](const std::vector<ExprId>& few) {
      return std::ranges::all_of(few, [&](ExprId each) {
        return std::ranges::find(conditions, each) != conditions.end();
      });
    });
  }

  // Notes that conditions are enough for `wanted`: of them those that they share with sets noted
  // before, where `enough` says that these are. `enough` may note sets itself.
  template <typename Enough>
  void note(ExprId wanted, std::vector<ExprId> conditions, Enough&& enough) {
    const std::vector<std::vector<ExprId>> before = sets_[index_of(wanted)];
    for (const std::vector<ExprId>& other : before) {
      std::vector<ExprId> both;
      for (ExprId each : conditions) {
        if (std::ranges::find(other, each) != other.end()) both.push_back(each);
      }
      if (both.empty() || both.size() == conditions.size()) continue;
      if (enough(both)) conditions = std::move(both);
    }
    std::vector<std::vector<ExprId>>& sets = sets_[index_of(wanted)];
    if (sets.size() >= kMost) return;
    bytes_ += kEntry + conditions.size() * sizeof(ExprId);
    sets.push_back(std::move(conditions));
  }

  std::size_t memory_usage() const { return bytes_; }
  void clear() {
    sets_.clear();
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t kEntry = 48;  // of a set, and of its place

  std::unordered_map<std::uint32_t, std::vector<std::vector<ExprId>>> sets_;
  std::size_t bytes_ = 0;
};

}  // namespace formgate
