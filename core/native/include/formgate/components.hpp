// Strongly connected components of a graph.
#pragma once

#include <cstdint>
#include <vector>

namespace formgate {

// Strongly connected components, those that others lead to first (Tarjan 1972), without recursion.
// Members stand in the order in which a search from vertex 0 finds them.
std::vector<std::vector<std::uint32_t>> components_of(
    const std::vector<std::vector<std::uint32_t>>& edges);

}  // namespace formgate
