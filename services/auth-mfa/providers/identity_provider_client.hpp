#pragma once

#include "core/cache.hpp"
#include "core/scope.hpp"
#include "core/shares.hpp"
#include "domain/external_request.hpp"
#include "domain/provider_metadata.hpp"
#include "http_client/address.hpp"
#include "observe/log.hpp"
#include "observe/log_limit.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace http_client {
class AsyncClient;
struct Request;
struct Response;
} // namespace http_client

namespace auth_mfa {

namespace asio = boost::asio;

/// Calls the identity providers of tenants: their metadata, token endpoints and APIs. Thread-safe.
///
/// A request takes at most ten seconds, and a response has at most 128 KiB. At most 64 requests run at once:
/// one tenant has at most half of them, and each of its scopes three quarters of that. A request beyond these
/// limits fails at once. Metadata is kept for ten minutes; after a failure it is fetched again after ten
/// seconds. All functions throw UNAVAILABLE if the provider cannot be reached or does not answer as expected.
/// The log gets one line a second about that, without codes, tokens and secrets.
class IdentityProviderClient {
public:
    /// `addresses`: the addresses that providers may have. `ca_file`: see http_client::ClientOptions.
    /// `logger` must outlive this object.
    IdentityProviderClient(
        http_client::AddressPolicy addresses, std::string ca_file, observe::Logger& logger);
    ~IdentityProviderClient();
    IdentityProviderClient(IdentityProviderClient const&) = delete;
    IdentityProviderClient& operator=(IdentityProviderClient const&) = delete;

    /// Where the provider is reached: the values of the setting, and those of its metadata for the others.
    asio::awaitable<ProviderMetadata> metadata(core::ScopeId scope_id, IdentityProvider const& provider);

    /// Exchanges the code at the token endpoint. nullopt if the provider refuses the code.
    asio::awaitable<std::optional<ProviderTokens>> exchange(core::ScopeId scope_id,
        IdentityProvider const& provider, ProviderMetadata const& metadata, CodeExchange const& exchange);

    /// The body of the response to a GET with this access token. nullopt if the status is 403 or 404, because
    /// the token does not permit it.
    asio::awaitable<std::optional<std::string>> get(core::ScopeId scope_id, IdentityProvider const& provider,
        std::string url, std::string const& access_token);

private:
    struct Failure {};

    /// The metadata at the issuer, from the cache or the provider.
    asio::awaitable<ProviderMetadata> fetched(core::ScopeId scope_id, IdentityProvider const& provider);
    asio::awaitable<http_client::Response> send(
        core::ScopeId scope_id, IdentityProvider const& provider, http_client::Request request);
    /// Logs the reason, and throws UNAVAILABLE.
    [[noreturn]] void fail(IdentityProvider const& provider, std::string const& reason);

    http_client::AddressPolicy const addresses_;
    observe::Logger& logger_;
    observe::LogLimit failures_logged_;
    core::Cache<std::string, ProviderMetadata> metadata_; ///< by issuer
    core::Cache<std::string, Failure> failures_;          ///< by scope and issuer
    std::mutex mutex_;
    core::OwnerShares running_;
    std::unique_ptr<http_client::AsyncClient> client_;
};

} // namespace auth_mfa
