// Errors the engine raises while a vocabulary or a grammar is built. The bindings map each kind to
// the Python exception of the same meaning. Nothing is raised on the per-token path.
#pragma once

#include <stdexcept>
#include <string>

namespace formgate {

enum class ErrorKind {
  kVocabulary,   // the token table is not usable
  kGrammar,      // the grammar is malformed
  kUnsupported,  // the grammar asks for what cannot be enforced exactly
  kEmpty,        // no text of the vocabulary is in the language
  kLimit,        // a stated limit would be exceeded
  kTimeout,      // the deadline passed
  kCancelled,    // the caller cancelled
  kToken,        // a token that the state forbids
  kState,        // a state that is not this engine's
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace formgate
