#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "common.hpp"

namespace formgate::bindings {
namespace {

// A state of this engine, which goes on in the pool that it started in.
const StateHandle& own(const EngineHandle& self, const StateHandle& state) {
  if (!self.value->is(*state.engine)) {
    throw Error(ErrorKind::kState,
                "the state belongs to another engine; use the states of this engine's start() and "
                "advance()");
  }
  return state;
}

// The engine where outputs start now.
std::shared_ptr<const Engine> present(const EngineHandle& self) {
  if (std::shared_ptr<const Engine> ready = self.value->ready()) return ready;
  const GilRelease release;
  return self.value->moved();
}

std::optional<TokenId> token_id(const EngineHandle& self, std::int64_t token) {
  if (token < 0 || static_cast<std::size_t>(token) >= self.value->vocabulary().size()) {
    return std::nullopt;
  }
  return static_cast<TokenId>(token);
}

[[noreturn]] void refuse(const EngineHandle& self, std::int64_t token) {
  const std::size_t size = self.value->vocabulary().size();
  if (token < 0 || static_cast<std::size_t>(token) >= size) {
    // What does not fit 64 bits arrives as the last number that does.
    const bool huge = token == std::numeric_limits<std::int64_t>::max();
    throw Error(ErrorKind::kToken, "token " + (huge ? "2**63 or more" : std::to_string(token)) +
                                       " is outside the vocabulary of " + std::to_string(size) +
                                       " ids");
  }
  throw Error(ErrorKind::kToken, "token " + std::to_string(token) +
                                     " is not allowed in this state; choose one of "
                                     "allowed_tokens(state)");
}

StateHandle advance(const EngineHandle& self, const StateHandle& state, nb::handle given) {
  const auto& [engine, from] = own(self, state);
  const std::int64_t token = Token(given).value;
  const auto id = token_id(self, token);
  std::optional<State> next;
  if (id) {
    const Interruptible guard;
    next = engine->advance(from, *id);
  }
  if (!next) refuse(self, token);
  return {engine, *next};
}

std::size_t validate(const EngineHandle& self, StateHandle& state,
                     const std::vector<std::int64_t>& tokens) {
  std::vector<TokenId> ids;
  ids.reserve(tokens.size());
  for (std::int64_t token : tokens) {
    const auto id = token_id(self, token);
    if (!id) break;
    ids.push_back(*id);
  }
  const GilRelease release;
  return state.engine->validate(state.value, ids);
}

StateHandle advance_many(const EngineHandle& self, const StateHandle& state, nb::handle given) {
  StateHandle current = own(self, state);
  const std::vector<std::int64_t> tokens = token_list(given);
  const std::size_t count = validate(self, current, tokens);
  if (count < tokens.size()) refuse(self, tokens[count]);
  return current;
}

TokenMaskHandle allowed_tokens(const EngineHandle& self, const StateHandle& state) {
  auto words = std::make_shared<Bitmap>(self.value->vocabulary().words());
  const auto& [engine, from] = own(self, state);
  {
    const Interruptible guard;
    engine->fill(from, words->data());
  }
  return {std::move(words), self.value->vocabulary().size()};
}

TokenMaskHandle completed_by(const EngineHandle& self, const StateHandle& state, nb::handle given,
                             const TokenMaskHandle* among) {
  const Vocabulary& vocabulary = self.value->vocabulary();
  const auto& [engine, from] = own(self, state);
  const std::string text(text_view(given, "text"));
  if (among && among->size != vocabulary.size()) {
    throw nb::value_error("the tokens asked about are of a vocabulary of another size");
  }
  auto words = std::make_shared<Bitmap>(vocabulary.words());
  const std::shared_ptr<const Bitmap> asked =
      among ? among->words : std::make_shared<const Bitmap>(vocabulary.words(), ~0u);
  {
    const GilRelease release;
    engine->completed_by(from, text, *asked, *words);
  }
  return {std::move(words), vocabulary.size()};
}

void fill_mask(const EngineHandle& self, const StateHandle& state, nb::handle out, nb::handle row) {
  const auto& [engine, from] = own(self, state);
  const Rows rows = rows_of(out, self.value->vocabulary().words());
  std::uint32_t* const at = rows.row(RowNumber(row).value);
  const Interruptible guard;
  engine->fill(from, at);
}

// Lets the interpreter's lock go, and takes it back now and then to see whether a signal came.
class SignalWatch {
 public:
  // Whether none did; the handler's error is set otherwise.
  bool quiet() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(20)) return true;
    last_ = now;
    return release_.with_lock([] { return PyErr_CheckSignals() == 0; });
  }

