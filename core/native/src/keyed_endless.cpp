// Whether there is no end of the values of an expression.
//
// A search for values in the order of their texts goes astray in rules that recurse: before it
// meets what comes after a nested value it reads that value's own beginnings, and theirs in turn.
// Here rules, and the items of lists without repetition, are parts: each is searched once, by
// itself, and wherever it is met again texts found of it lead past it. Of bytes that lead to the
// same, one is taken, and members come in any order: a place is looked for, not all values.
//
// There is no end of values where
//  - a text leads to a place that can be passed again and again (Keyed::grows). That is asked of
//    the whole expression, from its start: a part alone does not know what encloses it.
//  - a rule holds itself, deeper inside: if a text u leads from its start to its own call and t
//    from behind the call to its end, it has u w t, u u w t t and so on with each w.
//  - a list comes back to what may follow with more items than before.
// The latter two count where a text of the whole comes by, and what follows has an end: that is a
// text found, and no promise that there is one.
//
// All that is found is so, but not all that is so is found: ways are limited.
//
// Cost: at most kMostWays ways, one for each state in a part; a few hundred mostly.
#include "keyed_endless.hpp"

#include <algorithm>
#include <utility>

#include "formgate/long_step.hpp"
#include "keyed_helpers.hpp"

namespace formgate {
namespace {

constexpr std::size_t kMostWays = 8192;

// Texts kept of a part: the second item of a list without repetition needs another value.
constexpr std::size_t kMostTexts = 3;

// After so many ways it is looked at what holds itself.
constexpr std::size_t kChecked = 512;

// Bytes tried where each leads to a state of its own.
constexpr unsigned kMostCaptured = 2;

// What white space and escapes cost: they mostly lead to what is also had without.
constexpr std::size_t kDetour = 8;

std::uint8_t plainest(const ByteSet& bytes) {
  for (std::uint8_t b = '~'; b > ' '; --b) {
    if (b != '\\' && bytes.contains(b)) return b;
  }
  std::uint8_t out = 0;
  while (!bytes.contains(out)) ++out;
  return out;
}

}  // namespace

bool Keyed::Endless::find(CompileContext* context) {
  begin(root_, kNoIndex);
  for (std::size_t taken = 1; !open_.empty() && ways_.size() < kMostWays; ++taken) {
    if (taken % kChecked == 0 && recurs()) return true;
    LongStep::tick();
    if (context) context->tick();
    const std::uint32_t at = open_.top().second;
    open_.pop();
    const ExprId keys = ways_[at].keys;
    if (pool_.nullable(keys)) complete(at);
    if (keyed_.grows(keys, ways_[at].reader) && grows_after(text(at, kNoIndex))) return true;
    const Beginnings begins = beginnings(keys);
    for (const Beginning& part : begins.parts) enter(part, at);
    for (ExprId other : begins.others) step(at, other);
  }
  return recurs();
}

Keyed::Endless::Beginnings Keyed::Endless::beginnings(ExprId keys) {
  Beginnings out;
  std::vector<ExprId> work{keys};
  while (!work.empty()) {
    const ExprId at = work.back();
    work.pop_back();
    const ExprId first = pool_.head(at);
    const ExprId rest = pool_.tail(at);
    const Node node = pool_.node(first);
    if (at == ExprPool::kEpsilonId || !pool_.live(at)) continue;
    if (node.kind == Kind::kUnion) {
      const auto members = pool_.members(node);
      const std::vector<ExprId> list(members.begin(), members.end());
      for (ExprId one : list) work.push_back(pool_.concat(one, rest));
      continue;
    }
    if (pool_.nullable(first)) work.push_back(rest);
    if (node.kind == Kind::kCall) {
      out.parts.push_back({first, rest});
    } else if (node.kind == Kind::kKeyed && !(node.flags & kCaptures) &&
               keyed_.record(first).part == Keyed::Part::kFirst) {
      work.push_back(pool_.concat(keyed_.body(node.a), rest));
    } else if (node.kind != Kind::kKeyed || !(node.flags & kCaptures) || within(first, out.parts)) {
      out.others.push_back(at);
    }
  }
  return out;
}

// The parts that a value under way may go on with; whether it may go on otherwise. All that is left
// is a part where nothing was read. Recursion depth is the nesting of lists in the grammar.
bool Keyed::Endless::within(ExprId capture, std::vector<Beginning>& parts) {
  const Record own = keyed_.record(capture);
  if (keyed_.tables_[keyed_.states_[own.state].table].cells[own.at].quoted) return true;
  const ValueReader& reader = keyed_.values_[own.reader];
  if (reader.hash(keyed_.store_) == ValueReader().hash(keyed_.store_)) {
    parts.push_back({own.keys, kNothing});
    return false;
  }
  const Beginnings inner = beginnings(own.keys);
  for (const Beginning& one : inner.parts) parts.push_back({one.part, kNothing});
  return !inner.others.empty() || pool_.nullable(own.keys);
}

void Keyed::Endless::begin(ExprId part, std::uint32_t entry) {
  const auto number = static_cast<std::uint32_t>(parts_.size());
  numbers_.emplace(index_of(part), number);
  parts_.push_back({entry});
  Way way{part, ValueReader(), number, entry};
  if (pool_.node(part).kind == Kind::kCall) way.keys = pool_.body(part);
  if (entry != kNoIndex) {
    way.reader = ways_[entry].reader;
    way.cost = ways_[entry].cost;
  }
  add(std::move(way));
}

void Keyed::Endless::enter(const Beginning& one, std::uint32_t way) {
  if (!numbers_.contains(index_of(one.part))) begin(one.part, way);
  const std::uint32_t number = numbers_.at(index_of(one.part));
  const bool plain = one.rest != kNothing && pool_.free_of_context(ways_[way].keys);
  const Waiting waiting{way, plain ? one.rest : kNothing};
  parts_[number].waiting.push_back(waiting);
  const std::vector<std::string> known = parts_[number].texts;
  for (const std::string& text : known) follow(waiting, number, text);
}

void Keyed::Endless::complete(std::uint32_t way) {
  const std::uint32_t number = ways_[way].part;
  Part& part = parts_[number];
  std::string found = text(way, part.entry);
  ValueReader reader;
  for (char c : found) reader.push(keyed_.store_, static_cast<std::uint8_t>(c));
  const Hash128 value = reader.hash(keyed_.store_);
  if (part.texts.size() >= kMostTexts || std::ranges::count(part.values, value) != 0) return;
  part.values.push_back(value);
  part.texts.push_back(found);
  const std::vector<Waiting> waiting = part.waiting;
  for (const Waiting& one : waiting) follow(one, number, found);
}

void Keyed::Endless::follow(const Waiting& waiting, std::uint32_t over, const std::string& text) {
  const Way& from = ways_[waiting.way];
  const bool plain = waiting.rest != kNothing;
  Way next{plain ? waiting.rest : pool_.walk(from.keys, text), from.reader, from.part, waiting.way};
  if (next.keys == kNothing) return;  // a value that came already
  next.over = plain ? over : kNoIndex;
  next.bytes = text;
  next.cost = from.cost + text.size();
  for (char c : text) next.reader.push(keyed_.store_, static_cast<std::uint8_t>(c));
  add(std::move(next));
}

void Keyed::Endless::step(std::uint32_t way, ExprId keys) {
  const auto go = [&](std::uint8_t byte, ExprId target) {
    Way next{target, ways_[way].reader, ways_[way].part, way};
    next.bytes = static_cast<char>(byte);
    next.cost = ways_[way].cost + (byte > ' ' && byte != '\\' ? 1 : kDetour);
    next.reader.push(keyed_.store_, byte);
    add(std::move(next));
  };
  if (!(pool_.node(keys).flags & kCaptures)) {
    const LinearForm form = pool_.linear_form(pool_.head(keys));
    const ExprId rest = pool_.tail(keys);
    for (const LinearTerm& term : std::vector<LinearTerm>(form.begin(), form.end())) {
      const ExprId target = pool_.concat(term.target, rest);
      if (pool_.live(target)) go(plainest(term.bytes), target);
    }
    return;
  }
  unsigned tried = 0;
  for (unsigned b = 0; b < 256 && tried < kMostCaptured; ++b) {
    const auto byte = static_cast<std::uint8_t>((b + 0x20) & 0xFF);
    const ExprId target = pool_.raw_step(keys, byte);
    if (target == kNothing || !pool_.live(target)) continue;
    go(byte, target);
    ++tried;
  }
}

void Keyed::Endless::add(Way way) {
  std::uint64_t key = std::uint64_t{way.part} << 35 | std::uint64_t{index_of(way.keys)} << 3;
  for (const std::uint8_t byte : {std::uint8_t{'a'}, std::uint8_t{'1'}, std::uint8_t{'0'}}) {
    key ^= std::uint64_t{way.reader.grows_by(keyed_.store_, byte)}
           << (byte == 'a' ? 2 : byte - '0');
  }
  const auto number = static_cast<std::uint32_t>(ways_.size());
  const auto [it, fresh] = seen_.emplace(key, number);
  const Source source{way.parent, way.over};
  const bool first = way.bytes.empty();  // of its part
  if (fresh) {
    open_.emplace(way.cost, number);
    ways_.push_back(std::move(way));
  } else {
    ways_[it->second].loops = ways_[it->second].loops || loops(it->second, way);
  }
  if (!first) ways_[it->second].sources.push_back(source);
}

// Whether what leads back to a way has gone on from it, and there are more items.
bool Keyed::Endless::loops(std::uint32_t from, const Way& back) const {
  if (!back.reader.longer(keyed_.store_, ways_[from].reader)) return false;
  const std::uint32_t entry = parts_[back.part].entry;
  std::uint32_t at = back.parent;
  while (at != from && at != entry) at = ways_[at].parent;
  return at == from;
}

// Whether a part that a text of the root comes by holds itself, or a list that goes on and on. A
// part that holds another holds all texts of it: it is seen by what may follow any of them.
bool Keyed::Endless::recurs() {
  std::vector<bool> ends(ways_.size());
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = 0; i < ways_.size(); ++i) {
    if (pool_.nullable(ways_[i].keys)) work.push_back(i);
  }
  std::vector<Holds> holds(parts_.size());
  std::vector<bool> loops(parts_.size());
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (ends[at]) continue;
    ends[at] = true;
    const std::uint32_t part = ways_[at].part;
    if (ways_[at].loops) loops[part] = true;
    for (const Source& source : ways_[at].sources) {
      work.push_back(source.way);
      if (source.over == kNoIndex) continue;
      const ValueReader& here = ways_[source.way].reader;
      const std::size_t depth = here.depth(keyed_.store_);
      const std::uint32_t entry = parts_[part].entry;
      const ValueReader before = entry == kNoIndex ? ValueReader() : ways_[entry].reader;
      const std::size_t outer = before.depth(keyed_.store_);
      if (!here.outside() || !before.outside() || depth < outer) continue;
      bool& deeper = holds[part].emplace(source.over, false).first->second;
      deeper = deeper || depth > outer;
    }
  }
  const auto reached = [&](std::uint32_t from) {
    std::vector<bool> out(parts_.size());
    work.assign(1, from);
    while (!work.empty()) {
      const std::uint32_t at = work.back();
      work.pop_back();
      if (out[at]) continue;
      out[at] = true;
      for (const auto& [part, deeper] : holds[at]) work.push_back(part);
    }
    return out;
  };
  const std::vector<bool> all = reached(0);
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    if (!all[i]) continue;
    if (loops[i]) return true;
    const std::vector<bool> below = reached(i);
    for (std::uint32_t j = 0; j < parts_.size(); ++j) {
      const auto it = below[j] ? holds[j].find(i) : holds[j].end();
      if (it != holds[j].end() && it->second) return true;
    }
  }
  return false;
}

// From a way before, or the root.
std::string Keyed::Endless::text(std::uint32_t way, std::uint32_t from) const {
  std::vector<std::uint32_t> path;
  for (; way != from; way = ways_[way].parent) path.push_back(way);
  std::string out;
  for (std::size_t i = path.size(); i-- > 0;) out += ways_[path[i]].bytes;
  return out;
}

bool Keyed::Endless::grows_after(const std::string& text) {
  const ExprId keys = pool_.walk(root_, text);
  if (keys == kNothing) return false;
  ValueReader reader;
  for (char c : text) reader.push(keyed_.store_, static_cast<std::uint8_t>(c));
  return keyed_.grows(keys, reader);
}

}  // namespace formgate
