#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/user_id.hpp"
#include "domain/webauthn.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace auth_mfa {

/// A WebAuthn credential of a user.
struct Passkey {
    core::Uuid id;
    UserId user_id;
    std::string name; ///< chosen by the user
    /// The RP id for which it was registered. A change of the setting `passkeyRpId` does not change it.
    std::string rp_id;
    webauthn::Credential credential; ///< without its attestation, which is not stored
    /// The session that registered it; nullopt if it was registered during a sign-in that required a factor.
    std::optional<core::Uuid> session_id;
    core::Time created_at;
    std::optional<core::Time> last_used_at;
};

/// The user handle (WebAuthn) of the user's passkeys: the 16 bytes of the id.
inline std::string user_handle_of(UserId id)
{
    auto const& bytes = id.uuid().bytes();
    return {bytes.begin(), bytes.end()};
}

inline constexpr std::size_t max_passkeys = 20;      ///< of a user
inline constexpr std::size_t max_passkey_name = 100; ///< code points

} // namespace auth_mfa
