// Arrays that are written to, and their rows.

#include "common.hpp"

namespace formgate::bindings {
namespace {

using Array = nb::ndarray<nb::device::cpu>;

Rows rows_of(const Array& out, std::size_t words) {
  if (out.dtype().bits != 32 || out.dtype().lanes != 1 ||
      (out.dtype().code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) &&
       out.dtype().code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt))) {
    throw nb::type_error("the mask array must have dtype int32 or uint32");
  }
  if (out.ndim() != 1 && out.ndim() != 2) {
    throw nb::value_error("the mask array must have one or two dimensions");
  }
  const std::size_t last = out.ndim() - 1;
  if (out.shape(last) != words || (out.size() > 0 && words > 1 && out.stride(last) != 1)) {
    throw nb::value_error(("a mask row must be " + std::to_string(words) +
                           " contiguous words: ceil(vocabulary size / 32)")
                              .c_str());
  }
  const std::size_t count = out.ndim() == 2 ? out.shape(0) : 1;
  const std::int64_t stride = out.ndim() == 2 ? out.stride(0) : static_cast<std::int64_t>(words);
  if (count > 1 && stride < static_cast<std::int64_t>(words)) {
    throw nb::value_error(
        "rows of the mask array overlap or run backwards; pass a contiguous copy");
  }
  require_aligned(out.data(), 32);
  return {static_cast<std::uint32_t*>(out.data()), count, static_cast<std::size_t>(stride), out};
}

}  // namespace

nb::object with_strides(nb::handle object) noexcept {
  if (!nb::hasattr(object, "__dlpack__")) {
    if (PyObject* const view = PyMemoryView_FromObject(object.ptr())) return nb::steal(view);
    PyErr_Clear();
  }
  return nb::borrow(object);
}

void require_aligned(const void* data, std::size_t bits) {
  if (reinterpret_cast<std::uintptr_t>(data) % (bits / 8) != 0) {
    throw nb::value_error("the array's memory is not aligned to its elements; pass a copy");
  }
}

std::uint32_t* Rows::row(std::int64_t index) const {
  if (index < 0 || static_cast<std::size_t>(index) >= count) {
    throw nb::index_error("the row is outside the mask array");
  }
  return data + static_cast<std::size_t>(index) * stride;
}

Rows rows_of(const MaskBufferHandle& out, std::size_t words) {
  if (out.stride() != words) {
    throw nb::value_error("the mask buffer was made for a vocabulary of another size");
  }
  return {out.words->data(), out.rows, words};
}

Rows rows_of(nb::handle out, std::size_t words) {
  if (nb::isinstance<MaskBufferHandle>(out)) {
    return rows_of(nb::cast<const MaskBufferHandle&>(out), words);
  }
  const nb::object source = with_strides(out);
  Array array;
  if (!nb::try_cast<Array>(source, array)) {
    throw nb::type_error(
        "masks are written into a MaskBuffer or a writable int32 array in main memory");
  }
  return rows_of(array, words);
}

}  // namespace formgate::bindings
