#include <algorithm>
#include <bit>
#include <cstring>

#include "common.hpp"

namespace formgate::bindings {
namespace {

using Words = Bitmap;

TokenMaskHandle from_ids(std::int64_t size, const std::vector<std::int64_t>& ids) {
  if (size < 0 || size > (1ll << 28)) throw nb::value_error("size must be within 0 to 2**28");
  auto words = std::make_shared<Words>(static_cast<std::size_t>(size + 31) / 32, 0u);
  for (std::int64_t id : ids) {
    if (id < 0 || id >= size) throw nb::index_error("a token id is outside the mask");
    set_bit(words->data(), static_cast<TokenId>(id));
  }
  return {std::move(words), static_cast<std::size_t>(size)};
}

// Bits of all words by the parallel count of Knuth (TAOCP 7.1.3): compilers vectorise it on any
// processor, while std::popcount needs an instruction the base line lacks.
std::size_t count(const TokenMaskHandle& self) {
  std::size_t total = 0;
  for (std::uint32_t word : *self.words) {
    word -= (word >> 1) & 0x55555555u;
    word = (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0Fu;
    word += word >> 8;
    total += (word + (word >> 16)) & 0x3Fu;
  }
  return total;
}

bool any(const TokenMaskHandle& self) {
  return std::any_of(self.words->begin(), self.words->end(), [](auto word) { return word != 0; });
}

template <typename Visit>
void for_each_id(const TokenMaskHandle& self, Visit&& visit) {
  for (std::size_t i = 0; i < self.words->size(); ++i) {
    for (std::uint32_t word = (*self.words)[i]; word; word &= word - 1) {
      visit(static_cast<std::uint32_t>(i * 32) +
            static_cast<std::uint32_t>(std::countr_zero(word)));
    }
  }
}

nb::object ids(const TokenMaskHandle& self) {
  auto* out = new std::vector<std::int32_t>();
  const nb::capsule owner(
      out, [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
  out->reserve(count(self));
  for_each_id(self, [&](std::uint32_t id) { out->push_back(static_cast<std::int32_t>(id)); });
  return nb::cast(
      nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(out->data(), {out->size()}, owner));
}

nb::object words_view(const TokenMaskHandle& self) {
  auto* keep = new std::shared_ptr<const Words>(self.words);
  const nb::capsule owner(
      keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<const Words>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<1>>(
      self.words->data(), {self.words->size()}, owner));
}

bool contains(const TokenMaskHandle& self, nb::handle given) {
  const std::int64_t id = Token(given).value;
  return id >= 0 && static_cast<std::size_t>(id) < self.size &&
         test_bit(self.words->data(), static_cast<TokenId>(id));
}

template <typename Op>
TokenMaskHandle combine(const TokenMaskHandle& a, const TokenMaskHandle& b, Op op) {
  if (a.size != b.size) throw nb::value_error("masks of different vocabularies cannot be combined");
  auto words = std::make_shared<Words>(a.words->size());
  for (std::size_t i = 0; i < words->size(); ++i) (*words)[i] = op((*a.words)[i], (*b.words)[i]);
  return {std::move(words), a.size};
}

}  // namespace

void bind_mask(nb::module_& m) {
  auto mask = nb::class_<TokenMaskHandle>(
      m, "TokenMask", "An immutable packed set of token ids: id i is bit i % 32 of word i // 32.");
  copy_is_itself(mask, "def __copy__(self) -> TokenMask",
                 "def __deepcopy__(self, memo: object, /) -> TokenMask");
  mask.def_static("from_ids", &from_ids, nb::arg("size"), nb::arg("ids"),
                  "The mask of `size` ids that allows just `ids`.")
      .def_prop_ro(
          "size", [](const TokenMaskHandle& self) { return self.size; },
          "Number of ids the mask speaks about: the model's vocabulary.")
      .def_prop_ro("words", &words_view, nb::sig("def words(self) -> typing.Any"),
                   "Read-only numpy uint32 view of the words, without a copy.")
      .def("ids", &ids, nb::sig("def ids(self) -> typing.Any"),
           "The allowed ids, ascending, as a numpy int32 array.")
      .def(
          "to_list",
          [](const TokenMaskHandle& self) {
            nb::list out;
            for_each_id(self, [&](std::uint32_t id) { out.append(id); });
            return out;
          },
          nb::sig("def to_list(self) -> list[int]"), "The allowed ids, ascending.")
      .def(
          "fill",
          [](const TokenMaskHandle& self,
             Exported<nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>
                 given) {
            const auto& out = given.array;
            if (out.size() != self.words->size()) {
              throw nb::value_error("the row must have ceil(size / 32) words");
            }
            std::memcpy(out.data(), self.words->data(), self.words->size() * 4);
          },
          nb::arg("out"), "Copy the words into a uint32 row.")
      .def(
          "fill",
          [](const TokenMaskHandle& self,
             Exported<nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>
                 given) {
            const auto& out = given.array;
            if (out.size() != self.words->size()) {
              throw nb::value_error("the row must have ceil(size / 32) words");
            }
            std::memcpy(out.data(), self.words->data(), self.words->size() * 4);
          },
          nb::arg("out"), "Copy the words into an int32 row.")
      .def("__len__", &count)
      .def("__bool__", &any)
      .def("__contains__", &contains, nb::arg("token").none(),
           nb::sig("def __contains__(self, token: int) -> bool"))
      .def(
          "__eq__",
          [](const TokenMaskHandle& a, nb::handle other) {
            if (!nb::isinstance<TokenMaskHandle>(other)) return false;
            const auto& b = nb::cast<const TokenMaskHandle&>(other);
            return a.size == b.size && *a.words == *b.words;
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__",
           [](const TokenMaskHandle& self) {
             Hasher hasher(0x3A5C);
             for (std::uint32_t word : *self.words) hasher.add(word);
             return static_cast<Py_hash_t>(hasher.finish().lo >> 1);
           })
      .def("__or__",
           [](const TokenMaskHandle& a, const TokenMaskHandle& b) {
             return combine(a, b, [](auto x, auto y) { return x | y; });
           })
      .def("__and__",
           [](const TokenMaskHandle& a, const TokenMaskHandle& b) {
             return combine(a, b, [](auto x, auto y) { return x & y; });
           })
      .def("__sub__",
           [](const TokenMaskHandle& a, const TokenMaskHandle& b) {
             return combine(a, b, [](auto x, auto y) { return x & ~y; });
           })
      .def("__repr__", [](const TokenMaskHandle& self) {
        return "TokenMask(" + std::to_string(count(self)) + " of " + std::to_string(self.size) +
               " allowed)";
      });
  nb::class_<MaskBufferHandle>(m, "MaskBuffer",
                               "Preallocated mask rows; filling one needs no array conversion.")
      .def(
          "__init__",
          [](MaskBufferHandle* self, nb::handle given_rows, nb::handle given_size) {
            const std::size_t rows = amount(given_rows, "rows");
            const std::size_t size = amount(given_size, "size");
            if (rows > (1u << 20) || size > (1u << 28)) {
              throw nb::value_error("a buffer has at most 2**20 rows and a size of at most 2**28");
            }
            const std::size_t words = rows * ((size + 31) / 32);
            try {
              new (self) MaskBufferHandle{std::make_shared<Words>(words, 0u), rows, size};
            } catch (const std::bad_alloc&) {
              PyErr_Format(PyExc_MemoryError, "no memory for a buffer of %zu words", words);
              throw nb::python_error();
            }
          },
          nb::arg("rows").none(), nb::arg("size").none(),
          nb::sig("def __init__(self, rows: int, size: int) -> None"))
      .def_prop_ro("rows", [](const MaskBufferHandle& self) { return self.rows; })
      .def_prop_ro("size", [](const MaskBufferHandle& self) { return self.size; })
      .def_prop_ro(
          "array",
          [](const MaskBufferHandle& self) {
            auto* keep = new std::shared_ptr<Words>(self.words);
            const nb::capsule owner(
                keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<Words>*>(p); });
            return nb::cast(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>(
                reinterpret_cast<std::int32_t*>(self.words->data()), {self.rows, self.stride()},
                owner));
          },
          nb::sig("def array(self) -> typing.Any"),
          "numpy int32 view of shape (rows, ceil(size / 32)).");
}

}  // namespace formgate::bindings
