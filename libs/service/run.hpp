#pragma once

#include "core/config.hpp"
#include "observe/log.hpp"
#include "pg/migrate.hpp"
#include "service/instance.hpp"
#include "service/settings.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace service {

/// Something else the program does than serve: `reencrypt`.
struct Verb {
    using Task = std::function<int(observe::Logger&)>; ///< yields the exit code

    std::string name;
    std::string help; ///< one line
    /// Reads the configuration the task needs beyond the shared one and yields the task. Faults go into
    /// `config` and are reported together before the task runs.
    std::function<Task(core::Config&, Settings const&)> prepare;
};

/// What a program's main() says about its service.
struct Definition {
    std::string name;          ///< `feedback`
    std::string config_prefix; ///< `FEEDBACK`
    std::string summary;       ///< one line for --help
    Defaults defaults;
    std::vector<pg::Component const*> components; ///< for `migrate`, in order: libraries, then the service
    /// Reads the service's own configuration and yields what builds it. Faults go into `config` and are
    /// reported together; the factory is not called when there are any.
    std::function<Factory(core::Config&, Settings const&)> configure;
    std::vector<Verb> verbs;
};

/// A Definition's `configure` for an App made of what its Config says and of the Runtime:
///
///     .configure = service::build<App, Config>,
template <class App, class Config> Factory build(core::Config& config, Settings const& /*shared*/)
{
    return
        [own = Config::read(config)](Runtime const& runtime) { return std::make_unique<App>(own, runtime); };
}

/// The whole program: `serve` (default), `migrate`, the definition's verbs, `--version`, `--help`, and what
/// a platform asks of it:
/// - `await-schema` waits until nothing of `components` is pending, `SCHEMA_TIMEOUT_SECONDS` at most. The
///   service's own role will do; a database that cannot be reached is waited for as well.
/// - `healthcheck` asks `/livez` of the service that runs with the same `OPS_PORT` and `BIND`.
///
/// Exit codes: 0 done, or served and stopped in order; 1 failed; 2 the configuration or command line is
/// wrong, every fault on a line of its own on stderr.
///
/// SIGTERM or SIGINT stops in order (service::Host::stop); a second one exits at once with 1.
int run(int argc, char const* const* argv, Definition const& definition);

} // namespace service
