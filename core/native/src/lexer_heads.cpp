// Heads of parser states: what is read before anything below on the stack is looked at.
//
// A parser state is a sequence of parts, innermost first. Its head is the shortest beginning that
// must be read before what follows it may be; as long as it is being read, what the parser takes
// and what competes is the same whatever stands below (stack invariance; Hopcroft, Ullman,
// "Introduction to Automata Theory", 1979, 5.2). So a head is a parser state of its own, and what
// is found for it holds for every stack that begins with it.
#include <algorithm>

#include "expr_helpers.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/lexing.hpp"
#include "track_ends.hpp"

namespace formgate {
namespace {

// Parts that a head may have, and alternatives that are cut together.
constexpr std::size_t kMostPartsOfHead = 8;
constexpr std::size_t kMostAlternatives = 8;

}  // namespace

// The shortest head that `closed` accepts, and what is below it; empty: none.
template <typename Closed>
std::pair<ExprId, ExprId> Lexing::cut(ExprId rest, Closed&& closed) {
  std::vector<ExprId> members{rest};
  if (pool_.node(rest).kind == Kind::kUnion) {
    const auto list = pool_.members(pool_.node(rest));
    members.assign(list.begin(), list.end());
  }
  if (members.size() > kMostAlternatives) return {ExprPool::kEmptyId, ExprPool::kEmptyId};
  // What comes before a tail on one of the spines.
  const auto before = [&](ExprId spine, ExprId below) {
    std::vector<ExprId> parts;
    for (ExprId at = spine; at != below; at = pool_.tail(at)) {
      if (at == ExprPool::kEpsilonId || parts.size() > kMostPartsOfHead) return ExprPool::kEmptyId;
      parts.push_back(pool_.head(at));
    }
    ExprId out = ExprPool::kEpsilonId;
    for (std::size_t i = parts.size(); i-- > 0;) out = pool_.concat(parts[i], out);
    return out;
  };
  bool empty = true;
  ExprId below = members[0];
  for (std::size_t i = 0; i < kMostPartsOfHead; ++i) {
    empty = empty && pool_.nullable(pool_.head(below));
    below = pool_.tail(below);
    if (below == ExprPool::kEpsilonId) break;
    if (empty) continue;
    std::vector<ExprId> heads;
    for (ExprId member : members) {
      heads.push_back(before(member, below));
      if (heads.back() == ExprPool::kEmptyId) break;
    }
    if (heads.back() == ExprPool::kEmptyId) continue;
    const ExprId head = pool_.unite(heads);
    if (closed(head)) return {head, below};
  }
  return {ExprPool::kEmptyId, ExprPool::kEmptyId};
}

// Whether a terminal is read in a track, and a whole one, before its end is come to; and after it
// nothing is barred, so that the track can come to an end where what is below it can.
bool Lexing::closed_track(std::uint32_t index) {
  const Track& track = expanded_track(index);
  const auto ends = [this](const TrackWay& way) { return pool_.nullable(way.rest); };
  if (track.partial || track.next.empty() || std::ranges::any_of(track.ways, ends)) return false;
  return track_ends(track.lexicon).ends_free(track.rest);
}

TrackEnds& Lexing::track_ends(std::uint32_t lexicon) {
  std::unique_ptr<TrackEnds>& known = track_ends_[lexicon];
  if (!known) known = std::make_unique<TrackEnds>(pool_, lexicons_[lexicon].track);
  return *known;
}

// The head of a parser state; without a stack: there is none, or it cannot be told.
const Lexing::Head& Lexing::head_of(std::uint32_t index) {
  const auto [it, fresh] = heads_.try_emplace(index);
  Head& out = it->second;
  if (!fresh) return out;
  bytes_ += sizeof(Head) + 32;
  const Stack& stack = stacks_[index];
  const Lexicon& lexicon = lexicons_[stack.lexicon];
  out.sure = lexicon.safe && lexicon.contextual && lexicon.text;
  if (!out.sure) return out;
  const auto [rest, below] = cut(stack.rest, [this](ExprId id) { return !pool_.nullable(id); });
  if (rest == ExprPool::kEmptyId) return out;
  Head found{kNoIndex, below, ExprPool::kEmptyId, true};
  std::uint32_t track = kNoIndex;
  if (stack.track != kNoIndex) {
    const Track& whole = tracks_[stack.track];
    const auto [own, track_below] = cut(whole.rest, [&](ExprId id) {
      return !pool_.nullable(id) && closed_track(track_of(stack.lexicon, id, whole.extras));
    });
    if (own == ExprPool::kEmptyId) return out;
    track = track_of(stack.lexicon, own, whole.extras);
    found.track_below = track_below;
  }
  found.stack = stack_of(stack.lexicon, rest, track);
  return out = found;
}

// What a head becomes after a terminal that it takes; kNoIndex where what is below may be read
// next. Of a whole parser state, nothing is below.
std::uint32_t Lexing::head_after(std::uint32_t head, std::uint16_t terminal, bool whole) {
  if (lexicons_[stacks_[head].lexicon].terminals[terminal].ignored) return head;
  const std::uint64_t key =
      (static_cast<std::uint64_t>(head) << 32) | (whole ? 1u << 16 : 0u) | terminal;
  if (const auto it = heads_after_.find(key); it != heads_after_.end()) return it->second;
  const auto find = [&]() -> std::uint32_t {
    const ExprId rest = rest_after(head, terminal);
    if (rest == ExprPool::kEmptyId || (!whole && pool_.nullable(rest))) return kNoIndex;
    const std::uint32_t lexicon = stacks_[head].lexicon;
    std::uint32_t track = stacks_[head].track;
    if (track != kNoIndex) {
      track = track_after(track, terminal);
      if (whole) {
        track = kept_track(lexicon, track);
      } else if (track != kNoIndex && !closed_track(track)) {
        return kNoIndex;
      }
    }
    return stack_of(lexicon, rest, track);
  };
  const std::uint32_t out = find();
  heads_after_.emplace(key, out);
  return out;
}

// The parser state that a head, or what it has become, is part of.
std::uint32_t Lexing::stack_with(std::uint32_t head, const Head& whole) {
  const Stack own = stacks_[head];
  std::uint32_t track = own.track;
  if (track != kNoIndex) {
    const ExprId rest = pool_.concat(tracks_[track].rest, whole.track_below);
    track = track_of(own.lexicon, rest, tracks_[track].extras);
  }
  return stack_of(own.lexicon, pool_.concat(own.rest, whole.below), track);
}

// Whether text surely goes on after a terminal under a guard, whatever is below.
bool Lexing::surely_goes_on(std::uint32_t head, std::uint16_t terminal, ExprId guard) {
  return goes_on(stacks_[head].lexicon, terminal, guard) || viable_under(guard, head);
}

}  // namespace formgate
