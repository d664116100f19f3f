#include "support/program.hpp"

#include "support/eventually.hpp"

#include <csignal>
#include <stdexcept>
#include <utility>
#include <vector>

namespace testing {

Program::Program(std::string const& path, Variables environment)
    : base_host_(environment.at("BASE_HOST")), port_(free_port()), ops_port_(free_port())
{
    environment["PORT"] = std::to_string(port_);
    environment["OPS_PORT"] = std::to_string(ops_port_);
    std::vector<std::string> variables;
    for (auto const& [name, value] : environment)
        variables.push_back(std::string(name).append("=").append(value));
    process_ = Process({.argv = {path, "serve"}, .environment = std::move(variables)});
    if (!eventually([this] { return ready(); })) throw std::runtime_error(path + " is not ready");
}

HttpClient Program::client(std::string const& authorization, std::chrono::milliseconds timeout) const
{
    HttpClient client("http://127.0.0.1:" + std::to_string(port_), timeout);
    client.set("Host", "demo-sandbox." + base_host_);
    client.set("Authorization", authorization);
    return client;
}

HttpClient Program::operations() const
{
    return HttpClient("http://127.0.0.1:" + std::to_string(ops_port_));
}

void Program::kill()
{
    process_.signal(SIGKILL);
    await_end();
}

int Program::terminate()
{
    process_.signal(SIGTERM);
    await_end();
    return process_.status();
}

bool Program::ready() const
{
    try {
        return operations().get("/readyz").status == 200;
    } catch (std::runtime_error const&) {
        return false;
    }
}

void Program::await_end()
{
    if (!process_.wait(std::chrono::minutes(1))) throw std::runtime_error("the program does not end");
}

} // namespace testing
