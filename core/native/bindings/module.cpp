#include <cstdlib>
#include <limits>

#include "common.hpp"
#include "gil.hpp"

namespace formgate::bindings {

std::string_view text_view(nb::handle object, const char* what) {
  Py_ssize_t length = 0;
  if (PyUnicode_Check(object.ptr())) {
    const char* data = PyUnicode_AsUTF8AndSize(object.ptr(), &length);
    if (!data) {
      PyErr_Clear();
      throw Error(ErrorKind::kGrammar,
                  std::string(what) +
                      " has a lone surrogate, which no well-formed text contains; remove it");
    }
    return {data, static_cast<std::size_t>(length)};
  }
  char* data = nullptr;
  if (PyBytes_Check(object.ptr()) && PyBytes_AsStringAndSize(object.ptr(), &data, &length) == 0) {
    return {data, static_cast<std::size_t>(length)};
  }
  throw nb::type_error((std::string(what) + " must be str or bytes").c_str());
}

Integer::Integer(nb::handle object, const char* what) {
  const auto number = nb::steal<nb::object>(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    const nb::str type = nb::str(nb::type_name(object.type()));
    throw nb::type_error((std::string(what) + ", not " + type.c_str()).c_str());
  }
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow > 0) value = std::numeric_limits<std::int64_t>::max();
  if (overflow < 0) value = std::numeric_limits<std::int64_t>::min();
}

std::size_t amount(nb::handle object, const char* name) {
  const std::string named(name);
  const std::int64_t value = Integer(object, (named + " is an integer").c_str()).value;
  if (value < 0) throw nb::value_error((named + " must not be negative").c_str());
  return static_cast<std::size_t>(value);
}

std::vector<std::int64_t> token_list(nb::handle objects) {
  std::vector<std::int64_t> out;
  for (const nb::handle object : nb::iter(objects)) out.push_back(Token(object).value);
  return out;
}

namespace {

const char* class_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kVocabulary:
      return "VocabularyError";
    case ErrorKind::kGrammar:
      return "GrammarError";
    case ErrorKind::kUnsupported:
      return "UnsupportedConstraint";
    case ErrorKind::kEmpty:
      return "EmptyLanguageError";
    case ErrorKind::kLimit:
      return "LimitError";
    case ErrorKind::kTimeout:
      return "CompileTimeout";
    case ErrorKind::kCancelled:
      return "CompileCancelled";
    case ErrorKind::kToken:
      return "TokenError";
    case ErrorKind::kState:
      return "StateError";
  }
  return "FormgateError";
}

void set_own(const Error& error) {
  const nb::object type = in_python([&error] {
    return nb::object(nb::module_::import_("formgate.core.errors").attr(class_name(error.kind())));
  });
  PyErr_SetString(type.ptr(), error.what());
}

void translate(const std::exception_ptr& pending, void*) {
  if (!pending) park();  // a thread that ends while an argument is read by Python code
  try {
    std::rethrow_exception(pending);
  } catch (const Error& error) {
    set_own(error);
  }
}

PyObject* type_of(const nb::builtin_exception& error) {
  switch (error.type()) {
    case nb::exception_type::index_error:
      return PyExc_IndexError;
    case nb::exception_type::value_error:
      return PyExc_ValueError;
    case nb::exception_type::type_error:
      return PyExc_TypeError;
    default:
      return PyExc_RuntimeError;
  }
}

}  // namespace

void set_error(const std::exception_ptr& pending) {
  try {
    std::rethrow_exception(pending);
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(type_of(error), error.what());
  } catch (const Error& error) {
    try {
      set_own(error);
    } catch (nb::python_error& other) {  // the interpreter ends, say
      other.restore();
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace formgate::bindings

NB_MODULE(_native, m) {
  using namespace formgate::bindings;
  // What a daemon thread holds when its process ends is no leak that a user should read of.
  nb::set_leak_warnings(std::getenv("FORMGATE_LEAK_WARNINGS") != nullptr);
  m.doc() = "The engine of formgate: vocabularies, expressions, masks.";
  nb::register_exception_translator(&translate, nullptr);
  bind_vocabulary(m);
  bind_grammar(m);
  bind_mask(m);
  bind_engine(m);
  bind_apply(m);
  bind_rows(m);
  bind_json_schema(m);
}
