#pragma once

#include "crypto/password.hpp"
#include "deps.hpp"
#include "domain/settings.hpp"
#include "domain/user.hpp"
#include "flows/factor_codes.hpp"
#include "flows/open_session.hpp"
#include "http/message.hpp"
#include "storage/recovery_codes.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The steps of enrolling and removing a factor that are the same for all factors.
namespace auth_mfa {

/// The response `{"recoveryCodes": […]}`, with `Cache-Control: no-store`.
http::Response recovery_codes_response(std::vector<std::string> const& codes);

/// Throws MFA_PASSWORD_REQUIRED for a user without a password, who signs in through an identity provider.
void require_password(User const& user);

/// New recovery codes: the texts to show once, and the hashes to store.
struct NewRecoveryCodes {
    std::vector<std::string> texts;
    std::vector<recovery_codes::Hashed> hashed;

    static asio::awaitable<NewRecoveryCodes> make(Deps& deps, crypto::PasswordHasher::Reservation turn);
};

/// A place in the hashing queue for the recovery codes that the user gets with the first factor; nullopt if
/// the user already has a factor. Take the place before the confirmation code is consumed, so that the code
/// stays valid if the queue is full. Throws UNAVAILABLE if the queue is full.
HashingTurn hashing_turn_for_recovery_codes(Deps& deps, core::Scope const& scope, User const& user);

/// The result of enrolling a factor.
struct Enrolled {
    std::vector<std::string> recovery_codes; ///< new codes, with the user's first factor only
    /// The session that the enrolment opened, with the same recovery codes; nullopt for a request with an
    /// access token.
    std::optional<SignedIn> signed_in{};
};

/// Enrols a factor. `write` stores the factor, in a transaction in which the user is locked. `write` may run
/// more than once, so it must be repeatable. `turn` is the result of hashing_turn_for_recovery_codes. The
/// user gets recovery codes with the first factor. With an enrolment token, the function opens a session.
/// Sign-ins and challenges that began before the change can no longer open one. Open sessions stay open with
/// the first factor; another factor ends the user's other sessions and trusted devices. Throws
/// REAUTHENTICATION_REQUIRED if another factor is confirmed without `acr` `aal2`: its set-up may have begun
/// before the user had a factor, with a stolen token.
asio::awaitable<Enrolled> enrol_factor(http::Request const& req, Deps& deps, std::string_view factor,
    HashingTurn turn, std::function<void(pg::Tx&, User const&)> write);

/// The response `{"recoveryCodes": […]}`. If a session was opened, the response of the sign-in with
/// `recoveryCodes`.
http::Response enrolled_response(http::Request const& req, Deps const& deps, Enrolled const& enrolled);

/// What follows the removal of a factor from the tables, in the same transaction: sign-ins in progress,
/// trusted devices and all sessions except the caller's end, the recovery codes go with the last factor, and
/// the removal is announced. The user must be locked; `before` is the user before the removal. Call it last
/// in the transaction (see audit::record).
void complete_removal(pg::Tx& tx, http::Request const& req, User const& before, std::string_view factor,
    AccountRules const& rules, core::Time now);

/// Removes a factor. Checks the code in the body, then runs `write` in a transaction in which the user is
/// locked. Revokes the user's trusted devices and sign-ins in progress, and ends all sessions except the
/// caller's. Removes the recovery codes together with the last factor. Throws MFA_SETUP_REQUIRED if
/// `is_enrolled` returns false for the user. Responds with `{"disabled":true}`.
asio::awaitable<http::Response> disable_factor(http::Request const& req, Deps& deps, std::string_view factor,
    bool (*is_enrolled)(User const&), void (*write)(pg::Tx&, core::Scope const&, User const&));

} // namespace auth_mfa
