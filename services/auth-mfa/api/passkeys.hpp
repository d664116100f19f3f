#pragma once

#include "deps.hpp"
#include "domain/passkey.hpp"
#include "flows/enrolment.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/passkeys/options
asio::awaitable<http::Response> create_passkey_options(http::Request const& req, Deps& deps);

/// A new passkey, and what enrolling it brought.
struct EnrolledPasskey {
    Passkey passkey;
    Enrolled enrolled;
};

/// POST /v1/auth/passkeys
asio::awaitable<http::Response> register_passkey(http::Request const& req, Deps& deps);
/// The part of register_passkey before its response.
asio::awaitable<EnrolledPasskey> enrol_passkey(http::Request const& req, Deps& deps);

/// GET /v1/auth/passkeys
asio::awaitable<http::Response> list_passkeys(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/passkeys/{passkeyId}
asio::awaitable<http::Response> remove_passkey(http::Request const& req, Deps& deps);

/// POST /v1/auth/passkeys/challenge
asio::awaitable<http::Response> create_passkey_challenge(http::Request const& req, Deps& deps);

/// POST /v1/auth/login/passkey
asio::awaitable<http::Response> login_with_passkey(http::Request const& req, Deps& deps);
/// The part of login_with_passkey before its response.
asio::awaitable<SignedIn> sign_in_with_passkey(http::Request const& req, Deps& deps);

} // namespace auth_mfa
