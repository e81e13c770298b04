// Which expressions have no text at all.
//
// Structure decides it for expressions without Boolean operators: constructors let the empty
// language through nowhere. Intersections, complements and scopes ("components") are explored: all
// their derivatives are built, and liveness flows backwards from those that accept the empty text.
// A derivative of an expression contains only derivatives of its components, so deciding the
// components of a grammar decides every state its decoding can reach. Counts beside other parts are
// left out of that: see counted_states.cpp; states with a lexer: lexed_search.cpp.
//
// Cost: one linear form for each derivative; the number of derivatives is exponential in the worst
// case and limited by `Limits::max_states`.
#include "liveness.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>

#include "formgate/errors.hpp"
#include "formgate/expr_pool.hpp"
#include "predecessors.hpp"

namespace formgate {
namespace {

// After so many states it is asked whether one side of an intersection has few of its own.
constexpr std::size_t kLearnedAt = 128;

// Parts of an intersection that cost as much as a state of its own.
constexpr std::size_t kPartsOfState = 8;

bool is_component(Kind kind) {
  return kind == Kind::kAnd || kind == Kind::kNot || kind == Kind::kScope || kind == Kind::kLexed;
}

}  // namespace

// How many parts an intersection, or what is excluded, has.
std::size_t ExprPool::width_of(ExprId id) const {
  const Node& own = node(id);
  if (own.kind == Kind::kNot) return width_of(ExprId{own.a});
  if (own.kind == Kind::kScope) return width_of(members(own)[0]);
  return own.kind == Kind::kAnd || own.kind == Kind::kUnion ? members(own).size() : 1;
}

void ExprPool::set_liveness(ExprId id, bool alive) {
  nodes_[index_of(id)].liveness = alive ? kLive : kDead;
}

void ExprPool::assume_live(ExprId id) {
  if (id != kEmptyId) nodes_[index_of(id)].liveness = kLive;
}

// Liveness from the components' verdicts; a component without one counts as dead.
bool ExprPool::live_by_parts(ExprId id) const {
  const Node& node = this->node(id);
  if (!(node.flags & kBoolean)) return id != kEmptyId;
  if (is_component(node.kind)) return node.liveness == kLive;
  if (node.liveness != kUndecided) return node.liveness == kLive;
  if (node.flags & kNullable) return true;
  switch (node.kind) {
    case Kind::kConcat: {
      for (ExprId rest = id; rest != kEpsilonId; rest = tail(rest)) {
        if (this->node(rest).liveness != kUndecided) return this->node(rest).liveness == kLive;
        if (!live_by_parts(head(rest))) return false;
      }
      return true;
    }
    case Kind::kUnion:
      return std::ranges::any_of(members(node), [this](ExprId m) { return live_by_parts(m); });
    case Kind::kRepeat:
      return live_by_parts(ExprId{node.a});
    default:
      return true;
  }
}

void ExprPool::components(ExprId id, std::vector<ExprId>& out) const {
  const Node& node = this->node(id);
  if (!(node.flags & kBoolean)) return;
  if (node.liveness != kUndecided && !is_component(node.kind)) return;
  if (is_component(node.kind)) {
    out.push_back(id);
  } else if (node.kind == Kind::kConcat) {
    for (ExprId rest = id; rest != kEpsilonId; rest = tail(rest)) {
      if (this->node(rest).liveness != kUndecided && this->node(rest).kind == Kind::kConcat) return;
      components(head(rest), out);
    }
  } else if (node.kind == Kind::kUnion) {
    for (ExprId member : members(node)) components(member, out);
  } else if (node.kind == Kind::kRepeat) {
    components(ExprId{node.a}, out);
  }
}

bool ExprPool::live(ExprId id) {
  const Node& node = this->node(id);
  if (!(node.flags & kBoolean)) return id != kEmptyId;
  if (node.liveness != kUndecided) return node.liveness == kLive;
  if (settle_by_length(id)) return this->node(id).liveness == kLive;
  if (node.kind == Kind::kConcat) {
    // A spine may be long, and its tails were states before: only what is new is looked at.
    std::vector<ExprId> fresh;
    ExprId rest = id;
    for (; this->node(rest).kind == Kind::kConcat; rest = ExprId{this->node(rest).b}) {
      if (!(this->node(rest).flags & kBoolean) || this->node(rest).liveness != kUndecided) break;
      fresh.push_back(rest);
    }
    bool alive = live(rest);
    for (std::size_t i = fresh.size(); i-- > 0;) {
      alive = alive && live(head(fresh[i]));
      nodes_[index_of(fresh[i])].liveness = alive ? kLive : kDead;
    }
    return alive;
  }
  std::vector<ExprId> work;
  components(id, work);
  // Compilation has decided the components of every reachable state; what is left costs nothing,
  // but for what text must be like between lexemes.
  std::erase_if(work, [this](ExprId component) {
    const bool lexed = this->node(component).flags & kCalls;
    if (lexed) search_way(component, nullptr);
    return lexed;
  });
  explore(std::move(work), most_explored(), active_, nullptr);
  nodes_[index_of(id)].liveness = live_by_parts(id) ? kLive : kDead;
  return nodes_[index_of(id)].liveness == kLive;
}

// While decoding, the growth of the pool is limited instead.
std::size_t ExprPool::most_explored() const {
  return active_ ? active_->limits().max_states : static_cast<std::size_t>(-1);
}

bool ExprPool::settle_by_predecessors(ExprId id) {
  const auto found = predecessors_->live(id);
  if (found) set_liveness(id, *found);
  return found.has_value();
}

bool ExprPool::found_live(ExprId id) {
  const Node& node = this->node(id);
  if (node.liveness == kUndecided && (node.flags & kNullable)) return true;
  if (node.liveness != kUndecided || !is_component(node.kind) || (node.flags & kCalls) ||
      settle_by_length(id)) {
    return live(id);
  }
  explore({id}, most_explored(), active_, nullptr, false);
  return this->node(id).liveness == kLive;
}

void ExprPool::decide(ExprId id, CompileContext& context, std::unique_lock<std::mutex>& lock) {
  std::vector<ExprId> work;
  components(id, work);
  const UnderWay working = under_way(context);
  std::erase_if(work, [this, &context](ExprId component) {
    const bool lexed = node(component).flags & kCalls;
    if (lexed) search_way(component, &context);
    return lexed;
  });
  explore(std::move(work), context.limits().max_states, &context, &lock);
}

// Decoding goes first. What it drops of the pool's derived data only costs recomputation.
void ExprPool::give_way(CompileContext& context, std::unique_lock<std::mutex>* lock) {
  if (!lock || waiting_.load(std::memory_order_relaxed) == 0) return;
  active_ = nullptr;
  lock->unlock();
  for (int spins = 0; spins < 1000 && waiting_.load(std::memory_order_relaxed) != 0; ++spins) {
    std::this_thread::yield();
  }
  lock->lock();
  ceiling_ = kUnlimited;
  active_ = &context;
}

void ExprPool::explore(std::vector<ExprId> work, std::size_t budget, CompileContext* context,
                       std::unique_lock<std::mutex>* lock, bool whole) {
  GrowingMap<std::uint32_t, std::uint32_t> number;  // component -> position in `order`
  std::vector<ExprId> order;
  std::vector<bool> told;  // by position: those that step into it know that it is live
  // Those that step into a component, each with what it leads to; each knows the one before.
  struct Step {
    std::uint32_t source;
    ExprId target;
    std::uint32_t before;
  };
  std::vector<Step> steps;
  std::vector<std::uint32_t> last_step;  // by position
  const auto visit = [&](ExprId id) {
    const auto [it, fresh] = number.emplace(index_of(id), static_cast<std::uint32_t>(order.size()));
    if (fresh) {
      order.push_back(id);
      told.push_back(false);
      last_step.push_back(kNoIndex);
    }
    return it->second;
  };
  // Of what is asked for, and of a few parts behind: where these have counts inside, all differ.
  constexpr std::size_t kFewMeasured = 4;
  std::size_t measuring = context ? work.size() + kFewMeasured : 0;
  const auto settled = [&](ExprId id) {
    if (settle_by_length(id)) return true;
    if (measuring == 0) return false;
    const Measuring found = measure_core(id, work, *context, lock);
    if (found != Measuring::kNone) --measuring;
    if (found == Measuring::kNone && measure_end(id)) {
      --measuring;
      return settle_by_end(id);
    }
    if (found == Measuring::kTooMuch) measuring = 0;
    return found == Measuring::kDone && settle_by_core(id);
  };
  const auto visit_work = [&] {
    for (std::size_t i = 0; i < work.size(); ++i) {
      if (!settled(work[i])) visit(work[i]);
    }
    work.clear();
  };
  visit_work();
  const std::size_t roots = order.size();
  // Backwards from what accepts the empty text or steps into what is live already.
  std::vector<std::uint32_t> ready;
  const auto tell = [&](std::uint32_t i) {
    nodes_[index_of(order[i])].liveness = kLive;
    told[i] = true;
    ready.push_back(i);
  };
  // What was found is not all that a state needs: after a limit, none is taken as decided.
  struct Undo {
    StableVector<Node>& nodes;
    const std::vector<ExprId>& order;
    const std::vector<bool>& told;
    bool done = false;
    ~Undo() {
      for (std::size_t i = 0; i < told.size() && !done; ++i) {
        if (told[i]) nodes[index_of(order[i])].liveness = kUndecided;
      }
    }
  } undo{nodes_, order, told};
  const auto spread = [&] {
    while (!ready.empty()) {
      const std::uint32_t i = ready.back();
      ready.pop_back();
      for (std::uint32_t k = last_step[i]; k != kNoIndex; k = steps[k].before) {
        if (!told[steps[k].source] && live_by_parts(steps[k].target)) tell(steps[k].source);
      }
    }
  };
  std::vector<ExprId> targets;
  std::vector<ExprId> parts;
  std::size_t spent = 0;
  bool learned = false;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    // A state of very many parts costs as much as many states.
    spent += width_of(order[i]) / kPartsOfState;
    if (order.size() > budget || spent > budget) {
      throw Error(
          ErrorKind::kLimit,
          "deciding whether an intersection, complement or look-around is empty takes more "
          "than " +
              std::to_string(budget) + " states (Limits.max_states; " +
              std::to_string(kPartsOfState) +
              " parts of an intersection count as one); raise the limit, shorten the repetition "
              "counts under the look-around or intersection, or, in a terminal of a lexer, let a "
              "count be followed by a character that it does not have");
    }
    if (context) context->tick();
    if (context) give_way(*context, lock);
    if (!whole && node(order[i]).liveness != kUndecided) continue;
    if (context && i == kLearnedAt) {
      for (std::size_t k = 0; k < roots; ++k) {
        learned = predecessors_->learn(order[k], work, *context, lock) || learned;
      }
      visit_work();
    }
    // What is behind such a state is decided when it is asked for.
    if (learned && settle_by_predecessors(order[i])) {
      if (node(order[i]).liveness == kLive && !told[i]) tell(i);
      spread();
      continue;
    }
    // Of most states the derivatives are never asked for again.
    const Node& own = node(order[i]);
    const bool passing = (own.kind == Kind::kAnd || own.kind == Kind::kScope) && !own.form &&
                         free_of_context(order[i]);
    std::vector<LinearTerm> passed;
    if (passing) {
      const Deriving deriving(*this);
      passed = compute_form(order[i]);
    }
    targets.clear();
    for (const LinearTerm& term : passing ? LinearForm(passed) : linear_form(order[i])) {
      targets.push_back(term.target);
    }
    bool alive = nullable(order[i]);
    for (ExprId target : targets) {
      alive = alive || live_by_parts(target);
      parts.clear();
      components(target, parts);
      for (ExprId part : parts) {
        // What is live already was visited, or is decided with all behind it.
        if (node(part).liveness == kLive) continue;
        const auto it = number.find(index_of(part));
        if (it == number.end() && settled(part)) {
          alive = alive || live_by_parts(target);
          continue;
        }
        const std::uint32_t place = it == number.end() ? visit(part) : it->second;
        if (alive) continue;  // nothing more to be told
        steps.push_back({i, target, last_step[place]});
        last_step[place] = static_cast<std::uint32_t>(steps.size() - 1);
      }
    }
    visit_work();
    if (alive && !told[i]) tell(i);
    spread();
    if (whole || !alive) continue;
    // What else was seen is decided when it is asked for.
    const auto live = [this](ExprId root) { return node(root).liveness == kLive; };
    if (std::all_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(roots), live)) {
      undo.done = true;
      return;
    }
  }
  // Some may have been found live beside this search, when another form was computed.
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (node(order[i]).liveness == kLive && !told[i]) tell(i);
  }
  spread();
  undo.done = true;
  for (ExprId id : order) {
    Node& component = nodes_[index_of(id)];
    if (component.liveness == kUndecided) component.liveness = kDead;
  }
}

}  // namespace formgate
