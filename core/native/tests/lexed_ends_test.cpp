// Whether what is left to parse has a text that a lexer cuts so, against all short texts.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"

namespace formgate {
namespace {

// Rules T and U, and what is left, over terminals p, q, r.
struct Case {
  std::map<char, std::vector<std::string>> rules;
  std::vector<std::string> rest;
};

// Patterns that take what others begin with: "a+" for one.
ExprId pattern_of(ExprPool& pool, const std::string& text) {
  ExprId out = ExprPool::kEpsilonId;
  for (std::size_t i = text.size(); i-- > 0;) {
    const bool more = text[i] == '+';
    if (more) --i;
    const ExprId letter = pool.literal(std::string(1, text[i]));
    out = pool.concat(more ? pool.repeat(letter, 1, kUnbounded) : letter, out);
  }
  return out;
}

class Built {
 public:
  Built(const Case& given, const std::vector<std::string>& patterns, bool contextual, bool ignoring)
      : contextual_(contextual) {
    Lexicon own;
    own.contextual = contextual;
    for (const std::string& text : patterns) {
      own.terminals.push_back({text, pattern_of(pool, text), {}, false, {}});
    }
    if (ignoring) own.terminals.push_back({"ignored", pool.literal("b"), {}, true, {}});
    terminals_ = own.terminals;
    lexicon_ = pool.lexing().add(std::move(own));
    for (const auto& [name, bodies] : given.rules) {
      calls_[name] = pool.call(Hasher(static_cast<std::uint64_t>(name)).finish(),
                               std::string(1, name), ExprPool::Path{});
    }
    for (const auto& [name, bodies] : given.rules) {
      pool.define(calls_.at(name), any_of(bodies), ByteSet::all());
    }
    rest = any_of(given.rest);
    CompileContext context(Limits{}, std::nullopt, nullptr);
    pool.lexing().decide_safety(lexicon_, rest, context);
  }

  std::optional<bool> told(ExprId guard) {
    return pool.lexing().has_text(pool.intersect(guard, pool.lexing().between(lexicon_, rest)),
                                  false);
  }

  // Whether a text is in the language, lexeme by lexeme.
  bool accepts(const std::string& text) {
    ExprId left = rest;
    std::string_view coming = text;
    while (!coming.empty()) {
      std::size_t taken = 0;
      std::size_t winner = 0;
      for (std::size_t end = coming.size(); end > 0 && taken == 0; --end) {
        for (std::size_t i = 0; i < terminals_.size() && taken == 0; ++i) {
          if (contextual_ && !terminals_[i].ignored && after(left, i) == ExprPool::kEmptyId) {
            continue;
          }
          if (!pool.nullable(pool.walk(terminals_[i].pattern, coming.substr(0, end)))) continue;
          taken = end;
          winner = i;
        }
      }
      if (taken == 0) return false;
      if (!terminals_[winner].ignored) left = after(left, winner);
      if (left == ExprPool::kEmptyId) return false;
      coming.remove_prefix(taken);
    }
    return pool.nullable(left);
  }

  ExprPool pool;
  ExprId rest;

 private:
  ExprId after(ExprId left, std::size_t terminal) {
    return pool.walk(left, symbol_text(1, static_cast<std::uint32_t>(terminal)));
  }
  ExprId any_of(const std::vector<std::string>& bodies) {
    std::vector<ExprId> choices;
    for (const std::string& body : bodies) {
      ExprId all = ExprPool::kEpsilonId;
      for (auto letter = body.rbegin(); letter != body.rend(); ++letter) {
        const auto call = calls_.find(*letter);
        all = pool.concat(call != calls_.end() ? call->second
                                               : pool.literal(symbol_text(
                                                     1, static_cast<std::uint32_t>(*letter - 'p'))),
                          all);
      }
      choices.push_back(all);
    }
    return pool.unite(choices);
  }

  bool contextual_;
  std::uint32_t lexicon_ = 0;
  std::vector<LexTerminal> terminals_;
  std::map<char, ExprId> calls_;
};

std::vector<std::string> texts_of(std::size_t most) {
  std::vector<std::string> out{""};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].size() == most) break;
    for (char c : {'a', 'b'}) out.push_back(out[i] + c);
  }
  return out;
}

TEST(LexedEnds, tell_what_short_texts_do) {
  const std::vector<std::string> texts = texts_of(11);
  const std::vector<std::string> patterns{"a", "b", "ab", "a+", "b+", "a+b", "ba", "aa", "ab+"};
  std::mt19937 random(3);
  const auto pick = [&](const auto& of) { return of[random() % of.size()]; };
  const std::string letters = "pqrpqrTU";
  std::map<std::optional<bool>, std::size_t> seen[2];
  for (int round = 0; round < 600; ++round) {
    Case given;
    for (char name : {'T', 'U'}) {
      given.rules[name] = {std::string{pick(letters.substr(0, 3)), pick(letters.substr(0, 3))}};
      std::string body{pick(letters.substr(0, 3))};
      for (unsigned k = random() % 2; k > 0; --k) body += pick(letters);
      given.rules[name].push_back(body);
    }
    std::string body;
    for (auto k = 1 + random() % 3; k > 0; --k) body += pick(letters);
    given.rest = {body};
    std::vector<std::string> own{pick(patterns), pick(patterns), pick(patterns)};
    const bool contextual = random() % 2 == 0;
    Built built(given, own, contextual, random() % 3 == 0);
    // "b" does not come next, say.
    ExprId guard = ExprPool::kAllId;
    std::string barred;
    if (random() % 2 == 0) {
      barred = pick(std::vector<std::string>{"a", "b", "ab", "aa"});
      guard = built.pool.complement(built.pool.concat(built.pool.literal(barred), guard));
    }
    const bool expected = std::ranges::any_of(texts, [&](const std::string& text) {
      return (barred.empty() || !text.starts_with(barred)) && built.accepts(text);
    });
    const std::optional<bool> told = built.told(guard);
    ++seen[contextual][told];
    const std::string about = body + " of " + own[0] + " " + own[1] + " " + own[2] + " T " +
                              given.rules['T'][0] + " " + given.rules['T'][1] + " U " +
                              given.rules['U'][0] + " " + given.rules['U'][1] + " not " + barred;
    if (contextual) {  // no is not told there
      ASSERT_TRUE(!told || (*told && expected)) << about;
    } else {
      ASSERT_EQ(told, std::optional(expected)) << about;
    }
  }
  EXPECT_GT(seen[0][true], 100u);
  EXPECT_GT(seen[0][false], 50u);
  EXPECT_GT(seen[1][true], 50u);
}

}  // namespace
}  // namespace formgate
