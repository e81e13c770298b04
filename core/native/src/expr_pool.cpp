// Interning, look-ups and memory of the expression pool.
#include "formgate/expr_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "dispose.hpp"
#include "formgate/errors.hpp"
#include "predecessors.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace formgate {
namespace {

std::atomic<std::uint64_t> next_serial{1};
std::atomic<std::size_t> pool_budget{256u << 20};
std::mutex current_mutex;
std::shared_ptr<ExprPool>& current_slot() {
  static std::shared_ptr<ExprPool> slot;
  return slot;
}

// A child process has only the thread that forked: a mutex that another thread held would stay
// locked for good. So a fork waits until no pool is in use, and holds all of them meanwhile.
std::mutex pools_mutex;
std::vector<ExprPool*>& all_pools() {
  static auto* pools = new std::vector<ExprPool*>();  // outlives pools that end with the process
  return *pools;
}

#ifndef _WIN32
void before_fork() {
  current_mutex.lock();
  PoolUse::mutex().lock();
  pools_mutex.lock();
  for (ExprPool* pool : all_pools()) pool->acquire().release();
}

void after_fork() {
  for (ExprPool* pool : all_pools()) pool->mutex().unlock();
  pools_mutex.unlock();
  PoolUse::mutex().unlock();
  current_mutex.unlock();
}

void after_fork_in_child() {
  for (ExprPool* pool : all_pools()) pool->forget_waiting();
  after_fork();
}

// When the library is loaded: the first use of a pool may be under way at a fork, too.
[[maybe_unused]] const int registered =
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
#endif

}  // namespace

ExprPool::ExprPool()
    : serial_(next_serial.fetch_add(1)),
      lexing_(std::make_unique<Lexing>(*this)),
      keyed_(*this),
      predecessors_(std::make_unique<Predecessors>(*this)) {
  {
    const std::lock_guard<std::mutex> guard(pools_mutex);
    all_pools().push_back(this);
  }
  const auto basic = [this](Kind kind, std::uint8_t flags, std::uint64_t seed) {
    Node node{};
    node.kind = kind;
    node.flags = flags;
    node.hash = Hasher(seed).finish();
    intern(node);
  };
  basic(Kind::kEmpty, kText, 1);
  basic(Kind::kEpsilon, kText | kNullable, 2);
  const ExprId any_byte = [this] {
    // Id 2 is reserved for "every byte string", whose child does not exist yet.
    Node node{};
    node.kind = Kind::kRepeat;
    node.flags = kNullable;
    node.min = 0;
    node.max = kUnbounded;
    node.hash = Hasher(3).finish();
    intern(node);
    intern(Node{.kind = Kind::kEmpty,
                .flags = 0,
                .liveness = 0,
                .depth = 0,
                .a = 0,
                .b = 0,
                .min = 0,
                .max = 0,
                .behinds = 0,
                .row = kNoIndex,
                .form_size = 0,
                .form = nullptr,
                .hash = Hasher(4).finish()});  // id 3, filled in below
    return bytes(ByteSet::all());
  }();
  nodes_[index_of(kAllId)].a = index_of(any_byte);
  const ExprId any_char = chars(CharSet::all());
  Node& text = nodes_[index_of(kTextId)];
  text.kind = Kind::kRepeat;
  text.flags = kNullable | kText;
  text.a = index_of(any_char);
  text.min = 0;
  text.max = kUnbounded;
  use_.begin(memory_usage());
}

ExprPool::~ExprPool() {
  const std::lock_guard<std::mutex> guard(pools_mutex);
  std::erase(all_pools(), this);
}

