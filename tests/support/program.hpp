#pragma once

#include "support/config.hpp"
#include "support/http_client.hpp"
#include "support/process.hpp"

#include <chrono>
#include <string>

namespace testing {

/// A service's program on the data of a ServiceWorld, for tests that kill it, stop it or run it twice.
///
///     testing::Program program(FEEDBACK_PROGRAM, world.variables());
class Program {
public:
    /// Starts the executable at `path` on free ports, and returns when it is ready. Throws std::runtime_error
    /// if it does not become ready. `environment` contains the variables of a world and the service's own
    /// variables.
    Program(std::string const& path, Variables environment);

    /// Returns a client for `demo-sandbox` that sends this Authorization header.
    HttpClient client(
        std::string const& authorization, std::chrono::milliseconds timeout = std::chrono::seconds(30)) const;

    /// A client for the operations port.
    HttpClient operations() const;

    pid_t pid() const noexcept { return process_.pid(); }

    unsigned short port() const noexcept { return port_; }

    void kill();

    /// Sends SIGTERM, as an orchestrator does. Returns the exit code.
    int terminate();

private:
    bool ready() const;
    void await_end();

    std::string base_host_;
    unsigned short port_, ops_port_;
    Process process_;
};

} // namespace testing
