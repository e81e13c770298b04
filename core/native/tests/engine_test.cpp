#include "formgate/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "formgate/errors.hpp"

namespace formgate {
namespace {

std::shared_ptr<const Vocabulary> vocabulary(const std::vector<std::string>& tokens) {
  std::vector<std::optional<std::string_view>> views(tokens.begin(), tokens.end());
  views.emplace_back();
  return std::make_shared<const Vocabulary>(
      views, std::vector<TokenId>{static_cast<TokenId>(tokens.size())},
      std::map<std::string, TokenId>{});
}

std::shared_ptr<Engine> compile(const Grammar& grammar, std::shared_ptr<const Vocabulary> words,
                                MaskOptions options = {}) {
  CompileContext context(Limits{}, std::nullopt, nullptr);
  return Engine::compile(grammar, std::move(words), context, options);
}

// Every mask of every state within `depth` tokens, against stepping token by token.
void check_masks(const Engine& engine, int depth) {
  std::vector<State> level{engine.start()};
  std::vector<std::uint32_t> row(engine.vocabulary().words());
  for (int i = 0; i < depth; ++i) {
    std::vector<State> next;
    for (const State& state : level) {
      engine.fill(state, row.data());
      for (TokenId id = 0; id < engine.vocabulary().size(); ++id) {
        const auto after = engine.advance(state, id);
        ASSERT_EQ(test_bit(row.data(), id), after.has_value())
            << id << ": " << engine.explain(state);
        if (after && !Engine::ended(*after) && next.size() < 200) next.push_back(*after);
      }
    }
    level = std::move(next);
  }
}

const std::vector<std::string> kWords = {
    "a",    "b",    "c",    "ab",       "bc",    "abc",   "aab", " ",  " a",     "a ",
    "\"",   "\"a",  "a\"",  "\\",       "\\\"a", "1",     "12",  "a1", "1a",     "\n",
    "a\nb", "\xC3", "\xA9", "\xC3\xA9", "a\xC3", "\xA9z", "zz",  "a",  "ccc ccc"};

// A text completes a token where stepping by both ends in an accepting state.
TEST(Engine, TokensThatATextCompletesAreThoseOfStepping) {
  Grammar g;
  g.start(g.sequence({g.repeat(g.chars(CharSet({{'a', 'c'}})), 1, 6), g.literal(" a")}));
  const auto engine = compile(g, vocabulary(kWords));
  Bitmap every(engine->vocabulary().words(), ~0u);
  State state = engine->start();
  for (TokenId step : {TokenId{0}, TokenId{3}, TokenId{1}}) {
    for (const std::string_view text : {"", "a", " a", "b a", "cccccc a", "x"}) {
      Bitmap found(every.size(), 0);
      engine->completed_by(state, text, every, found);
      for (TokenId id = 0; id + 1 < engine->vocabulary().size(); ++id) {
        auto after = engine->advance(state, id);
        for (char c : text) {
          const auto at = std::ranges::find(kWords, std::string(1, c));
          if (!after || at == kWords.end()) {
            after.reset();
            break;
          }
          after = engine->advance(*after, static_cast<TokenId>(at - kWords.begin()));
        }
        EXPECT_EQ(test_bit(found.data(), id), after && after->accepting) << text << ' ' << id;
      }
    }
    state = *engine->advance(state, step);
  }
}

TEST(Engine, MasksAgreeWithSteppingUnderEverySwitch) {
  const CharSet lower({{'a', 'z'}});
  const CharSet text = CharSet({{'"', '"'}, {'\\', '\\'}, {'\n', '\n'}}).complement();
  const auto build = [&](int which) {
    Grammar g;
    const auto word = [&](std::uint64_t min, std::uint64_t max) {
      return g.repeat(g.chars(lower), min, max);
    };
    switch (which) {
      case 0:
        g.start(word(1, 4));
        break;
      case 1:
        g.start(g.sequence({word(2, kUnbounded), g.literal(" "), word(0, 2)}));
        break;
      case 2:
        g.start(g.sequence(
            {g.literal("\""),
             g.repeat(g.choice({g.chars(text), g.sequence({g.literal("\\"), g.literal("\"")})}), 0,
                      5),
             g.literal("\"")}));
        break;
      case 3:
        g.start(g.sequence({word(0, 3), g.literal("abc")}));
        break;
      case 4:
        g.start(g.intersection(
            {g.repeat(g.chars(text), 2, 6),
             g.complement(g.sequence({g.repeat(g.chars(text), 0, kUnbounded), g.literal("ab"),
                                      g.repeat(g.chars(text), 0, kUnbounded)}))}));
        break;
      default:
        g.start(g.repeat(g.choice({word(1, 2), g.literal("1"), g.chars(CharSet({{0xE9, 0xE9}}))}),
                         1, 4));
    }
    return g;
  };
  for (int which = 0; which < 6; ++which) {
    for (unsigned bits = 0; bits < 16; ++bits) {
      const MaskOptions options{(bits & 1) == 0, (bits & 2) == 0, (bits & 4) == 0, (bits & 8) == 0};
      check_masks(*compile(build(which), vocabulary(kWords), options), 3);
    }
  }
}

TEST(Engine, LivenessIsRelativeToWholeTokens) {
  // (aa)?(aaa)?b with tokens "aaaa" and "b": "aaaa" leads nowhere.
  Grammar g;
  g.start(g.sequence(
      {g.repeat(g.literal("aa"), 0, 1), g.repeat(g.literal("aaa"), 0, 1), g.literal("b")}));
  const auto engine = compile(g, vocabulary({"aaaa", "b"}));
  EXPECT_FALSE(engine->advance(engine->start(), 0));
  EXPECT_TRUE(engine->advance(engine->start(), 1));
  check_masks(*engine, 3);
}

TEST(Engine, EmptyLanguagesAreRefused) {
  Grammar g;
  g.start(g.intersection({g.literal("a"), g.literal("b")}));
  EXPECT_THROW(compile(g, vocabulary(kWords)), Error);
  Grammar unspellable;
  unspellable.start(unspellable.literal("Q"));
  EXPECT_THROW(compile(unspellable, vocabulary(kWords)), Error);
}

// Masks made ahead are those of all others, whatever the text is and whoever else asks meanwhile.
TEST(Engine, MasksMadeAheadAreThoseOfStepping) {
  Grammar g;
  const auto letter = g.chars(CharSet({{'a', 'c'}}));
  g.start(g.sequence({g.literal("\""), g.repeat(letter, 2, 5), g.literal("\""), g.literal("12")}));
  const auto engine = compile(g, vocabulary(kWords));
  const auto along = [&](const std::vector<std::string>& pieces) {
    return engine->warm_up(pieces, [] { return true; });
  };
  EXPECT_EQ(along({"\"abc\"12"}), 4u);   // a quote with "a", "bc", a quote, "12"
  EXPECT_EQ(along({"\"", "\"12"}), 3u);  // a quote with "a", "a" with a quote
  EXPECT_EQ(along({"", ""}), 3u);
  EXPECT_EQ(along({"", "x"}), 3u);
  EXPECT_EQ(along({}), 0u);
  EXPECT_EQ(along({"\xFF\xFF"}), 0u);
  int left = 3;
  EXPECT_EQ(engine->warm_up(std::vector<std::string>{"\"abc\"12"}, [&] { return --left > 0; }), 2u);
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) along({"\"", "\"1"});
  });
  check_masks(*engine, 4);
  other.join();
}

