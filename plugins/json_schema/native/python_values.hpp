// Values of JSON as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace formgate::json_schema {

namespace nb = nanobind;

// As UTF-8, valid while the object lives; nothing for what is no text.
inline std::optional<std::string_view> text_of(nb::handle value) {
  if (!PyUnicode_Check(value.ptr())) return std::nullopt;
  Py_ssize_t length = 0;
  const char* data = PyUnicode_AsUTF8AndSize(value.ptr(), &length);
  if (data == nullptr) {  // a lone surrogate
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string_view(data, static_cast<std::size_t>(length));
}

inline bool is_list(nb::handle value) { return PyList_CheckExact(value.ptr()); }
inline bool is_dict(nb::handle value) { return PyDict_CheckExact(value.ptr()); }

// A member of a dict; nothing where it has none of that name. Keys may be of classes of their own,
// whose comparisons are Python.
inline nb::object member_of(nb::handle dict, nb::handle name) {
  PyObject* found = PyDict_GetItemWithError(dict.ptr(), name.ptr());
  if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return nb::borrow(found);
}

// Whether a value has at most so many parts, each counted wherever it stands: an object that stands
// in two places is two. Takes time for as many parts as are allowed.
inline bool has_at_most(nb::handle value, std::size_t most) {
  std::vector<PyObject*> pending{value.ptr()};  // no Python runs meanwhile: they stay
  for (std::size_t count = 0; !pending.empty(); ++count) {
    if (count + pending.size() > most) return false;
    PyObject* const part = pending.back();
    pending.pop_back();
    if (PyDict_Check(part)) {
      Py_ssize_t at = 0;
      PyObject* inner = nullptr;
      while (PyDict_Next(part, &at, nullptr, &inner)) pending.push_back(inner);
    } else if (PyList_Check(part)) {
      const Py_ssize_t size = PyList_Size(part);
      for (Py_ssize_t i = 0; i < size; ++i) pending.push_back(PyList_GetItem(part, i));
    }
  }
  return true;
}

// What is not there, or holds nothing.
inline bool is_hollow(nb::handle value) {
  if (!value.is_valid()) return true;
  if (is_dict(value)) return PyDict_Size(value.ptr()) == 0;
  return is_list(value) && PyList_Size(value.ptr()) == 0;
}

// A count of a few digits, as Python's own integers have it.
inline std::optional<std::uint32_t> count_of(nb::handle value) {
  if (!PyLong_CheckExact(value.ptr())) return std::nullopt;
  int overflow = 0;
  const long long found = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0 || found < 0 || found > 0x7FFFFFFF) return std::nullopt;
  return static_cast<std::uint32_t>(found);
}

// Sets a value for as long as it lives, errors included.
template <typename Value>
class Restored {
 public:
  Restored(Value& place, Value value) : place_(place), before_(place) { place = value; }
  ~Restored() { place_ = before_; }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  Value& place_;
  Value before_;
};

}  // namespace formgate::json_schema
