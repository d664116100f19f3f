#pragma once

#include "core/user_id.hpp"
#include "domain/similar.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <string_view>
#include <vector>

/// Threads that are like a title.
namespace feedback::similar {

/// The threads that a caller may get.
struct Reach {
    std::optional<core::UserId> user_id; ///< if set, only threads of this user
    bool board = false;                  ///< and public threads
};

/// Threads that contain words of the title in their title or body, as candidates for `most_similar`: at most
/// 200, without deleted and merged threads. They come from the newest 1,000 threads, and from the index for
/// the rare words of the title. So the time does not grow with the number of threads that contain frequent
/// words.
std::vector<Similar> candidates(
    pg::Tx& tx, core::Scope const& scope, std::string_view title, Reach const& reach);

} // namespace feedback::similar
