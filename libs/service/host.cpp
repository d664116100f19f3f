#include "service/host.hpp"

#include <thread>

namespace service {

namespace {

using namespace std::chrono_literals;

constexpr auto ops_drain_timeout = 1s;

/// A network may have at most a tenth of all connections. Trusted proxies have no such limit.
http_server::ServerOptions api_options(Settings const& settings)
{
    http_server::ServerOptions options{.bind = settings.bind, .port = settings.port};
    options.max_per_network = options.max_connections / 10;
    options.is_exempt = [proxies = settings.trusted_proxies](
                            boost::asio::ip::address const& address) { return proxies.contains(address); };
    return options;
}

/// Drains `server`, and aborts the connections that are still open after `timeout`. Returns true if none was
/// aborted.
bool drain(http_server::Server& server, std::chrono::milliseconds timeout)
{
    auto const deadline = std::chrono::steady_clock::now() + timeout;
    server.drain();
    while (server.connections() != 0) {
        if (std::chrono::steady_clock::now() >= deadline) {
            server.abort();
            return false;
        }
        std::this_thread::sleep_for(2ms);
    }
    return true;
}

} // namespace

Host::Host(std::string const& name, Settings settings, observe::Logger& logger, core::Clock const& clock,
    Factory const& factory)
    : settings_(std::move(settings)), metrics_(name, TETRAD_VERSION), io_(settings_.threads)
{
    try {
        service_ = factory({settings_, io_, logger, metrics_, clock});
        open();
    } catch (...) {
        shut_down(0ms);
        throw;
    }
}

void Host::open()
{
    ops_ = std::make_unique<OpsApplication>(metrics_, service_->ready_checks());
    service_->start();
    server_ = std::make_unique<http_server::Server>(
        io_.contexts(), api_options(settings_), service_->application());
    metrics_.gauge_callback("tetrad_http_connections", "Open connections to the API.",
        [this] { return static_cast<double>(server_->connections()); });
    ops_server_ = std::make_unique<http_server::Server>(std::vector{&io_.first()},
        http_server::ServerOptions{
            .bind = settings_.bind, .port = settings_.ops_port, .max_connections = 100},
        *ops_);
}

Host::~Host()
{
    if (!stopped_) shut_down(0ms);
}

std::uint16_t Host::port() const noexcept
{
    return server_->port();
}

std::uint16_t Host::ops_port() const noexcept
{
    return ops_server_->port();
}

void Host::become_unready() noexcept
{
    ops_->become_unready();
}

bool Host::stop()
{
    become_unready();
    std::this_thread::sleep_for(settings_.drain_delay);
    return shut_down(settings_.drain_timeout);
}

bool Host::shut_down(std::chrono::milliseconds timeout)
{
    stopped_ = true;
    if (service_) service_->begin_stop();
    bool const answered = !server_ || drain(*server_, timeout);
    if (service_) service_->stop_workers();
    if (ops_server_) drain(*ops_server_, ops_drain_timeout);
    if (service_) service_->stop();
    io_.join();
    return answered;
}

} // namespace service