TEST(Engine, EndsAfterAStopToken) {
  Grammar g;
  g.start(g.literal("a"));
  const auto engine = compile(g, vocabulary({"a", "b"}));
  const State after = *engine->advance(engine->start(), 0);
  EXPECT_TRUE(after.accepting);
  EXPECT_TRUE(engine->is_terminal(after));
  const State end = *engine->advance(after, 2);
  EXPECT_TRUE(Engine::ended(end));
  std::vector<std::uint32_t> row(1, 7);
  engine->fill(end, row.data());
  EXPECT_EQ(row[0], 0u);
  EXPECT_FALSE(engine->advance(end, 0));
}

TEST(Engine, CompilationStopsWhenAsked) {
  Grammar g;
  const auto any = g.chars(CharSet::all());
  const auto word = g.chars(CharSet({{'a', 'c'}}));
  g.start(g.intersection({g.repeat(any, 0, 40000),
                          g.complement(g.sequence({g.repeat(any, 0, kUnbounded), g.literal("a"),
                                                   g.repeat(word, 11, 11)}))}));
  auto cancel = std::make_shared<CancelToken>();
  cancel->cancel();
  CompileContext cancelled(Limits{}, std::nullopt, cancel);
  EXPECT_THROW(Engine::compile(g, vocabulary(kWords), cancelled, {}), Error);
  CompileContext late(Limits{}, 0.02, nullptr);
  EXPECT_THROW(Engine::compile(g, vocabulary(kWords), late, {}), Error);
}

