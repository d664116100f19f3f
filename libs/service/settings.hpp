#pragma once

#include "core/config.hpp"
#include "core/secret.hpp"
#include "observe/log.hpp"
#include "redis/client.hpp"
#include "service/trusted_proxies.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace service {

/// What differs between the services in the settings they share.
struct Defaults {
    std::string_view base_host;                      ///< `feedback.localhost`
    std::uint16_t port = 0;                          ///< 8101
    std::uint16_t ops_port = 0;                      ///< 9101
    std::size_t body_budget = std::size_t{32} << 20; ///< bytes
};

/// The configuration every service has. Tests fill it in by hand.
struct Settings {
    std::string bind = "127.0.0.1";
    std::uint16_t port = 0;     ///< 0: any free port
    std::uint16_t ops_port = 0; ///< 0: any free port
    std::string base_host;      ///< lower case, without a port
    unsigned threads = 2;       ///< I/O threads
    core::Secret database_url;
    unsigned database_pool = 5;                ///< connections
    bool database_transaction_pooling = false; ///< database_url is that of a pooler in that mode
    core::Secret database_direct_url;          ///< past the pooler; empty: there is none
    core::Secret redis_url;
    redis::TlsOptions redis_tls;              ///< for a redis_url under TLS
    core::Clock const* redis_clock = nullptr; ///< redis::ClientOptions::script_clock; not configurable
    std::chrono::milliseconds redis_timeout{
        250}; ///< a Redis silent for longer counts as down; not configurable
    core::Secret master_key;
    core::Secret master_key_previous; ///< empty, or one more that is valid
    core::Secret encryption_keys;     ///< for crypto::Keyring::parse
    TrustedProxies trusted_proxies;
    std::size_t body_budget = std::size_t{32} << 20; ///< bytes of request bodies and their JSON at once
    observe::Level log_level = observe::Level::info;
    std::string outbound_ca_file; ///< PEM; empty: the system's
    bool outbound_allow_private = false;
    std::chrono::milliseconds drain_delay{0};        ///< how long to stay unready before the ports close
    std::chrono::milliseconds drain_timeout{25'000}; ///< how long requests in flight may take to finish

    /// Reads `config`; what is wrong is recorded there as faults.
    static Settings read(core::Config& config, Defaults const& defaults);

    /// Where a connection keeps its session, which LISTEN needs.
    core::Secret const& session_url() const noexcept
    {
        return database_direct_url.empty() ? database_url : database_direct_url;
    }
};

/// `DATABASE_URL` alone, which is all `migrate` needs.
core::Secret read_database_url(core::Config& config);

/// What `Settings::session_url` would say, of the variables that it depends on alone.
core::Secret read_session_url(core::Config& config);

/// Where this machine reaches the operations port that `OPS_PORT` and `BIND` say, `http://127.0.0.1:9101`: by
/// loopback when it is open on every address. A port of 0 is a fault, for nobody knows which it became.
std::string read_ops_origin(core::Config& config, Defaults const& defaults);

} // namespace service
