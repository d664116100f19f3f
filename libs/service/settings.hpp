#pragma once

#include "core/config.hpp"
#include "core/secret.hpp"
#include "gateway/trusted_proxies.hpp"
#include "observe/log.hpp"
#include "redis/client.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace service {

/// The defaults of shared settings that differ between services.
struct Defaults {
    std::string_view base_host;                      ///< such as `feedback.localhost`
    std::uint16_t port = 0;                          ///< such as 8101
    std::uint16_t ops_port = 0;                      ///< such as 9101
    std::size_t body_budget = std::size_t{32} << 20; ///< bytes
};

/// Reads the base host of a service, in lower case. A host with a port or with other characters than those of
/// host names is an error.
std::string read_host(
    core::Config& config, std::string_view name, std::string_view fallback, std::string_view help);

/// The configuration that every service has. Tests set its members directly.
struct Settings {
    std::string bind = "127.0.0.1";
    std::uint16_t port = 0;     ///< 0 means any free port
    std::uint16_t ops_port = 0; ///< 0 means any free port
    std::string base_host;      ///< lower case, without a port
    unsigned threads = 2;       ///< number of I/O threads
    core::Secret database_url;
    unsigned database_pool = 5;                ///< number of connections
    bool database_transaction_pooling = false; ///< database_url is that of a pooler in transaction mode
    core::Secret database_direct_url; ///< URL of the server behind the pooler; empty if there is no pooler
    core::Secret redis_url;
    redis::TlsOptions redis_tls;              ///< for a redis_url with TLS
    core::Clock const* redis_clock = nullptr; ///< redis::ClientOptions::script_clock; not configurable
    /// Redis counts as down if it does not answer within this time. Not configurable.
    std::chrono::milliseconds redis_timeout{250};
    core::Secret master_key;
    core::Secret master_key_previous; ///< empty, or a second valid key
    core::Secret encryption_keys;     ///< for crypto::Keyring::parse
    gateway::TrustedProxies trusted_proxies;
    std::size_t body_budget = std::size_t{32} << 20; ///< limit for request bodies and their JSON together
    observe::Level log_level = observe::Level::info;
    std::string outbound_ca_file; ///< PEM file; if empty, the system's certificate authorities are used
    bool outbound_allow_private = false;
    std::chrono::milliseconds drain_delay{0};        ///< time between becoming unready and closing the port
    std::chrono::milliseconds drain_timeout{25'000}; ///< maximum time for requests in flight to finish

    /// Reads the settings. Errors are recorded in `config`.
    static Settings read(core::Config& config, Defaults const& defaults);

    /// The URL for connections that keep their session, which LISTEN requires.
    core::Secret const& session_url() const noexcept
    {
        return database_direct_url.empty() ? database_url : database_direct_url;
    }
};

/// Reads only `DATABASE_URL`, for `migrate`.
core::Secret read_database_url(core::Config& config);

/// Returns the value of `Settings::session_url`. Reads only the variables on which this value depends.
core::Secret read_session_url(core::Config& config);

/// The URL of the operations port on this machine according to `OPS_PORT` and `BIND`,
/// `http://127.0.0.1:9101`. If the port is open on every address, loopback is used. A port of 0 is an error,
/// because the actual port is not known.
std::string read_ops_origin(core::Config& config, Defaults const& defaults);

} // namespace service
