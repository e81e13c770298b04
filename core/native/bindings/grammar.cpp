#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "common.hpp"

namespace formgate::bindings {
namespace {

using Handles = std::vector<Grammar::Handle>;
using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

Grammar::Handle char_class(GrammarHandle& self, const Ranges& ranges, bool negated) {
  std::vector<Interval> intervals;
  intervals.reserve(ranges.size());
  for (const auto& [low, high] : ranges) {
    if (low < 0 || high > static_cast<std::int64_t>(kMaxCodePoint) || low > high) {
      throw Error(ErrorKind::kGrammar, "character range (" + std::to_string(low) + ", " +
                                           std::to_string(high) +
                                           ") is not ordered within 0 to 0x10FFFF");
    }
    intervals.push_back({static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)});
  }
  CharSet set(std::move(intervals));
  return self.written().chars(negated ? set.complement() : std::move(set));
}

Grammar::Handle byte_class(GrammarHandle& self, const Ranges& ranges) {
  ByteSet set;
  for (const auto& [low, high] : ranges) {
    if (low < 0 || high > 255 || low > high) {
      throw Error(ErrorKind::kGrammar, "byte range (" + std::to_string(low) + ", " +
                                           std::to_string(high) +
                                           ") is not ordered within 0 to 255");
    }
    set = set | ByteSet::range(static_cast<unsigned>(low), static_cast<unsigned>(high));
  }
  return self.written().byte_class(set);
}

Grammar::Handle repeat(GrammarHandle& self, Grammar::Handle part, std::int64_t min,
                       std::optional<std::int64_t> max) {
  if (min < 0 || (max && *max < 0)) {
    throw Error(ErrorKind::kGrammar, "repetition counts cannot be negative");
  }
  if (max && *max >= static_cast<std::int64_t>(kUnbounded)) max = 0x80000000ll;  // refused below
  return self.written().repeat(part, static_cast<std::uint64_t>(min),
                               max ? static_cast<std::uint64_t>(*max) : kUnbounded);
}

Grammar::Handle strings(GrammarHandle& self, nb::list values, std::optional<double> timeout_s,
                        std::shared_ptr<CancelToken> cancel) {
  std::vector<std::string_view> views;
  views.reserve(values.size());
  std::size_t index = 0;
  for (nb::handle item : values) {
    if (!PyUnicode_Check(item.ptr()) && !PyBytes_Check(item.ptr())) {
      throw Error(ErrorKind::kGrammar,
                  "value " + std::to_string(index) + " is neither str nor bytes");
    }
    Py_ssize_t length = 0;
    const char* data = nullptr;
    if (PyUnicode_Check(item.ptr())) {
      data = PyUnicode_AsUTF8AndSize(item.ptr(), &length);
      if (!data) {
        PyErr_Clear();
        throw Error(ErrorKind::kGrammar,
                    "value " + std::to_string(index) +
                        " has a lone surrogate, which no well-formed text contains; remove it");
      }
    } else {
      data = PyBytes_AsString(item.ptr());
      length = PyBytes_Size(item.ptr());
    }
    views.emplace_back(data, static_cast<std::size_t>(length));
    ++index;
  }
  std::shared_ptr<const LeafDfa> automaton;
  {
    const GilRelease release;  // the list keeps the texts alive
    if (views.empty()) {
      automaton = std::make_shared<const LeafDfa>();
    } else {
      CompileContext context(Limits{}, timeout_s, std::move(cancel));
      automaton = std::make_shared<const LeafDfa>(LeafDfa::of_strings(std::move(views), context));
    }
  }
  return self.written().strings(std::move(automaton));
}

// (key's name or node, value, required); with a node, there is no name.
using EntryTuple = std::tuple<nb::object, Grammar::Handle, bool>;
// For each condition, (entry, number of the value, or nothing if it does not come).
using ClauseTuples =
    std::vector<std::vector<std::tuple<std::uint32_t, std::optional<std::uint32_t>>>>;
using SomeTuple = std::tuple<Grammar::Handle, std::vector<std::uint32_t>>;
using CellTuple = std::tuple<Grammar::Handle, Grammar::Handle, bool, std::vector<SomeTuple>>;

Grammar::Handle keyed(GrammarHandle& self, const std::vector<EntryTuple>& entries,
                      const std::vector<CellTuple>& cells, Grammar::Handle colon,
                      Grammar::Handle comma, bool ordered, bool canonical, bool places,
                      bool repeats, std::uint32_t min, std::optional<std::uint32_t> max,
                      std::vector<std::pair<std::uint32_t, std::uint32_t>> needs,
                      const std::vector<std::pair<std::uint32_t, Grammar::Handle>>& ways,
                      const ClauseTuples& clauses) {
  Grammar::Keys keys;
  for (const auto& [key, value, required] : entries) {
    Grammar::Entry entry;
    if (nb::isinstance<nb::str>(key)) {
      entry.name = std::string(text_view(key, "a key"));
    } else {
      entry.key = nb::cast<Grammar::Handle>(key);
    }
    entry.value = value;
    entry.required = required;
    keys.entries.push_back(std::move(entry));
  }
  for (const auto& [given, value, quoted, some] : cells) {
    keys.cells.push_back({given, value, quoted});
    for (const auto& [met, conditions] : some) keys.cells.back().some.push_back({met, conditions});
  }
  keys.colon = colon;
  keys.comma = comma;
  keys.ordered = ordered;
  keys.canonical = canonical;
  keys.places = places;
  keys.repeats = repeats;
  keys.min = min;
  keys.max = max.value_or(kUnbounded);
  keys.needs = std::move(needs);
  for (const auto& [entry, way] : ways) keys.entries.at(entry).ways.push_back(way);
  for (const auto& given : clauses) {
    keys.clauses.emplace_back();
    for (const auto& [entry, way] : given) {
      keys.clauses.back().push_back({entry, way.value_or(EntryClauses::kGone)});
    }
  }
  return self.written().keyed(std::move(keys));
}

using TerminalTuple =
    std::tuple<std::string, Grammar::Handle, bool, std::vector<std::pair<std::string, bool>>, bool>;
using ProductionTuple = std::tuple<std::string, std::vector<std::string>, std::int64_t>;

std::vector<Grammar::Production> productions_of(const std::vector<ProductionTuple>& given) {
  std::vector<Grammar::Production> out;
  out.reserve(given.size());
  for (const auto& [head, body, priority] : given) out.push_back({head, body, priority});
  return out;
}

Grammar::Handle lexed(GrammarHandle& self, Grammar::Handle start,
                      const std::vector<TerminalTuple>& terminals, bool first, bool contextual,
                      const std::vector<ProductionTuple>& productions) {
  std::vector<Grammar::Terminal> list;
  list.reserve(terminals.size());
  for (const auto& [name, pattern, ignored, keyword_of, longest] : terminals) {
    list.push_back({name, pattern, ignored, keyword_of, longest});
  }
  return self.written().lexed(start, list, first ? LexMode::kFirst : LexMode::kLongest, contextual,
                              productions_of(productions));
}

nb::object compile(const GrammarHandle& self, nb::object vocabulary, const Limits& limits,
                   std::optional<double> timeout_s, std::shared_ptr<CancelToken> cancel,
                   const MaskOptions& options) {
  const auto words = nb::cast<const VocabularyHandle&>(vocabulary).value;
  const std::shared_ptr<const Grammar> grammar = self.value;
  EngineHandle out;
  {
    const GilRelease release;
    CompileContext context(limits, timeout_s, std::move(cancel));
    out.value = KeptEngine::compile(grammar, words, context, options);
  }
  out.vocabulary = std::move(vocabulary);
  return nb::cast(std::move(out));
}

}  // namespace

