// Intersections of a count with more than one other language: text{m,n} & x & y, x{m,} & y & z.
//
// Their states are as many as the counts times those of the rest, the core. Whether one is live
// follows from which lengths the texts of its core have. So the core's states alone are explored,
// and the sets of lengths computed for all at once, one length after the other: a state has a text
// of length n + 1 where a character leads to one that has a text of length n. The states that have
// texts of a length follow from those of the length before, so from where the same states come
// again, they come again for ever.
//
// Lengths are counts of bytes that begin a character (all but continuation bytes), which any byte
// string has: text{m,n} is text* with m to n of them, and x{m,} is x* with m times as many as each
// text of x, where those are as many.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

constexpr std::uint64_t kNoBound = ~std::uint64_t{0};
// Counts below this are explored with the rest.
constexpr std::uint64_t kManyCounts = 8;
// A core that takes more than this is explored with its counts, which may leave fewer states.
constexpr std::size_t kMostCoreStates = 8192;
constexpr std::size_t kMostLengths = 4096;
constexpr std::size_t kMostPeriod = 64;
constexpr std::size_t kMostStepsOfCounts = 4'000'000;

}  // namespace

// How many characters begin in each text of an expression, if in all as many.
std::optional<std::uint64_t> ExprPool::same_length(ExprId id) {
  const Lengths own = lengths(id);
  if (own.least != own.most || own.least >= kUnbounded || !free_of_context(id)) return std::nullopt;
  return own.least;
}

// Takes counts that something follows, or that are of a narrower class of characters, out of their
// member: x y{m,n} z is x y* z of those lengths, where the texts of each part are of one length.
// Derivatives keep them apart, so that they can be taken off in every state.
void ExprPool::part_counts(std::vector<ExprId>& members) {
  const ExprId character{node(kTextId).a};
  const auto only_counts = [&](ExprId id) {
    return id == kTextId || (node(id).kind == Kind::kRepeat && ExprId{node(id).a} == character);
  };
  if (std::ranges::count_if(members, std::not_fn(only_counts)) < 2) return;
  const std::size_t given = members.size();
  for (std::size_t i = 0; i < given; ++i) {
    if (only_counts(members[i])) continue;
    std::vector<ExprId> before;
    std::uint64_t length = 0;
    ExprId at = members[i];
    for (; at != kEpsilonId; at = tail(at)) {
      const auto own = node(head(at)).kind == Kind::kRepeat ? std::nullopt : same_length(head(at));
      if (!own) break;
      length += *own;
      before.push_back(head(at));
    }
    const Node counts = node(head(at));
    if (counts.kind != Kind::kRepeat) continue;
    const ExprId body{counts.a};
    const auto each = same_length(body);
    const auto after = same_length(tail(at));
    if (!each || *each == 0 || !after) continue;
    if (body == character && tail(at) == kEpsilonId) continue;
    const bool bounded = counts.max != kUnbounded;
    const std::uint64_t least = length + *each * counts.min + *after;
    const std::uint64_t most = bounded ? length + *each * counts.max + *after : least;
    if ((bounded ? counts.max : counts.min) < kManyCounts || most >= kUnbounded) continue;
    ExprId rest = concat(repeat(body, 0, kUnbounded), tail(at));
    for (std::size_t k = before.size(); k-- > 0;) rest = concat(before[k], rest);
    members[i] = rest;
    members.push_back(repeat(character, static_cast<std::uint32_t>(least),
                             bounded ? static_cast<std::uint32_t>(most) : kUnbounded));
  }
}

// Takes the counts of one member off, and narrows `bounds` by what they ask for.
ExprId ExprPool::without_counts(ExprId member, LengthBounds& bounds) {
  const ExprId character{node(kTextId).a};
  const auto narrow = [&bounds](std::uint64_t least, std::uint64_t most) {
    bounds.least = std::max(bounds.least, least);
    bounds.most = std::min(bounds.most, most);
  };
  const Node& own = node(member);
  if (own.kind == Kind::kLeaf || own.kind == Kind::kBytes) {
    // Perhaps in the middle of the last character that a count leaves.
    if (same_length(member) != 0) return member;
    narrow(0, 0);
    return concat(member, kTextId);
  }
  if (own.kind != Kind::kRepeat && own.kind != Kind::kConcat) return member;
  std::vector<ExprId> parts;
  ExprId last = member;
  std::uint64_t before = 0;
  for (; node(last).kind == Kind::kConcat; last = tail(last)) {
    const auto length = same_length(head(last));
    if (!length) return member;
    before += *length;
    parts.push_back(head(last));
  }
  const Node repeated = node(last);
  if (repeated.kind != Kind::kRepeat || (repeated.min == 0 && repeated.max == kUnbounded)) {
    return member;
  }
  const ExprId body{repeated.a};
  if (repeated.max != kUnbounded && body != character) return member;
  const auto each = body == character ? 1 : same_length(body);
  if (!each || *each == 0) return member;
  narrow(before + *each * repeated.min,
         repeated.max == kUnbounded ? kNoBound : before + *each * repeated.max);
  ExprId out = repeat(body, 0, kUnbounded);
  for (std::size_t i = parts.size(); i-- > 0;) out = concat(parts[i], out);
  return out;
}