std::shared_ptr<ExprPool> ExprPool::current() {
  PoolUse::Engines left;  // freed without any mutex
  const std::lock_guard<std::mutex> guard(current_mutex);
  auto& slot = current_slot();
  if (slot) {
    const std::unique_lock<std::mutex> pool_guard = slot->acquire();
    const std::size_t bytes = slot->memory_usage();
    slot->use_.note(bytes);
    if (bytes <= pool_budget.load()) return slot;
  }
  if (slot) {
    const std::lock_guard<std::mutex> use_guard(PoolUse::mutex());
    if (slot->use_.outgrown(pool_budget.load())) left = slot->use_.vacate();
  }
  slot = std::shared_ptr<ExprPool>(new ExprPool(), [](ExprPool* pool) {
    constexpr std::size_t kSmall = 4096;
    std::unique_ptr<ExprPool> own(pool);
    if (own->node_count() > kSmall) dispose(std::move(own));
  });
  return slot;
}

void ExprPool::set_budget(std::size_t bytes) { pool_budget.store(bytes); }

std::size_t ExprPool::budget() { return pool_budget.load(); }

std::size_t ExprPool::alive() {
  const std::lock_guard<std::mutex> guard(pools_mutex);
  return all_pools().size();
}

namespace {

// The expression made last of those that a node is made of, or kNoIndex.
std::uint32_t latest_part(const Node& node, std::span<const ExprId> members) {
  switch (node.kind) {
    case Kind::kConcat:
      return std::max(node.a, node.b);
    case Kind::kRepeat:
    case Kind::kNot:
    case Kind::kLook:
    case Kind::kSpelled:
      return node.a;
    case Kind::kUnion:
    case Kind::kAnd:
      return index_of(*std::ranges::max_element(members));
    default:
      return kNoIndex;
  }
}

}  // namespace

ExprId ExprPool::intern(Node node, std::vector<ExprId> members) {
  node.row = kNoIndex;
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t known =
      index_.find_or_add(node.hash, latest_part(node, members), id,
                         [&](std::uint32_t other) { return same(node, members, other); });
  if (known != id) return ExprId{known};
  if (!members.empty()) {
    node.a = static_cast<std::uint32_t>(members_.size());
    node.b = static_cast<std::uint32_t>(members.size());
    member_count_ += members.size();
    member_bytes_ += members.size() * sizeof(ExprId) + sizeof(members);
    members_.push_back(std::move(members));
  }
  nodes_.push_back(node);
  constexpr std::uint32_t kNodesPerNote = 1024;
  if (id % kNodesPerNote == kNodesPerNote - 1) use_.note(memory_usage());
  LongStep::tick();
  if (part_count() > ceiling_) {
    throw Error(
        ErrorKind::kLimit,
        "one mask or token takes more new expressions than max_growth=" + std::to_string(growth_) +
            " allows: the text so far can be read in too many ways; compile with a larger "
            "Limits.max_growth, or let fewer alternatives read the same text: branches of "
            "a schema's oneOf or anyOf that exclude each other early, no repetitions "
            "inside repetitions");
  }
  return ExprId{id};
}

bool ExprPool::same(const Node& node, std::span<const ExprId> members, std::uint32_t id) const {
  const Node& other = nodes_[id];
  if (other.hash != node.hash || other.kind != node.kind) return false;
  if (node.kind == Kind::kCall) return true;  // known by its hash alone
  if (!members.empty()) {
    return std::ranges::equal(members, this->members(other));
  }
  return other.a == node.a && other.b == node.b && other.min == node.min && other.max == node.max;
}

std::uint32_t ExprPool::intern_class(const CharSet& set) {
  auto& bucket = class_index_[set.hash().lo];
  for (std::uint32_t index : bucket) {
    if (classes_[index] == set) return index;
  }
  const auto index = static_cast<std::uint32_t>(classes_.size());
  classes_.push_back(set);
  bucket.push_back(index);
  return index;
}

std::uint32_t ExprPool::class_of(ExprId id) {
  const Node& node = this->node(id);
  if (node.kind == Kind::kLeaf) {
    const Automaton& automaton = automata_[node.a];
    return automaton.dfa->start() == node.b ? automaton.class_index : kNoIndex;
  }
  if (node.kind != Kind::kBytes || !byte_set(node).ascii_only()) return kNoIndex;
  if (auto it = class_of_bytes_.find(node.a); it != class_of_bytes_.end()) return it->second;
  const std::uint32_t index = intern_class(CharSet::from_ascii(byte_set(node)));
  class_of_bytes_.emplace(node.a, index);
  return index;
}