void bind_grammar(nb::module_& m) {
  m.def(
      "lalr_accepts",
      [](const std::vector<std::string>& terminals, const std::vector<ProductionTuple>& productions,
         const std::vector<std::string>& text) {
        return Grammar::lalr_accepts(terminals, productions_of(productions), text);
      },
      nb::arg("terminals"), nb::arg("productions"), nb::arg("text"),
      "Terminals that an LALR(1) parser has an action for after others, \"\" for the end; None "
      "where it fails on the way.");
  nb::class_<CancelToken>(m, "CancelToken", "Stops a running compilation from another thread.")
      .def(nb::init<>())
      .def("cancel", &CancelToken::cancel, "Ask the compilation to stop.")
      .def_prop_ro("cancelled", &CancelToken::cancelled);
  nb::class_<Limits>(m, "Limits", "Bounds of one compilation; exceeding one raises LimitError.")
      .def(
          "__init__",
          [](Limits* self, std::int64_t max_states, std::int64_t max_nodes, std::int64_t max_depth,
             std::int64_t max_search, std::int64_t max_search_steps, std::int64_t max_growth) {
            if (std::min({max_states, max_nodes, max_depth, max_search, max_search_steps,
                          max_growth}) < 1) {
              throw nb::value_error("every limit is at least 1");
            }
            if (max_depth > 2000) {
              throw nb::value_error("max_depth is at most 2000: native code recurses that deep");
            }
            new (self) Limits{
                static_cast<std::size_t>(max_states),       static_cast<std::size_t>(max_nodes),
                static_cast<std::size_t>(max_depth),        static_cast<std::size_t>(max_search),
                static_cast<std::size_t>(max_search_steps), static_cast<std::size_t>(max_growth)};
          },
          nb::kw_only(), nb::arg("max_states") = Limits{}.max_states,
          nb::arg("max_nodes") = Limits{}.max_nodes, nb::arg("max_depth") = Limits{}.max_depth,
          nb::arg("max_search") = Limits{}.max_search,
          nb::arg("max_search_steps") = Limits{}.max_search_steps,
          nb::arg("max_growth") = Limits{}.max_growth)
      .def_ro("max_states", &Limits::max_states,
              "States explored to decide whether intersections, complements and look-around are "
              "empty.")
      .def_ro("max_nodes", &Limits::max_nodes, "Expressions of the lowered grammar.")
      .def_ro("max_depth", &Limits::max_depth,
              "Nesting of repetitions, alternatives and Boolean operators.")
      .def_ro("max_search", &Limits::max_search, "States visited by one min_tokens query.")
      .def_ro("max_search_steps", &Limits::max_search_steps,
              "Steps of one min_tokens query through the vocabulary, a byte of a token each.")
      .def_ro("max_growth", &Limits::max_growth,
              "New expressions that one mask or one token may take.");
  nb::class_<MaskOptions>(m, "MaskOptions",
                          "Switches of optimisations; none changes a mask, unless a lexer's search "
                          "for a way on ends at its bound (docs/design/exactness.md). Without them "
                          "more is derived for one, which may exceed Limits.max_growth.")
      .def(
          "__init__",
          [](MaskOptions* self, bool class_tables, bool automaton_walk, bool split_parts,
             bool cut_subtrees, bool keep_masks, unsigned prefix_uses, unsigned walked_tokens) {
            new (self) MaskOptions{class_tables, automaton_walk, split_parts,  cut_subtrees,
                                   keep_masks,   prefix_uses,    walked_tokens};
          },
          nb::kw_only(), nb::arg("class_tables") = true, nb::arg("automaton_walk") = true,
          nb::arg("split_parts") = true, nb::arg("cut_subtrees") = true,
          nb::arg("keep_masks") = true, nb::arg("prefix_uses") = 6,
          nb::arg("walked_tokens") = 2048);
  nb::class_<AutomatonHandle>(m, "Automaton", "A deterministic automaton that is one node.")
      .def(
          "__len__", [](const AutomatonHandle& a) { return a.value->size(); },
          "Return the number of states.")
      .def(
          "memory_usage", [](const AutomatonHandle& a) { return a.value->memory_usage(); },
          "Return the bytes that it takes.");
  nb::class_<GrammarHandle>(m, "GrammarCore", "Rules and terminals as a front end writes them.")
      .def("__init__", [](GrammarHandle* self) { new (self) GrammarHandle(); })
      .def(
          "literal",
          [](GrammarHandle& self, nb::handle text) {
            return self.written().literal(std::string(text_view(text, "a literal")));
          },
          nb::arg("text"), nb::sig("def literal(self, text: str | bytes) -> int"))
      .def("char_class", &char_class, nb::arg("ranges"), nb::arg("negated") = false)
      .def("byte_class", &byte_class, nb::arg("ranges"))
      .def(
          "sequence", [](GrammarHandle& s, const Handles& p) { return s.written().sequence(p); },
          nb::arg("parts"))
      .def(
          "choice", [](GrammarHandle& s, const Handles& p) { return s.written().choice(p); },
          nb::arg("parts"))
      .def(
          "automaton",
          [](GrammarHandle& s, const AutomatonHandle& a) { return s.written().strings(a.value); },
          nb::arg("automaton"))
      .def("repeat", &repeat, nb::arg("part"), nb::arg("min"), nb::arg("max").none())
      .def(
          "intersection",
          [](GrammarHandle& s, const Handles& p) { return s.written().intersection(p); },
          nb::arg("parts"))
      .def(
          "complement",
          [](GrammarHandle& s, Grammar::Handle p) { return s.written().complement(p); },
          nb::arg("part"))
      .def("strings", &strings, nb::arg("values"), nb::arg("timeout_s") = nb::none(),
           nb::arg("cancel") = nb::none(),
           nb::sig("def strings(self, values: list[str | bytes], timeout_s: float | None = None, "
                   "cancel: CancelToken | None = None) -> int"))
      .def(
          "look_ahead",
          [](GrammarHandle& s, Grammar::Handle p, bool n) { return s.written().look_ahead(p, n); },
          nb::arg("rest"), nb::arg("negative"))
      .def(
          "look_behind",
          [](GrammarHandle& s, Grammar::Handle p, bool n) { return s.written().look_behind(p, n); },
          nb::arg("before"), nb::arg("negative"))
      .def(
          "scope", [](GrammarHandle& s, Grammar::Handle p) { return s.written().scope(p); },
          nb::arg("part"))
      .def(
          "rule", [](GrammarHandle& s, const std::string& n) { return s.written().rule(n); },
          nb::arg("name"))
      .def(
          "unordered", [](GrammarHandle& s, const Handles& p) { return s.written().unordered(p); },
          nb::arg("parts"))
      .def(
          "json_text",
          [](GrammarHandle& s, Grammar::Handle p, bool c, bool k) {
            return s.written().json_text(p, c, k);
          },
          nb::arg("part"), nb::arg("canonical"), nb::arg("keys"))
      .def("keyed", &keyed, nb::arg("entries"), nb::arg("cells"), nb::arg("colon"),
           nb::arg("comma"), nb::arg("ordered"), nb::arg("canonical"), nb::arg("places"),
           nb::arg("repeats"), nb::arg("min"), nb::arg("max").none(),
           nb::arg("needs") = std::vector<std::pair<std::uint32_t, std::uint32_t>>(),
           nb::arg("ways") = std::vector<std::pair<std::uint32_t, Grammar::Handle>>(),
           nb::arg("clauses") = ClauseTuples(),
           nb::sig("def keyed(self, entries: list[tuple[str | int, int, bool]], "
                   "cells: list[tuple[int, int, bool, list[tuple[int, list[int]]]]], colon: int, "
                   "comma: int, "
                   "ordered: bool, "
                   "canonical: bool, places: bool, repeats: bool, min: int, max: int | None, "
                   "needs: list[tuple[int, int]] = [], "
                   "ways: list[tuple[int, int]] = [], "
                   "clauses: list[list[tuple[int, int | None]]] = []) -> int"))
      .def(
          "include",
          [](GrammarHandle& self, GrammarHandle& other) {
            return self.written().include(other.value);
          },
          nb::arg("grammar"))
      .def(
          "special_token",
          [](GrammarHandle& s, std::variant<std::string, std::int64_t> token, bool negated) {
            TokenUse use;
            use.except = negated;
            if (const auto* number = std::get_if<std::int64_t>(&token)) {
              if (*number < 0 || *number > std::numeric_limits<std::int32_t>::max()) {
                throw Error(ErrorKind::kGrammar, "token id " + std::to_string(*number) +
                                                     " is out of range; ids are 0 to 2147483647");
              }
              use.id = static_cast<TokenId>(*number);
            } else {
              use.name = std::get<std::string>(token);
            }
            return s.written().special_token(std::move(use));
          },
          nb::arg("token"), nb::arg("negated") = false)
      .def(
          "terminal",
          [](GrammarHandle& s, const std::string& n) { return s.written().terminal(n); },
          nb::arg("name"))
      .def("lexed", &lexed, nb::arg("start"), nb::arg("terminals"), nb::arg("first"),
           nb::arg("contextual"), nb::arg("productions") = std::vector<ProductionTuple>{})
      .def(
          "define",
          [](GrammarHandle& s, const std::string& n, Grammar::Handle b) {
            s.written().define(n, b);
          },
          nb::arg("name"), nb::arg("body"))
      .def(
          "start", [](GrammarHandle& s, Grammar::Handle b) { s.written().start(b); },
          nb::arg("body"))
      .def_prop_ro("has_start", [](const GrammarHandle& s) { return s.value->has_start(); })
      .def_prop_ro("rule_names", [](const GrammarHandle& s) { return s.value->rule_names(); })
      .def(
          "references",
          [](const GrammarHandle& s, const std::string& n) { return s.value->references(n); },
          nb::arg("name"))
      .def("__len__", [](const GrammarHandle& s) { return s.value->size(); })
      .def(
          "print",
          [](const GrammarHandle& s, std::size_t n) {
            // Literals may hold bytes that are no text.
            const std::string text = s.value->print(n);
            return nb::steal<nb::str>(PyUnicode_DecodeUTF8(
                text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
          },
          nb::arg("max_length"))
      .def("compile", &compile, nb::arg("vocabulary"), nb::arg("limits") = Limits{},
           nb::arg("timeout_s") = nb::none(), nb::arg("cancel") = nb::none(),
           nb::arg("options") = MaskOptions{},
           nb::sig("def compile(self, vocabulary: Vocabulary, limits: Limits = ..., "
                   "timeout_s: float | None = None, cancel: CancelToken | None = None, "
                   "options: MaskOptions = ...) -> Engine"));
}

}  // namespace formgate::bindings
