// Lowering of grammars with recursive rules; see rule_lowering.cpp.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formgate/components.hpp"
#include "formgate/grammar.hpp"

namespace formgate {

// What is known of some nodes of a grammar.
template <typename Value>
class ByNode {
 public:
  explicit ByNode(std::size_t nodes) : values_(nodes), known_(nodes) {}
  bool contains(std::uint32_t node) const { return known_[node]; }
  // A plain value where nothing is known.
  const Value& at(std::uint32_t node) const { return values_[node]; }
  Value& operator[](std::uint32_t node) {
    known_[node] = true;
    return values_[node];
  }

 private:
  std::vector<Value> values_;
  std::vector<bool> known_;
};

class RuleLowering {
 public:
  RuleLowering(const Grammar& grammar, std::uint32_t start, ExprPool& pool, CompileContext& context,
               std::unique_lock<std::mutex>& lock, const ByteSet& allowed,
               const Grammar::Symbols& symbols)
      : grammar_(grammar),
        start_(start),
        pool_(pool),
        context_(context),
        lock_(lock),
        allowed_(allowed),
        symbols_(symbols),
        calls_(grammar.nodes_.size()),
        looks_(grammar.nodes_.size()),
        facts_(grammar.nodes_.size()),
        values_(grammar.nodes_.size()),
        rule_at_(grammar.nodes_.size(), kNoIndex),
        seen_by_(grammar.nodes_.size(), kNoIndex),
        hashes_(grammar.nodes_.size()) {}

  // Whether some rule that the start needs refers to itself, directly or through others.
  bool recursive();
  // Of a grammar all of whose recursive rules the pool knows, the expression, by way of no others;
  // nothing where it cannot be had so. To be called once, if some rule is recursive.
  std::optional<ExprId> by_known();
  // To be called once, after that.
  ExprId run();

 private:
  using Op = Grammar::Op;
  static constexpr std::size_t kCallsPerDepth = 5;  // within the nesting that is allowed
  struct Rule {
    std::string name = {};
    std::uint32_t body = 0;                  // node of the grammar
    std::vector<std::uint32_t> nodes = {};   // of the body, in order
    std::vector<std::uint32_t> refers = {};  // to rules
    bool recursive = false;                  // or called for another reason
    bool calls = false;                      // is recursive, or refers to a rule that is
    std::uint32_t equal = 0;                 // the first of the rules whose call it shares
    ExprId call{};
    // Of one that refers to itself alone and is made of what means the same in every grammar.
    std::optional<Hash128> content = {};
    bool known = false;  // the pool has it
  };
  // What is known of a node: whether it has any text, the empty one, any other.
  struct Facts {
    bool live = false;
    bool empty = false;
    bool texts = false;
    bool operator==(const Facts&) const = default;
  };

  std::uint32_t rule_of(std::uint32_t at);
  std::uint32_t rule_of(const std::string& name);
  void collect();
  void find_recursion();
  std::size_t nesting_of(const Rule& rule, std::vector<std::size_t>& nesting) const;
  std::vector<bool> never_called() const;
  void cut_deep_rules();
  void find_calls();
  void lower_terminals();
  void lower_terminal(std::uint32_t at, const Rule& rule);
  void find_facts();
  Facts facts_of(std::uint32_t index) const;
  void check_operator(const Grammar::Node& node, const Rule& rule) const;
  bool refers_back(std::uint32_t part, const Rule& rule) const;
  std::vector<std::uint32_t> units_of(
      const Rule& rule, const std::unordered_map<std::uint32_t, std::uint32_t>& places);
  void merge_equal(const std::vector<std::uint32_t>& component);
  void name_calls(const std::vector<std::uint32_t>& component);
  Hash128 hash_of(std::uint32_t at,
                  const std::unordered_map<std::uint32_t, std::uint32_t>& numbers) const;
  void recall();
  void keep();
  std::optional<Hash128> content_of(const Rule& rule);
  bool add_content(Hasher& hasher, const Grammar::Node& node) const;
  std::unordered_set<std::uint32_t> inner_choices(const Rule& rule) const;
  bool recurs(const Rule& rule) const;
  void lower_body(const Rule& rule);
  static std::string place_of(const Rule& rule);
  ExprId build(std::uint32_t at);
  [[noreturn]] void refuse(const std::string& what) const;

  const Grammar& grammar_;
  std::uint32_t start_;  // node of the grammar
  ExprPool& pool_;
  CompileContext& context_;
  std::unique_lock<std::mutex>& lock_;
  ByteSet allowed_;
  const Grammar::Symbols& symbols_;
  bool prepared_ = false;  // rules are recalled, and calls found
  ByteSet alphabet_;       // of all terminals and lists of keys
  std::unordered_map<std::uint32_t, ByteSet> list_alphabets_;  // by node, without calls
  std::size_t first_parts_ = 0;
  std::vector<Rule> rules_;  // rule 0 is the start
  std::unordered_map<std::string, std::uint32_t> rule_numbers_;
  std::vector<std::vector<std::uint32_t>> order_;  // components of rules, those referred to first
  ByNode<char> calls_;                             // whether there are any
  ByNode<char> looks_;                             // whether look-around sees beyond the node
  ByNode<Facts> facts_;
  ByNode<ExprId> values_;
  std::vector<std::uint32_t> rule_at_;  // by node, the rule it refers to
  std::vector<std::uint32_t> seen_by_;  // by node, the rule that was looked through last
  ByNode<Hash128> hashes_;              // by node, in the component that was named last
};

// Solves left recursion and defines the calls; see left_recursion.cpp.
class LeftRecursion {
 public:
  LeftRecursion(ExprPool& pool, CompileContext& context) : pool_(pool), context_(context) {}

  // Bodies must not accept the empty text.
  void add(ExprId call, ExprId body) { rules_.push_back({call, body}); }
  // With the bytes that occur in any of them.
  void define_all(const ByteSet& alphabet);

 private:
  struct Rule {
    ExprId call;
    ExprId body;
  };
  using Positions = std::unordered_map<std::uint32_t, std::uint32_t>;  // call -> number
  // e = rest | c1 k1 | c2 k2 ..., for the calls c of one component at the left edge of e.
  struct Split {
    ExprId rest = ExprPool::kEmptyId;
    std::map<std::uint32_t, ExprId> after = {};  // by position in the component
  };

  void first_calls(ExprId id, std::unordered_set<std::uint32_t>& out);
  std::vector<std::uint32_t> numbers_of(ExprId body, const Positions& number);
  void solve(std::vector<std::uint32_t> component);
  void check_size(const std::vector<std::uint32_t>& component, std::size_t needed) const;
  Split split(ExprId id, const Positions& position);
  void define(ExprId call, ExprId body);
  void check_depth();

  ExprPool& pool_;
  CompileContext& context_;
  std::vector<Rule> rules_;
  std::vector<Rule> defined_;
};

}  // namespace formgate
