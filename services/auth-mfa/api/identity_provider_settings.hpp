#pragma once

#include "core/fields.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "http_client/address.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

/// The setting `identityProviders`.
namespace auth_mfa {

/// An element of the list in a PATCH.
struct GivenProvider {
    boost::json::object entry; ///< to be stored, without its secret
    /// The client secret or, for Apple, the private key. Absent: the stored one is kept. `null` removes it.
    core::Change<core::Secret> secret;
};

/// Reads the list of a PATCH. Errors are collected in `f`.
core::Change<std::vector<GivenProvider>> change_identity_providers(
    core::Fields& f, http_client::AddressPolicy const& addresses);

/// Seals the secrets in a settings document.
struct SecretSealing {
    crypto::Keyring const& keyring;
    core::ScopeId scope_id{};
};

/// The list to store in place of `before`. A provider without a new secret keeps the stored one, if issuer,
/// client id, type and endpoints stay as they were: otherwise a caller could let the service send a secret
/// that the caller does not know to a server of the caller. Adds a fault for each provider that lacks a
/// secret and needs one.
boost::json::array store_identity_providers(std::vector<GivenProvider> const& given,
    boost::json::array const& before, SecretSealing const& sealing, std::vector<core::FieldError>& faults);

/// The list as responses and audit entries show it: without secrets. `hasClientSecret` and `hasPrivateKey`
/// say whether there is one.
boost::json::array shown_identity_providers(boost::json::array const& stored);

} // namespace auth_mfa
