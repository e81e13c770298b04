#include "residues.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

namespace formgate::json_schema {
namespace {

constexpr std::uint32_t kPoint = 10;
constexpr std::uint32_t kSymbols = 11;
constexpr std::uint32_t kNone = ~0u;
constexpr std::uint32_t kOften = 1024;  // states after which the deadline is looked at

using Check = std::function<void()>;

// Numbers rows of `width` by what they hold: equal rows get one number, the first row number 0.
class Rows {
 public:
  Rows(std::size_t count, std::size_t width) : width_(width) {
    std::size_t size = 64;
    while (size < 2 * count) size *= 2;
    slots_.assign(size, kNone);
    cells_.reserve(count * width);
  }

  std::uint32_t number(std::span<const std::uint32_t> row) {
    std::uint64_t hash = 0x9E3779B97F4A7C15ull;
    for (std::uint32_t cell : row) hash = (hash ^ cell) * 0xFF51AFD7ED558CCDull ^ (hash >> 29);
    std::size_t at = (hash ^ hash >> 32) & (slots_.size() - 1);
    for (; slots_[at] != kNone; at = (at + 1) & (slots_.size() - 1)) {
      const auto known = cells_.begin() + static_cast<std::ptrdiff_t>(slots_[at] * width_);
      if (std::equal(row.begin(), row.end(), known)) return slots_[at];
    }
    slots_[at] = count_;
    cells_.insert(cells_.end(), row.begin(), row.end());
    return count_++;
  }

  std::uint32_t count() const { return count_; }

 private:
  std::size_t width_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> cells_;
};

// For each residue the least one that no further digits tell apart from it, by refining partitions
// (Moore 1956); the ten residues after one follow each other.
std::vector<std::uint32_t> equal_residues(std::uint32_t cycle, std::uint32_t scale,
                                          const std::vector<bool>& good, const Check& check) {
  std::vector<std::uint32_t> blocks(cycle);
  std::vector<std::uint32_t> row;
  Rows first(cycle, scale + 1);
  for (std::uint32_t residue = 0; residue < cycle; ++residue) {
    row.clear();
    std::uint64_t at = residue;
    for (std::uint32_t place = 0; place <= scale; ++place, at = at * 10 % cycle) {
      row.push_back(good[at] ? 1 : 0);
    }
    blocks[residue] = first.number(row);
  }
  std::vector<std::uint32_t> next(cycle);
  for (std::uint32_t count = 0, found = first.count(); found > count;) {
    count = found;
    check();
    Rows rows(cycle, kSymbols);
    for (std::uint32_t residue = 0; residue < cycle; ++residue) {
      row.assign(1, blocks[residue]);
      std::uint64_t at = std::uint64_t{residue} * 10 % cycle;
      for (unsigned digit = 0; digit < 10; ++digit, at = at + 1 == cycle ? 0 : at + 1) {
        row.push_back(blocks[at]);
      }
      next[residue] = rows.number(row);
    }
    blocks.swap(next);
    found = rows.count();
  }
  std::vector<std::uint32_t> least(cycle, kNone);
  for (std::uint32_t residue = 0; residue < cycle; ++residue) {
    std::uint32_t& of = least[blocks[residue]];
    if (of == kNone) of = residue;
    next[residue] = of;
  }
  return next;
}

enum class Phase : std::uint8_t { kStart, kZero, kWhole, kPointed, kPlaces };

// Comparisons with a bound: -1, 0 or 1, and kMet where it is met for sure.
constexpr std::int8_t kMet = 2;

struct State {
  Phase phase;
  std::int8_t low;
  std::int8_t high;
  std::uint32_t count;    // of digits, of places after the point
  std::uint32_t residue;  // kNone: has more places than count

  std::array<std::uint32_t, 3> key() const {
    const auto small = [](std::int8_t value) { return static_cast<std::uint32_t>(value + 1); };
    return {static_cast<std::uint32_t>(phase) << 16 | small(low) << 8 | small(high), count,
            residue};
  }
};

class Automaton {
 public:
  Automaton(const Decimals& decimals, std::vector<bool> good, std::vector<std::uint32_t> same)
      : own_(decimals), good_(std::move(good)), same_(std::move(same)) {
    low_ = own_.low ? *own_.low : DecimalBound{"0", "", false};
    high_ = own_.high ? *own_.high : DecimalBound{"", "", false};
    if (own_.low) longest_ = low_.whole.size();
    longest_ = std::max(longest_, high_.whole.size());
    last_ = std::max(
        {std::size_t{own_.scale}, own_.low ? low_.fraction.size() : 0, high_.fraction.size()});
  }

  // Says whether there are no more states than may be.
  bool explore(std::uint32_t max_states, const Check& check) {
    Rows rows(max_states + 1, 3);
    std::vector<State> order{{Phase::kStart, 0, own_.high ? std::int8_t{0} : kMet, 0, 0}};
    rows.number(order[0].key());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i % kOften == 0) check();
      Steps& found = steps_.emplace_back();
      for (std::uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
        found[symbol] = kNone;
        const std::optional<State> after = step(order[i], symbol);
        if (!after) continue;
        found[symbol] = rows.number(after->key());
        if (found[symbol] < order.size()) continue;
        if (order.size() >= max_states) return false;
        order.push_back(*after);
      }
    }
    for (const State& state : order) accepting_.push_back(accepts(state));
    return true;
  }

