// How masks are kept, and written into rows.

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "formgate/masks.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace formgate {
namespace {

// Unions of more dense parts than this are stored flat: filling costs one pass per part.
constexpr std::size_t kMostDenseParts = 3;
constexpr std::size_t kMostParts = 12;

#if defined(__x86_64__)

// By 32 bytes at a time: memcpy takes a quarter longer for rows that are not in the first cache.
// Stores across lines cost more than loads do, and rows of an array may begin anywhere. The row's
// lines are asked for well ahead, since those of the set take their places there.
[[gnu::target("avx2,prfchw")]] void copy_wide(std::uint32_t* out, const std::uint32_t* from,
                                              std::size_t words) {
  constexpr std::size_t kLine = 16;           // words
  constexpr std::size_t kAhead = 96 * kLine;  // less ahead gains less
  std::size_t i = (kLine - reinterpret_cast<std::uintptr_t>(out) / 4 % kLine) % kLine;
  if (words < 2 * kLine) i = 0;
  for (std::size_t k = 0; k < i; ++k) out[k] = from[k];
  for (; i + kLine <= words; i += kLine) {
    __builtin_prefetch(out + std::min(i + kAhead, words - 1), 1);
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i + 8));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i + 8), high);
  }
  for (; i < words; ++i) out[i] = from[i];
}

void copy(std::uint32_t* out, const std::uint32_t* from, std::size_t words) {
  static const bool wide = __builtin_cpu_supports("avx2");
  if (wide) {
    copy_wide(out, from, words);
  } else {
    std::memcpy(out, from, words * 4);
  }
}

#else

void copy(std::uint32_t* out, const std::uint32_t* from, std::size_t words) {
  std::memcpy(out, from, words * 4);
}

#endif

}  // namespace

void Mask::fill(std::uint32_t* out, const Vocabulary& vocabulary) const {
  const std::size_t words = vocabulary.words();
  bool blank = true;
  Bitmap lacking;
  for (const Part& part : parts) {
    const Bitmap& dense = part.tokens->dense;
    if (dense.empty()) continue;
    const std::uint32_t* source = dense.data();
    const std::uint32_t* limit = part.limit ? part.limit->data() : nullptr;
    if (part.gone && !blank) {
      lacking = dense;
      for (TokenId id : *part.gone) clear_bit(lacking.data(), id);
      source = lacking.data();
    }
    if (blank && !limit) {
      copy(out, source, words);
    } else if (blank) {
      for (std::size_t i = 0; i < words; ++i) out[i] = source[i] & limit[i];
    } else if (!limit) {
      for (std::size_t i = 0; i < words; ++i) out[i] |= source[i];
    } else {
      for (std::size_t i = 0; i < words; ++i) out[i] |= source[i] & limit[i];
    }
    if (part.gone && blank) {
      for (TokenId id : *part.gone) clear_bit(out, id);
    }
    blank = false;
  }
  if (blank) std::memset(out, 0, words * 4);
  for (const Part& part : parts) {
    if (!part.tokens->dense.empty()) continue;
    if (part.plain()) {
      for (TokenId id : part.tokens->ids) set_bit(out, id);
    } else {
      for (TokenId id : part.tokens->ids) {
        if (!part.lacks(id)) set_bit(out, id);
      }
    }
  }
  if (accepting) {
    for (TokenId id : vocabulary.stop_ids()) set_bit(out, id);
  }
}

bool Mask::contains(TokenId id, const Vocabulary& vocabulary) const {
  for (const Part& part : parts) {
    const bool inside = part.tokens->dense.empty()
                            ? std::ranges::find(part.tokens->ids, id) != part.tokens->ids.end()
                            : test_bit(part.tokens->dense.data(), id);
    if (inside && !part.lacks(id)) return true;
  }
  return accepting && std::ranges::binary_search(vocabulary.stop_ids(), id);
}

void MaskCache::compress(Mask& mask) {
  std::erase_if(mask.parts, [](const Mask::Part& part) {
    return part.tokens->dense.empty() && part.tokens->ids.empty();
  });
  // A fill has the least to do for tokens that are gone where they come first.
  const auto lacking =
      std::ranges::find_if(mask.parts, [](const Mask::Part& p) { return !!p.gone; });
  if (lacking != mask.parts.end()) std::iter_swap(mask.parts.begin(), lacking);
  std::size_t dense = 0;
  std::size_t ids = 0;
  for (const Mask::Part& part : mask.parts) {
    dense += part.tokens->dense.empty() ? 0 : 1;
    ids += part.tokens->ids.size();
  }
  // One alternative, or few dense parts with few loose tokens: a fill is fast as it is.
  if (mask.parts.size() <= 1) return;
  if (dense <= kMostDenseParts && ids <= 1024 && mask.parts.size() <= kMostParts) return;
  auto flat = std::make_shared<TokenSet>();
  if (dense == 0 && ids <= 1024) {
    flat->ids.reserve(ids);
    for (const Mask::Part& part : mask.parts) {
      for (TokenId id : part.tokens->ids) {
        if (!part.lacks(id)) flat->ids.push_back(id);
      }
    }
    std::sort(flat->ids.begin(), flat->ids.end());
    flat->ids.erase(std::unique(flat->ids.begin(), flat->ids.end()), flat->ids.end());
  } else {
    flat->dense.assign(vocabulary_->words(), 0);
    mask.accepting = false;  // the stop ids are no part of the text
    mask.fill(flat->dense.data(), *vocabulary_);
  }
  mask.parts.assign(1, {std::move(flat), nullptr});
}

// Parser states that differ in what comes later often have the same tokens.
std::shared_ptr<const TokenSet> MaskCache::shared(std::shared_ptr<const TokenSet> set) {
  if (set->dense.empty()) return set;
  constexpr std::uint64_t kFactors[] = {0x9E3779B97F4A7C15ull, 0xC2B2AE3D27D4EB4Full,
                                        0x165667B19E3779F9ull, 0xD6E8FEB86659FD93ull};
  std::uint64_t lanes[4] = {};
  const Bitmap& words = set->dense;
  const auto mix = [&](std::size_t lane, std::uint64_t bits) {
    lanes[lane] = (std::rotl(lanes[lane], 29) ^ bits) * kFactors[lane];
  };
  std::size_t i = 0;
  for (; i + 8 <= words.size(); i += 8) {  // four multiplications at a time
    std::uint64_t pairs[4];
    std::memcpy(pairs, words.data() + i, sizeof(pairs));
    for (std::size_t lane = 0; lane < 4; ++lane) mix(lane, pairs[lane]);
  }
  for (; i < words.size(); ++i) mix(i & 3, words[i]);
  Hasher hasher(set->ids.size());
  for (std::uint64_t lane : lanes) hasher.add(lane);
  const auto [it, fresh] = sets_.try_emplace(hasher.finish().lo, set);
  if (!fresh && it->second->dense == set->dense && it->second->ids == set->ids) return it->second;
  bytes_ += set->memory_usage() + 48;
  return set;
}

}  // namespace formgate
