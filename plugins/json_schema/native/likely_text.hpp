// What outputs of a schema are likely to look like, to make masks along while compiling.
//
// Members in the order of the schema, one item in each list, the first value of each enumeration.
// It is a guess, made in some microseconds: nothing depends on its being valid.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace formgate::json_schema {

namespace nb = nanobind;

// What stands between members, after names, and before a value at each level.
struct Spacing {
  std::string comma = ", ";
  std::string colon = ": ";
  std::optional<std::uint32_t> indent;
};

// The beginning of a text, of some `size` characters, in pieces: what stands between two of them is
// not known here, such as the text of a pattern.
std::vector<std::string> likely_text(nb::handle schema, std::size_t size, Spacing spacing);

}  // namespace formgate::json_schema
