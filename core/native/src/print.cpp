// Readable form of expressions, for diagnostics.
#include <cstdio>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

void append_char(std::string& out, std::uint32_t c) {
  char buffer[16];
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
    std::snprintf(buffer, sizeof buffer, "\\x%02x", c);
    out += buffer;
  } else if (c < 0x80) {
    if (std::string_view("\\^$.|?*+()[]{}-").find(static_cast<char>(c)) != std::string_view::npos) {
      out += '\\';
    }
    out += static_cast<char>(c);
  } else {
    std::snprintf(buffer, sizeof buffer, c > 0xFFFF ? "\\U%08x" : "\\u%04x", c);
    out += buffer;
  }
}

void append_class(std::string& out, const CharSet& set) {
  const CharSet inverse = set.complement();
  const bool negate = inverse.intervals().size() < set.intervals().size();
  const auto& pieces = negate ? inverse.intervals() : set.intervals();
  if (pieces.empty()) {
    out += "(?s:.)";
    return;
  }
  if (!negate && pieces.size() == 1 && pieces[0].low == pieces[0].high) {
    append_char(out, pieces[0].low);
    return;
  }
  out += negate ? "[^" : "[";
  for (std::size_t i = 0; i < pieces.size() && i < 12; ++i) {
    append_char(out, pieces[i].low);
    if (pieces[i].high > pieces[i].low) {
      if (pieces[i].high > pieces[i].low + 1) out += '-';
      append_char(out, pieces[i].high);
    }
  }
  if (pieces.size() > 12) out += "...";
  out += ']';
}

}  // namespace

std::string ExprPool::print(ExprId id, std::size_t max_length) const {
  std::string out;
  // Items are expressions, or literal text when `text` is set; an explicit stack bounds depth.
  struct Item {
    ExprId id{};
    std::string text;
    bool tight = false;  // needs brackets unless it is one atom
  };
  std::vector<Item> stack{{id, "", false}};
  while (!stack.empty() && out.size() < max_length) {
    const Item item = std::move(stack.back());
    stack.pop_back();
    if (!item.text.empty()) {
      out += item.text;
      continue;
    }
    const Node& node = this->node(item.id);
    const auto push_list = [&](std::span<const ExprId> list, const std::string& between) {
      for (std::size_t i = list.size(); i-- > 0;) {
        stack.push_back({list[i], "", true});
        if (i > 0) stack.push_back({{}, between, false});
      }
    };
    switch (node.kind) {
      case Kind::kEmpty:
        out += "(?!)";
        break;
      case Kind::kEpsilon:
        out += "(?:)";
        break;
      case Kind::kBytes: {
        if (byte_set(node).ascii_only()) {
          append_class(out, CharSet::from_ascii(byte_set(node)));
        } else {
          char buffer[32];
          std::snprintf(buffer, sizeof buffer, byte_set(node).size() == 1 ? "<%02X>" : "<%02X..>",
                        byte_set(node).first());
          out += buffer;
        }
        break;
      }
      case Kind::kLeaf: {
        const Automaton& automaton = automata_[node.a];
        if (automaton.class_index != kNoIndex && automaton.dfa->start() == node.b) {
          append_class(out, classes_[automaton.class_index]);
        } else if (automaton.class_index != kNoIndex) {
          out += "<rest of a character>";
        } else {
          out += automaton.dfa->ordered() ? "<strings:" : "<automaton:";
          out += std::to_string(automaton.dfa->size()) + " states>";
        }
        break;
      }
      case Kind::kConcat:
        if (item.tight) {
          out += "(?:";
          stack.push_back({{}, ")", false});
        }
        stack.push_back({ExprId{node.b}, "", false});
        if (this->node(ExprId{node.b}).kind == Kind::kUnion) stack.back().tight = true;
        stack.push_back({ExprId{node.a}, "", this->node(ExprId{node.a}).kind == Kind::kUnion});
        break;
      case Kind::kUnion:
        if (item.tight) {
          out += "(?:";
          stack.push_back({{}, ")", false});
        }
        push_list(members(node), "|");
        break;
      case Kind::kRepeat: {
        std::string suffix;
        if (node.min == 0 && node.max == kUnbounded) {
          suffix = "*";
        } else if (node.min == 1 && node.max == kUnbounded) {
          suffix = "+";
        } else if (node.min == 0 && node.max == 1) {
          suffix = "?";
        } else {
          suffix = "{" + std::to_string(node.min);
          if (node.max != node.min) {
            suffix += node.max == kUnbounded ? "," : "," + std::to_string(node.max);
          }
          suffix += "}";
        }
        stack.push_back({{}, suffix, false});
        stack.push_back({ExprId{node.a}, "", true});
        break;
      }
      case Kind::kAnd:
        out += "(";
        stack.push_back({{}, ")", false});
        push_list(members(node), " & ");
        break;
      case Kind::kNot:
        out += "~";
        stack.push_back({ExprId{node.a}, "", true});
        break;
      case Kind::kLook:
        out += "(?=";
        stack.push_back({{}, "\\Z)", false});
        stack.push_back({ExprId{node.a}, "", true});
        break;
      case Kind::kBehind:
        out += (node.b ? "<not behind " : "<behind ") + std::to_string(node.a) + ">";
        break;
      case Kind::kCall:
        out += "<" + rules_[node.a].name + ">";
        break;
      case Kind::kLexed: {
        out += '<';
        const auto names = lexing_->names(item.id);
        for (std::size_t i = 0; i < names.size(); ++i) out += (i ? "|" : "") + names[i];
        out += '>';
        break;
      }
      case Kind::kKeyed:
        out += '<' + keyed_.describe(item.id) + '>';
        break;
      case Kind::kSpelled:
        out += pending_[node.b];
        stack.push_back({ExprId{node.a}, "", item.tight});
        break;
      case Kind::kScope:
        stack.push_back({members(node)[0], "", item.tight});
        break;
    }
  }
  if (out.size() >= max_length || !stack.empty()) {
    out.resize(std::min(out.size(), max_length));
    out += "...";
  }
  return out;
}

}  // namespace formgate
