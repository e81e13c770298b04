// Searches among the JSON values that a state leads to.
//
// A state inside a list without repetition lives only if some text leads to another value than
// those that must not come. That is searched among what agrees with one of these so far: the first
// text that agrees with none will do, and so does a place in the language that can be passed any
// number of times with another value each time. States that agree with one are finitely many where
// a language has finitely many values, since the reader keeps nothing of how a value is spelled, so
// the search ends.
//
// Members of objects that may come in any order are taken in one order: all orders are one value.
//
// Cost: at most the spellings of the values, one state for each place in them; verdicts are kept.
#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_set>
#include <utility>

#include "formgate/errors.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"
#include "keyed_endless.hpp"
#include "keyed_helpers.hpp"

namespace formgate {
namespace {

constexpr std::uint32_t kManyRivals = 16;

struct HashOf {
  std::size_t operator()(const Hash128& hash) const { return hash.lo; }
};

// By depth: the last key that was begun and read on the way, of an object with members in any
// order.
using Floors = std::vector<std::pair<std::size_t, std::string>>;

struct Way {
  ExprId keys;
  ValueReader reader;
  JsonValues::Set rivals{};
  std::uint32_t parent = kNoIndex;
  Hash128 hash = {};
  std::uint64_t cost = 0;
  std::uint64_t length = 0;   // in bytes that cost least
  std::int64_t straight = 0;  // the same, less kDetourOfBytes for each other
  Floors floors = {};
  bool fresh = false;  // the key last read was begun on the way
};

// Ways to go on: in turn the cheapest, which finds what is near though others have no end, twice
// the longest, which soon comes to the end of a value though there are many ways to begin it, and
// the longest with the least detours. White space and escapes cost more than what they stand
// beside: some values cannot do without, but where they are other spellings, many ways around lead
// to the same few values.
class Queue {
 public:
  bool add(Way way) {
    if (!seen_.insert(way.hash).second) return false;
    const auto number = static_cast<std::uint32_t>(ways_.size());
    queue_.emplace(way.cost, number);
    longest_.emplace(way.length, ~number);
    straightest_.emplace(way.straight, ~number);
    done_.push_back(false);
    ways_.push_back(std::move(way));
    ++left_;
    return true;
  }
  bool empty() const { return left_ == 0; }
  std::uint32_t next() {
    --left_;
    turn_ = (turn_ + 1) % 4;
    for (;;) {
      std::uint32_t out = 0;
      if (turn_ % 2 == 0) {
        out = ~longest_.top().second;
        longest_.pop();
      } else if (turn_ == 1) {
        out = queue_.top().second;
        queue_.pop();
      } else {
        out = ~straightest_.top().second;
        straightest_.pop();
      }
      if (done_[out]) continue;
      done_[out] = true;
      return out;
    }
  }
  const Way& operator[](std::uint32_t i) const { return ways_[i]; }
  std::size_t size() const { return ways_.size(); }
  bool seen(const Hash128& hash) const { return seen_.contains(hash); }

