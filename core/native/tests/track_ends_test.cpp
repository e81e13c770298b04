// Whether anything is left to read under markers, against a closure over all sets of barred
// terminals.
#include "../src/track_ends.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "formgate/expr_pool.hpp"

namespace formgate {
namespace {

// Terminals a and b; markers x, y and z bar a, b and both.
constexpr std::string_view kLetters = "abxyz";

TrackSymbols symbols_of(std::uint32_t width) {
  TrackSymbols out;
  out.width = width;
  out.dropped = {{true, false}, {false, true}, {true, true}};
  const std::uint32_t apart = width == 1 ? 1 : 60;  // so that first bytes differ, too
  out.symbols.resize(4 * apart + 1, {0, 0});
  for (std::uint32_t i = 0; i < 5; ++i) {
    out.symbols[i * apart] = i < 2 ? TrackSymbol{static_cast<std::uint16_t>(i), 0}
                                   : TrackSymbol{TrackSymbol::kMarker, i - 2};
  }
  return out;
}

// Bodies of rules T and U, and a rest; "*" repeats what stands before it, a number does so exactly.
struct Case {
  std::map<char, std::vector<std::string>> rules;
  std::vector<std::string> rest;
};

struct Part {
  char letter;
  std::uint32_t min;
  std::uint32_t max;
};

std::vector<Part> parts_of(const std::string& body) {
  std::vector<Part> out;
  for (char c : body) {
    if (c == '*') {
      out.back().min = 0;
      out.back().max = kUnbounded;
    } else if (c >= '0' && c <= '9') {
      out.back().min = out.back().max = static_cast<std::uint32_t>(c - '0');
    } else {
      out.push_back({c, 1, 1});
    }
  }
  return out;
}

using Relation = std::vector<std::vector<bool>>;  // by sets of barred terminals

Relation product(const Relation& one, const Relation& other) {
  Relation out(4, std::vector<bool>(4, false));
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) {
      for (int j = 0; j < 4 && one[i][k]; ++j) out[i][j] = out[i][j] || other[k][j];
    }
  }
  return out;
}

class Closure {
 public:
  explicit Closure(const Case& given) {
    for (std::uint32_t i = 0; i < 5; ++i) {
      Relation own(4, std::vector<bool>(4, false));
      for (std::uint32_t barred = 0; barred < 4; ++barred) {
        if (i < 2) {
          if (!(barred >> i & 1)) own[barred][0] = true;
        } else {
          own[barred][barred | (i - 1)] = true;
        }
      }
      known_[kLetters[i]] = own;
    }
    for (const auto& [name, bodies] : given.rules) {
      known_[name] = Relation(4, std::vector<bool>(4, false));
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [name, bodies] : given.rules) {
        const Relation found = any_of(bodies);
        changed = changed || found != known_[name];
        known_[name] = found;
      }
    }
    const Relation all = any_of(given.rest);
    ends = std::ranges::count(all[0], true) > 0;
  }
  bool ends = false;

 private:
  Relation any_of(const std::vector<std::string>& bodies) {
    Relation out(4, std::vector<bool>(4, false));
    for (const std::string& body : bodies) {
      Relation way(4, std::vector<bool>(4, false));
      for (int i = 0; i < 4; ++i) way[i][i] = true;
      for (const Part& part : parts_of(body)) {
        if (part.max == kUnbounded) {
          for (int n = 0; n < 5; ++n) {
            const Relation more = product(way, known_[part.letter]);
            for (int i = 0; i < 4; ++i) {
              for (int j = 0; j < 4; ++j) way[i][j] = way[i][j] || more[i][j];
            }
          }
        } else {
          for (std::uint32_t n = 0; n < part.min; ++n) way = product(way, known_[part.letter]);
        }
      }
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) out[i][j] = out[i][j] || way[i][j];
      }
    }
    return out;
  }
  std::map<char, Relation> known_;
};

class Built {
 public:
  Built(const Case& given, std::uint32_t width) : width_(width) {
    for (const auto& [name, bodies] : given.rules) {
      calls_[name] = pool.call(Hasher(static_cast<std::uint64_t>(name)).finish(),
                               std::string(1, name), ExprPool::Path{});
    }
    for (const auto& [name, bodies] : given.rules) {
      pool.define(calls_.at(name), any_of(bodies), ByteSet::all());
    }
    rest = any_of(given.rest);
  }
  ExprPool pool;
  ExprId rest;

 private:
  ExprId any_of(const std::vector<std::string>& bodies) {
    std::vector<ExprId> choices;
    for (const std::string& body : bodies) {
      std::vector<ExprId> parts;
      for (const Part& part : parts_of(body)) {
        ExprId own{};
        if (const auto it = calls_.find(part.letter); it != calls_.end()) {
          own = it->second;
        } else {
          const std::uint32_t apart = width_ == 1 ? 1 : 60;
          const auto number = static_cast<std::uint32_t>(kLetters.find(part.letter)) * apart;
          own = pool.literal(symbol_text(width_, number));
        }
        parts.push_back(part.min == 1 && part.max == 1 ? own
                                                       : pool.repeat(own, part.min, part.max));
      }
      ExprId all = ExprPool::kEpsilonId;
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) all = pool.concat(*part, all);
      choices.push_back(all);
    }
    return pool.unite(choices);
  }
  std::uint32_t width_;
  std::map<char, ExprId> calls_;
};

TEST(TrackEnds, SaysWhetherAnythingIsLeft) {
  std::mt19937 random(7);
  const auto pick = [&](std::string_view letters) { return letters[random() % letters.size()]; };
  std::size_t some = 0;
  std::size_t none = 0;
  for (int round = 0; round < 4000; ++round) {
    Case given;
    for (char name : {'T', 'U'}) {
      // A body that ends; others may call. None begins with a call.
      given.rules[name] = {std::string{pick("abxyz"), pick("abxyz")}};
      for (unsigned i = random() % 3; i > 0; --i) {
        std::string body{pick("abxyz")};
        for (unsigned k = random() % 4; k > 0; --k) body += pick("abxyzTU");
        if (body.size() > 1 && random() % 4 == 0) body += pick("*23");
        given.rules[name].push_back(body);
      }
    }
    for (unsigned i = 1 + random() % 2; i > 0; --i) {
      std::string body;
      for (unsigned k = random() % 6; k > 0; --k) {
        body += pick("xyzTUTUab");
        if (random() % 5 == 0) body += pick("*259");
      }
      given.rest.push_back(body);
    }
    const bool expected = Closure(given).ends;
    ++(expected ? some : none);
    for (std::uint32_t width : {1u, 2u}) {
      Built built(given, width);
      const TrackSymbols symbols = symbols_of(width);
      TrackEnds ends(built.pool, symbols);
      ASSERT_EQ(ends.ends(built.rest), expected) << given.rest[0] << " in round " << round;
      ASSERT_EQ(ends.ends(built.rest), expected);
    }
  }
  EXPECT_GT(some, 500u);
  EXPECT_GT(none, 500u);
}

}  // namespace
}  // namespace formgate
