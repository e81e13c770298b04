// An engine that is kept while pools come and go.
//
// An `Engine` belongs to one pool. One that is kept has one in some pool, and where an output
// starts after that pool has outgrown its use (pool_use.hpp), it is lowered once more, into the
// pool that new grammars go to. States hold the engine that they came from and go on in its pool,
// beside those that start later: keys are hashes of contents, so equal states are equal in all of
// them. Nobody waits for another thread's lowering: what two make at once is mostly shared, since
// they make it in one pool, and a fork finds nothing half done.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "formgate/engine.hpp"
#include "formgate/pool_use.hpp"

namespace formgate {

class KeptEngine {
 public:
  // Throws what Engine::compile throws.
  static std::shared_ptr<const KeptEngine> compile(std::shared_ptr<const Grammar> grammar,
                                                   std::shared_ptr<const Vocabulary> vocabulary,
                                                   CompileContext& context,
                                                   const MaskOptions& options);
  ~KeptEngine();
  KeptEngine(const KeptEngine&) = delete;
  KeptEngine& operator=(const KeptEngine&) = delete;

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  // Whether an engine, of whatever pool, is this one.
  bool is(const Engine& engine) const { return engine.serial() == serial_; }
  // Where outputs start, if nothing is to be done for it; else null.
  std::shared_ptr<const Engine> ready() const;
  // The same, lowered once more where need be. Throws std::bad_alloc.
  std::shared_ptr<const Engine> moved() const;
  // The engine as it is held now; null once it has left its pool.
  std::shared_ptr<const Engine> held() const;

 private:
  friend class PoolUse;
  KeptEngine(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const Vocabulary> vocabulary,
             const MaskOptions& options, const Limits& limits, std::shared_ptr<Engine> first);
  std::shared_ptr<Engine> lower() const;
  void settle(std::shared_ptr<const Engine> engine) const;

  std::shared_ptr<const Grammar> grammar_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  MaskOptions options_;
  Limits limits_;
  std::uint64_t serial_;
  mutable std::shared_ptr<const Engine> held_;  // guarded by PoolUse::mutex()
};

}  // namespace formgate
