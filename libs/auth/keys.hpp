#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"
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

namespace auth {

namespace asio = boost::asio;

/// Tables `api_keys` (per scope, row-level security) and `api_key_scopes` (which scope a key's hash belongs
/// to).
pg::Component const& migrations();

/// A kind of key a service gives out: `{"secret", "fbk_", Access::key}`.
struct KeyKind {
    std::string name;   ///< as in the API: `secret`, `publishable`
    std::string prefix; ///< 3 or 4 characters, unique among the kinds
    core::Access access = core::Access::key;
};

/// A key that was verified.
struct ApiKey {
    std::int64_t scope_id = 0;
    std::string prefix; ///< its first 12 characters
    core::Access access = core::Access::key;
    std::optional<core::Time> expires_at; ///< end of the grace period after a rotation
};

struct KeysOptions {
    std::vector<KeyKind> kinds;            ///< with one kind, requests and responses carry no `kind`
    std::size_t cache_capacity = 100'000;  ///< valid keys remembered
    std::size_t refused_capacity = 10'000; ///< well-formed unknown keys remembered, apart from the valid ones
    std::chrono::milliseconds cache_ttl{60'000};
    std::chrono::milliseconds usage_interval{60'000}; ///< at most one `lastUsedAt` write per key and interval
    std::chrono::milliseconds flush_interval{
        5'000}; ///< how often due writes are gathered; 0: only by flush_usage()
};

/// The API keys of one service: verification on every request, minting, rotation, listing and revocation.
/// Stored is the SHA-256 of a key, never the key.
///
/// Verified keys are cached. The cache is believed only while `live()` says that revocations arrive (see
/// `on_notify`), so a revoked key is refused everywhere within a second. Safe from any thread.
class Keys {
public:
    /// Channel of the notifications that `on_notify` takes.
    static constexpr char const* channel = "api_keys";

    /// `live`: whether the listener hears notifications right now (pg::Listener::live); called on every
    /// verification, cheap and safe from any thread. `database` and `clock` outlive this object.
    Keys(pg::Database& database, core::Clock const& clock, KeysOptions options, std::function<bool()> live);
    ~Keys();
    Keys(Keys const&) = delete;
    Keys& operator=(Keys const&) = delete;

    /// What can be said of a key without the database.
    struct Known {
        bool decided = false;      ///< false: `verify` has to look it up
        std::optional<ApiKey> key; ///< when decided: the key, or nullopt when it is refused
    };

    /// Whether `raw` has the form of a key of this service, checksum included.
    bool is_candidate(std::string_view raw) const;

    /// Refuses what is malformed and answers what is cached. Marks a valid key as used.
    Known check(std::string_view raw);

    /// The key, or nullopt when it is malformed, unknown, revoked or past its grace period; malformed keys
    /// never reach the database. Look-ups of many callers are one statement. Throws UNAVAILABLE when the
    /// database is away. Marks a valid key as used.
    asio::awaitable<std::optional<ApiKey>> verify(std::string_view raw);

    /// A notification on `channel`: the key's SHA-256 in hex. For the listener's handlers.
    void on_notify(std::string const& payload);
    /// Notifications may have been missed: forgets everything. For the listener's `on_gap`.
    void on_gap();

    /// Writes `lastUsedAt` of the keys whose interval has passed; `all`: of every key marked. Blocks; not for
    /// I/O threads. Failures keep the marks for the next time. Answers the number of keys written.
    std::size_t flush_usage(bool all = false);

    /// Ends the background flush after a last write. Before the database is stopped; once.
    void stop();

    std::vector<KeyKind> const& kinds() const noexcept;
    pg::Database& database() const noexcept;
    core::Clock const& clock() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// `POST /v1/keys {environment[, kind]}`: 201 `{key, environment, prefix, createdAt[, kind]}`. The body's
/// environment wins over the host's. A caller of the sandbox that is not the operator cannot make production
/// keys (403).
asio::awaitable<http::Response> mint_key(http::Request const& request, Keys& keys);

/// `POST /v1/keys/{environment}/rotate {gracePeriodSeconds?}`, body optional: mints a key of `kind` (an index
/// into the configured kinds) and answers like a mint; the older keys of that kind end at once, or after the
/// grace period (0..604800 s).
asio::awaitable<http::Response> rotate_key(http::Request const& request, Keys& keys, std::size_t kind = 0);

/// `GET /v1/keys[?environment=][&limit=][&cursor=]`: `{items: [{prefix, environment[, kind], createdAt,
/// lastUsedAt, expiresAt}], cursor}`: the keys that work, newest first, of the host's environment or the one
/// asked for.
asio::awaitable<http::Response> list_keys(http::Request const& request, Keys& keys);

/// `DELETE /v1/keys/{prefix}`: 200 `{"deleted":true}`; a key of the host's scope that is unknown or already
/// revoked: 404.
asio::awaitable<http::Response> revoke_key(http::Request const& request, Keys& keys);

} // namespace auth
