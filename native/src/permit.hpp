// Interaction constraints: which columns may still be used below a node.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "coterie/matrix.hpp"

namespace coterie {

// The groups that hold every column used above a node, and the columns in them.
struct Permit {
    std::vector<std::size_t> groups;
    std::vector<std::uint8_t> allowed;

    // The permit below a split on `column`; of a root, for which no column is used yet, with -1.
    static std::shared_ptr<const Permit> narrow(const Matrix<const std::uint8_t>& interactions,
                                                const Permit* parent, std::int32_t column) {
        auto permit = std::make_shared<Permit>();
        std::vector<std::size_t> every;
        if (!parent) {
            every.resize(interactions.rows);
            std::iota(every.begin(), every.end(), std::size_t{0});
        }
        permit->allowed.assign(interactions.cols, 0);
        for (const std::size_t group : parent ? parent->groups : every) {
            if (column >= 0 && !interactions(group, static_cast<std::size_t>(column))) continue;
            permit->groups.push_back(group);
            for (std::size_t j = 0; j < permit->allowed.size(); ++j)
                permit->allowed[j] |= interactions(group, j);
        }
        return permit;
    }
};

}  // namespace coterie