 private:
  using Clock = std::chrono::steady_clock;
  GilRelease release_;
  Clock::time_point last_ = Clock::now();
};

std::size_t warm_up(const EngineHandle& self, nb::handle text, std::optional<double> max_s,
                    const CancelToken* cancel) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::vector<std::string> pieces;
  const bool shortest = text.is_none();
  if (shortest) {
    pieces.resize(2);  // the shortest text between two that are empty
  } else if (PyUnicode_Check(text.ptr()) || PyBytes_Check(text.ptr())) {
    pieces.emplace_back(text_view(text, "text"));
  } else if (PySequence_Check(text.ptr())) {
    for (const nb::handle piece : nb::borrow<nb::sequence>(text)) {
      pieces.emplace_back(text_view(piece, "text"));
    }
  } else {
    throw nb::type_error("text is a str, bytes, a sequence of these, or None");
  }
  if (max_s && std::isnan(*max_s)) {
    throw nb::value_error("max_s must be a number of seconds, not nan");
  }
  const std::shared_ptr<const Engine> engine = present(self);
  bool quiet = true;
  std::size_t count = 0;
  {
    SignalWatch watch;
    const auto may_go_on = [&] {
      if (!quiet || (cancel && cancel->cancelled())) return false;
      if (max_s && std::chrono::duration<double>(Clock::now() - begin).count() >= *max_s) {
        return false;
      }
      quiet = watch.quiet();
      return quiet;
    };
    count = engine->warm_up(pieces, may_go_on, shortest);
  }
  if (!quiet) throw nb::python_error();
  return count;
}

// Python's number of threads: an integer from 1 to kMostThreads, be it numpy's.
unsigned thread_count(nb::handle given) {
  constexpr std::int64_t kMostThreads = 256;
  const std::int64_t count = Integer(given, "threads must be an integer from 1 to 256").value;
  if (count < 1 || count > kMostThreads) {
    throw nb::value_error(
        "threads must be from 1 to 256; one for each 32 rows, and no more than there are cores, "
        "is the most that helps");
  }
  return static_cast<unsigned>(count);
}

void fill_masks(const EngineHandle& self, const std::vector<StateHandle>& states, nb::handle out,
                nb::handle threads) {
  const unsigned workers = thread_count(threads);
  std::vector<Engine::Place> places;
  places.reserve(states.size());
  for (const StateHandle& state : states) {
    const auto& [engine, value] = own(self, state);
    places.push_back({engine.get(), value});
  }
  const Rows rows = rows_of(out, self.value->vocabulary().words());
  if (rows.count < places.size()) {
    throw nb::value_error("the mask array has fewer rows than there are states");
  }
  const GilRelease release;
  Engine::fill_many(places, rows.data, rows.stride, workers);
}

// A source may be a function or a class whose module holds the engine: cycles through the grammar
// are for the interpreter's collector to see.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const EngineHandle& engine = *nb::inst_ptr<EngineHandle>(self);
  Py_VISIT(engine.vocabulary.ptr());
  Py_VISIT(engine.grammar.ptr());
  Py_VISIT(engine.format.ptr());
  return 0;
}

int clear(PyObject* self) {
  EngineHandle& engine = *nb::inst_ptr<EngineHandle>(self);
  engine.grammar = nb::none();
  return 0;
}

PyType_Slot engine_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                              {Py_tp_clear, reinterpret_cast<void*>(clear)},
                              {0, nullptr}};

}  // namespace

