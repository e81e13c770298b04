// Where the sentences of an expression over symbols lead from a place, an automaton's state; see
// rule_walk.cpp. The automaton is given by who derives from this, and built as it is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "formgate/growing_map.hpp"
#include "formgate/types.hpp"

namespace formgate {

class ExprPool;

class RuleWalk {
 public:
  virtual ~RuleWalk() = default;
  RuleWalk(const RuleWalk&) = delete;
  RuleWalk& operator=(const RuleWalk&) = delete;
  std::size_t memory_usage() const { return (final_.size() + final_sets_.size()) * 48; }

 protected:
  using Places = std::uint32_t;               // a set of places
  static constexpr std::uint32_t kStart = 0;  // the place that is better than all others
  static constexpr Places kNothing = 0;       // the empty set
  static constexpr Places kFree = 1;          // only that place

  explicit RuleWalk(ExprPool& pool);
  // Where an expression leads. What was found for its parts is kept.
  Places run(ExprId id, std::uint32_t place);
  const std::vector<std::uint32_t>& places(Places set) const { return sets_[set]; }

  // Appends where one byte of a symbol leads.
  virtual void read(std::uint32_t place, std::uint8_t byte, std::vector<std::uint32_t>& out) = 0;
  // Whether all that leads to an end from one place does from another, so that this will do.
  virtual bool better(std::uint32_t one, std::uint32_t other) = 0;
  // What an expression leads to that is not made of rules and symbols.
  virtual Places other(ExprId id) = 0;
  // A part is about to be looked at from some place.
  virtual void tick() {}

  ExprPool& pool_;

 private:
  struct Answer {
    Places places;
    bool final;  // no later round changes it
  };
  struct CallAnswer {
    ExprId call;
    std::uint32_t place;
    Answer answer;
  };

  Places places_of(std::vector<std::uint32_t> list);
  Answer after(ExprId id, std::uint32_t place);
  Answer after_all(ExprId id, Places from);
  Answer find(ExprId id, std::uint32_t place);
  Answer after_call(ExprId id, std::uint32_t place);
  Answer after_concat(ExprId id, std::uint32_t place);
  Answer after_repeat(ExprId id, std::uint32_t place);

  std::vector<std::vector<std::uint32_t>> sets_;
  std::map<std::vector<std::uint32_t>, Places> set_index_;
  GrowingMap<std::uint64_t, Places> final_;             // by (expression, place)
  GrowingMap<std::uint64_t, Places> final_sets_;        // by (end of a stack, several places)
  std::unordered_map<std::uint64_t, Answer> in_round_;  // by (expression, place), provisional
  std::vector<CallAnswer> calls_;                       // those that are being found out
  std::unordered_map<std::uint64_t, std::size_t> call_index_;
};

}  // namespace formgate
