// The two calls that decoding makes for every token, with the arguments that it makes them with.
//
// To sort arguments by name and kind takes about as long as to advance. So where a state, a row of
// a buffer and integers are given one after another, they are taken as they are. Any other call is
// one of the function as it was bound, which tells what is wrong, too.
#include <exception>
#include <optional>
#include <string>

#include "common.hpp"

namespace formgate::bindings {
namespace {

PyTypeObject* engine_type = nullptr;
PyTypeObject* state_type = nullptr;
PyTypeObject* buffer_type = nullptr;

// Arguments as Python hands them over: those with names last.
struct Given {
  PyObject* const* values;
  Py_ssize_t count;  // without names
  PyObject* names;   // a tuple, or null
};

PyObject* call_as_bound(const char* name, PyObject* self, const Given& given) {
  PyObject* const function = PyObject_GetAttrString(self, name);
  PyObject* const values = PyTuple_New(given.count);
  PyObject* const named = given.names ? PyDict_New() : nullptr;
  bool made = function && values && (named || !given.names);
  for (Py_ssize_t i = 0; made && i < given.count; ++i) {
    made = PyTuple_SetItem(values, i, Py_NewRef(given.values[i])) == 0;
  }
  for (Py_ssize_t i = 0; made && named && i < PyTuple_Size(given.names); ++i) {
    made =
        PyDict_SetItem(named, PyTuple_GetItem(given.names, i), given.values[given.count + i]) == 0;
  }
  PyObject* const out = made ? PyObject_Call(function, values, named) : nullptr;
  Py_XDECREF(named);
  Py_XDECREF(values);
  Py_XDECREF(function);
  return out;
}

// A plain integer that is not too large for a machine word.
std::optional<long> integer(PyObject* object) {
  if (!PyLong_CheckExact(object)) return std::nullopt;
  const long value = PyLong_AsLong(object);
  if (value != -1 || !PyErr_Occurred()) return value;
  PyErr_Clear();
  return std::nullopt;
}

// What an object of just this type holds; null for any other, and for one that was not made yet.
template <typename Handle>
const Handle* held(PyObject* object, PyTypeObject* type) {
  if (Py_TYPE(object) != type || !nb::inst_ready(object)) return nullptr;
  return nb::inst_ptr<Handle>(object);
}

// An engine, and a state of its.
struct Place {
  const EngineHandle* engine;
  const StateHandle* state;

  Place(PyObject* self, PyObject* from)
      : engine(held<EngineHandle>(self, engine_type)), state(held<StateHandle>(from, state_type)) {}
  bool known() const { return engine && state && engine->value->is(*state->engine); }
};

bool fill_at_once(PyObject* self, const Given& given) {
  if (given.names || given.count != 3 || given.values[1] == Py_None) return false;
  const Place place(self, given.values[0]);
  const std::optional<long> row = integer(given.values[2]);
  if (!place.known() || !row) return false;
  const std::size_t words = place.engine->value->vocabulary().words();
  const auto* const buffer = held<MaskBufferHandle>(given.values[1], buffer_type);
  const Rows rows = buffer ? rows_of(*buffer, words) : rows_of(given.values[1], words);
  std::uint32_t* const at = rows.row(*row);
  const Interruptible guard;
  place.state->engine->fill(place.state->value, at);
  return true;
}

// The next state; null where that is for the function as it was bound to find.
PyObject* advance_at_once(PyObject* self, const Given& given) {
  if (given.names || given.count != 2) return nullptr;
  const Place place(self, given.values[0]);
  if (!place.known()) return nullptr;
  const std::optional<long> token = integer(given.values[1]);
  if (!token || *token < 0) return nullptr;
  if (static_cast<std::size_t>(*token) >= place.engine->value->vocabulary().size()) return nullptr;
  std::optional<State> next;
  {
    const Interruptible guard;
    next = place.state->engine->advance(place.state->value, static_cast<TokenId>(*token));
  }
  if (!next) return nullptr;
  nb::object out = nb::inst_alloc(reinterpret_cast<PyObject*>(state_type));
  new (nb::inst_ptr<StateHandle>(out)) StateHandle{place.state->engine, *next};
  nb::inst_mark_ready(out);
  return out.release().ptr();
}

PyObject* fill_mask(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
  const Given given{values, count, names};
  try {
    if (fill_at_once(self, given)) return Py_NewRef(Py_None);
  } catch (const std::exception&) {
    set_error(std::current_exception());
    return nullptr;
  }
  return call_as_bound("_fill_mask", self, given);
}

PyObject* advance(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
  const Given given{values, count, names};
  try {
    if (PyObject* const next = advance_at_once(self, given)) return next;
  } catch (const std::exception&) {
    set_error(std::current_exception());
    return nullptr;
  }
  return call_as_bound("_advance", self, given);
}

template <auto function>
PyMethodDef method(const char* name, const char* text) {
  // As Python's own interface has it: what is called so takes one argument more than its type says.
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
          METH_FASTCALL | METH_KEYWORDS, text};
}

}  // namespace

void bind_quick_calls(nb::handle engine) {
  engine_type = reinterpret_cast<PyTypeObject*>(engine.ptr());
  state_type = reinterpret_cast<PyTypeObject*>(nb::type<StateHandle>().ptr());
  buffer_type = reinterpret_cast<PyTypeObject*>(nb::type<MaskBufferHandle>().ptr());
  static PyMethodDef methods[] = {
      method<&advance>("advance",
                       "advance($self, state, token)\n--\n\n"
                       "The state after one more token. Raises TokenError when it is not allowed."),
      method<&fill_mask>("fill_mask",
                         "fill_mask($self, state, out, row=0)\n--\n\n"
                         "Write the mask into a row of a MaskBuffer or of an int32 array."),
  };
  for (PyMethodDef& each : methods) {
    const std::string bound = std::string("_") + each.ml_name;
    engine.attr(bound.c_str()) = engine.attr(each.ml_name);
    engine.attr(each.ml_name) =
        nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(engine.ptr()), &each));
  }
}

}  // namespace formgate::bindings
