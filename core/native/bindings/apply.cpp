// Applies masks to rows of scores in place: forbidden tokens become minus infinity.
#include <cstring>
#include <limits>

#include "common.hpp"

namespace formgate::bindings {
namespace {

using Array = nb::ndarray<nb::device::cpu>;

template <typename Score>
void mask_row(Score* scores, std::int64_t stride, std::size_t length, const std::uint32_t* words,
              std::size_t allowed_length, Score minus_infinity) {
  const std::size_t common = std::min(length, allowed_length);
  for (std::size_t i = 0; i < common; i += 32) {
    const std::uint32_t word = words[i / 32];
    const std::size_t end = std::min<std::size_t>(32, common - i);
    if (word == 0xFFFFFFFFu) continue;
    Score* at = scores + static_cast<std::int64_t>(i) * stride;
    if (word == 0) {
      for (std::size_t j = 0; j < end; ++j)
        at[static_cast<std::int64_t>(j) * stride] = minus_infinity;
      continue;
    }
    for (std::size_t j = 0; j < end; ++j) {
      if (!((word >> j) & 1)) at[static_cast<std::int64_t>(j) * stride] = minus_infinity;
    }
  }
  // Ids the mask does not speak about are no tokens.
  for (std::size_t i = common; i < length; ++i)
    scores[static_cast<std::int64_t>(i) * stride] = minus_infinity;
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
  return {array.data(),
          matrix ? array.shape(0) : 1,
          array.shape(last),
          matrix ? array.stride(0) : 0,
          array.stride(last),
          code,
          bits};
}

void apply_row(const Scores& scores, std::size_t row, const std::uint32_t* words,
               std::size_t size) {
  const std::int64_t offset = static_cast<std::int64_t>(row) * scores.row_stride;
  if (scores.bits == 32) {
    mask_row(static_cast<float*>(scores.data) + offset, scores.stride, scores.length, words, size,
             -std::numeric_limits<float>::infinity());
  } else if (scores.bits == 64) {
    mask_row(static_cast<double*>(scores.data) + offset, scores.stride, scores.length, words, size,
             -std::numeric_limits<double>::infinity());
  } else {
    // The bit patterns of minus infinity in IEEE half precision and in bfloat16.
    const bool bfloat = scores.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat);
    mask_row(static_cast<std::uint16_t*>(scores.data) + offset, scores.stride, scores.length, words,
             size, static_cast<std::uint16_t>(bfloat ? 0xFF80 : 0xFC00));
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
      [](const TokenMaskHandle& mask, const Array& scores, std::int64_t row) {
        const Scores target = scores_of(scores, mask.size);
        apply_row(target, checked_row(target, row), mask.words->data(), mask.size);
      },
      nb::arg("mask"), nb::arg("scores"), nb::arg("row") = 0,
      nb::sig("def apply_mask(mask: TokenMask, scores: typing.Any, row: int = 0) -> None"),
      "Set the scores of forbidden tokens to minus infinity, in place, on a CPU array of "
      "float64, float32, float16 or bfloat16. Entries beyond the vocabulary are forbidden.");
  m.def(
      "apply_masks",
      [](const std::vector<StateHandle>& states, const Array& scores) {
        if (states.empty()) return;
        const Scores target = scores_of(scores, states[0].engine->vocabulary().size());
        if (target.rows != states.size()) {
          throw nb::value_error("scores must have one row for each state");
        }
        const GilRelease release;
        std::vector<std::uint32_t> words;
        for (std::size_t i = 0; i < states.size(); ++i) {
          const Engine& engine = *states[i].engine;
          const std::size_t size = engine.vocabulary().size();
          if (size > target.length) {
            throw nb::value_error("a row of scores is shorter than its engine's vocabulary");
          }
          words.resize(engine.vocabulary().words());
          engine.fill(states[i].value, words.data());
          apply_row(target, i, words.data(), size);
        }
      },
      nb::arg("states"), nb::arg("scores"),
      nb::sig(
          "def apply_masks(states: collections.abc.Sequence[State], scores: typing.Any) -> None"),
      "Mask one row of scores for each state, in place; the states may be of different engines.");
}

}  // namespace formgate::bindings
