// Grammars with a lexer: languages, guards, dead ends, and masks with and without tables.
#include "formgate/lexing.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formgate/engine.hpp"
#include "formgate/errors.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

std::shared_ptr<const Vocabulary> words_of(const std::vector<std::string>& tokens) {
  std::vector<std::optional<std::string_view>> views(tokens.begin(), tokens.end());
  views.emplace_back();
  return std::make_shared<const Vocabulary>(
      views, std::vector<TokenId>{static_cast<TokenId>(tokens.size())},
      std::map<std::string, TokenId>{});
}

std::shared_ptr<Engine> compile(const Grammar& grammar, const std::vector<std::string>& tokens,
                                const MaskOptions& options = {}) {
  CompileContext context(Limits{}, std::nullopt, nullptr);
  return Engine::compile(grammar, words_of(tokens), context, options);
}

// All texts over some letters up to a length.
std::vector<std::string> texts_of(const std::string& letters, std::size_t most) {
  std::vector<std::string> out{""};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].size() == most) continue;
    for (char c : letters) out.push_back(out[i] + c);
  }
  return out;
}

bool accepts(const Engine& engine, const std::string& text, const std::string& letters) {
  State state = engine.start();
  for (char c : text) {
    const auto next = engine.advance(state, static_cast<TokenId>(letters.find(c)));
    if (!next) return false;
    state = *next;
  }
  return state.accepting;
}

Grammar::Handle letters_of(Grammar& g, char low, char high) {
  return g.repeat(
      g.chars(CharSet({{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high)}})), 1,
      kUnbounded);
}

// Numbers with an optional fraction, two dots between: "1..2" must not begin with "1.".
TEST(Lexing, falls_back_to_an_earlier_end) {
  Grammar g;
  const auto number =
      g.sequence({letters_of(g, '0', '1'),
                  g.repeat(g.sequence({g.literal("."), letters_of(g, '0', '1')}), 0, 1)});
  const auto rule = g.sequence({g.terminal("N"), g.terminal("D"), g.terminal("N")});
  g.start(g.lexed(rule, {{"N", number}, {"D", g.literal("..")}}, LexMode::kLongest, true));
  const auto engine = compile(g, {"0", "1", "."});
  EXPECT_TRUE(accepts(*engine, "1..0", "01."));
  EXPECT_TRUE(accepts(*engine, "1.0..0.1", "01."));
  EXPECT_FALSE(accepts(*engine, "1.0", "01."));
  EXPECT_FALSE(accepts(*engine, "1...0", "01."));
}

