#pragma once

#include "core/cache.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/thread_pool.hpp"
#include "crypto/jwt.hpp"
#include "domain/id_token.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace http_client {
class Client;
}

namespace auth_mfa {

namespace asio = boost::asio;

class IdentityProviderClient; // providers/identity_provider_client.hpp

/// Verifies id tokens of the providers that tenants trust (OpenID Connect Core 1.0, 3.1.3.7). A token must be
/// signed with RS256 or ES256, have the issuer and the audience of one configured provider, and be valid now,
/// with 30 s of clock skew. Thread-safe.
///
/// Key sets (at most 64 KiB and 32 keys) are fetched on demand and kept for ten minutes. All callers that
/// need a set share one fetch. A set is fetched again for an unknown key id or after a failure, at most once
/// in ten seconds. One scope has at most four concurrent fetches.
class IdTokenVerifier {
public:
    /// All arguments must outlive this object. `providers` finds the keys of providers without a `jwksUrl`.
    IdTokenVerifier(http_client::Client& client, IdentityProviderClient& providers, core::Clock const& clock);

    /// The identity in the id token `raw`; nullopt when the token is refused (validate_id_token_claims).
    /// `providers`: the providers that the scope trusts. Throws UNAVAILABLE when the provider's keys cannot
    /// be fetched. The arguments must stay valid until the awaited call has completed.
    asio::awaitable<std::optional<ExternalIdentity>> verify(core::ScopeId scope_id, std::string_view raw,
        std::span<IdentityProvider const> providers, std::optional<std::string> const& nonce);

private:
    using Steady = std::chrono::steady_clock;

    struct KeySet {
        crypto::JwkSet keys;
        Steady::time_point fetched;
    };

    using Keys = std::shared_ptr<KeySet const>;

    struct Failure {};

    struct Fetch {
        core::ScopeId scope_id;                                   ///< the scope that started the fetch
        std::vector<std::shared_ptr<asio::steady_timer>> waiters; ///< callers of any scope
    };

    /// The key set at `url`: the cached set if it contains `kid` or is less than ten seconds old, else a new
    /// one. If the result lacks `kid`, the provider had not published that key when the set was fetched.
    /// Throws UNAVAILABLE if the set cannot be fetched. No new fetch starts within ten seconds after a failed
    /// fetch: a call that needs a new set then fails at once.
    asio::awaitable<Keys> keys_for(core::ScopeId scope_id, std::string const& url, std::string_view kid);

    /// Joins the running fetch of `url`, or starts one. Returns when the fetch has ended, or after
    /// `patience`. Throws UNAVAILABLE if a new fetch is needed and the scope already has four.
    asio::awaitable<void> fetched(core::ScopeId scope_id, std::string url);

    /// Fetches the key set, caches the set or the failure, and wakes the waiters.
    void fetch(std::string const& url) noexcept;

    http_client::Client& client_;
    IdentityProviderClient& providers_;
    core::Clock const& clock_;
    core::Cache<std::string, KeySet> sets_;
    core::Cache<std::string, Failure> failures_;
    std::mutex mutex_;
    std::unordered_map<std::string, Fetch> under_way_;    ///< by URL
    std::unordered_map<core::ScopeId, unsigned> fetches_; ///< number of running fetches per scope
    core::ThreadPool workers_; ///< declared last, because its work uses the other members
};

} // namespace auth_mfa
