// What the special tokens that a grammar names match; see special_text.hpp for how they are
// spelled.
#pragma once

#include "formgate/compile_context.hpp"
#include "formgate/expr_pool.hpp"
#include "formgate/token_use.hpp"

namespace formgate {

// The expression of a use whose token has an id. Cost: linear in the special tokens for "all but".
ExprId token_expr(ExprPool& pool, const TokenUse& use, TokenId id, const TokenMeanings& tokens,
                  CompileContext& context);

}  // namespace formgate
