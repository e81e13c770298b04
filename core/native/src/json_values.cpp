#include "formgate/json_values.hpp"

#include <algorithm>
#include <utility>

namespace formgate {

JsonValues::JsonValues() {
  sets_.push_back({0, 0, kNoElement, 0, {}});
  bytes_.push_back({kNoBytes, 0, {}, 0});
  ValueNode empty{Kind::kArray};
  empty.hash = Hasher(0xA77A).finish();
  empty_array_ = Value{intern(values_, value_index_, empty)};
}

JsonValues::Text JsonValues::text(std::string_view text) {
  const Hash128 hash = Hasher(0x7E47).add(text.size()).add(text).finish();
  const auto number = static_cast<std::uint32_t>(texts_.size());
  const std::uint32_t found = text_index_.find_or_add(
      hash, number, [&](std::uint32_t known) { return texts_[known].hash == hash; });
  if (found == number) {
    texts_.push_back({std::string(text), hash});
    text_bytes_ += text.size();
  }
  return Text{found};
}

JsonValues::Value JsonValues::scalar(std::string_view canonical) {
  const Text own = text(canonical);
  ValueNode node{Kind::kScalar};
  node.a = at(own);
  node.hash = Hasher(0x5CA1).add(texts_[node.a].hash).finish();
  return Value{intern(values_, value_index_, node)};
}

JsonValues::Value JsonValues::append(Value array, Value item) {
  const ValueNode& whole = values_[at(array)];
  ValueNode node{Kind::kArray};
  node.count = whole.count + 1;
  node.a = at(array);
  node.b = at(item);
  // Two jumps of one length make one of twice that and one.
  const ValueNode& jump = values_[whole.jump];
  const bool two = whole.count - jump.count == jump.count - values_[jump.jump].count;
  node.jump = two && whole.count != 0 ? jump.jump : at(array);
  node.hash = Hasher(0xA77A).add(whole.hash).add(values_[node.b].hash).finish();
  return Value{intern(values_, value_index_, node)};
}

JsonValues::Value JsonValues::object(Set members) {
  ValueNode node{Kind::kObject};
  node.a = at(members);
  node.hash = Hasher(0x0B1E).add(sets_[node.a].hash).finish();
  return Value{intern(values_, value_index_, node)};
}

JsonValues::Value JsonValues::first(Value array, std::uint32_t count) const {
  std::uint32_t i = at(array);
  while (values_[i].count > count) {
    i = values_[values_[i].jump].count >= count ? values_[i].jump : values_[i].a;
  }
  return Value{i};
}

// --- sets ---

JsonValues::Element JsonValues::element(Text key, Value value) {
  Hasher hasher(0xE1E3);
  hasher.add(key == kNoText ? Hash128{} : texts_[at(key)].hash);
  hasher.add(value == kNoValue ? Hash128{} : values_[at(value)].hash);
  return Element{intern(elements_, element_index_, {key, value, hasher.finish()})};
}

bool JsonValues::before(Element a, Element b) const {
  if (a == b) return false;
  const ElementNode& one = elements_[at(a)];
  const ElementNode& other = elements_[at(b)];
  if (is_value(a) != is_value(b)) return is_value(b);
  if (one.key != other.key) return string(one.key) < string(other.key);
  if (is_value(a)) {
    const std::string* text = scalar_text(a);
    const std::string* other_text = scalar_text(b);
    if (text && other_text) return *text < *other_text;
    if (text || other_text) return text != nullptr;
  }
  return std::pair(one.hash.hi, one.hash.lo) < std::pair(other.hash.hi, other.hash.lo);
}

const std::string* JsonValues::scalar_text(Element element) const {
  const ValueNode& node = values_[at(value_of(element))];
  return node.kind == Kind::kScalar ? &string(Text{node.a}) : nullptr;
}

// The order of a treap's heap. Another half of the hash comes first than in that of its search.
bool JsonValues::above(Element a, Element b) const {
  const Hash128& one = elements_[at(a)].hash;
  const Hash128& other = elements_[at(b)].hash;
  return std::pair(one.lo, one.hi) > std::pair(other.lo, other.hi);
}

std::uint32_t JsonValues::node(std::uint32_t left, Element element, std::uint32_t right) {
  const Hash128 hash = Hasher(0x5E7)
                           .add(sets_[left].hash)
                           .add(elements_[at(element)].hash)
                           .add(sets_[right].hash)
                           .finish();
  const std::uint32_t count = sets_[left].count + 1 + sets_[right].count;
  return intern(sets_, set_index_, {left, right, element, count, hash});
}

bool JsonValues::contains(Set set, Element element) const {
  for (std::uint32_t i = at(set); i != 0;) {
    const SetNode& own = sets_[i];
    if (own.element == element) return true;
    i = before(own.element, element) ? own.right : own.left;
  }
  return false;
}

JsonValues::Element JsonValues::find(Set set, std::string_view key) const {
  Element out = kNoElement;
  for_each_from(set, key, [&](Element element) {
    if (string(key_of(element)) == key) out = element;
    return false;
  });
  return out;
}

JsonValues::Set JsonValues::with(Set set, Element element) {
  std::vector<std::pair<std::uint32_t, bool>> above_it;  // and whether the way goes on to the right
  std::uint32_t i = at(set);
  while (i != 0 && above(sets_[i].element, element)) {
    const bool right = before(sets_[i].element, element);
    above_it.emplace_back(i, right);
    i = right ? sets_[i].right : sets_[i].left;
  }
  if (i != 0 && sets_[i].element == element) return set;
  std::vector<std::pair<std::uint32_t, bool>> cut;
  while (i != 0) {
    const bool right = before(sets_[i].element, element);
    cut.emplace_back(i, right);
    i = right ? sets_[i].right : sets_[i].left;
  }
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  for (; !cut.empty(); cut.pop_back()) {
    const SetNode own = sets_[cut.back().first];
    if (cut.back().second) {
      left = node(own.left, own.element, left);
    } else {
      right = node(right, own.element, own.right);
    }
  }
  std::uint32_t out = node(left, element, right);
  for (; !above_it.empty(); above_it.pop_back()) {
    const SetNode own = sets_[above_it.back().first];
    out = above_it.back().second ? node(own.left, own.element, out)
                                 : node(out, own.element, own.right);
  }
  return Set{out};
}

JsonValues::Set JsonValues::build(const std::vector<Element>& sorted) {
  std::vector<std::pair<Element, std::uint32_t>> spine;  // to the right, each with what is left
  const auto take = [&](std::uint32_t right) {
    const auto [element, left] = spine.back();
    spine.pop_back();
    return node(left, element, right);
  };
  for (Element element : sorted) {
    std::uint32_t below = 0;
    while (!spine.empty() && above(element, spine.back().first)) below = take(below);
    spine.emplace_back(element, below);
  }
  std::uint32_t out = 0;
  while (!spine.empty()) out = take(out);
  return Set{out};
}

JsonValues::Set JsonValues::values(Set set) {
  bool only = true;
  for_each(set, [&](Element element) {
    only = is_value(element);  // keys come first
    return false;
  });
  return only ? set : filtered(set, [this](Element element) { return is_value(element); });
}

bool JsonValues::has_scalar(Set set, std::string_view canonical) const {
  for (std::uint32_t i = at(set); i != 0;) {
    const Element element = sets_[i].element;
    const std::string* text = is_value(element) ? scalar_text(element) : nullptr;
    const int side = text ? text->compare(canonical) : is_value(element) ? 1 : -1;
    if (side == 0) return true;
    i = side < 0 ? sets_[i].right : sets_[i].left;
  }
  return false;
}

JsonValues::Set JsonValues::scalars_from(Set set, std::string_view prefix) {
  // Below, in, or above what is wanted.
  const auto side = [&](Element element) {
    if (!is_value(element)) return -1;
    const std::string* text = scalar_text(element);
    return text ? std::string_view(*text).substr(0, prefix.size()).compare(prefix) : 1;
  };
  std::uint32_t i = at(set);
  for (int found = 0; i != 0 && (found = side(sets_[i].element)) != 0;) {
    i = found < 0 ? sets_[i].right : sets_[i].left;
  }
  if (i == 0) return kEmptySet;
  // All that is wanted is below this one: of the left part, what is not too small, and so on.
  const SetNode top = sets_[i];
  std::vector<std::uint32_t> kept;
  std::uint32_t left = 0;
  for (i = top.left; i != 0;) {
    const bool wanted = side(sets_[i].element) == 0;
    if (wanted) kept.push_back(i);
    i = wanted ? sets_[i].left : sets_[i].right;
  }
  for (; !kept.empty(); kept.pop_back()) {
    const SetNode own = sets_[kept.back()];
    left = node(left, own.element, own.right);
  }
  std::uint32_t right = 0;
  for (i = top.right; i != 0;) {
    const bool wanted = side(sets_[i].element) == 0;
    if (wanted) kept.push_back(i);
    i = wanted ? sets_[i].right : sets_[i].left;
  }
  for (; !kept.empty(); kept.pop_back()) {
    const SetNode own = sets_[kept.back()];
    right = node(own.left, own.element, right);
  }
  return Set{node(left, top.element, right)};
}

// --- texts under way ---

JsonValues::Bytes JsonValues::extended(Bytes bytes, char byte) {
  const BytesNode& whole = bytes_[at(bytes)];
  const Hash128 hash = Hasher(0xB7E5).add(whole.hash).add(static_cast<std::uint8_t>(byte)).finish();
  return Bytes{intern(bytes_, bytes_index_, {bytes, whole.length + 1, hash, byte})};
}

std::string JsonValues::string(Bytes bytes) const {
  std::string out(length(bytes), '\0');
  for (std::size_t i = out.size(); i-- > 0; bytes = without_last(bytes)) out[i] = last(bytes);
  return out;
}

std::uint32_t JsonValues::open(Open open) {
  Hasher hasher(0x09E4);
  hasher.add(open.outer == kNoIndex ? Hash128{} : open_[open.outer].hash);
  hasher.add(open.object ? hash(Set{open.content}) : hash(Value{open.content}));
  hasher.add(open.key == kNoText ? Hash128{} : texts_[at(open.key)].hash);
  hasher.add(open.object).add(open.phase);
  open.hash = hasher.finish();
  return intern(open_, open_index_, open);
}

std::size_t JsonValues::memory_usage() const {
  constexpr std::size_t kIndexed = 24;  // of the index, for each node
  return text_bytes_ + texts_.size() * (sizeof(TextNode) + kIndexed) +
         values_.size() * (sizeof(ValueNode) + kIndexed) +
         elements_.size() * (sizeof(ElementNode) + kIndexed) +
         sets_.size() * (sizeof(SetNode) + kIndexed) +
         bytes_.size() * (sizeof(BytesNode) + kIndexed) + open_.size() * (sizeof(Open) + kIndexed);
}

}  // namespace formgate
