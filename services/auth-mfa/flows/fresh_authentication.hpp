#pragma once

#include "deps.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <boost/json/array.hpp>

namespace auth_mfa {

/// The methods of POST /v1/auth/reauthenticate that make the request's session fresh: `password`, `external`
/// and names of MfaMethod. A session without a second factor of a user who has one needs the factor; other
/// sessions may also repeat the first factor.
boost::json::array reauthentication_methods(pg::Tx& tx, http::Request const& req, User const& user);

/// Throws REAUTHENTICATION_REQUIRED unless the request's access token shows a fresh authentication: its
/// `auth_time` is at most REAUTHENTICATION_SECONDS ago and, if the user has a second factor, its `acr` is
/// `aal2`. The error lists the methods of POST /v1/auth/reauthenticate that would suffice. The token decides,
/// not the session: when the user authenticates again, a token that was stolen before does not become fresh.
/// An enrolment token needs no freshness.
asio::awaitable<void> require_fresh(http::Request const& req, Deps& deps, User const& user);

/// As require_fresh, for the removal of a passkey by a request with an access token. `acr` may be `aal1` if
/// the user's only factors are passkeys that this session registered: the user had no factor with which it
/// could have `aal2`. The user must be locked.
void require_fresh_to_remove_passkey(
    pg::Tx& tx, http::Request const& req, Deps const& deps, User const& user);

/// Throws REAUTHENTICATION_REQUIRED if the user has a second factor, and the request's access token does not
/// have the `acr` `aal2`. For the confirmation of a set-up, which may have begun before the user had a
/// factor.
void require_second_factor(pg::Tx& tx, http::Request const& req, User const& user);

} // namespace auth_mfa
