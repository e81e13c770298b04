// How many keys the cells of a list without repetition have.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "formgate/long_step.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostKeys = 4096;

// Whether an escape that is begun may become a character that has no other spelling.
bool only_escaped(ExprPool& pool, ExprId begun) {
  constexpr std::string_view kRests[] = {"\"", "\\",   "b",    "f",     "n",     "r",
                                         "t",  "u000", "u001", "u0022", "u005c", "u005C"};
  return std::ranges::any_of(kRests, [&](std::string_view rest) {
    const ExprId after = pool.walk(begun, rest);
    return after != ExprPool::kEmptyId && pool.live(after);
  });
}

// The keys of a cell that are none of some sorted names.
class KeyCount {
 public:
  KeyCount(ExprPool& pool, ExprId keys, const std::vector<std::string>& names, std::size_t enough)
      : pool_(pool), keys_(keys), names_(names), enough_(enough) {}

  // Counts until there are enough; nothing where that looks at too many places. Most keys can be
  // spelled without escapes: those that cannot are looked for only where there are too few others.
  std::optional<std::size_t> run() {
    if (!add(false)) return std::nullopt;
    const auto hides = [this](ExprId begun) { return only_escaped(pool_, begun); };
    if (found_.size() < enough_ && std::ranges::any_of(begun_, hides) && !add(true)) {
      return std::nullopt;
    }
    return found_.size();
  }

 private:
  bool add(bool escapes) {
    std::set<std::tuple<ExprId, std::string, std::string>> seen;
    std::vector<std::pair<ExprId, JsonReader>> work{{keys_, JsonReader()}};
    for (std::size_t steps = 0; !work.empty(); ++steps) {
      LongStep::tick();
      if (steps > 16 * kMostKeys || work.size() > kMostKeys) return false;
      const auto [keys, reader] = std::move(work.back());
      work.pop_back();
      if (escapes && !seen.emplace(keys, reader.text(), reader.pending()).second) continue;
      if (pool_.nullable(keys) && !std::ranges::binary_search(names_, reader.text())) {
        found_.insert(reader.text());
        if (found_.size() >= enough_) return true;
      }
      const LinearForm form = pool_.linear_form(keys);
      for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
        if (!pool_.live(term.target)) continue;
        term.bytes.for_each([&](std::uint8_t b) {
          if (b == '\\' && !escapes) {
            begun_.insert(term.target);
            return;
          }
          JsonReader next = reader;
          next.push(b);
          work.emplace_back(term.target, std::move(next));
        });
      }
    }
    return true;
  }

  ExprPool& pool_;
  ExprId keys_;
  const std::vector<std::string>& names_;
  std::size_t enough_;
  std::set<std::string> found_;
  std::set<ExprId> begun_;  // where escapes begin
};

}  // namespace

// Counts the keys of the cells, where it matters whether there are enough: as many as there must be
// members always are, since each member uses one key at most.
std::uint32_t Keyed::capacity_of(const Compiled& table) {
  if (table.cells.empty()) return 0;
  if (table.min < 2 || table.places) return kUnbounded;
  std::uint32_t count = 0;
  for (std::size_t j = 0; j < table.cells.size(); ++j) {
    const Cell& cell = table.cells[j];
    const std::uint32_t enough = table.min - count;
    if (cell.quoted ? extensible(cell.keys) : table.amounts[j] == kUnbounded) return kUnbounded;
    if (!cell.quoted) {
      if (table.amounts[j] >= enough) return kUnbounded;
      count += table.amounts[j];
      continue;
    }
    const auto keys = KeyCount(pool_, cell.keys, table.names, enough).run();
    if (!keys || *keys >= enough) return kUnbounded;
    count += static_cast<std::uint32_t>(*keys);
  }
  return count;
}

}  // namespace formgate