TEST(Lexing, a_lexer_that_is_always_stuck_is_an_empty_language) {
  Grammar g;
  g.start(g.lexed(g.sequence({g.terminal("A"), g.terminal("B")}),
                  {{"A", letters_of(g, 'a', 'a')}, {"B", g.literal("a")}}, LexMode::kLongest,
                  true));
  try {
    compile(g, {"a"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEmpty);
  }
}

// Expressions with names, a keyword and blanks; nested without end.
Grammar expressions() {
  Grammar g;
  const auto call = g.sequence({g.terminal("("), g.rule("e"), g.terminal(")")});
  const auto negated = g.sequence({g.terminal("NOT"), g.rule("e")});
  g.define("e", g.choice({g.terminal("NAME"), call, negated,
                          g.sequence({g.rule("e"), g.terminal("+"), g.rule("e")})}));
  g.start(g.lexed(g.rule("e"),
                  {{"NOT", g.literal("no"), false, {{"NAME", true}}},
                   {"NAME", letters_of(g, 'm', 'p')},
                   {"(", g.literal("(")},
                   {")", g.literal(")")},
                   {"+", g.literal("+")},
                   {"WS", letters_of(g, ' ', ' '), true}},
                  LexMode::kLongest, true));
  return g;
}

TEST(Lexing, keywords_are_no_names) {
  const auto engine = compile(expressions(), {"n", "o", " ", "(", ")", "+"});
  const std::string letters = "no ()+";
  EXPECT_TRUE(accepts(*engine, "no (on+n )", letters));
  EXPECT_TRUE(accepts(*engine, "noo", letters));
  EXPECT_FALSE(accepts(*engine, "no", letters));
  EXPECT_FALSE(accepts(*engine, "n o", letters));
}

TEST(Lexing, tables_and_walks_agree) {
  std::vector<std::string> tokens = texts_of("no ()+", 4);
  tokens.erase(tokens.begin());  // the empty text
  MaskOptions walked;
  walked.class_tables = false;
  const Grammar grammar = expressions();
  const auto fast = compile(grammar, tokens);
  const auto slow = compile(grammar, tokens, walked);
  std::vector<std::uint32_t> a((tokens.size() + 32) / 32);
  std::vector<std::uint32_t> b(a.size());
  State left = fast->start();
  State right = slow->start();
  for (const std::string step : {"(n+ ", "no (", "on", " + (", "no n"}) {
    fast->fill(left, a.data());
    slow->fill(right, b.data());
    EXPECT_EQ(a, b);
    const auto token =
        static_cast<TokenId>(std::find(tokens.begin(), tokens.end(), step) - tokens.begin());
    const auto next = fast->advance(left, token);
    ASSERT_TRUE(next) << step;
    left = *next;
    right = slow->advance(right, token).value();
  }
}

TEST(Lexing, what_is_not_over_terminals_is_refused) {
  Grammar g;
  g.start(g.lexed(g.literal("a"), {{"A", g.literal("a")}}, LexMode::kLongest, true));
  EXPECT_THROW(compile(g, {"a"}), Error);
}

// What is parsed, and a lexer of given texts, each so often; `rest` is over the terminals' numbers.
struct Lexer {
  ExprPool pool;
  std::uint32_t lexicon = 0;

  Lexer(const std::vector<std::string>& texts, std::uint32_t most) {
    Lexicon own;
    for (const std::string& text : texts) {
      own.terminals.push_back({text, pool.repeat(pool.literal(text), 1, most), {}, false, {}});
    }
    lexicon = pool.lexing().add(std::move(own));
  }
  ExprId symbol(std::uint32_t number) { return pool.literal(symbol_text(1, number)); }
  bool decide(ExprId rest, const std::shared_ptr<CancelToken>& cancel) {
    CompileContext context(Limits{}, std::nullopt, cancel);
    pool.lexing().decide_safety(lexicon, rest, context);
    return pool.lexing().lexicon(lexicon).safe;
  }
};

// A stack grows with the text: what it is made of must not be looked through again for each state.
TEST(Lexing, the_fewest_symbols_of_a_stack_are_kept_for_all_of_it) {
  Lexer lexer({"a", "b"}, 1);
  ExprPool& pool = lexer.pool;
  const ExprId pair = pool.concat(lexer.symbol(0), lexer.symbol(1));
  ExprId rest = pair;
  std::vector<ExprId> stacks;
  for (std::uint32_t depth = 2; depth <= 200'000; ++depth) {
    rest = pool.concat(pool.repeat(lexer.symbol(depth % 2), 0, 1), pool.concat(pair, rest));
    // Where several stacks go on in one, recursion would follow the text.
    if (depth % 4 == 0) rest = pool.unite(rest, pool.concat(lexer.symbol(1), rest));
    stacks.push_back(rest);
  }
  const ExprId top = pool.lexing().between(lexer.lexicon, stacks.back());
  EXPECT_EQ(pool.lexing().least_symbols(top), 2u * 200'000);
  const std::size_t known = pool.lexing().least_known();
  EXPECT_GE(known, stacks.size());
  std::size_t asked = 0;
  for (std::size_t i = 0; i < stacks.size(); i += 997) {
    ++asked;
    EXPECT_EQ(pool.lexing().least_symbols(pool.lexing().between(lexer.lexicon, stacks[i])),
              2 * (i + 2));
  }
  // What stands below others may have become one with what was put before it.
  EXPECT_LE(pool.lexing().least_known(), known + asked);
}

TEST(Lexing, a_compilation_that_was_cancelled_leaves_nothing_undecided) {
  std::vector<std::string> texts;
  for (char one = 'a'; one <= 'j'; ++one) {
    for (char other = 'a'; other <= 'j'; ++other) texts.push_back({one, other});
  }
  Lexer lexer(texts, 1);
  std::vector<ExprId> symbols;
  for (std::uint32_t i = 0; i < texts.size(); ++i) symbols.push_back(lexer.symbol(i));
  const ExprId rest = lexer.pool.repeat(lexer.pool.unite(symbols), 0, kUnbounded);
  const auto cancel = std::make_shared<CancelToken>();
  cancel->cancel();
  EXPECT_THROW(lexer.decide(rest, cancel), Error);
  EXPECT_TRUE(lexer.decide(rest, nullptr));
}

// Wherever a search ends for want of room, it leaves behind nothing that was not proven.
TEST(Lexing, a_search_that_was_cut_short_proves_nothing) {
  Lexer lexer({"xa", "yb", "zc"}, kUnbounded);
  ExprPool& pool = lexer.pool;
  const ExprId all = pool.concat(lexer.symbol(0), pool.concat(lexer.symbol(1), lexer.symbol(2)));
  const ExprId rest = pool.repeat(all, 0, kUnbounded);
  ASSERT_TRUE(lexer.decide(rest, nullptr));
  const ExprId begun = pool.concat(pool.literal("xaybzc"), ExprPool::kAllId);
  const ExprId between = pool.lexing().between(lexer.lexicon, pool.repeat(all, 1, kUnbounded));
  const ExprId state = pool.intersect(pool.complement(begun), between);
  for (int times = 0;; ++times) {
    const auto lock = pool.acquire();
    pool.allow_growth(0);  // each time one expression more is there
    try {
      EXPECT_FALSE(pool.lexing().surely_live(state)) << times;
      break;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::kLimit);
    }
  }
}

}  // namespace
}  // namespace formgate
