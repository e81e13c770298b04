// Rows of tables of packed masks that stay on a device.
#include <algorithm>
#include <string>

#include "common.hpp"
#include "formgate/row_table.hpp"

namespace formgate::bindings {
namespace {

using Numbers = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Packed = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

[[noreturn]] void refuse(std::size_t number, const char* what) {
  throw nb::type_error(("item " + std::to_string(number) + " " + what).c_str());
}

// An item is masked in a row of `width` scores.
RowItem item_of(nb::handle given, std::size_t number, std::size_t width) {
  if (given.is_none()) return {};
  if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 2) {
    refuse(number, "must be None or a pair of an engine and a state");
  }
  const nb::object engine = given[0];
  const nb::object state = given[1];
  // An engine that wraps a native one has its states, and may have other masks.
  if (!engine.type().is(nb::type<EngineHandle>()) || !state.type().is(nb::type<StateHandle>())) {
    return {RowItem::Kind::kAlone, {}};
  }
  if (!nb::inst_ready(state)) refuse(number, "has a state that was never made by an engine");
  const Vocabulary& vocabulary = nb::inst_ptr<StateHandle>(state)->engine->vocabulary();
  if (vocabulary.size() > width) {
    throw nb::value_error(("scores have " + std::to_string(width) +
                           " entries a row but the vocabulary of item " + std::to_string(number) +
                           " has " + std::to_string(vocabulary.size()) +
                           " ids; build the vocabulary with the model's own size")
                              .c_str());
  }
  return {RowItem::Kind::kShared,
          {vocabulary.fingerprint(), nb::inst_ptr<StateHandle>(state)->value.key}};
}

std::vector<std::uint32_t> place(RowTable& self, nb::sequence items, const Exported<Numbers>& given,
                                 std::size_t width) {
  const Numbers& rows = given.array;
  require_aligned(rows.data(), 32);
  std::vector<RowItem> read;
  read.reserve(rows.shape(0));
  for (nb::handle item : items) read.push_back(item_of(item, read.size(), width));
  if (read.size() != rows.shape(0)) {
    throw nb::value_error("there must be one row number for each item");
  }
  return self.place(read, rows.data());
}

void fill_rows(const std::vector<StateHandle>& states, const Exported<Packed>& given) {
  const Packed& out = given.array;
  require_aligned(out.data(), 32);
  if (out.shape(0) != states.size()) {
    throw nb::value_error("there must be one row for each state");
  }
  const std::size_t width = out.shape(1);
  for (const StateHandle& state : states) {
    if (state.engine->vocabulary().words() > width) {
      throw nb::value_error("a row has fewer words than a mask of its state");
    }
  }
  const GilRelease release;
  auto* at = reinterpret_cast<std::uint32_t*>(out.data());
  for (const StateHandle& state : states) {
    const std::size_t words = state.engine->vocabulary().words();
    state.engine->fill(state.value, at);
    std::fill(at + words, at + width, 0u);
    at += width;
  }
}

}  // namespace

void bind_rows(nb::module_& m) {
  nb::class_<RowTable>(m, "RowTable",
                       "Which row of a table of packed masks holds which state's mask: those used "
                       "last stay. The table itself is the caller's.")
      .def(nb::init<std::uint32_t>(), nb::arg("most"))
      .def_prop_ro("size", &RowTable::size, "So many rows the table must have.")
      .def("place", &place, nb::arg("items"), nb::arg("rows").noconvert(), nb::arg("width"),
           nb::sig("def place(self, items: collections.abc.Sequence[tuple[typing.Any, typing.Any] "
                   "| None], rows: typing.Annotated[numpy.typing.NDArray[numpy.int32], "
                   "dict(shape=(None,), order='C', device='cpu')], width: int) -> list[int]"),
           "Write the row of each item, an engine with a state, and -1 for None, for rows of "
           "`width` scores, which no vocabulary may exceed; return the "
           "numbers of the items whose masks are to be written into their rows. Masks of engines "
           "of other classes, of which nothing is known, are kept for this batch alone.")
      .def("commit", &RowTable::commit,
           "Say that the masks were written. Without it they are forgotten at the next batch.");
  m.def("fill_rows", &fill_rows, nb::arg("states"), nb::arg("out").noconvert(),
        nb::sig("def fill_rows(states: collections.abc.Sequence[State], out: "
                "typing.Annotated[numpy.typing.NDArray[numpy.int32], dict(shape=(None, None), "
                "order='C', device='cpu')]) -> None"),
        "Write the packed mask of each state into a row; the states may be of different engines. "
        "Words beyond a vocabulary are zero.");
}

}  // namespace formgate::bindings
