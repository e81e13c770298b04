#include "formgate/types.hpp"

#include <cstring>

namespace formgate {

Hasher& Hasher::add(std::string_view bytes) {
  add(static_cast<std::uint64_t>(bytes.size()));
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    for (unsigned j = 0; j < 8; ++j) {
      word |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes[i + j])) << (8 * j);
    }
    add(word);
  }
  std::uint64_t tail = 0;
  for (unsigned j = 0; i + j < bytes.size(); ++j) {
    tail |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes[i + j])) << (8 * j);
  }
  if (i < bytes.size()) add(tail);
  return *this;
}

}  // namespace formgate
