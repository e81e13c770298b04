#include "common.hpp"

namespace formgate::bindings {
namespace {

constexpr std::size_t kLikelyBytes = 8;  // of a token

std::shared_ptr<const Vocabulary> build(nb::sequence tokens, const std::vector<std::int64_t>& stops,
                                        const std::map<std::string, std::int64_t>& special) {
  const auto id = [](std::int64_t value, const std::string& what) {
    if (value < 0 || value > 0xFFFFFFFF) {
      throw Error(ErrorKind::kVocabulary, what + " " + std::to_string(value) +
                                              " is outside the vocabulary; ids count from 0");
    }
    return static_cast<TokenId>(value);
  };
  std::vector<TokenId> stop_ids;
  for (std::int64_t value : stops) stop_ids.push_back(id(value, "stop id"));
  std::map<std::string, TokenId> names;
  for (const auto& [name, value] : special) names.emplace(name, id(value, "special token id"));
  // Copied, so that nothing of Python is looked at without the GIL.
  const nb::list list(tokens);
  std::string joined;
  std::vector<std::optional<std::string_view>> texts;
  joined.reserve(list.size() * kLikelyBytes);
  texts.reserve(list.size());
  for (nb::handle item : list) {
    char* data = nullptr;
    Py_ssize_t length = 0;
    if (item.is_none()) {
      texts.emplace_back();
    } else if (PyBytes_CheckExact(item.ptr()) &&
               PyBytes_AsStringAndSize(item.ptr(), &data, &length) == 0) {
      joined.append(data, static_cast<std::size_t>(length));
      texts.emplace_back(std::string_view(data, static_cast<std::size_t>(length)));
    } else {
      throw Error(ErrorKind::kVocabulary, "token " + std::to_string(texts.size()) +
                                              " is neither bytes nor None; encode text as UTF-8");
    }
  }
  std::size_t begin = 0;
  for (auto& text : texts) {
    if (!text) continue;
    text = std::string_view(joined).substr(begin, text->size());
    begin += text->size();
  }
  const GilRelease release;
  return std::make_shared<const Vocabulary>(texts, std::move(stop_ids), std::move(names));
}

nb::object token_bytes(const VocabularyHandle& self, std::int64_t id) {
  if (id < 0 || static_cast<std::size_t>(id) >= self.value->size()) {
    throw Error(ErrorKind::kVocabulary, "token " + std::to_string(id) +
                                            " is outside the vocabulary of " +
                                            std::to_string(self.value->size()) + " ids");
  }
  const auto text = self.value->token_bytes(static_cast<TokenId>(id));
  if (!text) return nb::none();
  return nb::bytes(text->data(), text->size());
}

nb::tuple stop_ids(const VocabularyHandle& self) {
  nb::list out;
  for (TokenId id : self.value->stop_ids()) out.append(id);
  return nb::tuple(out);
}

std::string fingerprint(const VocabularyHandle& self) {
  char buffer[33];
  const Hash128 hash = self.value->fingerprint();
  std::snprintf(buffer, sizeof buffer, "%016llx%016llx", static_cast<unsigned long long>(hash.hi),
                static_cast<unsigned long long>(hash.lo));
  return buffer;
}

nb::bytes missing_bytes(const VocabularyHandle& self) {
  std::string out;
  (~self.value->single_bytes()).for_each([&](std::uint8_t b) {
    out.push_back(static_cast<char>(b));
  });
  return nb::bytes(out.data(), out.size());
}

}  // namespace

void bind_vocabulary(nb::module_& m) {
  nb::class_<VocabularyHandle>(m, "Vocabulary", nb::is_weak_referenceable(),
                               "Exact bytes of every token id.")
      .def(
          "__init__",
          [](VocabularyHandle* self, nb::sequence tokens, const std::vector<std::int64_t>& stops,
             const std::map<std::string, std::int64_t>& special) {
            new (self) VocabularyHandle{build(std::move(tokens), stops, special)};
          },
          nb::arg("tokens"), nb::arg("stop_ids"),
          nb::arg("special") = std::map<std::string, std::int64_t>(),
          nb::sig("def __init__(self, tokens: collections.abc.Sequence[bytes | None], "
                  "stop_ids: collections.abc.Sequence[int], "
                  "special: collections.abc.Mapping[str, int] = {}) -> None"))
      .def("__len__", [](const VocabularyHandle& self) { return self.value->size(); })
      .def("token_bytes", &token_bytes, nb::arg("token"),
           nb::sig("def token_bytes(self, token: int) -> bytes | None"),
           "The text of a token; None where it never matches text.")
      .def_prop_ro("stop_ids", &stop_ids, nb::sig("def stop_ids(self) -> tuple[int, ...]"))
      .def_prop_ro("special", [](const VocabularyHandle& self) { return self.value->special(); })
      .def_prop_ro("fingerprint", &fingerprint, "32 hexadecimal digits, equal in every process.")
      .def_prop_ro("missing_bytes", &missing_bytes, "Bytes that are no token by themselves.")
      .def(
          "memory_usage", [](const VocabularyHandle& self) { return self.value->memory_usage(); },
          "Bytes of native memory.");
}

}  // namespace formgate::bindings
