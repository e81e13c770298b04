// LALR automata: what they accept, conflicts, and which stacks surely take a terminal.
#include "lalr.hpp"

#include <gtest/gtest.h>

#include "formgate/errors.hpp"

namespace formgate {
namespace {

// Upper-case letters are heads, the first head is the start; other letters are terminals.
LalrGrammar grammar_of(const std::string& terminals, const std::vector<std::string>& productions) {
  LalrGrammar out;
  std::string heads;
  for (char c : terminals) out.names.emplace_back(1, c);
  out.names.emplace_back("$END");
  out.terminals = static_cast<std::uint32_t>(out.names.size());
  out.dead.assign(out.terminals, false);
  const auto number = [&](char c) {
    if (c < 'A' || c > 'Z') return static_cast<std::uint32_t>(terminals.find(c));
    if (heads.find(c) == std::string::npos) {
      heads += c;
      out.names.emplace_back(1, c);
    }
    return static_cast<std::uint32_t>(out.terminals + heads.find(c));
  };
  for (const std::string& text : productions) {
    LalrGrammar::Production production{number(text[0]), {}, 0};
    for (char c : text.substr(1)) production.body.push_back(number(c));
    out.productions.push_back(production);
  }
  out.start = out.productions[0].head;
  return out;
}

Lalr automaton_of(const LalrGrammar& grammar) {
  CompileContext context(Limits{}, std::nullopt, nullptr);
  return Lalr(grammar, context);
}

// Terminals that have an action after a text; "!" where the parser fails before.
std::string accepts(const Lalr& automaton, const std::string& text) {
  std::vector<std::uint32_t> numbers;
  const std::vector<std::string>& names = automaton.grammar().names;
  for (char c : text) {
    const auto it = std::find(names.begin(), names.end(), std::string(1, c));
    numbers.push_back(static_cast<std::uint32_t>(it - names.begin()));
  }
  std::vector<std::uint32_t> stack;
  if (!automaton.takes(numbers, stack)) return "!";
  std::string out;
  for (std::uint32_t i = 0; i < automaton.end(); ++i) {
    if (automaton.accepts(stack.back(), i)) out += names[i];
  }
  return automaton.accepts(stack.back(), automaton.end()) ? out + "$" : out;
}

TEST(Lalr, merges_states) {
  const Lalr automaton = automaton_of(grammar_of("abcpn", {"SaMp", "SbMn", "Mc"}));
  EXPECT_EQ(accepts(automaton, ""), "ab");
  EXPECT_EQ(accepts(automaton, "ac"), "pn");
  EXPECT_EQ(accepts(automaton, "acn"), "!");
  EXPECT_FALSE(automaton.has_conflicts());
  std::vector<std::uint32_t> stack;
  ASSERT_TRUE(automaton.takes({0, 2}, stack));
  EXPECT_FALSE(automaton.surely_accepts(stack.back(), 3));
  EXPECT_FALSE(automaton.implies(3, 4));
}

TEST(Lalr, knows_what_every_stack_takes) {
  const Lalr automaton = automaton_of(grammar_of("abcpn", {"SaMpn", "SbMp", "Mc"}));
  std::vector<std::uint32_t> stack;
  ASSERT_TRUE(automaton.takes({0, 2}, stack));
  EXPECT_TRUE(automaton.surely_accepts(stack.back(), 3));
}

TEST(Lalr, shifts_before_it_reduces) {
  const Lalr automaton = automaton_of(grammar_of("iex", {"SiS", "SiSeS", "Sx"}));
  EXPECT_TRUE(automaton.has_conflicts());
  EXPECT_EQ(accepts(automaton, "iixex"), "e$");
  EXPECT_EQ(accepts(automaton, "iixexexe"), "!");
}

TEST(Lalr, refuses_reductions_that_collide) {
  LalrGrammar grammar = grammar_of("x", {"SA", "SB", "Ax", "Bx"});
  EXPECT_THROW(automaton_of(grammar), Error);
  grammar.productions[3].priority = 1;
  EXPECT_TRUE(automaton_of(grammar).is_overruled());
}

TEST(Lalr, takes_empty_and_recursive_rules) {
  const Lalr automaton = automaton_of(grammar_of("ab", {"SAS", "S", "Aab", "Ab"}));
  EXPECT_EQ(accepts(automaton, ""), "ab$");
  EXPECT_EQ(accepts(automaton, "ab"), "ab$");
  // Only itself: no text at all, but an automaton.
  EXPECT_EQ(accepts(automaton_of(grammar_of("a", {"SS"})), ""), "");
  // Hidden left recursion: what is shifted goes first.
  EXPECT_EQ(accepts(automaton_of(grammar_of("ab", {"SBSa", "Sb", "B"})), "b"), "a$");
}

TEST(Lalr, finds_what_is_needed) {
  const LalrGrammar grammar = grammar_of("abc", {"Sa", "SbL", "LcL"});
  const auto part = needed_part(grammar);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->productions.size(), 1u);
  EXPECT_EQ(accepts(automaton_of(grammar), ""), "ab");
  EXPECT_EQ(accepts(automaton_of(*part), ""), "a");
  EXPECT_FALSE(needed_part(grammar_of("a", {"Sa"})));
}

TEST(Lalr, keeps_to_limits) {
  // Every production may have begun at each of many places: states without end.
  std::vector<std::string> productions;
  for (int i = 0; i < 18; ++i) {
    const char head = static_cast<char>('A' + i);
    std::string own = "S";
    own += head;
    productions.push_back(own);
    for (char c = 'a'; c < 'a' + 18; ++c) {
      std::string body(1, head);
      body += c;
      body += c - 'a' == i ? static_cast<char>('A' + (i + 1) % 18) : head;
      if (c - 'a' != (i + 3) % 18) productions.push_back(body);
    }
    productions.push_back(std::string(1, head) + "z");
  }
  LalrGrammar grammar = grammar_of("abcdefghijklmnopqrz", productions);
  try {
    automaton_of(grammar);
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::kLimit || error.kind() == ErrorKind::kGrammar);
  }
}

}  // namespace
}  // namespace formgate
