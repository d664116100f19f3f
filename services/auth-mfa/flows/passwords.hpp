#pragma once

#include "core/secret.hpp"
#include "crypto/password.hpp"
#include "deps.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

/// An existing password that a client sent.
struct SentPassword {
    core::Secret normal;             ///< in Normalization Form C
    std::optional<core::Secret> raw; ///< as sent, if these bytes are not in Normalization Form C
};

/// Whether `sent` is the password of `user`. False for null and for a user without a password, after the same
/// work as for a wrong password. Hashes from before passwords were normalised are of the bytes that the
/// client sent then. So if `sent.normal` is wrong and there is a `sent.raw`, the function compares that, too:
/// the client's own bytes decide whether there is a second comparison.
///
/// If the password is right and its hash is outdated, the function replaces the hash by one of `sent.normal`
/// with today's parameters. Sessions and sign-ins in progress continue. A failure to do so is only logged. Of
/// a password whose hash is of bcrypt, only the first 72 bytes are compared; the new hash is of all of them.
asio::awaitable<bool> is_password_of(http::Request const& req, Deps& deps,
    crypto::PasswordHasher::Reservation const& turn, User const* user, SentPassword const& sent);

/// True if `sent` is the password of `user`, else nullopt (see RateLimits::try_guess).
asio::awaitable<std::optional<bool>> guess_password(http::Request const& req, Deps& deps,
    crypto::PasswordHasher::Reservation const& turn, User const& user, SentPassword const& sent);

/// A new password that a client sent, and what it is compared with. The referenced objects must stay valid
/// until the awaited call has completed.
struct NewPassword {
    core::Secret const& password;          ///< from `read_new_password`
    std::string_view email;                ///< of the account
    std::string_view field = "password";   ///< name of the field in the body
    SentPassword const* current = nullptr; ///< at a change: the current password
};

/// Throws a VALIDATION_ERROR with the field's pointer if the account cannot have this new password: codes
/// `same_as_email`, `same_as_current` and `too_weak` (password_fault), and `breached` (BreachCheck). Call it
/// for every new password before it is hashed. For a password of more than 16 bytes it takes up to about as
/// much CPU time as a hash. So count such attempts if the caller is anonymous. `scope_id`: the account's
/// scope. `turn` is a place in the hashing queue, and so is the result, for the hash. The function holds none
/// while it waits for the server of BreachCheck; it throws UNAVAILABLE if there is none afterwards.
asio::awaitable<crypto::PasswordHasher::Reservation> require_good_password(
    core::ScopeId scope_id, Deps& deps, crypto::PasswordHasher::Reservation turn, NewPassword wanted);

/// The hash of a password that a client without a credential may set, because the client has a token from an
/// email. Refused passwords count against the sign-in limit of the client's network. Throws as
/// `require_good_password`, and RATE_LIMITED.
asio::awaitable<std::string> hash_counted(http::Request const& req, Deps& deps, NewPassword wanted);

} // namespace auth_mfa
