// Decimals that divisibility and bounds decide, as the least deterministic automaton.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace formgate::json_schema {

namespace nb = nanobind;

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

// For each state the states that follow, each with the symbols that lead there (10: the point), and
// whether the text may end; state 0 is the start. Where more residues differ than may be, their
// number instead; None for more states. `check` is called now and then.
nb::object decimal_automaton(const Decimals& decimals, std::uint32_t max_residues,
                             std::uint32_t max_states, nb::handle check);

}  // namespace formgate::json_schema
