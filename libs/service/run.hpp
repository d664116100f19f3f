#pragma once

#include "core/config.hpp"
#include "observe/log.hpp"
#include "pg/migrate.hpp"
#include "service/service.hpp"
#include "service/settings.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace service {

/// An additional command of the program, such as `reencrypt`.
struct Command {
    using Task = std::function<int(observe::Logger&)>; ///< returns the exit code

    std::string name;
    std::string help; ///< one line
    /// Reads the configuration that the task needs beyond the shared one, and returns the task. Errors are
    /// recorded in `config` and reported together. After an error, the task does not run.
    std::function<Task(core::Config&, Settings const&)> prepare;
};

/// The service that a program's main() describes.
struct Definition {
    std::string name;          ///< such as `feedback`
    std::string config_prefix; ///< prefix of environment variables, such as `FEEDBACK`
    std::string summary;       ///< one line for --help
    Defaults defaults;
    std::vector<pg::Component const*> components; ///< migrated in this order: libraries, then the service
    /// Reads the service's own configuration and returns the factory. Errors are recorded in `config` and
    /// reported together. After an error, the factory is not called.
    std::function<Factory(core::Config&, Settings const&)> configure;
    std::vector<Command> commands;
};

/// A Definition's `configure` for an App made from its Config and the Runtime:
///
///     .configure = service::build<App, Config>,
template <class App, class Config> Factory build(core::Config& config, Settings const& /*shared*/)
{
    return
        [own = Config::read(config)](Runtime const& runtime) { return std::make_unique<App>(own, runtime); };
}

/// Runs the whole program. Its commands are `serve` (default), `migrate`, the commands in the definition's
/// `commands`, `--version`, `--help`, and two commands for the orchestrator:
/// - `await-schema` waits until no migration of `components` is pending, at most `SCHEMA_TIMEOUT_SECONDS`. It
///   can run with the service's own role. It also waits while the database cannot be reached.
/// - `healthcheck` requests `/livez` from the service that runs with the same `OPS_PORT` and `BIND`.
///
/// Exit codes: 0 after success, or after an orderly stop; 1 after a failure; 2 if the configuration or the
/// command line is wrong. Every such error is written to stderr on its own line.
///
/// SIGTERM or SIGINT starts an orderly stop (service::Host::stop). A second signal ends the process at once
/// with exit code 1.
int run(int argc, char const* const* argv, Definition const& definition);

} // namespace service