 private:
  using Entry = std::pair<std::uint64_t, std::uint32_t>;
  std::deque<Way> ways_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::priority_queue<Entry> longest_;
  std::priority_queue<std::pair<std::int64_t, std::uint32_t>> straightest_;
  std::vector<bool> done_;
  std::size_t left_ = 0;
  unsigned turn_ = 0;
  std::unordered_set<Hash128, HashOf> seen_;
};

// More than most values are long: other values come before other spellings of one.
constexpr std::int64_t kDetourOfBytes = 64;

// After so many ways it is asked whether there is an end of values: mostly they are soon counted.
constexpr std::size_t kSoon = 256;

bool plain(std::uint8_t byte) { return byte > ' ' && byte != '\\'; }

// Calls `visit(byte, target)` for the bytes that lead on, until it returns true.
template <typename Visit>
bool any_step(ExprPool& pool, ExprId keys, Visit&& visit) {
  if (pool.node(keys).flags & kCaptures) {  // each byte has a successor of its own
    for (unsigned b = 0; b < 256; ++b) {
      const auto byte = static_cast<std::uint8_t>((b + 0x20) & 0xFF);
      const ExprId target = pool.raw_step(keys, byte);
      if (target != kNothing && pool.live(target) && visit(byte, target)) return true;
    }
    return false;
  }
  const LinearForm form = pool.linear_form(keys);
  for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
    if (!pool.live(term.target)) continue;
    for (unsigned b = 0; b < 256; ++b) {
      const auto byte = static_cast<std::uint8_t>(b);
      if (term.bytes.contains(byte) && visit(byte, term.target)) return true;
    }
  }
  return false;
}

// Calls `visit(next)` for the ways one byte on, until it returns true. Left out are keys that come
// before one read already where any order will do, and those that others would have to come before:
// `order` says so of an expression in which a key is ended.
template <typename OrderOf, typename ZerosOnly, typename Visit>
bool any_way(ExprPool& pool, JsonValues& store, const Way& way, OrderOf&& order,
             ZerosOnly&& zeros_only, Visit&& visit) {
  const bool in_key = way.reader.in_key(store);
  return any_step(pool, way.keys, [&](std::uint8_t byte, ExprId target) {
    Way next{target, way.reader};
    next.reader.push(store, byte);
    if (next.reader.in_zeros(store) && zeros_only(target)) next.reader.drop_zeros(store);
    next.fresh = way.fresh || (!in_key && next.reader.in_key(store));
    next.floors = way.floors;
    const std::size_t depth = next.reader.depth(store);
    if (in_key && !next.reader.in_key(store)) {
      const std::string_view last = next.reader.key(store);
      const Keyed::Order found = order(way.keys, last);
      const bool any_order = found != Keyed::Order::kGiven;
      if (next.fresh && found == Keyed::Order::kTooLate) return false;
      for (const auto& [level, key] : next.floors) {
        if (any_order && level == depth && last < key) return false;
      }
      std::erase_if(next.floors, [&](const auto& floor) { return floor.first == depth; });
      if (any_order && next.fresh) next.floors.emplace_back(depth, last);
    }
    std::erase_if(next.floors, [&](const auto& floor) { return floor.first > depth; });
    next.cost = way.cost + (plain(byte) ? 1 : 8);
    next.length = way.length + (plain(byte) ? 1 : 0);
    next.straight = way.straight + (plain(byte) ? 1 : -kDetourOfBytes);
    return visit(std::move(next));
  });
}

}  // namespace

// Whether zeros that a fraction ends in are followed by zeros only.
bool Keyed::zeros_only(ExprId keys) {
  if (const auto it = zeros_only_.find(index_of(keys)); it != zeros_only_.end()) return it->second;
  std::unordered_set<std::uint32_t> seen;
  bool only = true;
  for (ExprId at = keys; only && at != kNothing && seen.insert(index_of(at)).second;) {
    for (std::uint8_t digit = '1'; only && digit <= '9'; ++digit) {
      const ExprId next = pool_.raw_step(at, digit);
      only = next == kNothing || !pool_.live(next);
    }
    at = pool_.raw_step(at, '0');
    if (at != kNothing && !pool_.live(at)) at = kNothing;
  }
  zeros_only_.emplace(index_of(keys), only);
  return only;
}

// Whether the place can be passed again and again, each time with another value. Recursion depth is
// the nesting of lists in the grammar.
bool Keyed::grows(ExprId keys, const ValueReader& reader) {
  const ExprId first = pool_.head(keys);
  const Node node = pool_.node(first);
  if (node.kind == Kind::kUnion) {
    const auto list = pool_.members(node);
    const std::vector<ExprId> members(list.begin(), list.end());
    if (std::ranges::any_of(members,
                            [&](ExprId one) { return pool_.live(one) && grows(one, reader); })) {
      return true;
    }
  }
  if (node.kind == Kind::kKeyed && (node.flags & kCaptures)) {
    const Record own = record(first);
    if (!tables_[states_[own.state].table].cells[own.at].quoted) {
      // Kept: values within values share parts.
      const std::uint32_t index = index_of(first);
      if (const auto it = grows_.find(index); it != grows_.end()) return it->second;
      const bool out = grows(own.keys, values_[own.reader]);
      grows_.emplace(index, out);
      return out;
    }
    if (extensible(own.keys)) return true;
    const LinearForm form = pool_.linear_form(own.keys);
    const ByteSet letters = ByteSet::range(0x20, 0x7E) - ByteSet::of('"') - ByteSet::of('\\');
    return std::ranges::any_of(form, [&](const LinearTerm& term) {
      return term.target == own.keys && !(term.bytes & letters).empty();
    });
  }
  if (node.flags & kCaptures) return false;
  const LinearForm form = pool_.linear_form(keys);
  for (const LinearTerm& term : form) {
    if (term.target != keys) continue;
    for (unsigned b = '0'; b < 0x7F; ++b) {
      const auto byte = static_cast<std::uint8_t>(b);
      if (term.bytes.contains(byte) && reader.grows_by(store_, byte)) return true;
    }
  }
  return false;
}