  // Brings the automaton to its least form, without what leads to no end.
  void reduce(const Check& check) {
    drop_dead();
    std::vector<std::uint32_t> blocks(accepting_.begin(), accepting_.end());
    std::vector<std::uint32_t> next(blocks.size());
    std::uint32_t found = 0;
    for (std::uint32_t count = 0;; count = found) {
      check();
      Rows rows(steps_.size(), kSymbols + 1);
      std::array<std::uint32_t, kSymbols + 1> row;
      for (std::size_t state = 0; state < steps_.size(); ++state) {
        row[kSymbols] = blocks[state];
        for (std::uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
          const std::uint32_t after = steps_[state][symbol];
          row[symbol] = after == kNone ? kNone : blocks[after];
        }
        next[state] = rows.number(row);
      }
      blocks.swap(next);
      found = rows.count();
      if (found == count) break;
    }
    std::vector<Steps> steps(found);
    std::vector<bool> accepting(found);
    for (std::size_t state = 0; state < steps_.size(); ++state) {
      for (std::uint32_t symbol = 0; symbol < kSymbols; ++symbol) {
        const std::uint32_t after = steps_[state][symbol];
        steps[blocks[state]][symbol] = after == kNone ? kNone : blocks[after];
      }
      accepting[blocks[state]] = accepting_[state];
    }
    steps_ = std::move(steps);
    accepting_ = std::move(accepting);
  }

  LeafDfa written() const {
    std::vector<LeafDfa::State> states(steps_.size());
    for (std::size_t state = 0; state < steps_.size(); ++state) {
      states[state].accepting = accepting_[state];
      std::vector<LeafEdge>& edges = states[state].edges;
      // In the order of the characters.
      if (steps_[state][kPoint] != kNone) edges.push_back({'.', '.', steps_[state][kPoint]});
      for (std::uint8_t digit = 0; digit < kPoint; ++digit) {
        const std::uint32_t after = steps_[state][digit];
        const auto character = static_cast<std::uint8_t>('0' + digit);
        if (after == kNone) continue;
        if (!edges.empty() && edges.back().target == after && edges.back().high + 1 == character) {
          edges.back().high = character;
        } else {
          edges.push_back({character, character, after});
        }
      }
    }
    return LeafDfa::of_states(states);
  }

 private:
  using Steps = std::array<std::uint32_t, kSymbols>;  // kNone: nothing can follow

  std::optional<State> step(const State& state, std::uint32_t symbol) const {
    State after = state;
    if (symbol == kPoint) {
      const bool digits = state.phase == Phase::kWhole || state.phase == Phase::kZero;
      // A whole number belongs, or may with a fraction, where no places count.
      const bool whole = own_.scale != 0 || generic() || (digits && good_[state.residue]);
      if (!digits || !whole || !at_point(state, after)) return std::nullopt;
      after.phase = Phase::kPointed;
      after.count = 0;
      return after;
    }
    if (state.phase == Phase::kZero) return std::nullopt;
    if (state.phase == Phase::kStart || state.phase == Phase::kWhole) {
      if (state.low == 0) {
        // What is not above zero is left out, where there is no other bound.
        const bool above = symbol != 0 && !own_.low;
        after.low = above ? kMet : compared_digit(symbol, low_.whole, state.count);
      }
      if (own_.high && state.high == 0) {
        after.high = compared_digit(symbol, high_.whole, state.count);
      }
      if (state.phase == Phase::kStart && symbol == 0) {
        after.phase = Phase::kZero;
        after.count = 1;
        after.residue = 0;
        return after;
      }
      after.phase = Phase::kWhole;
      after.residue = same_[next_residue(state.residue, symbol)];
      after.count = static_cast<std::uint32_t>(
          std::min<std::size_t>(state.count + std::size_t{1}, longest_ + 1));
      return after;
    }
    if (state.low == 0) {
      const std::uint32_t digit = digit_at(low_.fraction, state.count);
      if (symbol < digit) return std::nullopt;
      after.low = symbol > digit ? kMet : std::int8_t{0};
    }
    if (own_.high && state.high == 0) {
      const std::uint32_t digit = digit_at(high_.fraction, state.count);
      if (symbol > digit) return std::nullopt;
      after.high = symbol < digit ? kMet : std::int8_t{0};
    }
    if (state.count < own_.scale) {
      after.residue = same_[next_residue(state.residue, symbol)];
    } else if (symbol != 0) {
      after.residue = kNone;
    }
    after.phase = Phase::kPlaces;
    after.count =
        static_cast<std::uint32_t>(std::min<std::size_t>(state.count + std::size_t{1}, last_ + 1));
    return after;
  }

  bool generic() const { return own_.constant == 1; }

  std::uint32_t next_residue(std::uint32_t residue, std::uint32_t digit) const {
    return static_cast<std::uint32_t>((std::uint64_t{residue} * 10 + digit) % own_.cycle);
  }

