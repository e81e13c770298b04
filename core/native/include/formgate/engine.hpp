// A compiled constraint: states are expressions, advanced by the bytes of tokens.
//
// Everything here is thread-safe. Work on expressions happens under the pool's mutex; finished
// masks are immutable and are copied out after it is released. States are plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/grammar.hpp"
#include "formgate/masks.hpp"
#include "formgate/vocabulary.hpp"

namespace formgate {

// `kEmptyId`, which no live state can be, stands for ENDED: the state after a stop token.
struct State {
  ExprId expr = ExprPool::kEmptyId;
  Hash128 key;            // equal keys, equal futures
  bool accepting = true;  // the output may end here
};

class Engine {
 public:
  // Throws Error: kEmpty when no text of the language can be spelled, and what lowering throws.
  static std::shared_ptr<Engine> compile(const Grammar& grammar,
                                         std::shared_ptr<const Vocabulary> vocabulary,
                                         CompileContext& context, const MaskOptions& options);

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  State start() const { return start_; }
  static bool ended(const State& state) { return state.expr == ExprPool::kEmptyId; }

  // The state after a token, or nothing where it is forbidden.
  std::optional<State> advance(const State& state, TokenId token) const;
  std::shared_ptr<const Mask> mask(const State& state) const;
  bool is_terminal(const State& state) const;
  // Adds tokens of `among` after which a text ends the output; some may be missing: see
  // completing.hpp.
  void completed_by(const State& state, std::string_view text, const Bitmap& among,
                    Bitmap& out) const;
  // Length of the longest legal prefix; `state` becomes the state after it.
  std::size_t validate(State& state, std::span<const TokenId> tokens) const;
  void fill(const State& state, std::uint32_t* row) const;
  // A state, and the engine that it belongs to.
  struct Place {
    const Engine* engine;
    State state;
  };
  // Rows are `stride` words apart. The engines may be of several pools, but have one vocabulary.
  static void fill_many(std::span<const Place> places, std::uint32_t* rows, std::size_t stride,
                        unsigned threads);

  // Makes the masks that an output of a text asks for, token by token, each the longest that goes
  // on. Between two pieces of the text stands the shortest that leads on. Ends where the text does
  // or is not one of the language's, where it may not go on, and where a limit is met, or a mask
  // takes far more expressions than most. Returns the number of tokens that were taken.
  // `further`: then makes masks of other states, byte by byte, for two milliseconds at most.
  std::size_t warm_up(std::span<const std::string> pieces, const std::function<bool()>& may_go_on,
                      bool further = false) const;

  // Text every accepted continuation begins with, up to `max_bytes`.
  std::string forced_text(const State& state, std::size_t max_bytes) const;
  // Fewest tokens to an accepting state. Throws Error(kLimit) beyond `max_states` states or
  // `max_steps` through the vocabulary; those of the compilation's limits, where none are given.
  std::size_t min_tokens(const State& state, std::optional<std::size_t> max_states = {},
                         std::optional<std::size_t> max_steps = {}) const;
  std::string explain(const State& state) const;

  // Questions about the language itself, whatever this vocabulary can spell.
  bool accepts(std::string_view text) const;
  bool is_prefix(std::string_view text) const;

  std::size_t pool_memory() const;
  std::size_t cache_memory() const;
  std::size_t pool_nodes() const;
  std::uint64_t serial() const { return serial_; }
  std::unique_lock<std::mutex> lock() const { return pool_->acquire(); }
  ExprPool& pool() const { return *pool_; }
  // What its compilation added to the pool.
  std::size_t lowered_bytes() const { return lowered_bytes_; }

 private:
  friend class KeptEngine;
  class Sketch;
  struct Further;
  Engine() = default;
  TokenMeanings find_specials(const Grammar& grammar);
  TokenId resolve(const TokenUse& use) const;
  std::string spelled(std::string_view text) const;
  std::shared_ptr<const Mask> mask_within(const State& state, std::size_t growth) const;
  std::shared_ptr<const Mask> special_mask(ExprId expr) const;
  std::shared_ptr<const Mask> make_special_mask(ExprId expr) const;
  State make_state(ExprId expr) const;
  ExprId walk_bytes(ExprId expr, std::string_view bytes) const;
  std::optional<State> advance_locked(const State& state, TokenId token, std::size_t growth) const;
  void warm_up_further(const std::function<bool()>& may_go_on) const;
  Further further(const State& state, const std::unordered_set<ExprId>& met,
                  std::size_t growth) const;
  bool is_stop(TokenId token) const;

  std::shared_ptr<ExprPool> pool_;
  std::shared_ptr<MaskCache> cache_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  ExprId language_{};                        // the language as the grammar states it
  State start_;                              // the part of it that the vocabulary can spell
  std::map<TokenId, std::string> specials_;  // of the grammar, with the bytes they stand for
  std::vector<TokenId> odd_;                 // tokens that could be taken for parts of these
  // By expression, a few; guarded by the pool's mutex.
  mutable std::unordered_map<std::uint32_t, std::shared_ptr<const Mask>> special_masks_;
  bool escapes_ = false;  // odd bytes are text, and spelled in another way
  Limits limits_;
  std::uint64_t serial_ = 0;  // the same for all that stand for one engine that is kept
  std::size_t lowered_bytes_ = 0;
};

}  // namespace formgate