const LeafDfa& ExprPool::class_automaton(std::uint32_t class_index) {
  auto it = class_automata_.find(class_index);
  if (it == class_automata_.end()) {
    const std::uint32_t automaton = add_automaton(
        std::make_shared<const LeafDfa>(LeafDfa::of_chars(classes_[class_index])), class_index);
    it = class_automata_.emplace(class_index, automaton).first;
  }
  return *automata_[it->second].dfa;
}

std::uint32_t ExprPool::add_automaton(std::shared_ptr<const LeafDfa> dfa,
                                      std::uint32_t class_index) {
  auto& bucket = automaton_index_[dfa->hash().lo];
  for (std::uint32_t index : bucket) {
    if (automata_[index].dfa->hash() == dfa->hash() &&
        automata_[index].dfa->size() == dfa->size() &&
        automata_[index].class_index == class_index) {
      return index;
    }
  }
  const auto index = static_cast<std::uint32_t>(automata_.size());
  automaton_bytes_ += dfa->memory_usage();
  automata_.push_back({std::move(dfa), class_index});
  bucket.push_back(index);
  return index;
}

ByteSet ExprPool::alphabet(ExprId id) {
  if (auto it = alphabets_.find(index_of(id)); it != alphabets_.end()) return it->second;
  if (auto it = open_found_.find(index_of(id)); it != open_found_.end()) {
    ++open_alphabets_;
    return it->second;
  }
  const Node& node = this->node(id);
  const std::size_t before = open_alphabets_;
  ByteSet out;
  switch (node.kind) {
    case Kind::kEmpty:
    case Kind::kEpsilon:
    case Kind::kLook:
    case Kind::kBehind:
      break;
    case Kind::kBytes:
      out = byte_set(node);
      break;
    case Kind::kCall:
      out = rules_[node.a].alphabet;
      if (!defined(id)) ++open_alphabets_;
      break;
    case Kind::kLeaf: {
      const LeafDfa& dfa = automaton(node);
      // Successors have smaller numbers mostly: a superset over all of them is enough.
      const std::uint32_t last = dfa.ordered() ? node.b : dfa.size() - 1;
      for (std::uint32_t s = 0; s <= last && out != ByteSet::all(); ++s) {
        dfa.for_each_edge(s, [&](std::uint8_t low, std::uint8_t high, std::uint32_t) {
          out = out | ByteSet::range(low, high);
        });
      }
      break;
    }
    case Kind::kConcat: {
      // The spine is a stack, of which only the top is new: its ends are kept for those above them.
      std::vector<ExprId> spine;
      ExprId rest = id;
      for (; this->node(rest).kind == Kind::kConcat; rest = ExprId{this->node(rest).b}) {
        if (alphabets_.find(index_of(rest)) != alphabets_.end()) break;
        spine.push_back(rest);
      }
      out = alphabet(rest);
      for (std::size_t i = spine.size(); i-- > 0;) {
        out = out | alphabet(ExprId{this->node(spine[i]).a});
        if (i > 0 && open_alphabets_ == before) alphabets_.emplace(index_of(spine[i]), out);
      }
      break;
    }
    case Kind::kRepeat:
      out = alphabet(ExprId{node.a});
      break;
    case Kind::kUnion:
      for (ExprId member : members(node)) out = out | alphabet(member);
      break;
    case Kind::kAnd:
      out = ByteSet::all();
      for (ExprId member : members(node)) out = out & alphabet(member);
      break;
    case Kind::kNot:
      out = ByteSet::all();
      break;
    case Kind::kLexed:
      out = lexing_->alphabet(id);
      break;
    case Kind::kKeyed:
      out = keyed_.alphabet(id);
      break;
    case Kind::kSpelled: {
      const std::string_view escapes = "\\\"/bfnrtu0123456789abcdefABCDEF";
      out = alphabet(ExprId{node.a});
      for (char c : escapes) out.insert(static_cast<std::uint8_t>(c));
      out = out & bounds_[node.max].allowed;
      break;
    }
    case Kind::kScope:
      out = alphabet(members(node)[0]);
      break;
  }
  (open_alphabets_ == before ? alphabets_ : open_found_).emplace(index_of(id), out);
  return out;
}