  static std::uint32_t digit_at(const std::string& digits, std::size_t place) {
    return place < digits.size() ? static_cast<std::uint32_t>(digits[place] - '0') : 0;
  }

  static std::int8_t compared_digit(std::uint32_t symbol, const std::string& whole,
                                    std::size_t place) {
    if (place >= whole.size()) return 0;
    const std::uint32_t digit = digit_at(whole, place);
    return symbol > digit ? std::int8_t{1} : symbol < digit ? std::int8_t{-1} : std::int8_t{0};
  }

  // Whole numbers compare by their count of digits, then by what their digits said.
  static int compared(std::size_t count, std::size_t length, std::int8_t known) {
    if (count != length) return count > length ? 1 : -1;
    return known == kMet ? 0 : known;
  }

  // Leaves what is to compare after the point: 0, or nothing. Says whether the bounds may be met.
  bool at_point(const State& state, State& after) const {
    if (state.low != kMet) {
      const int order = compared(state.count, low_.whole.size(), state.low);
      if (order < 0) return false;
      after.low = order ? kMet : std::int8_t{0};
    }
    if (own_.high) {
      const int order = compared(state.count, high_.whole.size(), state.high);
      if (order > 0) return false;
      after.high = order ? kMet : std::int8_t{0};
    }
    return true;
  }

  bool accepts(const State& state) const {
    if (state.phase == Phase::kStart || state.phase == Phase::kPointed) return false;
    State met = state;
    if (state.phase != Phase::kPlaces) {
      if (state.phase == Phase::kZero || !at_point(state, met)) return false;
      met.count = 0;
    }
    if (met.low == 0 && (met.count < low_.fraction.size() || !low_.included)) return false;
    if (own_.high && met.high == 0 && met.count >= high_.fraction.size() && !high_.included) {
      return false;
    }
    if (met.residue == kNone) return generic();
    std::uint64_t residue = met.residue;
    for (std::uint32_t place = met.count; place < own_.scale; ++place) {
      residue = residue * 10 % own_.cycle;
    }
    return good_[residue];
  }

  // Takes out the steps to states from which no text can end, and these states but the start.
  void drop_dead() {
    std::vector<std::vector<std::uint32_t>> before(steps_.size());
    std::vector<std::uint32_t> stack;
    std::vector<bool> live(accepting_);
    for (std::uint32_t state = 0; state < steps_.size(); ++state) {
      for (std::uint32_t after : steps_[state]) {
        if (after != kNone) before[after].push_back(state);
      }
      if (accepting_[state]) stack.push_back(state);
    }
    while (!stack.empty()) {
      const std::uint32_t state = stack.back();
      stack.pop_back();
      for (std::uint32_t other : before[state]) {
        if (live[other]) continue;
        live[other] = true;
        stack.push_back(other);
      }
    }
    std::vector<std::uint32_t> number(steps_.size(), kNone);
    std::uint32_t count = 0;
    for (std::uint32_t state = 0; state < steps_.size(); ++state) {
      if (live[state] || state == 0) number[state] = count++;
    }
    for (std::uint32_t state = 0; state < steps_.size(); ++state) {
      if (number[state] == kNone) continue;
      Steps& own = steps_[number[state]] = steps_[state];
      for (std::uint32_t& after : own) {
        if (after != kNone) after = live[after] ? number[after] : kNone;
      }
      accepting_[number[state]] = accepting_[state];
    }
    steps_.resize(count);
    accepting_.resize(count);
  }

  const Decimals& own_;
  std::vector<bool> good_;           // by residue
  std::vector<std::uint32_t> same_;  // by residue, the least that is like it
  DecimalBound low_;
  DecimalBound high_;
  std::size_t longest_ = 0;  // whole part of a bound
  std::size_t last_ = 0;     // place that counts
  std::vector<Steps> steps_;
  std::vector<bool> accepting_;
};

}  // namespace

std::variant<LeafDfa, TooManyResidues, TooManyStates> decimal_automaton(
    const Decimals& decimals, std::uint32_t max_residues, std::uint32_t max_states,
    const std::function<void()>& check) {
  std::vector<std::int64_t> sums(decimals.cycle, decimals.constant);
  for (const auto& [modulus, count] : decimals.moduli) {
    for (std::uint32_t at = 0; at < decimals.cycle; at += modulus) sums[at] += count;
  }
  std::vector<bool> good(sums.size());
  for (std::size_t residue = 0; residue < sums.size(); ++residue) {
    good[residue] = sums[residue] == 1;
  }
  auto same = equal_residues(decimals.cycle, decimals.scale, good, check);
  std::uint32_t different = 0;
  for (std::uint32_t residue = 0; residue < decimals.cycle; ++residue) {
    different += same[residue] == residue ? 1 : 0;
  }
  if (different > max_residues) return TooManyResidues{different};
  Automaton automaton(decimals, std::move(good), std::move(same));
  if (!automaton.explore(max_states, check)) return TooManyStates{};
  automaton.reduce(check);
  return automaton.written();
}

}  // namespace formgate::json_schema
