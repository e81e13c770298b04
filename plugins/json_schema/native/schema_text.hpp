// JSON texts as Python's values, for schemas that are given as text.
#pragma once

#include <nanobind/nanobind.h>

namespace formgate::json_schema {

namespace nb = nanobind;

// The object that a text holds. None where it holds something else, or something that needs words:
// it is no JSON, a name stands twice, an integer has many digits, half of a surrogate pair, nesting
// that takes a deep stack. `decimal` makes what numbers with a fraction or an exponent become.
nb::object read_schema(nb::str text, nb::handle decimal);

}  // namespace formgate::json_schema
