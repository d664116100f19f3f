#pragma once

#include "deps.hpp"
#include "domain/passkey.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

/// The steps of proofs with passkeys that several handlers share.
namespace auth_mfa {

/// The relying party (WebAuthn) of an environment.
struct RelyingParty {
    std::string id;                     ///< for new passkeys: the auth host, or the setting `passkeyRpId`
    std::string name;                   ///< the brand
    webauthn::OriginRule allows_origin; ///< the auth host and `allowedOrigins`
};

asio::awaitable<RelyingParty> relying_party(http::Request const& req, Deps& deps);

/// Counts a challenge against the limit of the client's network. Throws RATE_LIMITED if it is reached.
asio::awaitable<void> count_passkey_challenge(http::Request const& req, Deps& deps);

/// Reads the member `credential` of the body: the response to the request options.
webauthn::Assertion parse_assertion(http::Request const& req);

/// Whose passkey an assertion must prove.
struct PasskeyRule {
    /// nullopt: of the user that the assertion names, as at a sign-in without another factor.
    std::optional<UserId> user_id;
    bool user_verification = true;
};

/// The result of `try_passkey`.
struct PasskeyAttempt {
    bool right = false;
    /// If the credential is known: its user, with the version of the credentials at that time.
    std::optional<User> user;
    /// If not right: a sentence for the developer of the app. It does not reveal whether the credential is
    /// known.
    std::string_view detail;
};

/// Uses the challenge of the assertion up, and checks the assertion. If it is right, stores the state of the
/// passkey. A counter that did not grow makes it wrong, and is recorded. The caller counts the attempt.
/// Throws MFA_CHALLENGE_EXPIRED if the challenge is not valid.
asio::awaitable<PasskeyAttempt> try_passkey(
    http::Request const& req, Deps& deps, webauthn::Assertion const& assertion, PasskeyRule const& rule);

/// The result of refusals in the activity of a user.
inline constexpr std::string_view wrong_passkey = "wrong_passkey";

} // namespace auth_mfa
