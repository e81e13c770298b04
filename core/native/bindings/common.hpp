// Handles of native objects and helpers shared by the bindings. Bindings translate types only.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "formgate/engine.hpp"
#include "formgate/errors.hpp"
#include "formgate/kept_engine.hpp"
#include "gil.hpp"

namespace nb = nanobind;

namespace formgate::bindings {

struct VocabularyHandle {
  std::shared_ptr<const Vocabulary> value;
};

// Shared with engines and with grammars that include it: it is copied where it is written to later.
struct GrammarHandle {
  std::shared_ptr<Grammar> value = std::make_shared<Grammar>();
  Grammar& written() {
    if (value.use_count() > 1) value = value->branch();
    return *value;
  }
};

// Many states at once, for one node or several.
struct AutomatonHandle {
  std::shared_ptr<const LeafDfa> value;
};

struct EngineHandle {
  std::shared_ptr<const KeptEngine> value;
  nb::object vocabulary;  // the Python object the engine was compiled for
  nb::object grammar = nb::none();
  nb::object format = nb::none();
};

struct StateHandle {
  std::shared_ptr<const Engine> engine;  // pins the expressions, those of the pool it started in
  State value;
};

// A finished mask, owned; the words are never written again.
struct TokenMaskHandle {
  std::shared_ptr<const Bitmap> words;
  std::size_t size;
};

// Preallocated rows for masks; addressed by row, so that a fill needs no array conversion.
struct MaskBufferHandle {
  std::shared_ptr<Bitmap> words;
  std::size_t rows;
  std::size_t size;
  std::size_t stride() const { return (size + 31) / 32; }
};

// The object itself, or a view of the memory that it exports: some exporters tell no strides
// (ctypes), which nanobind reads where there are none.
nb::object with_strides(nb::handle object) noexcept;

// An array among the arguments of a function, of any exporter.
template <typename Array>
struct Exported {
  Array array;
};

// Rows of 32-bit words to write masks into.
struct Rows {
  std::uint32_t* data;
  std::size_t count;
  std::size_t stride;                       // in words
  nb::ndarray<nb::device::cpu> array = {};  // stays as it is while it is written to

  std::uint32_t* row(std::int64_t index) const;  // raises IndexError
};

// Those of a MaskBuffer, or of an array. Raises TypeError or ValueError where a row does not have
// so many words.
Rows rows_of(const MaskBufferHandle& out, std::size_t words);
Rows rows_of(nb::handle out, std::size_t words);

// The bytes of a str (as UTF-8) or bytes object, valid while the object lives. Raises TypeError or
// GrammarError for anything else or for lone surrogates; `what` names the argument.
std::string_view text_view(nb::handle object, const char* what);

// An integer given from Python, be it numpy's; beyond 64 bits, the nearest that has 64. Raises
// TypeError, which begins with `what`, for anything else.
struct Integer {
  Integer(nb::handle object, const char* what);
  std::int64_t value;
};

// A token id: however large, it is outside every vocabulary then.
struct Token : Integer {
  explicit Token(nb::handle object) : Integer(object, "a token is an integer id") {}
};
std::vector<std::int64_t> token_list(nb::handle objects);

// A row's number, whether or not there is such a row.
struct RowNumber : Integer {
  explicit RowNumber(nb::handle object) : Integer(object, "a row is an integer") {}
};

// A number of things, none or more. Raises TypeError or ValueError, which name the argument.
std::size_t amount(nb::handle object, const char* name);

// Raises ValueError where an array's elements of so many bits do not lie as processors have them.
void require_aligned(const void* data, std::size_t bits);

// An immutable object is its own copy.
template <typename Class>
void copy_is_itself(Class& bound, const char* copy, const char* deep_copy) {
  bound.def("__copy__", [](nb::handle self) { return nb::borrow(self); }, nb::sig(copy));
  bound.def(
      "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, nb::arg("memo"),
      nb::sig(deep_copy));
}

// Calls that take plain arguments at once (quick_calls.cpp).
void bind_quick_calls(nb::handle engine);
// Sets Python's error as it is set where nanobind meets an exception.
void set_error(const std::exception_ptr& pending);

void bind_vocabulary(nb::module_& m);
void bind_grammar(nb::module_& m);
void bind_mask(nb::module_& m);
void bind_engine(nb::module_& m);
void bind_apply(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_json_schema(nb::module_& m);  // plugins/json_schema/native

}  // namespace formgate::bindings

namespace nanobind::detail {

template <typename Array>
struct type_caster<formgate::bindings::Exported<Array>> {
  NB_TYPE_CASTER(formgate::bindings::Exported<Array>, make_caster<Array>::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Array> caster;
    const object exporter = formgate::bindings::with_strides(source);
    if (!caster.from_python(exporter, flags, cleanup)) return false;
    value.array = std::move(caster.value);
    return true;
  }
};

}  // namespace nanobind::detail
