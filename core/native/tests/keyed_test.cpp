// Lists without repetition, text spelled inside JSON strings, and counted text.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "formgate/engine.hpp"
#include "formgate/errors.hpp"

namespace formgate {
namespace {

std::shared_ptr<const Vocabulary> words_of(const std::vector<std::string>& tokens) {
  std::vector<std::optional<std::string_view>> views(tokens.begin(), tokens.end());
  views.emplace_back();
  return std::make_shared<const Vocabulary>(
      views, std::vector<TokenId>{static_cast<TokenId>(tokens.size())},
      std::map<std::string, TokenId>{});
}

std::vector<std::string> all_bytes() {
  std::vector<std::string> out;
  for (int b = 0; b < 256; ++b) out.emplace_back(1, static_cast<char>(b));
  return out;
}

std::shared_ptr<Engine> compile(const Grammar& grammar, const std::vector<std::string>& tokens,
                                const MaskOptions& options = {}) {
  CompileContext context(Limits{}, std::nullopt, nullptr);
  return Engine::compile(grammar, words_of(tokens), context, options);
}

Grammar::Keys keys_of(Grammar& g) {
  Grammar::Keys keys;
  keys.colon = g.literal(":");
  keys.comma = g.literal(",");
  return keys;
}

Grammar::Handle braces(Grammar& g, Grammar::Keys keys) {
  return g.sequence({g.literal("{"), g.keyed(std::move(keys)), g.literal("}")});
}

Grammar::Entry entry(const std::string& name, Grammar::Handle value, bool required) {
  Grammar::Entry out;
  out.name = name;
  out.value = value;
  out.required = required;
  return out;
}

TEST(Keyed, keys_are_compared_as_texts) {
  Grammar g;
  Grammar::Keys keys = keys_of(g);
  const auto zero = g.literal("0");
  keys.entries = {entry("a", zero, true), entry("\xC3\xA9", zero, false)};
  const auto any = g.repeat(g.chars(CharSet::all()), 0, kUnbounded);
  keys.cells.push_back({g.json_text(any, false, true), g.literal("1")});
  g.start(braces(g, std::move(keys)));
  const auto engine = compile(g, all_bytes());
  EXPECT_TRUE(engine->accepts(R"({"a":0})"));
  EXPECT_TRUE(engine->accepts(R"({"b":1,"\u0061":0,"\u00E9":0})"));
  EXPECT_FALSE(engine->accepts(R"({"a":1})"));
  EXPECT_FALSE(engine->accepts(R"({"b":1})"));
  EXPECT_FALSE(engine->accepts(R"({"a":0,"\u0061":0})"));
  EXPECT_FALSE(engine->accepts(R"({"b":1,"a":0,"\u0062":1})"));
}

// Every mask is what single steps say, with and without tables.
TEST(Keyed, masks_agree_with_steps) {
  const std::vector<std::string> tokens = {
      "{",   "}",    "\"",      "a",     "b",       ":",          ",",      "0",
      "\":", "\":0", "\":0,\"", "\"a\"", "{\"",     "\"b\":0,\"", "ab",     ",\"a\":0",
      "\\",  "u",    "6",       "1",     "\\u0061", "\",\"",      "b\":0}", "\"a\":0,\"b\":0}"};
  Grammar g;
  Grammar::Keys keys = keys_of(g);
  const auto zero = g.literal("0");
  keys.entries = {entry("a", zero, false)};
  const auto letters = g.chars(CharSet({{'a', 'b'}}));
  keys.cells.push_back({g.json_text(g.repeat(letters, 1, 2), false, true), zero});
  keys.max = 3;
  g.start(braces(g, std::move(keys)));
  MaskOptions plain;
  plain.class_tables = plain.cut_subtrees = false;
  for (const MaskOptions& options : {MaskOptions{}, plain}) {
    const auto engine = compile(g, tokens, options);
    std::vector<State> open{engine->start()};
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (std::size_t i = 0; i < open.size() && i < 400; ++i) {
      const State state = open[i];
      std::vector<std::uint32_t> row((tokens.size() + 32) / 32);
      engine->fill(state, row.data());
      bool some = false;
      for (TokenId t = 0; t <= tokens.size(); ++t) {
        const bool allowed = (row[t >> 5] >> (t & 31)) & 1;
        const auto next = engine->advance(state, t);
        EXPECT_EQ(allowed, next.has_value());
        some = some || allowed;
        if (next && t < tokens.size() && seen.emplace(next->key.hi, next->key.lo).second) {
          open.push_back(*next);
        }
      }
      EXPECT_TRUE(some);
    }
  }
}

TEST(Keyed, what_cannot_be_completed_is_empty) {
  Grammar g;
  Grammar::Keys keys = keys_of(g);
  keys.entries = {entry("a", g.choice({}), true)};
  g.start(braces(g, std::move(keys)));
  try {
    compile(g, all_bytes());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEmpty);
  }
}

TEST(Keyed, items_are_compared_by_value) {
  Grammar g;
  Grammar::Keys keys;
  keys.colon = g.literal("");
  keys.comma = g.literal(",");
  const auto digits = g.repeat(g.chars(CharSet({{'0', '9'}})), 1, kUnbounded);
  const auto number = g.sequence({digits, g.repeat(g.sequence({g.literal("."), digits}), 0, 1)});
  keys.cells.push_back({number, g.literal(""), false});
  g.start(g.keyed(std::move(keys)));
  const auto engine = compile(g, all_bytes());
  EXPECT_TRUE(engine->accepts("1,2,10,0.1"));
  EXPECT_FALSE(engine->accepts("1,2,1.00"));
  EXPECT_EQ(canonical_number("-12.50e3"), canonical_number("-125E+2"));
  EXPECT_EQ(canonical_number("-0.0"), "0");
  // Exponents of any length: around where they stop being small, and where digits are carried.
  EXPECT_EQ(canonical_number("1e100000000000000000"), canonical_number("10e99999999999999999"));
  EXPECT_EQ(canonical_number("1e1000000000000000000000"),
            canonical_number("100E+0999999999999999999998"));
  EXPECT_EQ(canonical_number("1e-100000000000000000000"),
            canonical_number("0.1e-99999999999999999999"));
  EXPECT_EQ(canonical_number("100e-100000000000000000001"),
            canonical_number("1e-99999999999999999999"));
  EXPECT_NE(canonical_number("1e100000000000000000"), canonical_number("1e100000000000000001"));
  EXPECT_NE(canonical_number("1e100000000000000000"), canonical_number("1e-100000000000000000"));
}

TEST(Spelled, boolean_text_is_spelled_in_every_way) {
  Grammar g;
  const auto letters = g.repeat(g.chars(CharSet({{'a', 'c'}, {0x1F600, 0x1F600}})), 0, kUnbounded);
  const auto other = g.intersection({letters, g.complement(g.literal("ab"))});
  g.start(g.sequence({g.literal("\""), g.json_text(other, false, false), g.literal("\"")}));
  const auto engine = compile(g, all_bytes());
  EXPECT_TRUE(engine->accepts(R"("abc\u0061\ud83d\uDE00")"));
  EXPECT_FALSE(engine->accepts(R"("a\u0062")"));
  EXPECT_FALSE(engine->accepts(R"("\ud83d")"));
  EXPECT_FALSE(engine->accepts(R"("\u0064")"));
  State state = engine->start();
  for (char c : std::string(R"("\ud83)")) {
    state = *engine->advance(state, static_cast<TokenId>(c));
  }
  for (TokenId t = 0; t < 256; ++t) {
    EXPECT_EQ(engine->advance(state, t).has_value(), t == 'd' || t == 'D');
  }
}

TEST(Keyed, values_are_compared_as_data) {
  Grammar g;
  const auto text = g.literal(R"({"a":1,"b":[2]})");
  const auto same = g.literal(R"({ "b" : [20e-1], "\u0061" : 1.0 })");
  Grammar::Keys keys;
  keys.colon = g.literal("");
  keys.comma = g.literal(",");
  keys.cells.push_back({g.choice({text, same, g.literal("[]")}), keys.colon, false});
  g.start(g.sequence({g.literal("["), g.keyed(std::move(keys)), g.literal("]")}));
  const auto engine = compile(g, all_bytes());
  EXPECT_TRUE(engine->accepts(R"([[],{"a":1,"b":[2]}])"));
  EXPECT_FALSE(engine->accepts(R"([{"a":1,"b":[2]},{ "b" : [20e-1], "\u0061" : 1.0 }])"));
  State state = engine->start();
  for (char c : std::string(R"([{"a":1,"b":[2]},)")) {
    state = *engine->advance(state, static_cast<TokenId>(c));
  }
  for (TokenId t = 0; t < 256; ++t) EXPECT_EQ(engine->advance(state, t).has_value(), t == '[');
}

TEST(Keyed, conditions_are_met_by_some_members) {
  Grammar g;
  Grammar::Keys keys = keys_of(g);
  const auto zero = g.literal("0");
  const auto one = g.literal("1");
  const auto either = g.choice({zero, one});
  const auto key = g.json_text(g.chars(CharSet({{'a', 'b'}})), false, true);
  keys.cells.push_back({key, either});
  keys.cells.back().some = {{zero, {0}}, {one, {1}}};
  g.start(braces(g, std::move(keys)));
  const auto engine = compile(g, all_bytes());
  EXPECT_TRUE(engine->accepts(R"({"a":0,"b":1})"));
  EXPECT_TRUE(engine->accepts(R"({"b":1,"a":0})"));
  EXPECT_FALSE(engine->accepts(R"({"a":0,"b":0})"));
  EXPECT_FALSE(engine->accepts(R"({"a":0})"));
}

// The states would be too many to look at; lengths decide.
TEST(Lengths, decide_counted_text) {
  Grammar g;
  const auto word = g.repeat(g.chars(CharSet({{'a', 'z'}})), 2, 9);
  const auto words = g.sequence({word, g.repeat(g.sequence({g.literal(" "), word}), 0, 40000)});
  const auto any = g.chars(CharSet::all());
  g.start(g.intersection({words, g.repeat(any, 0, 100000)}));
  const auto engine = compile(g, all_bytes());
  EXPECT_TRUE(engine->accepts("ab cde"));
  Grammar short_words;
  const auto pair = short_words.literal("ab");
  const auto all = short_words.chars(CharSet::all());
  short_words.start(short_words.intersection(
      {short_words.repeat(pair, 1, kUnbounded), short_words.repeat(all, 0, 5)}));
  const auto bounded = compile(short_words, all_bytes());
  EXPECT_TRUE(bounded->accepts("abab"));
  State state = bounded->start();
  for (char c : std::string("abab")) state = *bounded->advance(state, static_cast<TokenId>(c));
  EXPECT_FALSE(bounded->advance(state, 'a').has_value());
}

}  // namespace
}  // namespace formgate