TEST(Engine, ManyThreadsSeeTheSameMasks) {
  Grammar g;
  g.start(g.sequence({g.literal("\""), g.repeat(g.chars(CharSet({{'a', 'z'}, {' ', ' '}})), 0, 60),
                      g.literal("\"")}));
  const auto words = vocabulary(kWords);
  const auto engine = compile(g, words);
  std::vector<State> states{*engine->advance(engine->start(), 10)};
  for (int i = 0; i < 50; ++i) states.push_back(*engine->advance(states.back(), 0));
  const std::size_t stride = words->words();
  std::vector<std::uint32_t> expected(states.size() * stride);
  std::vector<Engine::Place> places;
  for (const State& state : states) places.push_back({engine.get(), state});
  Engine::fill_many(places, expected.data(), stride, 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        std::vector<std::uint32_t> rows(states.size() * stride);
        Engine::fill_many(places, rows.data(), stride, 2);
        ASSERT_EQ(rows, expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Engine, CachesMayBeEmptiedAtAnyTime) {
  Grammar g;
  g.start(g.repeat(g.choice({g.chars(CharSet({{'a', 'y'}})), g.literal("zz")}), 0, 30));
  MaskCache::set_budget(1);
  ExprPool::set_budget(1);
  check_masks(*compile(g, vocabulary(kWords)), 3);
  MaskCache::set_budget(128u << 20);
  ExprPool::set_budget(256u << 20);
}

TEST(Vocabulary, RefusesWhatItCannotRepresent) {
  const auto make = [](const std::vector<std::string>& tokens, TokenId stop) {
    std::vector<std::optional<std::string_view>> views(tokens.begin(), tokens.end());
    return Vocabulary(views, {stop}, {});
  };
  EXPECT_THROW(make({}, 0), Error);
  EXPECT_THROW(make({"a", ""}, 0), Error);
  EXPECT_THROW(make({"a", "b"}, 2), Error);
  EXPECT_NO_THROW(make({"a", ""}, 1));  // the stop token's text does not matter
}

TEST(Vocabulary, TrieHoldsEveryTokenOnce) {
  const auto words = vocabulary(kWords);
  std::size_t tokens = 0;
  for (std::uint32_t n = 0; n < words->trie().size(); ++n) {
    const TrieNode& node = words->trie()[n];
    for (std::uint32_t rank = node.rank_begin; rank < node.own_end(); ++rank, ++tokens) {
      EXPECT_EQ(words->path(n), *words->token_bytes(words->ids()[rank]));
    }
  }
  EXPECT_EQ(tokens, kWords.size());
  EXPECT_EQ(words->fingerprint(), vocabulary(kWords)->fingerprint());
  EXPECT_NE(words->fingerprint(), vocabulary({"a"})->fingerprint());
}

}  // namespace
}  // namespace formgate
