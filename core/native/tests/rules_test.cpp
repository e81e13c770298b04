// Recursive rules: lowering, left recursion, and states whose spine is a stack.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "formgate/engine.hpp"
#include "formgate/errors.hpp"

namespace formgate {
namespace {

using Rules = std::map<std::string, std::vector<std::string>>;  // upper case letters are rules

Grammar grammar_of(const Rules& rules) {
  Grammar g;
  for (const auto& [name, bodies] : rules) {
    std::vector<Grammar::Handle> choices;
    for (const std::string& body : bodies) {
      std::vector<Grammar::Handle> parts;
      for (char c : body) {
        const bool rule = c >= 'A' && c <= 'Z';
        parts.push_back(rule ? g.rule(std::string(1, c)) : g.literal(std::string(1, c)));
      }
      choices.push_back(g.sequence(parts));
    }
    g.define(name, g.choice(choices));
  }
  g.start(g.rule("S"));
  return g;
}

std::shared_ptr<Engine> compile(const Grammar& grammar, const std::vector<std::string>& tokens,
                                const Limits& limits = {}) {
  std::vector<std::optional<std::string_view>> views(tokens.begin(), tokens.end());
  views.emplace_back();
  auto words = std::make_shared<const Vocabulary>(
      views, std::vector<TokenId>{static_cast<TokenId>(tokens.size())},
      std::map<std::string, TokenId>{});
  CompileContext context(limits, std::nullopt, nullptr);
  return Engine::compile(grammar, std::move(words), context, MaskOptions{});
}

const std::vector<std::string> kLetters = {"a", "b", "c", "(", ")", "+", "ab", "((", "))", "a+"};

// Texts by derivation: which spans each rule matches, as a least fixed point.
bool derives(const Rules& rules, const std::string& text) {
  std::map<std::pair<char, std::pair<std::size_t, std::size_t>>, bool> known;
  const auto matches = [&](auto&& self, const std::string& body, std::size_t i, std::size_t from,
                           std::size_t to) -> bool {
    if (i == body.size()) return from == to;
    if (body[i] < 'A' || body[i] > 'Z') {
      return from < to && text[from] == body[i] && self(self, body, i + 1, from + 1, to);
    }
    for (std::size_t middle = from; middle <= to; ++middle) {
      if (known[{body[i], {from, middle}}] && self(self, body, i + 1, middle, to)) return true;
    }
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [name, bodies] : rules) {
      for (std::size_t from = 0; from <= text.size(); ++from) {
        for (std::size_t to = from; to <= text.size(); ++to) {
          bool& slot = known[{name[0], {from, to}}];
          for (const std::string& body : bodies) {
            if (slot || !matches(matches, body, 0, from, to)) continue;
            slot = changed = true;
          }
        }
      }
    }
  }
  return known[{'S', {0, text.size()}}];
}

TEST(Rules, LanguagesAreThoseOfTheGrammar) {
  const Rules grammars[] = {
      {{"S", {"Sa", "b"}}},
      {{"S", {"SS", "a"}}},
      {{"S", {"ASa", "b"}}, {"A", {"", "b"}}},
      {{"S", {"Aa", "b"}}, {"A", {"Bb"}}, {"B", {"Sa", "a"}}},
      {{"S", {"S", "SS", "", "a"}}},
      {{"S", {"aSa", "bSb", "a", ""}}},
      {{"S", {"S+S", "(S)", "a"}}},
      {{"S", {"A", "B"}}, {"A", {"aAb", ""}}, {"B", {"aBbb", ""}}},
  };
  for (const Rules& rules : grammars) {
    const auto engine = compile(grammar_of(rules), kLetters);
    for (std::size_t length = 0; length <= 6; ++length) {
      for (unsigned bits = 0; bits < (1u << (2 * std::min<std::size_t>(length, 5))); ++bits) {
        std::string text;
        const char* alphabet = rules.begin()->second[0] == "S+S" ? "a+()" : "abba";
        for (std::size_t i = 0; i < length; ++i) text += alphabet[(bits >> (2 * (i % 5))) & 3];
        ASSERT_EQ(engine->accepts(text), derives(rules, text)) << text;
      }
    }
  }
}

TEST(Rules, MasksOfRandomGrammarsAgreeWithStepping) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Rules rules;
    const std::string symbols = "SABabab()";
    for (const char* name : {"S", "A", "B"}) {
      for (unsigned n = 1 + random() % 3; n > 0; --n) {
        std::string body;
        for (unsigned k = random() % 4; k > 0; --k) body += symbols[random() % symbols.size()];
        rules[name].push_back(body);
      }
    }
    std::shared_ptr<Engine> engine;
    try {
      engine = compile(grammar_of(rules), kLetters);
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::kEmpty);
      continue;
    }
    State state = engine->start();
    std::vector<std::uint32_t> row(engine->vocabulary().words());
    for (int step = 0; step < 12 && !Engine::ended(state); ++step) {
      engine->fill(state, row.data());
      std::vector<State> next;
      for (TokenId id = 0; id < engine->vocabulary().size(); ++id) {
        const auto after = engine->advance(state, id);
        ASSERT_EQ(test_bit(row.data(), id), after.has_value()) << engine->explain(state);
        if (after) next.push_back(*after);
      }
      ASSERT_FALSE(next.empty());
      state = next[random() % next.size()];
    }
  }
}

TEST(Rules, DeepStacksNeedNoRecursion) {
  const auto engine = compile(grammar_of({{"S", {"(S)", "aSb", "c"}}}), kLetters);
  State state = engine->start();
  constexpr int kDepth = 30'000;
  for (int i = 0; i < kDepth; ++i) state = *engine->advance(state, i % 3 ? 3 : 0);
  state = *engine->advance(state, 2);
  EXPECT_LT(engine->explain(state).size(), 1000u);
  for (int i = kDepth; i-- > 0;) state = *engine->advance(state, i % 3 ? 4 : 1);
  EXPECT_TRUE(engine->is_terminal(state));
}

// Rules each of which begins with the next, in a circle.
Grammar chain_at_the_left_edge(int rules) {
  Grammar g;
  for (int i = 0; i < rules; ++i) {
    g.define(std::to_string(i), g.choice({g.rule(std::to_string(i + 1)), g.literal("b")}));
  }
  g.define(std::to_string(rules), g.sequence({g.literal("a"), g.rule("0")}));
  g.start(g.rule("0"));
  return g;
}

TEST(Rules, ChainsAtTheLeftEdgeMayBeLong) {
  Limits limits;
  limits.max_depth = 10;
  for (int rules : {40, 4000}) {
    const Grammar g = chain_at_the_left_edge(rules);
    EXPECT_TRUE(compile(g, kLetters)->accepts("aaab"));
    EXPECT_TRUE(compile(g, kLetters, limits)->accepts("aaab"));
    EXPECT_FALSE(compile(g, kLetters, limits)->accepts("aaba"));
  }
}

}  // namespace
}  // namespace formgate
