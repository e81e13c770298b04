// Whether text goes on after lexemes that are left in different ways.
//
// A terminal such as /[^{]+|\{(?!\{)/ may be left before a brace only, or before anything else.
// What may not come behind it in one way comes in the other, or behind another lexeme of its kind.
// So each way of being left counts as a terminal of its own here: behind each it is found which may
// come, and in every sentence the best may be chosen for what is not read yet, while what is read
// may have been left in any.
#include <unordered_map>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"
#include "lexeme_search.hpp"
#include "sentences.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostSeparators = 32;  // ways in which ignored lexemes before one are left

}  // namespace

// The ways in which terminals that may come after one are left, as far as a search finds them.
std::vector<Lexing::Left> Lexing::ways_after(std::uint32_t index, const Left& left) {
  const Symbols& next = safeties_[index].follow[left.terminal];
  const std::uint32_t start = start_after(index, left.terminal);
  std::vector<Left> out;
  std::vector<ExprId> separators;
  const auto take = [&](std::uint16_t terminal, ExprId guard) {
    if (lexicons_[index].terminals[terminal].ignored) {
      if (std::ranges::find(separators, guard) == separators.end()) separators.push_back(guard);
    } else if (next[terminal]) {
      const auto same = [&](const Left& each) {
        return each.terminal == terminal && each.guard == guard;
      };
      if (std::ranges::none_of(out, same)) out.push_back({terminal, guard});
    }
    return out.size() > Sentences::kMostTerminals;
  };
  reaches(left.guard, start, take);
  for (std::size_t i = 0; i < separators.size() && i < kMostSeparators; ++i) {
    reaches(separators[i], start, take);
  }
  return out;
}

bool Lexing::goes_on_by_ways(std::uint32_t index, ExprId rest, CompileContext& context) {
  Safety& safety = safeties_[index];
  const std::size_t count = lexicons_[index].terminals.size();
  std::vector<Left> ways;
  std::vector<Sentences::Set> next;
  std::vector<std::vector<std::size_t>> of(count);  // by terminal
  const auto number = [&](const Left& way) {
    for (std::size_t known : of[way.terminal]) {
      if (ways[known].guard == way.guard) return known;
    }
    of[way.terminal].push_back(ways.size());
    ways.push_back(way);
    return ways.size() - 1;
  };
  for (const Left& way : ways_after(index, {count, ExprPool::kAllId})) number(way);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    context.tick();
    const Left way = ways[i];
    const bool last = safety.follow[count + 1][way.terminal];
    if (last && !ends_under(start_after(index, way.terminal), way.guard)) return false;
    std::vector<std::size_t> found;
    for (const Left& after : ways_after(index, way)) found.push_back(number(after));
    if (ways.size() > Sentences::kMostTerminals) return false;
    next.emplace_back();
    for (std::size_t each : found) next.back().set(each);
  }
  if (!Sentences(pool_, next, of, context).all_go_on(rest)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    safety.guards[i].clear();
    for (std::size_t each : of[i]) safety.guards[i].push_back(ways[each].guard);
  }
  safety.apart.clear();
  return true;
}

}  // namespace formgate
