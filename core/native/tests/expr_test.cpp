#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

// A slow matcher over the same expressions, by the textbook definition on whole texts: the set of
// end positions reachable from a start position.
class Naive {
 public:
  Naive(const ExprPool& pool, std::string_view text) : pool_(pool), text_(text) {}
  bool accepts(ExprId id) const { return ends(id, 0).count(text_.size()) > 0; }

 private:
  std::set<std::size_t> ends(ExprId id, std::size_t at) const {
    const Node& node = pool_.node(id);
    std::set<std::size_t> out;
    switch (node.kind) {
      case Kind::kEpsilon:
        return {at};
      case Kind::kBytes:
        if (at < text_.size() &&
            pool_.byte_set(node).contains(static_cast<std::uint8_t>(text_[at]))) {
          out.insert(at + 1);
        }
        return out;
      case Kind::kLeaf: {
        const LeafDfa& dfa = pool_.automaton(node);
        for (std::uint32_t state = node.b; state != LeafDfa::kDead; ++at) {
          if (dfa.accepting(state)) out.insert(at);
          if (at == text_.size()) break;
          state = dfa.next(state, static_cast<std::uint8_t>(text_[at]));
        }
        return out;
      }
      case Kind::kConcat:
        for (std::size_t middle : ends(ExprId{node.a}, at)) {
          out.merge(ends(ExprId{node.b}, middle));
        }
        return out;
      case Kind::kUnion:
        for (ExprId member : pool_.members(node)) out.merge(ends(member, at));
        return out;
      case Kind::kRepeat: {
        std::set<std::size_t> reached{at};
        if (node.min == 0) out.insert(at);
        for (std::uint32_t i = 1; i <= std::min<std::uint32_t>(node.max, 12); ++i) {
          std::set<std::size_t> next;
          for (std::size_t from : reached) next.merge(ends(ExprId{node.a}, from));
          reached = next;
          if (i >= node.min) out.insert(reached.begin(), reached.end());
        }
        return out;
      }
      case Kind::kAnd:
      case Kind::kNot:
        for (std::size_t end = at; end <= text_.size(); ++end) {
          const auto inside = [&](ExprId member) { return ends(member, at).count(end) > 0; };
          const bool ok = node.kind == Kind::kNot
                              ? !inside(ExprId{node.a})
                              : std::ranges::all_of(pool_.members(node), inside);
          if (ok) out.insert(end);
        }
        return out;
      default:
        return out;
    }
  }

  const ExprPool& pool_;
  std::string_view text_;
};

std::vector<std::string> texts(std::size_t longest) {
  std::vector<std::string> out{""};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].size() == longest) continue;
    for (char c : {'a', 'b', 'c'}) out.push_back(out[i] + c);
  }
  return out;
}

bool derive(ExprPool& pool, ExprId id, std::string_view text) {
  for (char c : text) id = pool.step(id, static_cast<std::uint8_t>(c));
  return pool.nullable(id);
}

// States that lead back, some to no end.
ExprId random_automaton(ExprPool& pool, std::mt19937& random) {
  std::vector<LeafDfa::State> states(1 + random() % 5);
  for (LeafDfa::State& state : states) {
    state.accepting = random() % 3 == 0;
    for (std::uint8_t c = 'a'; c <= 'c'; ++c) {
      const auto target = static_cast<std::uint32_t>(random() % states.size());
      if (random() % 3) state.edges.push_back({c, c, target});
    }
  }
  return pool.strings(std::make_shared<const LeafDfa>(LeafDfa::of_states(states)));
}

ExprId random_expr(ExprPool& pool, std::mt19937& random, int depth) {
  const auto sub = [&] { return random_expr(pool, random, depth - 1); };
  switch (depth == 0 ? random() % 4 : random() % 10) {
    case 0:
      return pool.literal("a");
    case 1:
      return pool.bytes(ByteSet::range('a', 'b'));
    case 2:
      return pool.literal("bc");
    case 3:
      return random_automaton(pool, random);
    case 4:
    case 5:
      return pool.concat(sub(), sub());
    case 6:
      return pool.unite(sub(), sub());
    case 7: {
      const auto min = static_cast<std::uint32_t>(random() % 3);
      const std::uint32_t max =
          random() % 3 ? min + static_cast<std::uint32_t>(random() % 3) : kUnbounded;
      return pool.repeat(sub(), min, max);
    }
    case 8:
      return pool.intersect(sub(), sub());
    default:
      return pool.complement(sub());
  }
}

TEST(Expr, DerivativesAgreeWithTheDefinition) {
  const auto all = texts(5);
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    ExprPool pool;
    const ExprId id = random_expr(pool, random, 4);
    bool some = false;
    for (const std::string& text : all) {
      const bool expected = Naive(pool, text).accepts(id);
      some = some || expected;
      ASSERT_EQ(derive(pool, id, text), expected) << pool.print(id, 200) << " on " << text;
    }
    if (some) {
      ASSERT_TRUE(pool.live(id)) << pool.print(id, 200);
    }
    ASSERT_EQ(pool.live(id), pool.live(pool.complement(pool.complement(id))));
  }
}

