#pragma once

#include "core/clock.hpp"
#include "http/message.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "service/io_pool.hpp"
#include "service/settings.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace service {

/// The parts from which a service is built. They outlive the Service.
struct Runtime {
    Settings const& settings;
    IoPool& io;
    observe::Logger& logger;
    observe::Metrics& metrics;
    core::Clock const& clock;
};

/// One condition of /readyz. `passes` must be fast (a flag that other code updates) and must not block; it is
/// called on an I/O thread.
struct ReadyCheck {
    std::string name; ///< such as `database`
    std::function<bool()> passes;
};

/// The interface through which a Host runs a service. An implementation owns all parts of the service, but
/// handles no signals and opens no ports. So a test can construct one and call `application()`, or run it in
/// a Host. The App in `services/<name>/app.hpp` implements it through ServiceBase.
///
/// Order of calls:
/// 1. The constructor. It may throw. It must not wait for an unreachable database or Redis.
/// 2. `start()`, then requests.
/// 3. `begin_stop()`, while requests are still in flight.
/// 4. `stop_workers()`, once no request is in flight.
/// 5. `stop()`.
/// 6. The destructor, after the I/O threads have ended.
class Service {
public:
    virtual ~Service() = default;

    /// The application that the API port serves; usually a gateway::Gateway.
    virtual http::Application& application() = 0;

    /// Called once, before start().
    virtual std::vector<ReadyCheck> ready_checks() = 0;

    /// Starts background workers. Once, before the first request.
    virtual void start() {}

    /// Called when shutdown begins, while requests in flight are still answered. Asks background workers to
    /// stop and returns at once. `stop_workers()` is called later.
    virtual void begin_stop() noexcept {}

    /// Ends background workers at a safe point and waits for them. Blocks. Called on the main thread.
    virtual void stop_workers() {}

    /// Closes everything that keeps the I/O contexts busy (Redis, outbound clients), then the database. When
    /// it returns, no coroutine of the service exists. Blocks. Called on the main thread.
    virtual void stop() {}
};

/// Builds the service. The function object holds the service's own configuration, which has been read
/// already.
using Factory = std::function<std::unique_ptr<Service>(Runtime const&)>;

} // namespace service
