#pragma once

#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "domain/authorization_request.hpp"
#include "redis/client.hpp"
#include "state/keyed_hash.hpp"

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

namespace asio = boost::asio;

/// An authorization request that waits for its user.
struct PendingAuthorization {
    AuthorizationRequest request;
    std::string client_name; ///< to show to the user
    std::string browser;     ///< the secret in the cookie of the browser that brought the request
};

/// Authorization requests in Redis: those that wait for their user, and those that clients pushed (RFC 9126).
/// Each has an id of 256 random bits in base64url. Redis stores a keyed hash of the id, and the request
/// sealed. A request belongs to one scope. All functions throw redis::Unavailable if Redis cannot be used.
class AuthorizationRequests {
public:
    static constexpr std::size_t id_length = 43;

    /// All arguments must outlive this object.
    AuthorizationRequests(redis::Client& client, KeyedHash const& hash, crypto::Keyring const& keyring);

    /// Stores the request for `authorization_lifetime`. Returns its id.
    asio::awaitable<std::string> create(core::Scope const& scope, PendingAuthorization const& pending);

    /// nullopt if the request is unknown or expired, or was removed.
    asio::awaitable<std::optional<PendingAuthorization>> find(core::Scope const& scope, std::string_view id);

    /// Changes a stored request. Its lifetime stays the same. No effect if the request was removed.
    asio::awaitable<void> replace(
        core::Scope const& scope, std::string_view id, PendingAuthorization const& pending);

    /// Removes the request. Only one of several callers gets true.
    asio::awaitable<bool> remove(core::Scope const& scope, std::string_view id);

    /// Stores a request that a client pushed, for `pushed_request_lifetime`. Returns its id.
    asio::awaitable<std::string> push(core::Scope const& scope, AuthorizationRequest const& request);

    /// Removes and returns the pushed request; nullopt if it is unknown, expired, used, or of another client.
    asio::awaitable<std::optional<AuthorizationRequest>> take_pushed(
        core::Scope const& scope, std::string_view client_id, std::string_view id);

    /// The prefix of the scope's keys in Redis. The erasure of a tenant uses it.
    static std::string prefix(core::Scope const& scope);

private:
    std::vector<std::string> keys_of(
        core::Scope const& scope, std::string_view client_id, std::string_view id) const;
    asio::awaitable<void> store(
        std::string const& key, std::string const& value, std::chrono::seconds lifetime);
    asio::awaitable<std::optional<std::string>> read(
        redis::Script const& script, std::vector<std::string> const& keys, std::chrono::seconds lifetime);

    redis::Client& client_;
    KeyedHash const& hash_;
    crypto::Keyring const& keyring_;
    redis::Script const create_, find_, take_, replace_;
};

} // namespace auth_mfa
