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

/// What a service is given to build itself from. Everything outlives the Instance.
struct Runtime {
    Settings const& settings;
    IoPool& io;
    observe::Logger& logger;
    observe::Metrics& metrics;
    core::Clock const& clock;
};

/// One condition of /readyz. `passes` is quick (a flag that something else keeps up to date), never blocks
/// and is called on an I/O thread.
struct ReadyCheck {
    std::string name; ///< `database`
    std::function<bool()> passes;
};

/// A service without its process: `services/<name>/app.hpp` derives its App from this. It owns everything the
/// service needs, in construction order, and knows nothing of signals and ports, so that a test can build one
/// and call `application()` or put a Host around it.
///
/// Life: constructor (may throw; must not wait for a database or Redis that is away) -> start() -> requests
/// -> begin_stop() -> stop_workers() once no request is in flight -> stop() -> destructor, after the I/O
/// threads have ended.
class Instance {
public:
    virtual ~Instance() = default;

    /// What the API port runs; usually a service::Gateway.
    virtual http::Application& application() = 0;

    /// Asked once, before start().
    virtual std::vector<ReadyCheck> ready_checks() = 0;

    /// Starts background workers. Once, before the first request.
    virtual void start() {}

    /// The service is going down, while requests in flight are still answered: asks background workers to
    /// come to an end, and returns at once. stop_workers() follows.
    virtual void begin_stop() noexcept {}

    /// Ends background workers at a safe point and returns when they have; blocks, called on the main thread.
    virtual void stop_workers() {}

    /// Closes what would keep the I/O contexts busy (Redis, outbound clients), then the database. Afterwards
    /// no coroutine of the service is left. Blocks, called on the main thread.
    virtual void stop() {}
};

/// Builds the service; its own configuration was read before and is captured.
using Factory = std::function<std::unique_ptr<Instance>(Runtime const&)>;

} // namespace service
