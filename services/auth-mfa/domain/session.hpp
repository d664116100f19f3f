#pragma once

#include "domain/user.hpp"

#include <chrono>

namespace auth_mfa {

inline constexpr std::chrono::seconds access_token_lifetime{900};
inline constexpr std::chrono::days session_lifetime{30}; ///< from the last refresh
/// How long a refresh token that was used is still answered: the answer may have been lost.
inline constexpr std::chrono::seconds refresh_retry_window{10};

/// A signed-in device. Its refresh tokens are numbered: `generation` is the one that works.
struct Session {
    core::Uuid id;
    core::Uuid user_id;
    std::int64_t generation = 1;
    std::vector<std::string> amr; ///< how the user was authenticated (RFC 8176)
    core::Time created_at;
    core::Time rotated_at; ///< when `generation` was issued, by the database's clock
    core::Time expires_at;
    std::optional<core::Time> ended_at;
    std::string user_agent;
    std::string address;

    bool live(core::Time now) const noexcept { return !ended_at && now < expires_at; }
};

/// What a refresh token that is not the session's current one means.
enum class Refresh : std::uint8_t {
    current, ///< it is the current one
    retry,   ///< the one before, whose answer may have been lost: the current one is answered again
    reused,  ///< an older one, or the one before too late: somebody else holds it, the session ends
    refused, ///< the session has ended, or never gave it out
};

/// `now`: of this replica, for the end of the session. `database_now`: by the clock of `rotated_at`, for the
/// retry window, which is too short for clocks that differ.
Refresh judge_refresh(
    Session const& session, std::int64_t generation, core::Time now, core::Time database_now) noexcept;

} // namespace auth_mfa
