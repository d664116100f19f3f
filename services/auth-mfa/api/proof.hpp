#pragma once

#include "deps.hpp"
#include "domain/challenge.hpp"
#include "http/message.hpp"
#include "storage/recovery_codes.hpp"

#include <optional>
#include <string>

namespace auth_mfa {

/// A code of an authenticator app or a recovery code that was found right, and is not used up yet.
struct Proof {
    Method method = Method::totp;
    std::int64_t step = 0;           ///< of a TOTP code
    recovery_codes::Hashed recovery; ///< of a recovery code
};

/// Reads `code` from a body: 1..64 characters, right or wrong.
std::string parse_code(http::Request const& req);

/// A place in the queue for hashing, or none.
using Turn = std::optional<crypto::PasswordHasher::Turn>;

/// What comparing a code of that method needs: a place for a recovery code, nothing for the others. Take it
/// before the attempt is counted: a full queue is not to look like guessing.
Turn turn_for(Deps& deps, core::Scope const& scope, Method method);

/// Compares a code; nullopt when it is wrong or the user has no such factor. Whoever calls this has counted
/// the attempt, and holds the method's turn until it is answered.
asio::awaitable<std::optional<Proof>> examine(Deps& deps, core::Scope const& scope, core::Uuid user_id,
    Method method, Turn const& turn, std::string const& code);

/// Uses it up in the transaction of what it allows; false when somebody else has.
bool use(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, Proof const& proof, core::Time now);

/// What a change of factors asks for first: the code is one of the authenticator app when it is 6 digits,
/// else a recovery code. Throws MFA_RATE_LIMITED when the account's budget of wrong codes is spent,
/// MFA_INVALID_CODE when it is wrong.
asio::awaitable<Proof> require_proof(
    Deps& deps, core::Scope const& scope, core::Uuid user_id, std::string const& code);

} // namespace auth_mfa
