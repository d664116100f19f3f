#pragma once

#include "crypto/password.hpp"
#include "deps.hpp"
#include "domain/mfa_method.hpp"
#include "domain/user_id.hpp"
#include "http/message.hpp"
#include "storage/recovery_codes.hpp"

#include <optional>
#include <string>

/// TOTP codes and recovery codes. `verify_code` or `require_code` checks a code. `consume` then consumes the
/// code in the transaction of the change that the code permits.
namespace auth_mfa {

/// A correct code that is not consumed yet: a TOTP code or a recovery code.
struct VerifiedCode {
    MfaMethod method = MfaMethod::totp;
    std::int64_t step = 0;           ///< the time step of a TOTP code
    recovery_codes::Hashed recovery; ///< the locator and hash of a recovery code
};

/// Reads `code` from the body: 1 to 64 characters. Does not check it.
std::string parse_code(http::Request const& req);

/// A place in the hashing queue; nullopt if no place is needed.
using HashingTurn = std::optional<crypto::PasswordHasher::Reservation>;

/// Takes the place in the hashing queue that `verify_code` needs. Only recovery codes need a place. Take the
/// place before the attempt is counted. So a request that is refused because the queue is full does not count
/// as a guess. Throws UNAVAILABLE if the queue is full.
HashingTurn hashing_turn_for(Deps& deps, core::Scope const& scope, MfaMethod method);

/// Compares a TOTP code or a recovery code; nullopt when the code is wrong or the user has no such factor.
/// The caller must count the attempt first. `turn` is the result of hashing_turn_for; keep it until the call
/// has completed.
asio::awaitable<std::optional<VerifiedCode>> verify_code(Deps& deps, core::Scope const& scope, UserId user_id,
    MfaMethod method, HashingTurn const& turn, std::string const& code);

/// Consumes the code. Call it in the transaction of the change that the code permits. False if another
/// request has already consumed the code.
bool consume(pg::Tx& tx, core::Scope const& scope, UserId user_id, VerifiedCode const& code, core::Time now);

/// As `consume`, in a transaction of its own. A recovery code that was used is recorded in the user's
/// activity and in the audit log.
asio::awaitable<bool> consume_code(
    http::Request const& req, Deps& deps, UserId user_id, VerifiedCode const& code);

/// The value of `amr` for a method (RFC 8176, 2). A recovery code is something that the user knows.
std::string_view amr_of(MfaMethod method) noexcept;

/// Checks the code that a change of factors requires. A code of 6 digits is checked as a TOTP code, any
/// other code as a recovery code. Throws MFA_RATE_LIMITED if a limit of wrong codes is reached
/// (RateLimits::wrong_codes_of_user), or MFA_INVALID_CODE if the code is wrong.
asio::awaitable<VerifiedCode> require_code(
    http::Request const& req, Deps& deps, UserId user_id, std::string const& code);

} // namespace auth_mfa
