// Rows of tables of packed masks that stay on a device.
#include <cstring>

#include "common.hpp"
#include "formgate/row_table.hpp"

namespace formgate::bindings {
namespace {

using Numbers = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Packed = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

RowItem item_of(nb::handle given) {
  if (given.is_none()) return {};
  if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 2) {
    throw nb::type_error("an item must be None or an engine and a state");
  }
  const nb::object engine = given[0];
  const nb::object state = given[1];
  // An engine that wraps a native one has its states, and may have other masks.
  if (!engine.type().is(nb::type<EngineHandle>()) || !state.type().is(nb::type<StateHandle>())) {
    return {RowItem::Kind::kAlone, {}};
  }
  const auto& own = *nb::inst_ptr<StateHandle>(state);
  return {RowItem::Kind::kShared, {own.engine->vocabulary().fingerprint(), own.value.key}};
}

std::vector<std::uint32_t> place(RowTable& self, nb::sequence items, const Numbers& rows) {
  std::vector<RowItem> read;
  read.reserve(rows.shape(0));
  for (nb::handle item : items) read.push_back(item_of(item));
  if (read.size() != rows.shape(0)) {
    throw nb::value_error("there must be one row number for each item");
  }
  return self.place(read, rows.data());
}

void fill_rows(const std::vector<StateHandle>& states, const Packed& out) {
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
      .def("place", &place, nb::arg("items"), nb::arg("rows"),
           nb::sig("def place(self, items: collections.abc.Sequence[tuple[typing.Any, typing.Any] "
                   "| None], rows: typing.Annotated[numpy.typing.NDArray[numpy.int32], "
                   "dict(shape=(None,), order='C', device='cpu')]) -> list[int]"),
           "Write the row of each item, an engine with a state, and -1 for None; return the "
           "numbers of the items whose masks are to be written into their rows. Masks of engines "
           "of other classes, of which nothing is known, are kept for this batch alone.")
      .def("commit", &RowTable::commit,
           "Say that the masks were written. Without it they are forgotten at the next batch.");
  m.def("fill_rows", &fill_rows, nb::arg("states"), nb::arg("out"),
        nb::sig("def fill_rows(states: collections.abc.Sequence[State], out: "
                "typing.Annotated[numpy.typing.NDArray[numpy.int32], dict(shape=(None, None), "
                "order='C', device='cpu')]) -> None"),
        "Write the packed mask of each state into a row; the states may be of different engines. "
        "Words beyond a vocabulary are zero.");
}

}  // namespace formgate::bindings
