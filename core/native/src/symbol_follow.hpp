// Which terminals may stand next to each other in the sentences of an expression over symbols.
#pragma once

#include <vector>

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"

namespace formgate {

// The rules that an expression calls, and those that these do; callees mostly before their callers.
std::vector<ExprId> calls_of(ExprPool& pool, ExprId start, CompileContext& context);

// For each terminal those that may follow it; then those that may come first, and last. Symbols are
// single bytes. A superset where the expression has other parts than lowering makes of rules.
std::vector<std::vector<bool>> follow_sets(ExprPool& pool, ExprId start, std::size_t terminals,
                                           CompileContext& context);

}  // namespace formgate
