#pragma once

#include "core/scope.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <string>
#include <string_view>

/// The client secrets of identity providers in the settings document, which are sealed (encrypted). A sealed
/// secret is bound to the scope and to the provider (IdentityProvider::key).
namespace auth_mfa::provider_secrets {

std::string seal(crypto::Keyring const& keyring, core::ScopeId scope_id, std::string_view provider_key,
    core::Secret const& secret);

/// Throws std::runtime_error if the secret cannot be decrypted. The exception contains no part of it.
core::Secret open(crypto::Keyring const& keyring, core::ScopeId scope_id, std::string_view provider_key,
    std::string_view sealed);

/// Seals every secret of the scope's settings again under the keyring's first key. Returns the number of
/// changed secrets. For service::reencrypt_command.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace auth_mfa::provider_secrets
