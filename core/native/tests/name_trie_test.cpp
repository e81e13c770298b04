#include "formgate/name_trie.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace formgate {
namespace {

// The node that some characters lead to, by their bytes, or kNoIndex.
std::uint32_t walk(const NameTrie& trie, const std::vector<std::uint32_t>& characters) {
  std::uint32_t at = 0;
  for (std::uint32_t character : characters) {
    std::uint32_t child = trie.first_child(at);
    while (child < trie.end_child(at) && trie.character(child) != character) ++child;
    if (child == trie.end_child(at)) return kNoIndex;
    at = child;
  }
  return at;
}

TEST(NameTrie, HasTheNamesBelowEachNode) {
  const std::vector<std::string_view> names = {"to",
                                               "",
                                               "tea",
                                               "t\xC3\xA9",
                                               "te",
                                               "t\xC3\xA8"
                                               "me"};
  const NameTrie trie(names, ByteSet::all());
  EXPECT_EQ(trie.entry(0), 1u);
  EXPECT_EQ(trie.entries(0).size(), names.size());
  const std::uint32_t te = walk(trie, {'t', 'e'});
  ASSERT_NE(te, kNoIndex);
  EXPECT_EQ(trie.entry(te), 4u);
  EXPECT_EQ(trie.entries(te).size(), 2u);
  EXPECT_EQ(trie.entry(walk(trie, {'t', 'e', 'a'})), 2u);
  EXPECT_EQ(trie.entry(walk(trie, {'t'})), kNoIndex);
  EXPECT_EQ(trie.entry(walk(trie, {'t', 0xE9})), 3u);
  EXPECT_EQ(trie.spelling(walk(trie, {'t', 0xE9})), "\xC3\xA9");
  EXPECT_EQ(trie.entry(walk(trie, {'t', 0xE8, 'm', 'e'})), 5u);
  EXPECT_EQ(walk(trie, {'t', 'x'}), kNoIndex);
}

TEST(NameTrie, SpellsWhatMayStandForItself) {
  const std::vector<std::string_view> names = {"a\"", "b", "\xC3\xA9"};
  const NameTrie trie(names, ByteSet::all() - ByteSet::of('b') - ByteSet::of('\xA9'));
  EXPECT_EQ(trie.spelling(walk(trie, {'a'})), "a");
  EXPECT_EQ(trie.spelling(walk(trie, {'a', '"'})), "");
  EXPECT_EQ(trie.spelling(walk(trie, {'b'})), "");
  EXPECT_EQ(trie.spelling(walk(trie, {0xE9})), "");
}

// A byte that begins no character is one of its own.
TEST(NameTrie, TakesWhatIsNoText) {
  const std::vector<std::string_view> names = {"\xE2", "\xE2\x80\xA8", "\xE2z"};
  const NameTrie trie(names, ByteSet::all());
  std::vector<bool> found(names.size());
  for (std::uint32_t node = 0; node < trie.size(); ++node) {
    if (trie.entry(node) != kNoIndex) found[trie.entry(node)] = true;
  }
  EXPECT_EQ(found, std::vector<bool>(names.size(), true));
  EXPECT_EQ(trie.entry(walk(trie, {0x2028})), 1u);
}

}  // namespace
}  // namespace formgate
