// JSON values, and sets of keys and values, each kept once.
//
// Everything here is an immutable node found by the hash of its content, so equal values have equal
// numbers, and what two versions share is there once. Sets are treaps whose priorities are hashes
// (Seidel and Aragon, "Randomized Search Trees", Algorithmica 16, 1996): equal sets have one shape
// whatever came first, and one more element takes O(log n) new nodes. Arrays are chains, each with
// one item more than the one before, with the jump pointers of Myers ("An Applicative Random-Access
// Stack", 1983): any item takes O(log n) steps. Texts under way are chains of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formgate/growing_map.hpp"
#include "formgate/stable_vector.hpp"
#include "formgate/types.hpp"

namespace formgate {

class JsonValues {
 public:
  enum class Value : std::uint32_t {};
  enum class Element : std::uint32_t {};  // of sets
  enum class Set : std::uint32_t {};
  enum class Bytes : std::uint32_t {};
  enum class Text : std::uint32_t {};
  static constexpr Value kNoValue{kNoIndex};
  static constexpr Element kNoElement{kNoIndex};
  static constexpr Text kNoText{kNoIndex};
  static constexpr Set kEmptySet{0};
  static constexpr Bytes kNoBytes{0};

  enum class Kind : std::uint8_t { kScalar, kArray, kObject };

  JsonValues();

  Text text(std::string_view text);
  const std::string& string(Text text) const { return texts_[at(text)].text; }

  // Words and numbers by their canonical text, strings by a quote and their text.
  Value scalar(std::string_view canonical);
  Value array() { return empty_array_; }
  Value append(Value array, Value item);
  Value object(Set members);

  Kind kind(Value value) const { return values_[at(value)].kind; }
  std::string_view canonical(Value scalar) const { return string(Text{values_[at(scalar)].a}); }
  std::uint32_t items(Value array) const { return values_[at(array)].count; }
  // The array of the first so many items, no more than it has.
  Value first(Value array, std::uint32_t count) const;
  Value last_item(Value array) const { return Value{values_[at(array)].b}; }
  Set members(Value object) const { return Set{values_[at(object)].a}; }

  // --- sets of keys, of values, or of both, of members: keys first, by their bytes, then scalars
  // by their canonical texts ---
  Element key(std::string_view name) { return element(text(name), kNoValue); }
  Element value(Value value) { return element(kNoText, value); }
  Element member(Text key, Value value) { return element(key, value); }
  Text key_of(Element element) const { return elements_[at(element)].key; }
  Value value_of(Element element) const { return elements_[at(element)].value; }
  bool is_value(Element element) const { return key_of(element) == kNoText; }

  std::uint32_t size(Set set) const { return sets_[at(set)].count; }
  Hash128 hash(Set set) const { return sets_[at(set)].hash; }
  bool contains(Set set, Element element) const;
  Set with(Set set, Element element);
  // The first member with a key; kNoElement if there is none.
  Element find(Set set, std::string_view key) const;
  // Those that `keep` says.
  template <typename Keep>
  Set filtered(Set set, Keep&& keep) {
    std::vector<Element> kept;
    kept.reserve(size(set));
    for_each(set, [&](Element element) {
      if (keep(element)) kept.push_back(element);
      return true;
    });
    return kept.size() == size(set) ? set : build(kept);
  }
  // The values of a set.
  Set values(Set set);
  // Its scalars with canonical texts that begin so. Takes O(log n) steps.
  Set scalars_from(Set set, std::string_view prefix);
  // Whether a scalar with this canonical text is in a set. Takes O(log n) steps.
  bool has_scalar(Set set, std::string_view canonical) const;
  // Calls visit(element) in order, until it returns false.
  template <typename Visit>
  void for_each(Set set, Visit&& visit) const {
    std::vector<std::uint32_t> path;
    for (std::uint32_t i = at(set);;) {
      for (; i != 0; i = sets_[i].left) path.push_back(i);
      if (path.empty()) return;
      i = path.back();
      path.pop_back();
      if (!visit(sets_[i].element)) return;
      i = sets_[i].right;
    }
  }
  // Of the elements with a key that begins with a text.
  template <typename Visit>
  void for_each_from(Set set, std::string_view prefix, Visit&& visit) const {
    std::vector<std::uint32_t> path;
    for (std::uint32_t i = at(set); i != 0;) {
      const bool before = key_before(sets_[i].element, prefix);
      if (!before) path.push_back(i);
      i = before ? sets_[i].right : sets_[i].left;
    }
    while (!path.empty()) {
      std::uint32_t i = path.back();
      path.pop_back();
      const Element element = sets_[i].element;
      if (is_value(element) || !string(key_of(element)).starts_with(prefix)) return;
      if (!visit(element)) return;
      for (i = sets_[i].right; i != 0; i = sets_[i].left) path.push_back(i);
    }
  }