Keyed::Order Keyed::order_of(ExprId keys, std::string_view key) const {
  constexpr std::size_t kMany = 32;  // parts, after which it is seen to that none comes twice
  Order out = Order::kTooLate;
  std::vector<ExprId> work{keys};
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t looked = 0; !work.empty(); ++looked) {
    const ExprId first = pool_.head(work.back());
    work.pop_back();
    if (looked >= kMany && !seen.insert(index_of(first)).second) continue;
    const Node& node = pool_.node(first);
    if (node.kind == Kind::kUnion) {
      const auto members = pool_.members(node);
      work.insert(work.end(), members.begin(), members.end());
      continue;
    }
    if (node.kind != Kind::kKeyed) return Order::kGiven;
    const Record& own = record(first);
    const State& state = states_[own.state];
    const Compiled& table = tables_[state.table];
    if (own.part == Part::kCapture && !table.cells[own.at].quoted) {
      work.push_back(own.keys);
      continue;
    }
    if (table.ordered) return Order::kGiven;
    std::size_t later = 0;
    bool needed = false;
    for (std::uint32_t i = 0; i < table.entries.size(); ++i) {
      if (test(state.taken, i)) continue;
      const std::string& name = table.entries[i].name;
      needed = needed || (table.entries[i].required && name < key);
      later += name > key ? 1 : 0;
    }
    const bool few = table.cells.empty() && state.count + 1 + later < table.min;
    if (!needed && !few) out = Order::kAny;
  }
  return out;
}

bool Keyed::other_value(std::uint32_t state, std::uint32_t cell, ExprId keys,
                        const ValueReader& reader, Set rivals) {
  const auto hash_of = [&](ExprId left, const ValueReader& read) {
    return Hasher(0x07E4)
        .add(states_[state].hash)
        .add(cell)
        .add(pool_.node(left).hash)
        .add(read.hash(store_))
        .finish();
  };
  if (grows(keys, reader)) return true;
  const Hash128 root = hash_of(keys, reader);
  if (const auto it = other_values_.find(root); it != other_values_.end()) return it->second;
  const auto zeros = [this](ExprId left) { return zeros_only(left); };
  const auto order = [this](ExprId left, std::string_view key) { return order_of(left, key); };
  Queue ways;
  ways.add({keys, reader, rivals, kNoIndex, root, 0, 0, 0, {}, !reader.in_key(store_)});
  const auto settle = [&](const Hash128& hash, bool other) {
    bytes_ += other_values_.emplace(hash, other).second ? 64 : 0;
  };
  while (!ways.empty()) {
    LongStep::tick();
    const std::uint32_t at = ways.next();
    const Way way = ways[at];
    bool found = false;
    if (pool_.nullable(way.keys)) {
      const Element value = store_.value(way.reader.value(store_));
      found = !store_.contains(way.rivals, value) || !spoils(state, value);
    }
    found = found || grows(way.keys, way.reader);
    // Which of many values it may still become is not looked at where one more byte makes others.
    if (!found && store_.size(way.rivals) > kManyRivals) {
      found = any_way(pool_, store_, way, order, zeros,
                      [&](const Way& next) { return grows(next.keys, next.reader); });
    }
    found = found || any_way(pool_, store_, way, order, zeros, [&](Way next) {
              next.hash = hash_of(next.keys, next.reader);
              if (ways.seen(next.hash)) return false;
              if (const auto it = other_values_.find(next.hash); it != other_values_.end()) {
                return it->second;
              }
              next.rivals = rivals_left(way.rivals, next.reader);
              if (next.rivals == JsonValues::kEmptySet) return true;
              next.parent = at;
              ways.add(std::move(next));
              return false;
            });
    if (!found) continue;
    for (std::uint32_t i = at; i != kNoIndex; i = ways[i].parent) settle(ways[i].hash, true);
    return true;
  }
  // Below a key, only those after it were looked at.
  for (std::uint32_t i = 0; i < ways.size(); ++i) {
    if (ways[i].floors.empty()) settle(ways[i].hash, false);
  }
  return false;
}

// --- how many there are ---