void bind_engine(nb::module_& m) {
  auto state = nb::class_<StateHandle>(m, "State", "A point in the text: an immutable value.");
  copy_is_itself(state, "def __copy__(self) -> State",
                 "def __deepcopy__(self, memo: object, /) -> State");
  state
      .def_prop_ro(
          "key",
          [](const StateHandle& self) {
            char bytes[16];
            const Hash128& key = self.value.key;
            std::memcpy(bytes, &key.hi, 8);
            std::memcpy(bytes + 8, &key.lo, 8);
            return nb::bytes(bytes, 16);
          },
          "16 bytes: equal keys, equal futures.")
      .def(
          "__eq__",
          [](const StateHandle& a, nb::handle b) {
            return nb::isinstance<StateHandle>(b) &&
                   nb::cast<const StateHandle&>(b).value.key == a.value.key;
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__",
           [](const StateHandle& self) { return static_cast<Py_hash_t>(self.value.key.lo >> 1); })
      .def("__repr__", [](const StateHandle& self) {
        return Engine::ended(self.value) ? std::string("State(ended)")
               : self.value.accepting    ? std::string("State(accepting)")
                                         : std::string("State()");
      });
  auto engine = nb::class_<EngineHandle>(m, "Engine", nb::is_weak_referenceable(),
                                         nb::type_slots(engine_slots),
                                         "A compiled constraint over one vocabulary; immutable and "
                                         "thread-safe.");
  copy_is_itself(engine, "def __copy__(self) -> Engine",
                 "def __deepcopy__(self, memo: object, /) -> Engine");
  engine
      .def_prop_ro(
          "vocabulary", [](const EngineHandle& self) { return self.vocabulary; },
          nb::sig("def vocabulary(self) -> Vocabulary"))
      .def_prop_rw(
          "grammar", [](const EngineHandle& self) { return self.grammar; },
          [](EngineHandle& self, nb::object value) { self.grammar = std::move(value); },
          nb::for_getter(nb::sig("def grammar(self) -> typing.Any")),
          nb::for_setter(nb::sig("def grammar(self, value: typing.Any, /) -> None")),
          nb::for_setter(nb::arg("value").none()), "The Grammar it was compiled from.")
      .def_prop_rw(
          "format", [](const EngineHandle& self) { return self.format; },
          [](EngineHandle& self, nb::object value) { self.format = std::move(value); },
          nb::for_getter(nb::sig("def format(self) -> str | None")),
          nb::for_setter(nb::sig("def format(self, value: str | None, /) -> None")),
          nb::for_setter(nb::arg("value").none()),
          "Name of the format of its source, where one was named or guessed.")
      .def(
          "start",
          [](const EngineHandle& self) {
            std::shared_ptr<const Engine> engine = present(self);
            const State state = engine->start();
            return StateHandle{std::move(engine), state};
          },
          "The state before any text.")
      .def("allowed_tokens", &allowed_tokens, nb::arg("state"),
           "Every token after which the text can still be completed; the stop ids where it may "
           "end.")
      .def("advance", &advance, nb::arg("state"), nb::arg("token").none(),
           nb::sig("def advance(self, state: State, token: int) -> State"),
           "The state after one more token. Raises TokenError when it is not allowed.")
      .def("advance_many", &advance_many, nb::arg("state"), nb::arg("tokens"),
           nb::sig("def advance_many(self, state: State, "
                   "tokens: collections.abc.Sequence[int]) -> State"),
           "The state after several tokens. Raises TokenError at the first that is not allowed.")
      .def(
          "validate",
          [](const EngineHandle& self, const StateHandle& state, nb::handle tokens) {
            StateHandle current = own(self, state);
            return validate(self, current, token_list(tokens));
          },
          nb::arg("state"), nb::arg("tokens"),
          nb::sig("def validate(self, state: State, "
                  "tokens: collections.abc.Sequence[int]) -> int"),
          "How many of the tokens are allowed one after the other.")
      .def(
          "is_accepting",
          [](const EngineHandle& self, const StateHandle& state) {
            return own(self, state).value.accepting;
          },
          nb::arg("state"), "Whether the output may end here.")
      .def(
          "is_terminal",
          [](const EngineHandle& self, const StateHandle& state) {
            const auto& [engine, from] = own(self, state);
            const Interruptible guard;
            return engine->is_terminal(from);
          },
          nb::arg("state"), "Whether the output must end here.")
      .def(
          "is_allowed",
          [](const EngineHandle& self, const StateHandle& state, nb::handle token) {
            const auto& [engine, from] = own(self, state);
            const auto id = token_id(self, Token(token).value);
            const Interruptible guard;
            return id && engine->advance(from, *id).has_value();
          },
          nb::arg("state"), nb::arg("token").none(),
          nb::sig("def is_allowed(self, state: State, token: int) -> bool"),
          "Whether one token is allowed.")
      .def("completed_by", &completed_by, nb::arg("state"), nb::arg("text"),
           nb::arg("among") = nb::none(),
           nb::sig("def completed_by(self, state: State, text: str | bytes, "
                   "among: TokenMask | None = None) -> TokenMask"),
           "Allowed tokens after which just this text makes the output complete; only those of a "
           "mask, where one is given. Some may be left out, where a name or an item that must be "
           "new is under way, or where many states are met.")
      .def("fill_mask", &fill_mask, nb::arg("state"), nb::arg("out").none(),
           nb::arg("row").none() = 0,
           nb::sig("def fill_mask(self, state: State, out: typing.Any, row: int = 0) -> None"),
           "Write the mask into a row of a MaskBuffer or of an int32 array.")
      .def("fill_masks", &fill_masks, nb::arg("states"), nb::arg("out").none(),
           nb::arg("threads").none() = 1,
           nb::sig("def fill_masks(self, states: collections.abc.Sequence[State], "
                   "out: typing.Any, threads: int = 1) -> None"),
           "Write one mask a row, without holding the interpreter lock. Masks are found one after "
           "another; rows are written by up to `threads` threads, 1 to 256, of which at most one "
           "for "
           "each 32 rows is used. TypeError or ValueError for another number.")
      .def("warm_up", &warm_up, nb::arg("text").none() = nb::none(), nb::arg("max_s") = nb::none(),
           nb::arg("cancel") = nb::none(),
           nb::sig("def warm_up(self, text: str | bytes | collections.abc.Sequence[str | bytes] | "
                   "None = None, max_s: float | None = None, cancel: CancelToken | None = None) -> "
                   "int"),
           "Make the masks along a text that outputs are likely to resemble, so that they are "
           "there when an output asks for them; return the number of tokens taken. Between two "
           "texts of a list stands a shortest one that leads from one to the other, as far as its "
           "length is known; None is a shortest text of the whole language, and then other states, "
           "for two milliseconds at most. Ends quietly where the text is none of the language, at "
           "a special token, at a limit, where a mask takes far more expressions than most, and "
           "after max_s seconds; a mask under way is finished. Does not hold the interpreter "
           "lock; signals are seen between masks.")
      .def(
          "forced_text",
          [](const EngineHandle& self, const StateHandle& state, nb::handle given_max) {
            const std::size_t max_bytes = amount(given_max, "max_bytes");
            const auto& [engine, from] = own(self, state);
            std::string text;
            {
              const Interruptible guard;
              text = engine->forced_text(from, max_bytes);
            }
            return nb::bytes(text.data(), text.size());
          },
          nb::arg("state"), nb::arg("max_bytes").none() = 4096,
          nb::sig("def forced_text(self, state: State, max_bytes: int = 4096) -> bytes"),
          "Bytes that every accepted continuation begins with.")
      .def(
          "min_tokens",
          [](const EngineHandle& self, const StateHandle& state, nb::handle given_states,
             nb::handle given_steps) {
            const auto limit = [](nb::handle given, const char* name) {
              return given.is_none() ? std::nullopt : std::optional(amount(given, name));
            };
            const auto max_states = limit(given_states, "max_states");
            const auto max_steps = limit(given_steps, "max_steps");
            const auto& [engine, from] = own(self, state);
            const GilRelease release;
            return engine->min_tokens(from, max_states, max_steps);
          },
          nb::arg("state"), nb::arg("max_states").none() = nb::none(),
          nb::arg("max_steps").none() = nb::none(),
          nb::sig("def min_tokens(self, state: State, max_states: int | None = None, "
                  "max_steps: int | None = None) -> int"),
          "Fewest tokens after which the output may end. Raises LimitError beyond max_states, or "
          "beyond max_steps through the vocabulary, a byte of a token each. Without these, the "
          "limits of the compilation hold: Limits.max_search and Limits.max_search_steps.")
      .def(
          "explain",
          [](const EngineHandle& self, const StateHandle& state) {
            const auto& [engine, from] = own(self, state);
            const Interruptible guard;
            return engine->explain(from);
          },
          nb::arg("state"), "What may come next and what is still to match, in words.")
      .def(
          "accepts",
          [](const EngineHandle& self, nb::handle text) {
            const std::string_view view = text_view(text, "text");
            const std::shared_ptr<const Engine> engine = present(self);
            const Interruptible guard;
            return engine->accepts(view);
          },
          nb::arg("text"), nb::sig("def accepts(self, text: str | bytes) -> bool"),
          "Whether the text is in the language, however it might be spelled.")
      .def(
          "is_prefix",
          [](const EngineHandle& self, nb::handle text) {
            const std::string_view view = text_view(text, "text");
            const std::shared_ptr<const Engine> engine = present(self);
            const Interruptible guard;
            return engine->is_prefix(view);
          },
          nb::arg("text"), nb::sig("def is_prefix(self, text: str | bytes) -> bool"),
          "Whether some text of the language begins with this one.")
      .def(
          "memory_usage",
          [](const EngineHandle& self) {
            const std::shared_ptr<const Engine> held = self.value->held();
            nb::dict out;
            out["pool"] = held ? held->pool_memory() : 0;
            out["masks"] = held ? held->cache_memory() : 0;
            out["vocabulary"] = self.value->vocabulary().memory_usage();
            return out;
          },
          nb::sig("def memory_usage(self) -> dict[str, int]"),
          "Bytes of the shared expression pool, the mask cache and the vocabulary. Those of an "
          "engine that has left its pool, until its next start, are no bytes of a pool.")
      .def_prop_ro(
          "pool_nodes",
          [](const EngineHandle& self) {
            const std::shared_ptr<const Engine> held = self.value->held();
            return held ? held->pool_nodes() : 0;
          },
          "Expressions in the pool this engine shares.")
      .def_prop_ro(
          "pool_number",
          [](const EngineHandle& self) {
            const std::shared_ptr<const Engine> held = self.value->held();
            return held ? held->pool().serial() : 0;
          },
          "Which pool outputs start in, another number after the engine has moved on; 0 while it "
          "is in none.");
  bind_quick_calls(engine);
  const auto budget = [](nb::handle max_bytes) { return amount(max_bytes, "max_bytes"); };
  m.def(
      "set_pool_budget",
      [budget](nb::handle max_bytes) { ExprPool::set_budget(budget(max_bytes)); },
      nb::arg("max_bytes").none(), nb::sig("def set_pool_budget(max_bytes: int) -> None"),
      "Bytes of expressions after which new grammars start a fresh pool, and engines move on to "
      "one "
      "where an output starts.");
  m.def("pools_alive", &ExprPool::alive,
        "How many pools of expressions there are, those about to be freed among them.");
  m.def(
      "set_mask_budget",
      [budget](nb::handle max_bytes) { MaskCache::set_budget(budget(max_bytes)); },
      nb::arg("max_bytes").none(), nb::sig("def set_mask_budget(max_bytes: int) -> None"),
      "Bytes of cached masks, for each pool and vocabulary, after which the cache is emptied.");
}

}  // namespace formgate::bindings