  // --- texts under way ---
  Bytes extended(Bytes bytes, char byte);
  Bytes without_last(Bytes bytes) const { return bytes_[at(bytes)].before; }
  std::uint32_t length(Bytes bytes) const { return bytes_[at(bytes)].length; }
  char last(Bytes bytes) const { return bytes_[at(bytes)].byte; }
  std::string string(Bytes bytes) const;
  Hash128 hash(Bytes bytes) const { return bytes_[at(bytes)].hash; }

  // --- what is open around a value under way, outside in ---
  struct Open {
    std::uint32_t outer = kNoIndex;
    std::uint32_t depth = 0;
    std::uint32_t content = 0;  // an array, or the members of an object
    Text key = kNoText;         // of the member under way, once it is read
    bool object = false;
    std::uint8_t phase = 0;
    Hash128 hash = {};
  };
  std::uint32_t open(Open open);
  const Open& opened(std::uint32_t open) const { return open_[open]; }
  Hash128 hash(Value value) const { return values_[at(value)].hash; }

  std::size_t memory_usage() const;

 private:
  struct TextNode {
    std::string text;
    Hash128 hash;
  };
  struct ValueNode {
    Kind kind;
    std::uint32_t count = 0;  // of items
    std::uint32_t a = 0;      // text, array without the last item, or members
    std::uint32_t b = 0;      // last item
    std::uint32_t jump = 0;   // an array further back
    Hash128 hash = {};
  };
  struct ElementNode {
    Text key;
    Value value;
    Hash128 hash;
  };
  struct SetNode {
    std::uint32_t left;
    std::uint32_t right;
    Element element;
    std::uint32_t count;
    Hash128 hash;
  };
  struct BytesNode {
    Bytes before;
    std::uint32_t length;
    Hash128 hash;
    char byte;
  };

  template <typename Id>
  static std::uint32_t at(Id id) {
    return static_cast<std::uint32_t>(id);
  }
  template <typename Node>
  static std::uint32_t intern(StableVector<Node>& nodes, GrowingIndex& index, Node node) {
    const auto number = static_cast<std::uint32_t>(nodes.size());
    const std::uint32_t found = index.find_or_add(
        node.hash, number, [&](std::uint32_t known) { return nodes[known].hash == node.hash; });
    if (found == number) nodes.push_back(std::move(node));
    return found;
  }
  Element element(Text key, Value value);
  bool key_before(Element element, std::string_view key) const {
    return !is_value(element) && std::string_view(string(key_of(element))) < key;
  }
  bool before(Element a, Element b) const;
  bool above(Element a, Element b) const;
  const std::string* scalar_text(Element element) const;
  std::uint32_t node(std::uint32_t left, Element element, std::uint32_t right);
  Set build(const std::vector<Element>& sorted);

  StableVector<TextNode> texts_;
  StableVector<ValueNode> values_;
  StableVector<ElementNode> elements_;
  StableVector<SetNode> sets_;
  StableVector<BytesNode> bytes_;
  StableVector<Open> open_;
  GrowingIndex text_index_;
  GrowingIndex value_index_;
  GrowingIndex element_index_;
  GrowingIndex set_index_;
  GrowingIndex bytes_index_;
  GrowingIndex open_index_;
  Value empty_array_;
  std::size_t text_bytes_ = 0;
};

}  // namespace formgate
