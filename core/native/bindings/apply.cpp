// Applies masks to rows of scores in place: forbidden tokens become minus infinity.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "common.hpp"

namespace formgate::bindings {
namespace {

using Array = nb::ndarray<nb::device::cpu>;

// Sets scores that stand side by side, by copies of a stretch: the library's are as wide as the
// processor allows, which code for every processor is not.
template <typename Score>
void fill(Score* at, std::size_t count, Score value) {
  constexpr std::size_t kStretch = 2048 / sizeof(Score);
  if (count == 0) return;
  const std::size_t first = std::min(count, kStretch);
  std::fill_n(at, first, value);
  for (std::size_t done = first; done < count; done += kStretch) {
    std::memcpy(at + done, at, std::min(kStretch, count - done) * sizeof(Score));
  }
}

template <typename Score>
void fill(Score* at, std::int64_t stride, std::size_t count, Score value) {
  if (stride == 1) return fill(at, count, value);
  for (std::size_t i = 0; i < count; ++i) at[static_cast<std::int64_t>(i) * stride] = value;
}

template <typename Score>
void mask_row(Score* scores, std::int64_t stride, std::size_t length, const std::uint32_t* words,
              std::size_t allowed_length, Score minus_infinity) {
  const std::size_t common = std::min(length, allowed_length);
  const std::size_t whole = common / 32;
  for (std::size_t i = 0; i < whole;) {
    Score* at = scores + static_cast<std::int64_t>(32 * i) * stride;
    std::size_t end = i;
    while (end < whole && words[end] == 0) ++end;
    if (end > i) {
      fill(at, stride, 32 * (end - i), minus_infinity);
      i = end;
      continue;
    }
    for (std::uint32_t forbidden = ~words[i]; forbidden != 0; forbidden &= forbidden - 1) {
      at[std::countr_zero(forbidden) * stride] = minus_infinity;
    }
    ++i;
  }
  for (std::size_t i = 32 * whole; i < common; ++i) {
    if (!((words[i / 32] >> (i % 32)) & 1)) {
      scores[static_cast<std::int64_t>(i) * stride] = minus_infinity;
    }
  }
  // Ids the mask does not speak about are no tokens.
  fill(scores + static_cast<std::int64_t>(common) * stride, stride, length - common,
       minus_infinity);
}

struct Scores {
  void* data;
  std::size_t rows;
  std::size_t length;
  std::int64_t row_stride;
  std::int64_t stride;
  std::uint8_t code;
  std::uint8_t bits;
};

Array scores_array(nb::handle given) {
  Array array;
  if (!nb::try_cast<Array>(with_strides(given), array)) {
    throw nb::type_error("scores must be a writable array of floats in main memory");
  }
  return array;
}

// Whether rows, or else columns, lie one behind the other, so that no two scores have one place.
bool apart(const Array& array, std::size_t rows, std::size_t length) {
  const auto span = [](std::int64_t stride, std::size_t count) {
    return static_cast<std::uint64_t>(stride < 0 ? -stride : stride) * (count - 1);
  };
  if (rows == 0 || length == 0) return true;
  const std::size_t last = array.ndim() - 1;
  const std::uint64_t across = span(array.stride(last), length);
  if (length > 1 && across == 0) return false;
  if (rows == 1) return true;
  const std::uint64_t down = span(array.stride(0), rows);
  return down > 0 && (down / (rows - 1) > across || (length > 1 && across / (length - 1) > down));
}

Scores scores_of(const Array& array, std::size_t size) {
  if (array.ndim() != 1 && array.ndim() != 2) {
    throw nb::value_error("scores must have one or two dimensions");
  }
  const bool matrix = array.ndim() == 2;
  const std::size_t last = array.ndim() - 1;
  if (array.shape(last) < size) {
    throw nb::value_error(("scores have " + std::to_string(array.shape(last)) +
                           " entries a row but the vocabulary has " + std::to_string(size) +
                           " ids; build the vocabulary with the model's own size")
                              .c_str());
  }
  const auto code = array.dtype().code;
  const auto bits = array.dtype().bits;
  const bool known =
      (code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float) &&
       (bits == 16 || bits == 32 || bits == 64)) ||
      (code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat) && bits == 16);
  if (!known || array.dtype().lanes != 1) {
    throw nb::type_error("scores must be float64, float32, float16 or bfloat16");
  }
  require_aligned(array.data(), bits);
  if (!apart(array, matrix ? array.shape(0) : 1, array.shape(last))) {
    throw nb::value_error(
        "rows of the scores share memory or lie within each other; pass a contiguous copy");
  }
  return {array.data(),
          matrix ? array.shape(0) : 1,
          array.shape(last),
          matrix ? array.stride(0) : 0,
          array.stride(last),
          code,
          bits};
}

