#pragma once

#include "domain/user.hpp"

#include <chrono>

namespace auth_mfa {

inline constexpr std::chrono::seconds access_token_lifetime{900};
inline constexpr std::chrono::days session_lifetime{30}; ///< from the last refresh
/// How long the previous refresh token still works after its use, because the response may have been lost.
inline constexpr std::chrono::seconds refresh_retry_window{10};

/// How recently and how strongly the user of a session proved who they are: the claims `auth_time` and `acr`.
struct Assurance {
    core::Time authenticated_at;
    bool aal2 = false; ///< whether a second factor was used. Never becomes false within a session.
};

/// A signed-in device. Its refresh tokens are numbered. `generation` is the number of the current refresh
/// token.
struct Session {
    core::Uuid id;
    UserId user_id;
    std::int64_t generation = 1;
    std::vector<std::string> amr; ///< how the user was authenticated (RFC 8176)
    Assurance assurance;
    core::Time created_at;
    core::Time rotated_at; ///< when `generation` was issued, by the database's clock
    core::Time expires_at;
    std::optional<core::Time> ended_at;
    std::string user_agent;
    std::string address;
    std::string
        client_id; ///< the OAuth client whose session it is; empty: a session of the app or of the pages

    bool live(core::Time now) const noexcept { return !ended_at && now < expires_at; }
};

/// The result of checking a presented refresh token.
enum class Refresh : std::uint8_t {
    current, ///< the current token
    retry,   ///< the previous token, within refresh_retry_window: the response contains the current token
    reused,  ///< the previous token after the window, or an older token: it may be stolen, so end the session
    refused, ///< the session has ended, or has not issued this generation
};

/// Checks a refresh token of `generation`. `now` is the replica's time; it is compared with the end of
/// the session. `database_now` is the database's time; it is used for the retry window, because the clocks of
/// replicas may differ.
Refresh check_refresh(
    Session const& session, std::int64_t generation, core::Time now, core::Time database_now) noexcept;

} // namespace auth_mfa
