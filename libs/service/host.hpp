#pragma once

#include "http/server.hpp"
#include "service/instance.hpp"
#include "service/ops.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace service {

/// A running service in this process: I/O threads, the Instance, its API port and its operations port. All of
/// `service::run` but signals and the command line; tests use it to have the whole service on free ports.
class Host {
public:
    /// Builds the Instance, starts it and opens both ports. Throws what the factory throws,
    /// std::runtime_error when a port cannot be opened. `logger` and `clock` outlive this object.
    Host(std::string const& name, Settings settings, observe::Logger& logger, core::Clock const& clock,
        Factory const& factory);

    /// Stops when that was not done, without waiting for requests in flight.
    ~Host();

    std::uint16_t port() const noexcept;
    std::uint16_t ops_port() const noexcept;

    Instance& instance() noexcept { return *instance_; }

    observe::Metrics& metrics() noexcept { return metrics_; }

    /// From now on /readyz answers 503. First step of `stop`; safe from any thread.
    void become_unready() noexcept;

    /// Unready, `drain_delay`, stop accepting, wait for the requests in flight (at most `drain_timeout`),
    /// workers, clients and database, I/O threads. True when every request was answered. Once; not from an
    /// I/O thread.
    bool stop();

private:
    void open();
    bool shut_down(std::chrono::milliseconds patience);

    Settings const settings_;
    observe::Metrics metrics_;
    IoPool io_;
    std::unique_ptr<Instance> instance_;
    std::unique_ptr<OpsApplication> ops_;
    std::unique_ptr<http::Server> ops_server_;
    std::unique_ptr<http::Server> server_;
    bool stopped_ = false;
};

} // namespace service
