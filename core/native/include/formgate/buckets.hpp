// A fixed partition of the Unicode scalar values into at most 62 buckets, fine where tokens and
// character classes differ (ASCII), coarse elsewhere (script blocks, split by kind of character).
//
// Masks use it only to skip work: a class that contains whole buckets lets a walk accept whole
// subtrees. Any partition gives the same masks.
#pragma once

#include <cstdint>

#include "formgate/char_set.hpp"
#include "formgate/vocabulary.hpp"

namespace formgate {

// Bytes that are not the start of well-formed text at this place.
constexpr BucketSet kFragmentBucket = 1ull << 63;

// A begun character whose last bytes are missing.
constexpr BucketSet kIncompleteBucket = 1ull << 62;

// The buckets of ASCII characters. Classes with holes among these are common (a pattern that avoids
// a word), so walks test ASCII characters one by one with `Vocabulary::ascii`.
// As tools/make_bucket_tables.py numbers them: LOW, and HIGH from HIGH_FIRST on.
constexpr BucketSet kAsciiBuckets = ((1ull << 36) - 1) | (0x7Full << 55);

BucketSet bucket_of(std::uint32_t code_point);                      // one bit
BucketSet buckets_touching(std::uint32_t low, std::uint32_t high);  // all that meet the interval
BucketSet buckets_inside(const CharSet& chars);   // all that lie wholly in the class
BucketSet buckets_touched(const CharSet& chars);  // all that have a member in the class

}  // namespace formgate