// An intersection without its counts, which are put into `bounds`.
ExprId ExprPool::core_of(ExprId id, LengthBounds& bounds) {
  constexpr std::uint8_t kNeither = kLooks | kAround | kCalls;
  bounds = {0, kNoBound};
  const Node& node = this->node(id);
  if (node.kind != Kind::kAnd || node.flags & kNeither || node.behinds != 0) return id;
  const auto list = members(node);
  std::vector<ExprId> parts(list.begin(), list.end());
  for (ExprId& part : parts) part = without_counts(part, bounds);
  if (bounds.least == 0 && bounds.most == kNoBound) return id;
  return intersect(parts);
}

// The verdict on an intersection whose core has been measured.
bool ExprPool::settle_by_core(ExprId id) {
  if (measured_.empty()) return false;
  LengthBounds bounds{};
  const ExprId core = core_of(id, bounds);
  if (core == id) return false;
  if (core == kEmptyId || bounds.least > bounds.most) {
    set_liveness(id, false);
    return true;
  }
  const auto found = core_states_.find(index_of(core));
  if (found == core_states_.end()) return false;
  const auto [number, row] = found->second;
  set_liveness(id, measured_[number].attains(row, bounds));
  return true;
}

bool ExprPool::Measured::attains(std::size_t row, const LengthBounds& bounds) const {
  const std::size_t known = preperiod + period;
  const auto has = [&](std::size_t length) {
    return (lengths[row * words + length / 64] >> (length % 64) & 1) != 0;
  };
  std::uint64_t length = bounds.least;
  if (length >= known) length = preperiod + (length - preperiod) % period;
  const std::uint64_t more = bounds.most == kNoBound ? kNoBound : bounds.most - bounds.least;
  // From the first one on, once around at most.
  const std::size_t around = length < preperiod ? known - length : period;
  for (std::uint64_t i = 0; i < around && i <= more; ++i) {
    std::size_t at = length + i;
    if (at >= known) at -= period;
    if (has(at)) return true;
  }
  return false;
}

