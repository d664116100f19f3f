#pragma once

#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "domain/device.hpp"
#include "domain/web_subscription.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

/// The subscriptions of web devices, in the columns `web_subscription` (sealed) and `web_key` of the table
/// `devices`.
namespace notify::web_subscriptions {

/// Seals a subscription, bound to its scope and to the device's token.
std::string seal(crypto::Keyring const& keyring, core::ScopeId scope_id, WebSubscription const& subscription);

/// The columns of a device.
struct Stored {
    std::optional<std::string> sealed; ///< nullopt if the device has no subscription
    std::optional<std::string> key;    ///< WebSubscription::vapid_key
};

/// Decrypts the subscription of the device with this token. Returns null if the device has none, or if no key
/// of the ring decrypts it.
std::shared_ptr<WebSubscription const> open(
    crypto::Keyring const& keyring, core::ScopeId scope_id, std::string_view token, Stored const& stored);

/// The keys that devices of the scope have registered under.
std::set<std::string> used_keys(pg::Tx& tx, core::Scope const& scope);

/// Seals the scope's subscriptions again under the keyring's first key. Returns how many subscriptions
/// changed. For service::reencrypt_command. Takes the scope's lock.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace notify::web_subscriptions
