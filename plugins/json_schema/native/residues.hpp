// Decimals that divisibility and bounds decide, as the least deterministic automaton.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "formgate/leaf_dfa.hpp"

namespace formgate::json_schema {

// Digits before and after the point, and whether the bound itself belongs.
struct DecimalBound {
  std::string whole;
  std::string fraction;
  bool included;
};

// Decimals above zero, with `scale` places that count: those belong of which the sum of `counts`
// over the moduli that divide them, in units of the last such place, and of `constant` is 1. All
// moduli divide `cycle`. Numbers with more places belong if `constant` is 1.
struct Decimals {
  std::uint32_t cycle;
  std::uint32_t scale;
  std::int64_t constant;
  std::vector<std::pair<std::uint32_t, std::int64_t>> moduli;
  std::optional<DecimalBound> low;
  std::optional<DecimalBound> high;
};

struct TooManyResidues {
  std::uint32_t count;
};
struct TooManyStates {};

// The least automaton of the texts of such decimals, of digits and the point, empty where there are
// none. `check` is called now and then.
std::variant<LeafDfa, TooManyResidues, TooManyStates> decimal_automaton(
    const Decimals& decimals, std::uint32_t max_residues, std::uint32_t max_states,
    const std::function<void()>& check);

}  // namespace formgate::json_schema