template <typename Score>
void apply_row(const Scores& scores, std::size_t row, const std::uint32_t* words, std::size_t size,
               Score minus_infinity) {
  Score* const at =
      static_cast<Score*>(scores.data) + static_cast<std::int64_t>(row) * scores.row_stride;
  mask_row(at, scores.stride, scores.length, words, size, minus_infinity);
}

void apply_row(const Scores& scores, std::size_t row, const std::uint32_t* words,
               std::size_t size) {
  if (scores.bits == 32) {
    apply_row(scores, row, words, size, -std::numeric_limits<float>::infinity());
  } else if (scores.bits == 64) {
    apply_row(scores, row, words, size, -std::numeric_limits<double>::infinity());
  } else {
    // The bit patterns of minus infinity in IEEE half precision and in bfloat16.
    const bool bfloat = scores.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat);
    apply_row(scores, row, words, size, static_cast<std::uint16_t>(bfloat ? 0xFF80 : 0xFC00));
  }
}

std::size_t checked_row(const Scores& scores, std::int64_t row) {
  if (row < 0 || static_cast<std::size_t>(row) >= scores.rows) {
    throw nb::index_error("the row is outside the scores");
  }
  return static_cast<std::size_t>(row);
}

}  // namespace

void bind_apply(nb::module_& m) {
  m.def(
      "apply_mask",
      [](const TokenMaskHandle& mask, nb::handle given, nb::handle row) {
        const Array scores = scores_array(given);
        const Scores target = scores_of(scores, mask.size);
        apply_row(target, checked_row(target, RowNumber(row).value), mask.words->data(), mask.size);
      },
      nb::arg("mask"), nb::arg("scores").none(), nb::arg("row").none() = 0,
      nb::sig("def apply_mask(mask: TokenMask, scores: typing.Any, row: int = 0) -> None"),
      "Set the scores of forbidden tokens to minus infinity, in place, on a CPU array of "
      "float64, float32, float16 or bfloat16. Entries beyond the vocabulary are forbidden.");
  m.def(
      "apply_masks",
      [](const std::vector<StateHandle>& states, nb::handle given) {
        const Array scores = scores_array(given);
        if (states.empty()) return;
        std::size_t largest = 0;  // looked at before any row is masked
        for (const StateHandle& state : states) {
          largest = std::max(largest, state.engine->vocabulary().size());
        }
        const Scores target = scores_of(scores, largest);
        if (target.rows != states.size()) {
          throw nb::value_error("scores must have one row for each state");
        }
        const GilRelease release;
        Bitmap words;
        for (std::size_t i = 0; i < states.size(); ++i) {
          const Engine& engine = *states[i].engine;
          const std::size_t size = engine.vocabulary().size();
          words.resize(engine.vocabulary().words());
          engine.fill(states[i].value, words.data());
          apply_row(target, i, words.data(), size);
        }
      },
      nb::arg("states"), nb::arg("scores").none(),
      nb::sig(
          "def apply_masks(states: collections.abc.Sequence[State], scores: typing.Any) -> None"),
      "Mask one row of scores for each state, in place; the states may be of different engines.");
}

}  // namespace formgate::bindings
