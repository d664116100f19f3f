#pragma once

#include "testing/http_client.hpp"
#include "testing/process.hpp"

#include <chrono>
#include <map>
#include <string>

namespace testing {

/// The program of a service itself, over the data of a ServiceWorld: what is killed, stopped and run twice.
///
///     testing::Program program(FEEDBACK_PROGRAM, world.variables());
class Program {
public:
    /// By the names of variables.
    using Environment = std::map<std::string, std::string>;

    /// Begins the executable at `path` on free ports, and returns once it is ready; throws std::runtime_error
    /// when that never comes. `environment`: a world's variables and the service's own.
    Program(std::string const& path, Environment environment);

    /// Calls `demo-sandbox` with that Authorization.
    HttpClient client(
        std::string const& authorization, std::chrono::milliseconds timeout = std::chrono::seconds(30)) const;

    /// Calls the operations port.
    HttpClient operations() const;

    pid_t pid() const noexcept { return process_.pid(); }

    void kill();

    /// As an orchestrator does; the exit code.
    int terminate();

private:
    bool ready() const;
    void await_end();

    std::string base_host_;
    unsigned short port_, ops_port_;
    Process process_;
};

} // namespace testing
