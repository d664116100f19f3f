#pragma once

#include "core/caller.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
#include "pg/migrate.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pg {
class Database;
}

namespace auth {

namespace asio = boost::asio;

/// The migrations of the tables `api_keys` (per scope, row-level security) and `api_key_scopes` (maps a key's
/// hash to its scope).
pg::Component const& migrations();

/// A kind of key that a service issues: `{"secret", "fbk_", Access::key}`.
struct ApiKeyKind {
    std::string name;   ///< the name in the API: `secret` or `publishable`
    std::string prefix; ///< 2 to 4 characters, unique among the kinds
    core::Access access = core::Access::key;
};

/// A verified key.
struct ApiKey {
    core::ScopeId scope_id{};
    std::string prefix; ///< the first 12 characters
    core::Access access = core::Access::key;
    std::optional<core::Time> expires_at; ///< end of the grace period after a rotation
};

struct ApiKeysOptions {
    std::vector<ApiKeyKind> kinds;        ///< if there is only one, requests and responses have no `kind`
    std::size_t cache_capacity = 100'000; ///< maximum number of cached valid keys
    /// Maximum number of cached unknown keys, in addition to the valid keys.
    std::size_t refused_capacity = 10'000;
    std::chrono::milliseconds cache_ttl{60'000};
    std::chrono::milliseconds usage_interval{60'000}; ///< at most one `lastUsedAt` write per key and interval
    /// The interval at which a background thread writes the uses that are due. If 0, only flush_usage()
    /// writes them.
    std::chrono::milliseconds flush_interval{5'000};
};

/// Verifies, creates, rotates, lists and revokes the API keys of one service. Stores the SHA-256 of a key,
/// never the key.
///
/// Verified keys are cached. The cache is used only while `live()` says that notifications of revocations
/// arrive (see `on_notify`), so all replicas refuse a revoked key within a second. Thread-safe.
class ApiKeys {
public:
    /// The channel of the notifications for `on_notify`.
    static constexpr char const* channel = "api_keys";

    /// `live` returns whether the listener receives notifications now (pg::Listener::live). `live` is called
    /// on every verification, so it must be cheap and thread-safe. `database` and `clock` must outlive this
    /// object.
    ApiKeys(
        pg::Database& database, core::Clock const& clock, ApiKeysOptions options, std::function<bool()> live);
    ~ApiKeys();
    ApiKeys(ApiKeys const&) = delete;
    ApiKeys& operator=(ApiKeys const&) = delete;

    /// The result of `check`, which does not use the database.
    struct Known {
        bool decided = false;      ///< false: `verify` must look up the key
        std::optional<ApiKey> key; ///< if decided: the key, or nullopt if it is refused
    };

    /// Whether `raw` has the form of a key of this service, including the checksum.
    bool is_candidate(std::string_view raw) const;

    /// Refuses malformed keys and uses the caches. Marks a valid key as used.
    Known check(std::string_view raw);

    /// Returns the key, or nullopt if it is malformed, unknown, revoked or past its grace period. Malformed
    /// keys never reach the database. Concurrent look-ups are sent to the database as one batch. Throws
    /// UNAVAILABLE if the database is down. Marks a valid key as used.
    asio::awaitable<std::optional<ApiKey>> verify(std::string_view raw);

    /// Handles a notification on `channel`. `payload` is the key's SHA-256 in hex. For the listener's
    /// handlers.
    void on_notify(std::string const& payload);
    /// Handles a possible loss of notifications: clears the cache of valid keys. For the listener's `on_gap`.
    void on_gap();

    /// Writes `lastUsedAt` of each key that has an unwritten use and was not written within the last
    /// `usage_interval`. Blocks, so do not call it on I/O threads. If a write fails, the uses are kept and
    /// written later. Returns the number of keys written. For tests; the background thread does the same.
    std::size_t flush_usage();

    /// Ends the background thread, then writes all unwritten uses. Call it once, before the database is
    /// stopped.
    void stop();

    std::vector<ApiKeyKind> const& kinds() const noexcept;
    pg::Database& database() const noexcept;
    core::Clock const& clock() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace auth
