#pragma once

#include "api/proof.hpp"
#include "deps.hpp"
#include "http/message.hpp"
#include "storage/recovery_codes.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// What enrolling and removing a factor have in common, whichever it is.
namespace auth_mfa {

/// `{"recoveryCodes": […]}`; kept by no cache.
http::Response recovery_codes_answer(std::vector<std::string> const& codes);

/// MFA_PASSWORD_REQUIRED for a user who signs in through an identity provider alone.
void require_password(User const& user);

/// New recovery codes, to be shown and to be kept.
struct NewRecoveryCodes {
    std::vector<std::string> texts;
    std::vector<recovery_codes::Hashed> hashed;

    static asio::awaitable<NewRecoveryCodes> make(Deps& deps, crypto::PasswordHasher::Turn turn);
};

/// A place in the queue for hashing the recovery codes that come with the user's first factor. Take it before
/// the code that confirms the factor is used up: a full queue is not to cost it.
Turn turn_for_recovery_codes(Deps& deps, core::Scope const& scope, User const& user);

/// Puts a factor in force: `write` does it in a transaction in which the user is locked, and may run again.
/// With the first factor come recovery codes, which the answer shows; with another one none. What was proved
/// before, without the factor, opens no session any more; those that are open go on.
asio::awaitable<http::Response> enrol(http::Request const& req, Deps& deps, std::string_view factor,
    Turn turn, std::function<void(pg::Tx&, User const&)> write);

/// Removes a factor: takes the code from the body, then `write` in a transaction in which the user is locked.
/// Trusted devices, sign-ins under way and other sessions end, recovery codes with the last factor.
/// `is_enrolled` says whether there is anything to remove: MFA_SETUP_REQUIRED. Answers `{"disabled": true}`.
asio::awaitable<http::Response> disable(http::Request const& req, Deps& deps, std::string_view factor,
    bool (*is_enrolled)(User const&), void (*write)(pg::Tx&, core::Scope const&, User const&));

} // namespace auth_mfa
