#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "common.hpp"
#include "gil.hpp"
#include "likely_text.hpp"
#include "plain_schemas.hpp"
#include "python_values.hpp"
#include "residues.hpp"
#include "schema_text.hpp"

namespace formgate::bindings {

using json_schema::PlainSchemas;
using json_schema::Policy;
using json_schema::Words;

void bind_json_schema(nb::module_& m) {
  m.def("read_schema", &json_schema::read_schema, nb::arg("text"), nb::arg("decimal"),
        nb::sig("def read_schema(text: str, decimal: object) -> dict[str, Any] | None"),
        "Read the object that a JSON text holds, or None where Python's reader has more to say.");
  m.def(
      "likely_text",
      [](nb::handle schema, std::size_t size, std::string comma, std::string colon,
         std::optional<std::uint32_t> indent) {
        nb::list out;
        for (const std::string& piece :
             json_schema::likely_text(schema, size, {std::move(comma), std::move(colon), indent})) {
          out.append(nb::bytes(piece.data(), piece.size()));
        }
        return out;
      },
      nb::arg("schema").none(), nb::arg("size"), nb::kw_only(), nb::arg("comma"), nb::arg("colon"),
      nb::arg("indent").none(),
      nb::sig("def likely_text(schema: object, size: int, *, comma: str, colon: str, "
              "indent: int | None) -> list[bytes]"),
      "Return the beginning of what outputs of a schema are likely to look like, of some size\n"
      "characters: pieces, between which stands what is not known.");
  m.def(
      "has_at_most", &json_schema::has_at_most, nb::arg("value"), nb::arg("most"),
      nb::sig("def has_at_most(value: object, most: int) -> bool"),
      "Say whether a value of dicts and lists has at most so many parts, each counted wherever it\n"
      "stands.");
  m.def(
      "decimal_automaton",
      [](std::uint32_t cycle, std::uint32_t scale, std::int64_t constant,
         std::vector<std::pair<std::uint32_t, std::int64_t>> moduli,
         std::optional<std::tuple<std::string, std::string, bool>> low,
         std::optional<std::tuple<std::string, std::string, bool>> high, std::uint32_t max_residues,
         std::uint32_t max_states, nb::object check) -> nb::object {
        const auto bound = [](const auto& given) -> std::optional<json_schema::DecimalBound> {
          if (!given) return std::nullopt;
          return std::make_from_tuple<json_schema::DecimalBound>(*given);
        };
        const json_schema::Decimals decimals{cycle,      scale,      constant, std::move(moduli),
                                             bound(low), bound(high)};
        auto found = json_schema::decimal_automaton(decimals, max_residues, max_states,
                                                    [&check] { in_python([&check] { check(); }); });
        if (const auto* many = std::get_if<json_schema::TooManyResidues>(&found)) {
          return nb::int_(many->count);
        }
        if (!std::holds_alternative<LeafDfa>(found)) return nb::none();
        return nb::cast(
            AutomatonHandle{std::make_shared<const LeafDfa>(std::get<LeafDfa>(std::move(found)))});
      },
      nb::kw_only(), nb::arg("cycle"), nb::arg("scale"), nb::arg("constant"), nb::arg("moduli"),
      nb::arg("low").none(), nb::arg("high").none(), nb::arg("max_residues"), nb::arg("max_states"),
      nb::arg("check"),
      nb::sig("def decimal_automaton(*, cycle: int, scale: int, constant: int, "
              "moduli: list[tuple[int, int]], low: tuple[str, str, bool] | None, "
              "high: tuple[str, str, bool] | None, max_residues: int, max_states: int, "
              "check: object) -> Automaton | int | None"),
      "Return the least automaton of decimals that divisibility and bounds decide.\n\n"
      "An int is how many residues there are, where these are too many, and None stands for too\n"
      "many states.");
  nb::class_<Words>(m, "SchemaWords", "What the keywords of a draft of JSON Schema are.")
      .def(nb::init<const std::vector<std::string>&, std::string, bool>(), nb::kw_only(),
           nb::arg("active"), nb::arg("id_keyword"), nb::arg("lone_ref"));
  nb::class_<PlainSchemas>(m, "PlainSchemas", "Writes schemas that say what they mean.")
      .def(
          "__init__",
          [](PlainSchemas* self, nb::object core, nb::object root, nb::object words,
             const std::string& prefix, const std::string& suffix,
             std::optional<std::uint32_t> blanks, const std::string& comma,
             const std::string& colon, bool ordered, bool canonical, bool relaxed,
             std::optional<Grammar::Handle> anything) {
            Grammar& grammar = nb::cast<GrammarHandle&>(core).written();
            const auto& known = nb::cast<const Words&>(words);
            new (self) PlainSchemas(nb::make_tuple(core, words), grammar, std::move(root), known,
                                    Policy{blanks, comma, colon, ordered, canonical, relaxed},
                                    prefix, suffix, anything);
          },
          nb::arg("core"), nb::arg("root"), nb::arg("words"), nb::kw_only(), nb::arg("prefix"),
          nb::arg("suffix"), nb::arg("blanks").none(), nb::arg("comma"), nb::arg("colon"),
          nb::arg("ordered"), nb::arg("canonical"), nb::arg("relaxed"), nb::arg("anything").none(),
          nb::sig("def __init__(self, core: GrammarCore, root: object, words: SchemaWords, *, "
                  "prefix: str, suffix: str, blanks: int | None, comma: str, colon: str, "
                  "ordered: bool, canonical: bool, relaxed: bool, anything: int | None) -> None"))
      .def("value", &PlainSchemas::value, nb::arg("schema"), nb::arg("place"), nb::arg("host"),
           nb::sig("def value(self, schema: object, place: tuple[object, str], host: object) -> "
                   "int | None"))
      .def("drain", &PlainSchemas::drain, nb::arg("host"),
           nb::sig("def drain(self, host: object) -> bool"))
      .def("mend", &PlainSchemas::mend, nb::arg("node"), nb::arg("host"),
           nb::sig("def mend(self, node: int, host: object) -> bool"))
      .def("anything", &PlainSchemas::anything, nb::arg("host"),
           nb::sig("def anything(self, host: object) -> int"))
      .def_prop_ro("known_anything", &PlainSchemas::known_anything);
}

}  // namespace formgate::bindings
