#include "formgate/kept_engine.hpp"

#include <limits>
#include <utility>

#include "formgate/errors.hpp"

namespace formgate {

std::mutex& PoolUse::mutex() {
  static std::mutex* const mutex = new std::mutex();  // outlives engines that end with the process
  return *mutex;
}

void PoolUse::enter(const KeptEngine& engine, std::size_t bytes) {
  kept_engines_.insert(&engine);
  kept_.fetch_add(bytes, std::memory_order_relaxed);
}

void PoolUse::leave(const KeptEngine& engine, std::size_t bytes) {
  kept_engines_.erase(&engine);
  kept_.fetch_sub(bytes, std::memory_order_relaxed);
}

PoolUse::Engines PoolUse::vacate() {
  Engines left;
  left.reserve(kept_engines_.size());
  while (!kept_engines_.empty()) {
    const KeptEngine& engine = **kept_engines_.begin();
    leave(engine, engine.held_->lowered_bytes());
    left.push_back(std::exchange(engine.held_, nullptr));
  }
  return left;
}

std::shared_ptr<const KeptEngine> KeptEngine::compile(std::shared_ptr<const Grammar> grammar,
                                                      std::shared_ptr<const Vocabulary> vocabulary,
                                                      CompileContext& context,
                                                      const MaskOptions& options) {
  std::shared_ptr<Engine> first = Engine::compile(*grammar, vocabulary, context, options);
  return std::shared_ptr<const KeptEngine>(new KeptEngine(
      std::move(grammar), std::move(vocabulary), options, context.limits(), std::move(first)));
}

KeptEngine::KeptEngine(std::shared_ptr<const Grammar> grammar,
                       std::shared_ptr<const Vocabulary> vocabulary, const MaskOptions& options,
                       const Limits& limits, std::shared_ptr<Engine> first)
    : grammar_(std::move(grammar)),
      vocabulary_(std::move(vocabulary)),
      options_(options),
      limits_(limits),
      serial_(first->serial()) {
  const std::lock_guard<std::mutex> guard(PoolUse::mutex());
  settle(std::move(first));
}

KeptEngine::~KeptEngine() {
  std::shared_ptr<const Engine> own;  // freed without the mutex, as those are that leave, too
  PoolUse::Engines left;
  const std::lock_guard<std::mutex> guard(PoolUse::mutex());
  own = std::exchange(held_, nullptr);
  if (!own) return;
  PoolUse& use = own->pool().use();
  use.leave(*this, own->lowered_bytes());
  if (use.outgrown(ExprPool::budget())) left = use.vacate();
}

void KeptEngine::settle(std::shared_ptr<const Engine> engine) const {
  engine->pool().use().enter(*this, engine->lowered_bytes());
  held_ = std::move(engine);
}

std::shared_ptr<const Engine> KeptEngine::held() const {
  const std::lock_guard<std::mutex> guard(PoolUse::mutex());
  return held_;
}

std::shared_ptr<const Engine> KeptEngine::ready() const {
  const std::lock_guard<std::mutex> guard(PoolUse::mutex());
  if (held_ && held_->pool().use().outgrown(ExprPool::budget())) return nullptr;
  return held_;
}

std::shared_ptr<const Engine> KeptEngine::moved() const {
  std::shared_ptr<const Engine> before;
  PoolUse::Engines left;
  {
    const std::lock_guard<std::mutex> guard(PoolUse::mutex());
    before = held_;
    if (before) {
      PoolUse& use = before->pool().use();
      if (!use.outgrown(ExprPool::budget())) return before;
      left = use.vacate();
    }
  }
  left.clear();
  std::shared_ptr<const Engine> made;
  try {
    made = lower();
  } catch (...) {  // no memory: what was there will do
    if (!before) throw;
    made = before;
  }
  const std::lock_guard<std::mutex> guard(PoolUse::mutex());
  if (!held_) settle(made);
  return held_;
}

std::shared_ptr<Engine> KeptEngine::lower() const {
  std::shared_ptr<Engine> made;
  try {
    CompileContext context(limits_, std::nullopt, nullptr);
    made = Engine::compile(*grammar_, vocabulary_, context, options_);
  } catch (const Error&) {
    // The first time, the pool may have known what now takes more than the limits allow.
    constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
    Limits limits = limits_;
    limits.max_states = kUnlimited;
    limits.max_nodes = kUnlimited;
    CompileContext context(limits, std::nullopt, nullptr);
    made = Engine::compile(*grammar_, vocabulary_, context, options_);
    made->limits_ = limits_;
  }
  made->serial_ = serial_;
  return made;
}

}  // namespace formgate
