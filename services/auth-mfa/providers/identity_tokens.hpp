#pragma once

#include "core/cache.hpp"
#include "core/clock.hpp"
#include "core/workers.hpp"
#include "crypto/jwt.hpp"
#include "providers/identity_claims.hpp"

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

namespace http {
class Client;
}

namespace auth_mfa {

namespace asio = boost::asio;

/// Verifies id tokens of the providers that tenants trust (OpenID Connect Core 1.0, 3.1.3.7): RS256 or ES256,
/// issuer and audience of one configured provider, 30 s of clock skew. Key sets (64 KiB and 32 keys at most)
/// are fetched when they are needed, once for all who wait, kept for ten minutes, and fetched again for an
/// unknown key id, or after a failure, at most once in ten seconds; for one scope from four addresses at
/// once. Safe from any thread.
class IdentityTokens {
public:
    /// All outlive this object.
    IdentityTokens(http::Client& client, core::Clock const& clock);

    /// nullopt when the token is refused. UNAVAILABLE when the provider's keys cannot be fetched. `providers`
    /// are those that scope trusts; they and `raw` live until this is awaited.
    asio::awaitable<std::optional<ExternalIdentity>> verify(
        std::int64_t scope_id, std::string_view raw, std::span<IdentityProvider const> providers);

private:
    using Steady = std::chrono::steady_clock;

    struct KeySet {
        crypto::JwkSet keys;
        Steady::time_point fetched;
    };

    using Keys = std::shared_ptr<KeySet const>;

    struct Failure {};

    struct Fetch {
        std::int64_t scope_id;                                    ///< whose need began it
        std::vector<std::shared_ptr<asio::steady_timer>> waiters; ///< of any scope
    };

    /// The provider's keys, of which one is `kid` unless it has none such. UNAVAILABLE at once while the last
    /// fetch has just failed.
    asio::awaitable<Keys> keys_for(std::int64_t scope_id, std::string const& url, std::string_view kid);

    /// Returns once the fetch that is under way has ended, or the one that this begins.
    asio::awaitable<void> fetched(std::int64_t scope_id, std::string url);

    /// Leaves a set or a failure, and wakes who waits.
    void fetch(std::string const& url) noexcept;

    http::Client& client_;
    core::Clock const& clock_;
    core::Cache<std::string, KeySet> sets_;
    core::Cache<std::string, Failure> failures_;
    std::mutex mutex_;
    std::unordered_map<std::string, Fetch> under_way_;   ///< by address
    std::unordered_map<std::int64_t, unsigned> fetches_; ///< that each scope has under way
    core::Workers workers_;                              ///< last: it ends before what its work uses
};

} // namespace auth_mfa