// Whether what begins a list without repetition has so many values by what was counted of its own
// items: one place takes so many, and the others cannot run out. Lists in lists are told in one
// look each, where their members alone would be searched for long: there are factorially many.
// Recursion depth is the nesting of unions.
bool Keyed::many(ExprId keys, std::uint32_t enough) {
  for (ExprId at = keys;; at = pool_.tail(at)) {
    const ExprId first = pool_.head(at);
    if (many_lists(first, enough)) return true;
    if (first == at || !pool_.nullable(first)) return false;  // white space may be left out
  }
}

bool Keyed::many_lists(ExprId first, std::uint32_t enough) {
  const Node node = pool_.node(first);
  if (node.kind == Kind::kUnion) {
    const auto list = pool_.members(node);
    const std::vector<ExprId> members(list.begin(), list.end());
    return std::ranges::any_of(members,
                               [&](ExprId one) { return pool_.live(one) && many(one, enough); });
  }
  if (node.kind != Kind::kKeyed || (node.flags & kCaptures)) return false;
  const Record& own = record(first);
  const State& state = states_[own.state];
  const Compiled& table = tables_[state.table];
  if (own.part != Part::kFirst || state.count != 0 || table.repeats || table.doubtful ||
      table.wanted != 0 || !table.clauses.empty() || table.cells.empty()) {
    return false;
  }
  if (std::ranges::any_of(table.entries, [](const Entry& entry) { return entry.required; })) {
    return false;
  }
  if (std::ranges::any_of(table.cells, [](const Cell& cell) { return cell.quoted; })) return false;
  const std::uint32_t least = std::max(table.min, 1u);
  if (least > table.max) return false;
  // Lists of up to so many items, chosen one after another: each is another list.
  const std::uint32_t size = std::max(least, std::min(table.max, 4u));
  const std::uint32_t most = *std::ranges::max_element(table.amounts);
  std::uint64_t lists = 1;
  for (std::uint32_t i = 0; i < size && (i < least || lists < enough); ++i) {
    const std::size_t j = std::min<std::size_t>(i, table.cells.size() - 1);
    const std::uint32_t amount = table.places ? table.amounts[j] : most;
    if (amount <= i) return i >= least && lists >= enough;
    lists = std::min<std::uint64_t>(lists * (amount - i), kUnbounded);
  }
  return lists >= enough;
}

std::uint32_t Keyed::values_of(ExprId keys, std::uint32_t enough, CompileContext* context,
                               std::vector<Element>* out) {
  const std::size_t most = context ? context->limits().max_states : Limits().max_states;
  const auto hash_of = [&](ExprId left, const ValueReader& read) {
    return Hasher(0x7A1).add(pool_.node(left).hash).add(read.hash(store_)).finish();
  };
  const auto zeros = [this](ExprId left) { return zeros_only(left); };
  const auto order = [this](ExprId left, std::string_view key) { return order_of(left, key); };
  std::unordered_set<std::uint32_t> found;
  Queue ways;
  ways.add({keys, ValueReader(), {}, kNoIndex, hash_of(keys, ValueReader()), 0, 0, 0, {}, true});
  bool asked = false;
  while (!ways.empty()) {
    LongStep::tick();
    if (context) context->tick();
    if (!asked && ways.size() > kSoon) {
      asked = true;
      if (Endless(*this, keys).find(context)) return kUnbounded;
    }
    if (ways.size() > most) {
      throw Error(ErrorKind::kLimit,
                  "telling how many different items a list without repetition can have takes more "
                  "than " +
                      std::to_string(most) +
                      " states (Limits.max_states); raise the limit, or let its items vary more");
    }
    const Way way = ways[ways.next()];
    if (pool_.nullable(way.keys)) {
      const Element value = store_.value(way.reader.value(store_));
      found.insert(static_cast<std::uint32_t>(value));
      if (found.size() >= enough) break;
    }
    if (grows(way.keys, way.reader)) return kUnbounded;
    if (many(way.keys, enough)) return enough;
    any_way(pool_, store_, way, order, zeros, [&](Way next) {
      next.hash = hash_of(next.keys, next.reader);
      ways.add(std::move(next));
      return false;
    });
  }
  if (out) {
    out->clear();
    for (std::uint32_t value : found) out->push_back(Element{value});
    std::ranges::sort(*out);
  }
  return static_cast<std::uint32_t>(found.size());
}

}  // namespace formgate
