#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "domain/external_request.hpp"

#include <optional>
#include <string>
#include <string_view>

/// The cookie that binds a sign-in with another provider to the browser.
namespace auth_mfa::external_sign_ins {

/// The sign-in, encrypted, in base64url. Bound to the scope.
std::string seal(crypto::Keyring const& keyring, core::Scope const& scope, ExternalSignIn const& sign_in);

/// nullopt if `sealed` is malformed, forged, of another scope, or expired at `now`.
std::optional<ExternalSignIn> open(
    crypto::Keyring const& keyring, core::Scope const& scope, std::string_view sealed, core::Time now);

} // namespace auth_mfa::external_sign_ins
