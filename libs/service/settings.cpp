#include "service/settings.hpp"

#include "core/text.hpp"
#include "crypto/keyring.hpp"
#include "pg/conninfo.hpp"
#include "redis/address.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace service {

namespace {

constexpr std::size_t min_master_key = 32;
/// The minimum is chosen so that an eighth of it, the smallest share, holds a body of 1 MiB and JSON of the
/// same size.
constexpr std::int64_t smallest_body_budget = std::int64_t{16} << 20;

std::uint16_t read_port(
    core::Config& config, std::string_view name, std::uint16_t fallback, std::string_view help)
{
    return static_cast<std::uint16_t>(config.integer(name, fallback, 0, 65'535, help));
}

std::uint16_t read_ops_port(core::Config& config, Defaults const& defaults)
{
    return read_port(config, "OPS_PORT", defaults.ops_port, "port of /livez, /readyz and /metrics");
}

unsigned read_threads(core::Config& config)
{
    auto const cores = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
    return static_cast<unsigned>(
        config.integer("THREADS", cores, 1, 256, "I/O threads; the default is one per core"));
}

/// Whether `host` is one or more labels of letters, digits and dashes (RFC 1123), without a port. A tenant's
/// host has one more label in front, so the length is limited to 190.
bool is_host(std::string_view host) noexcept
{
    if (host.empty() || host.size() > 190 || host.front() == '.' || host.back() == '.') return false;
    return host.find("..") == std::string_view::npos && std::ranges::all_of(host, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    });
}

std::string read_bind(core::Config& config)
{
    auto address = config.text("BIND", "127.0.0.1", "address on which both ports are opened");
    boost::system::error_code failed;
    boost::asio::ip::make_address(address, failed);
    if (failed) config.fault("BIND", "must be an IPv4 or IPv6 address");
    return address;
}

core::Secret check_master_key(core::Config& config, std::string_view name, core::Secret key)
{
    if (!key.empty() && key.reveal().size() < min_master_key)
        config.fault(name, "must have at least 32 characters");
    return key;
}

/// Reports errors in a URL of the database under the variable `name`, without its value.
core::Secret check_database_url(core::Config& config, std::string_view name, core::Secret url)
{
    try {
        if (!url.empty()) pg::complete_conninfo(std::string(url.reveal()), "");
    } catch (std::invalid_argument const& e) {
        config.fault(name, e.what());
    }
    return url;
}

void read_pooler(core::Config& config, Settings& s)
{
    constexpr std::array<std::string_view, 2> modes{"none", "transaction"};
    s.database_transaction_pooling = config.one_of("DATABASE_POOLER", {modes.begin(), modes.end()},
                                         "what DATABASE_URL leads to: none (the server itself) or "
                                         "transaction (PgBouncer in transaction mode)") == 1;
    s.database_direct_url = check_database_url(config, "DATABASE_DIRECT_URL",
        config.required_secret("DATABASE_DIRECT_URL",
            "URL of the server behind the pooler, with the same role; used for LISTEN",
            {s.database_transaction_pooling, "DATABASE_POOLER=transaction"}));
}

core::Secret read_redis_url(core::Config& config)
{
    auto url = config.required_secret("REDIS_URL",
        "redis://[user:password@]host[:port][/db], unix:///path or redis+cluster://host[:port],host[:port]; "
        "rediss:// and rediss+cluster:// are the same with TLS");
    try {
        if (!url.empty()) redis::Address::parse(url.reveal());
    } catch (std::invalid_argument const& e) {
        config.fault("REDIS_URL", e.what());
    }
    return url;
}

std::string read_file_name(core::Config& config, std::string_view name, std::string_view help)
{
    auto path = config.text(name, "", help);
    if (!path.empty() && !std::ifstream(path))
        config.fault(name, "names a file that cannot be read: check its path and permissions");
    return path;
}

bool is_plain_redis(core::Secret const& url)
{
    try {
        return !url.empty() && !redis::Address::parse(url.reveal()).tls;
    } catch (std::invalid_argument const&) {
        return false; // the error has been recorded for REDIS_URL already
    }
}

/// Setting a file is an error unless `url` uses TLS, because the file would not be used.
redis::TlsOptions read_redis_tls(core::Config& config, core::Secret const& url)
{
    redis::TlsOptions tls;
    tls.ca_file = read_file_name(config, "REDIS_CA_FILE",
        "PEM file of certificate authorities for rediss://; if empty, those of the system");
    tls.certificate_file = read_file_name(
        config, "REDIS_CERTIFICATE_FILE", "PEM file of the client's certificate for rediss://");
    tls.private_key_file =
        read_file_name(config, "REDIS_PRIVATE_KEY_FILE", "PEM file of the client certificate's key");
    if (tls.certificate_file.empty() != tls.private_key_file.empty())
        config.fault("REDIS_PRIVATE_KEY_FILE",
            "must be set together with REDIS_CERTIFICATE_FILE: set both or neither");
    if (is_plain_redis(url)) {
        constexpr std::string_view unused = "needs TLS: use rediss:// in REDIS_URL, or unset the file";
        if (!tls.ca_file.empty()) config.fault("REDIS_CA_FILE", unused);
        if (!tls.certificate_file.empty()) config.fault("REDIS_CERTIFICATE_FILE", unused);
    }
    return tls;
}

core::Secret read_encryption_keys(core::Config& config)
{
    auto keys = config.required_secret(
        "ENCRYPTION_KEYS", "keys of 32 bytes, as id:base64,...; the first key encrypts, all keys decrypt");
    try {
        if (!keys.empty()) crypto::Keyring::parse(keys.reveal());
    } catch (std::invalid_argument const& e) {
        config.fault("ENCRYPTION_KEYS", e.what());
    }
    return keys;
}

gateway::TrustedProxies read_proxies(core::Config& config)
{
    auto const text = config.text("TRUSTED_PROXIES", "",
        "networks whose X-Forwarded-* headers are trusted, for example 10.0.0.0/8,::1");
    auto proxies = gateway::TrustedProxies::parse(text);
    if (!proxies)
        config.fault("TRUSTED_PROXIES", "must be networks like 10.0.0.0/8 or ::1, separated by commas");
    return proxies.value_or(gateway::TrustedProxies());
}

observe::Level read_level(core::Config& config)
{
    constexpr std::array<std::string_view, 5> levels{"info", "debug", "warn", "error", "off"};
    auto const chosen = config.one_of("LOG_LEVEL", {levels.begin(), levels.end()},
        "lowest level that is logged: debug, info, warn, error, or off for no log");
    return core::parse_enum<observe::Level>(levels[chosen]).value_or(observe::Level::info);
}

std::string read_ca_file(core::Config& config)
{
    return read_file_name(config, "OUTBOUND_CA_FILE",
        "PEM file of certificate authorities for outbound TLS; if empty, those of the system");
}

} // namespace

std::string read_host(
    core::Config& config, std::string_view name, std::string_view fallback, std::string_view help)
{
    auto host = core::lower(config.text(name, fallback, help));
    if (!is_host(host)) config.fault(name, "must be a host name without a port");
    return host;
}

core::Secret read_database_url(core::Config& config)
{
    return check_database_url(config, "DATABASE_URL",
        config.required_secret("DATABASE_URL", "PostgreSQL, as a libpq URI or connection string"));
}

core::Secret read_session_url(core::Config& config)
{
    Settings s;
    s.database_url = read_database_url(config);
    read_pooler(config, s);
    return s.session_url();
}

std::string read_ops_origin(core::Config& config, Defaults const& defaults)
{
    namespace ip = boost::asio::ip;
    auto const port = read_ops_port(config, defaults);
    if (port == 0) config.fault("OPS_PORT", "must not be 0, because healthcheck needs to know the port");
    boost::system::error_code reported_by_read_bind;
    auto address = ip::make_address(read_bind(config), reported_by_read_bind);
    if (address.is_unspecified())
        address = address.is_v6() ? ip::address(ip::address_v6::loopback()) : ip::address_v4::loopback();
    auto const host = address.is_v6() ? '[' + address.to_string() + ']' : address.to_string();
    return "http://" + host + ':' + std::to_string(port);
}

Settings Settings::read(core::Config& config, Defaults const& defaults)
{
    Settings s;
    s.port = read_port(config, "PORT", defaults.port, "port of the API; 0: any free port");
    s.ops_port = read_ops_port(config, defaults);
    if (s.port != 0 && s.port == s.ops_port) config.fault("OPS_PORT", "must differ from PORT");
    s.bind = read_bind(config);
    s.base_host = read_host(config, "BASE_HOST", defaults.base_host,
        "base host; hosts of tenants are {slug}.BASE_HOST and {slug}-sandbox.BASE_HOST");
    s.threads = read_threads(config);
    s.database_url = read_database_url(config);
    s.database_pool =
        static_cast<unsigned>(config.integer("DATABASE_POOL", 5, 1, 200, "database connections"));
    read_pooler(config, s);
    s.redis_url = read_redis_url(config);
    s.redis_tls = read_redis_tls(config, s.redis_url);
    s.master_key = check_master_key(config, "MASTER_KEY",
        config.required_secret("MASTER_KEY", "key of the operator, at least 32 characters"));
    s.master_key_previous = check_master_key(config, "MASTER_KEY_PREVIOUS",
        config.secret("MASTER_KEY_PREVIOUS", "second valid key of the operator, while the key is rotated"));
    s.encryption_keys = read_encryption_keys(config);
    s.trusted_proxies = read_proxies(config);
    s.body_budget = static_cast<std::size_t>(config.integer("BODY_BUDGET_BYTES",
        static_cast<std::int64_t>(defaults.body_budget), smallest_body_budget, std::int64_t{1} << 40,
        "memory for request bodies and their JSON; a tenant may use half of it, a network a quarter"));
    s.log_level = read_level(config);
    s.outbound_ca_file = read_ca_file(config);
    s.outbound_allow_private = config.boolean(
        "OUTBOUND_ALLOW_PRIVATE", false, "whether outbound calls may go to loopback and private addresses");
    s.drain_delay = std::chrono::milliseconds(config.integer("DRAIN_DELAY_MS", 0, 0, 60'000,
        "milliseconds after SIGTERM in which the service still accepts connections but is not ready"));
    return s;
}

} // namespace service