// Measures the core of an intersection, where that may be worth while, and says whether it is known
// then. What else is to be decided then, behind what the core consists of, is added to `more`.
ExprPool::Measuring ExprPool::measure_core(ExprId id, std::vector<ExprId>& more,
                                           CompileContext& context,
                                           std::unique_lock<std::mutex>* lock) {
  LengthBounds bounds{};
  const ExprId core = core_of(id, bounds);
  if (core == id) return Measuring::kNone;
  const bool many =
      bounds.least >= kManyCounts || (bounds.most != kNoBound && bounds.most >= kManyCounts);
  if (!many || core == kEmptyId) return Measuring::kNone;
  if (core_states_.find(index_of(core)) != core_states_.end()) return Measuring::kDone;
  if (unmeasured_.find(index_of(core)) != unmeasured_.end()) return Measuring::kTooMuch;
  const auto too_much = [&] {
    unmeasured_.emplace(index_of(core), true);
    return Measuring::kTooMuch;
  };

  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
    bool counts;
  };
  std::vector<ExprId> states{core};
  std::unordered_map<std::uint32_t, std::uint32_t> number{{index_of(core), 0}};
  std::vector<Edge> edges;
  std::vector<std::pair<ExprId, std::uint8_t>> next;  // with the weights of the bytes
  const ByteSet inner = ByteSet::range(0x80, 0xBF);
  constexpr std::uint8_t kNeither = kLooks | kAround | kCalls;
  const std::size_t most = std::min(kMostCoreStates, context.limits().max_states);
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    context.tick();
    give_way(context, lock);
    if (this->node(states[i]).flags & kNeither || this->node(states[i]).behinds != 0) {
      return too_much();
    }
    next.clear();
    for (const LinearTerm& term : linear_form(states[i])) {
      const ByteSet within = term.bytes & inner;
      const auto weights =
          static_cast<std::uint8_t>((within.empty() ? 0 : 1) | (within == term.bytes ? 0 : 2));
      next.emplace_back(term.target, weights);
    }
    for (const auto& [target, weights] : next) {
      const auto [it, fresh] =
          number.emplace(index_of(target), static_cast<std::uint32_t>(states.size()));
      if (fresh) states.push_back(target);
      if (weights & 1) edges.push_back({i, it->second, false});
      if (weights & 2) edges.push_back({i, it->second, true});
    }
    if (states.size() > most) return most < kMostCoreStates ? Measuring::kTooMuch : too_much();
  }

  // Edges by where they lead to: first those within a character, then those that begin one.
  std::vector<std::uint32_t> starts(2 * states.size() + 1, 0);
  const auto slot = [](const Edge& edge) { return 2 * edge.to + (edge.counts ? 1u : 0u); };
  for (const Edge& edge : edges) ++starts[slot(edge) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<std::uint32_t> sources(edges.size());
  {
    std::vector<std::uint32_t> at(starts.begin(), starts.end() - 1);
    for (const Edge& edge : edges) sources[at[slot(edge)]++] = edge.from;
  }

  // The states that have texts of each length, as bit sets.
  const std::size_t width = (states.size() + 63) / 64;
  std::vector<std::vector<std::uint64_t>> layers;
  std::vector<std::uint32_t> active;
  std::vector<std::uint32_t> last;
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    if (nullable(states[i])) active.push_back(i);
  }
  std::size_t steps = 0;
  std::size_t period = 0;
  std::size_t preperiod = 0;
  while (period == 0) {
    context.tick();
    std::vector<std::uint64_t> layer(width, 0);
    const auto add = [&](std::uint32_t state) {
      const std::uint64_t bit = std::uint64_t{1} << (state % 64);
      if (layer[state / 64] & bit) return;
      layer[state / 64] |= bit;
      active.push_back(state);
    };
    if (layers.empty()) {
      for (std::uint32_t state : active) layer[state / 64] |= std::uint64_t{1} << (state % 64);
    } else {
      last.swap(active);
      active.clear();
      for (std::uint32_t state : last) {
        for (std::uint32_t k = starts[2 * state + 1]; k < starts[2 * state + 2]; ++k) {
          add(sources[k]);
        }
        steps += starts[2 * state + 2] - starts[2 * state + 1];
      }
    }
    for (std::size_t i = 0; i < active.size(); ++i) {
      const std::uint32_t state = active[i];
      for (std::uint32_t k = starts[2 * state]; k < starts[2 * state + 1]; ++k) add(sources[k]);
      steps += 1 + starts[2 * state + 1] - starts[2 * state];
    }
    for (std::size_t p = 1; p <= std::min(layers.size(), kMostPeriod) && period == 0; ++p) {
      if (layer == layers[layers.size() - p]) period = p;
    }
    if (period != 0) {
      preperiod = layers.size() - period;
      break;
    }
    layers.push_back(std::move(layer));
    if (layers.size() > kMostLengths || steps > kMostStepsOfCounts) return too_much();
  }

  Measured measured;
  measured.preperiod = preperiod;
  measured.period = period;
  measured.words = (layers.size() + 63) / 64;
  measured.lengths.assign(states.size() * measured.words, 0);
  const auto own = static_cast<std::uint32_t>(measured_.size());
  for (ExprId state : states) {
    if (this->node(state).kind != Kind::kAnd) components(state, more);
  }
  for (std::uint32_t i = 0; i < states.size(); ++i) {
    bool alive = false;
    for (std::size_t length = 0; length < layers.size(); ++length) {
      if ((layers[length][i / 64] >> (i % 64) & 1) == 0) continue;
      measured.lengths[i * measured.words + length / 64] |= std::uint64_t{1} << (length % 64);
      alive = true;
    }
    if (this->node(states[i]).flags & kBoolean) set_liveness(states[i], alive);
    core_states_.emplace(index_of(states[i]), std::pair{own, i});
  }
  measured_bytes_ += measured.lengths.size() * sizeof(std::uint64_t);
  measured_.push_back(std::move(measured));
  return Measuring::kDone;
}

}  // namespace formgate
