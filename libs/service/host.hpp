#pragma once

#include "http_server/server.hpp"
#include "service/ops.hpp"
#include "service/service.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace service {

/// A running service in this process: I/O threads, the Service, its API port and its operations port. Unlike
/// `service::run`, it handles no signals and no command line, so tests can run the whole service on free
/// ports.
class Host {
public:
    /// Builds the Service, starts it and opens both ports. Throws the exceptions of the factory, and
    /// std::runtime_error when a port cannot be opened. `logger` and `clock` must outlive this object.
    Host(std::string const& name, Settings settings, observe::Logger& logger, core::Clock const& clock,
        Factory const& factory);

    /// Stops the service if `stop` was not called, without waiting for requests in flight.
    ~Host();

    std::uint16_t port() const noexcept;
    std::uint16_t ops_port() const noexcept;

    observe::Metrics& metrics() noexcept { return metrics_; }

    /// From now on /readyz returns 503. The first step of `stop`; thread-safe.
    void become_unready() noexcept;

    /// Stops in order: become unready, wait `drain_delay`, stop accepting, wait for requests in flight (at
    /// most `drain_timeout`), then stop workers, clients, database and I/O threads. Returns true if every
    /// request was answered. Call it at most once, and not on an I/O thread.
    bool stop();

private:
    void open();
    bool shut_down(std::chrono::milliseconds timeout);

    Settings const settings_;
    observe::Metrics metrics_;
    IoPool io_;
    std::unique_ptr<Service> service_;
    std::unique_ptr<OpsApplication> ops_;
    std::unique_ptr<http_server::Server> ops_server_;
    std::unique_ptr<http_server::Server> server_;
    bool stopped_ = false;
};

} // namespace service
