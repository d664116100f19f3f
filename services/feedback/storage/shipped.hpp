#pragma once

#include "core/scope.hpp"
#include "domain/feedback.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Threads of the board that were resolved.
namespace feedback::shipped {

struct Shipped {
    core::Uuid id;
    std::string title;
    std::string body;
    Category category{};
    core::Time at; ///< the last change to resolved
};

/// At most `limit` threads that the board lists and that are resolved, the last resolved first. Looks only at
/// the latest 500 changes to resolved in the scope.
std::vector<Shipped> list(pg::Tx& tx, core::Scope const& scope, std::size_t limit);

} // namespace feedback::shipped