std::size_t ExprPool::memory_usage() const {
  return nodes_.size() * sizeof(Node) + index_.memory_usage() + rules_.size() * sizeof(Rule) +
         member_bytes_ + form_bytes_ + rows_.size() * sizeof(Row) + automaton_bytes_ +
         byte_sets_.size() * 64 + lexing_->memory_usage() + keyed_.memory_usage() +
         marks_.size() * 4 + json_chars_.size() * 112 + measured_bytes_ +
         predecessors_->memory_usage() + beginning_bytes_ +
         (core_states_.size() + unmeasured_.size()) * 48 +
         (meets_.size() + subset_.size() + spelled_subset_.size() + alphabets_.size() +
          forms_here_.size() + conditions_.size() + nullables_.size() + unions_.size() +
          intersections_.size() + countdowns_.size() + covered_.size() + ended_.size() +
          after_star_.size() + before_star_.size() + beginnings_.size() + text_ends_.size() +
          2 * first_bytes_.size()) *
             48 +
         counting_.size() * 80;
}

void ExprPool::trim() {
  const std::size_t derived =
      form_bytes_ + lexing_->derived_bytes() + rows_.size() * sizeof(Row) +
      (alphabets_.size() + forms_here_.size() + conditions_.size() + nullables_.size() +
       unions_.size() + intersections_.size() + after_star_.size() + before_star_.size() +
       beginnings_.size() + counting_.size() + text_ends_.size() + 2 * first_bytes_.size()) *
          48;
  if (derived <= pool_budget.load() / 2) return;
  for (Node& node : nodes_) {
    node.row = kNoIndex;
    node.form = nullptr;
    node.form_size = 0;
  }
  dispose(std::exchange(rows_, {}));
  lexing_->trim();
  forms_here_.clear();
  conditional_terms_.clear();
  conditions_.clear();
  counting_.clear();
  first_characters_.clear();
  lengths_.clear();
  rests_.clear();
  text_ends_.clear();
  first_bytes_.clear();
  nullables_.clear();
  unions_.clear();
  intersections_.clear();
  covered_.clear();
  ended_.clear();
  after_star_.clear();
  before_star_.clear();
  beginnings_.clear();
  beginning_bytes_ = 0;
  alphabets_.clear();
  open_found_.clear();
  form_chunks_.clear();
  form_bytes_ = 0;
  use_.note(memory_usage());
}

void ExprPool::touch_ahead() {
  constexpr std::size_t kNodes = 4096;
  constexpr std::size_t kRows = 16;
  constexpr std::size_t kTerms = 1024;
  nodes_.touch_ahead(kNodes);
  index_.touch_ahead(kNodes);
  rows_.touch_ahead(kRows);
  if (form_chunks_.empty()) return;
  std::vector<LinearTerm>& chunk = form_chunks_.back();
  LinearTerm* const next = chunk.data() + chunk.size();
  touch_pages(next, next + std::min(kTerms, chunk.capacity() - chunk.size()));
}

LinearForm ExprPool::store_form(const std::vector<LinearTerm>& terms) {
  if (active_) active_->tick();
  // A first chunk is there for an empty form, too.
  if (form_chunks_.empty() ||
      terms.size() > form_chunks_.back().capacity() - form_chunks_.back().size()) {
    form_chunks_.emplace_back().reserve(std::max<std::size_t>(2048, terms.size()));
    form_bytes_ += form_chunks_.back().capacity() * sizeof(LinearTerm);
  }
  std::vector<LinearTerm>& chunk = form_chunks_.back();  // never grows beyond its memory
  const LinearTerm* const out = chunk.data() + chunk.size();
  chunk.insert(chunk.end(), terms.begin(), terms.end());
  return {out, terms.size()};
}

}  // namespace formgate