TEST(Expr, RestrictionKeepsExactlyTheSpellableTexts) {
  const auto all = texts(5);
  std::mt19937 random(13);
  const ByteSet allowed = ByteSet::of('a') | ByteSet::of('c');
  for (int round = 0; round < 200; ++round) {
    ExprPool pool;
    const ExprId plain = random_expr(pool, random, 3);
    const ExprId id = pool.intersect(pool.repeat(pool.bytes(ByteSet::all()), 0, 9), plain);
    const ExprId part = pool.restrict_to(id, allowed);
    for (const std::string& text : all) {
      const bool spelled = text.find('b') == std::string::npos;
      ASSERT_EQ(derive(pool, part, text), spelled && derive(pool, id, text))
          << pool.print(id, 200) << " on " << text;
    }
  }
}

TEST(Expr, CountersMergeInsteadOfMultiplying) {
  ExprPool pool;
  const ExprId any = pool.bytes(ByteSet::range('a', 'z'));
  ExprId state = pool.concat(pool.repeat(any, 0, kUnbounded),
                             pool.concat(pool.literal("a"), pool.repeat(any, 200, 200)));
  for (int i = 0; i < 100; ++i) state = pool.step(state, 'a');
  EXPECT_EQ(pool.members(pool.node(state)).size(), 2u) << pool.print(state, 300);
}

TEST(Expr, ConstructorsSimplify) {
  ExprPool pool;
  const ExprId a = pool.literal("a");
  const ExprId star = pool.repeat(a, 0, kUnbounded);
  EXPECT_EQ(pool.concat(star, star), star);
  EXPECT_EQ(pool.repeat(star, 0, kUnbounded), star);
  EXPECT_EQ(pool.unite(ExprPool::kEpsilonId, star), star);
  EXPECT_EQ(pool.concat(a, pool.concat(a, a)), pool.repeat(a, 3, 3));
  EXPECT_EQ(pool.repeat(pool.repeat(a, 0, 1), 2, 5), pool.repeat(a, 0, 5));
  EXPECT_EQ(pool.repeat(pool.repeat(a, 2, 2), 3, 3), pool.repeat(a, 6, 6));
  EXPECT_NE(pool.repeat(pool.repeat(a, 3, 3), 0, 5), pool.repeat(a, 0, 15));
  EXPECT_EQ(pool.intersect(a, pool.complement(a)), ExprPool::kEmptyId);
  EXPECT_EQ(pool.complement(pool.complement(a)), a);
  EXPECT_EQ(pool.concat(a, ExprPool::kEmptyId), ExprPool::kEmptyId);
}

TEST(Expr, EmptinessIsDecidedAndLimited) {
  ExprPool pool;
  const ExprId a = pool.literal("a");
  const ExprId even = pool.repeat(pool.literal("aa"), 0, kUnbounded);
  EXPECT_FALSE(pool.live(pool.intersect(even, pool.repeat(a, 7, 7))));
  EXPECT_TRUE(pool.live(pool.intersect(even, pool.repeat(a, 7, 8))));
  Limits limits;
  limits.max_states = 50;
  CompileContext context(limits, std::nullopt, nullptr);
  std::unique_lock lock(pool.mutex());
  EXPECT_THROW(
      pool.decide(pool.intersect(pool.repeat(pool.literal("ab"), 0, kUnbounded),
                                 pool.complement(pool.repeat(pool.bytes(ByteSet::all()), 0, 999))),
                  context, lock),
      std::exception);
}

TEST(Expr, LookAroundStandsAnywhere) {
  ExprPool pool;
  const ExprId all = ExprPool::kAllId;
  const ExprId any = pool.bytes(ByteSet::range('a', 'c'));
  // ((?!ab)any)*: texts without "ab".
  const ExprId guard = pool.look(pool.complement(pool.concat(pool.literal("ab"), all)));
  const ExprId ahead = pool.scope(pool.repeat(pool.concat(guard, any), 0, kUnbounded), {});
  // (any (?<!ab))*: the same texts, seen from behind.
  const ExprId trackers[] = {pool.concat(all, pool.literal("ab"))};
  const ExprId behind =
      pool.scope(pool.repeat(pool.concat(any, pool.behind(0, true)), 0, kUnbounded), trackers);
  for (const std::string& text : texts(6)) {
    const bool expected = text.find("ab") == std::string::npos;
    ASSERT_EQ(derive(pool, ahead, text), expected) << text;
    ASSERT_EQ(derive(pool, behind, text), expected) << text;
  }
}

// Each state of a deep text has a deeper stack: looking through all of it for each of them would
// never come to an end here.
TEST(Expr, AlphabetsOfStacksAreMadeOfThoseBelow) {
  ExprPool pool;
  const ExprId pair = pool.literal("ab");
  ExprId stack = pool.literal("z");
  for (int depth = 0; depth < 400'000; ++depth) {
    stack = pool.concat(pair, stack);
    if (depth % 2 == 0) continue;
    const ByteSet own = pool.alphabet(stack);
    ASSERT_EQ(own.size(), 3u);
    ASSERT_TRUE(own.contains('z'));
  }
}

}  // namespace
}  // namespace formgate
