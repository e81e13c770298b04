// Whether there is no end of the values of an expression; see keyed_endless.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "formgate/expr_pool.hpp"
#include "formgate/keyed.hpp"

namespace formgate {

class Keyed::Endless {
 public:
  Endless(Keyed& keyed, ExprId root) : keyed_(keyed), pool_(keyed.pool_), root_(root) {}

  // Whether it is found that there is no end.
  bool find(CompileContext* context);

 private:
  // To a way from another of its part: by bytes, or (`over`) by a text of a part.
  struct Source {
    std::uint32_t way;
    std::uint32_t over;
  };
  struct Way {
    ExprId keys;
    ValueReader reader;
    std::uint32_t part = 0;
    std::uint32_t parent = kNoIndex;
    std::uint32_t over = kNoIndex;
    std::string bytes = {};  // since the parent
    std::size_t cost = 0;    // from the root
    std::vector<Source> sources = {};
    bool loops = false;  // ways from it lead back to it, with more items
  };
  // A way to go on by texts of a part, to what follows any of them; nothing: that depends.
  struct Waiting {
    std::uint32_t way;
    ExprId rest;
  };
  struct Part {
    std::uint32_t entry;  // the way that it was first met in
    std::vector<Waiting> waiting = {};
    std::vector<std::string> texts = {};
    std::vector<Hash128> values = {};  // of the texts
  };
  // What an expression may begin with: parts, and others, which bytes lead on from.
  struct Beginning {
    ExprId part;
    ExprId rest;
  };
  struct Beginnings {
    std::vector<Beginning> parts;
    std::vector<ExprId> others;
  };

  using Holds = std::unordered_map<std::uint32_t, bool>;  // parts, and whether deeper inside

  Beginnings beginnings(ExprId keys);
  bool within(ExprId capture, std::vector<Beginning>& parts);
  void begin(ExprId part, std::uint32_t entry);
  void enter(const Beginning& one, std::uint32_t way);
  void complete(std::uint32_t way);
  void follow(const Waiting& waiting, std::uint32_t over, const std::string& text);
  void step(std::uint32_t way, ExprId keys);
  void add(Way way);
  bool loops(std::uint32_t from, const Way& back) const;
  std::string text(std::uint32_t way, std::uint32_t from) const;
  bool recurs();
  bool grows_after(const std::string& text);

  Keyed& keyed_;
  ExprPool& pool_;
  ExprId root_;
  std::deque<Way> ways_;
  std::priority_queue<std::pair<std::size_t, std::uint32_t>,
                      std::vector<std::pair<std::size_t, std::uint32_t>>, std::greater<>>
      open_;
  std::deque<Part> parts_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // of parts
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;
};

}  // namespace formgate
