#pragma once

#include "world.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// The program itself, over the data of a World whose own service has ended: what is killed, stopped and run
/// twice.
class NotifyProgram {
public:
    using Environment = std::map<std::string, std::string>;

    /// Returns once it is ready. `key`: of `demo-sandbox`. The world outlives it.
    NotifyProgram(World const& world, std::string key, Environment environment = {})
        : key_(std::move(key)), port_(testing::free_port()), ops_port_(testing::free_port())
    {
        auto const folder = world.directory.path();
        environment.merge(
            Environment{{"PORT", std::to_string(port_)}, {"OPS_PORT", std::to_string(ops_port_)},
                {"BASE_HOST", "notify.localhost"}, {"DATABASE_URL", world.postgres.service_url()},
                {"REDIS_URL", world.redis.url()}, {"MASTER_KEY", testing::master_key},
                {"ENCRYPTION_KEYS", testing::encryption_keys}, {"JWKS_FILE", folder + "/jwks.json"},
                {"BLOB_DIR", folder + "/blobs"}, {"EMAIL_OUTBOX", folder + "/mail"},
                {"SMS_OUTBOX", folder + "/sms"}, {"OUTBOUND_ALLOW_PRIVATE", "true"}, {"LOG_LEVEL", "warn"}});
        std::vector<std::string> variables;
        for (auto const& [name, value] : environment)
            variables.push_back(name + '=' + value);
        process_ = testing::Process({.argv = {NOTIFY_PROGRAM, "serve"}, .environment = variables});
        REQUIRE(eventually([this] { return ready(); }));
    }

    testing::HttpClient client() const
    {
        testing::HttpClient client("http://127.0.0.1:" + std::to_string(port_));
        client.set("Host", "demo-sandbox.notify.localhost");
        client.set("Authorization", "Bearer " + key_);
        return client;
    }

    /// What /metrics says of a counter, labels included; 0 when it says nothing.
    double metric(std::string const& name) const
    {
        auto const text = operations().get("/metrics").body;
        auto const place = text.find('\n' + name + ' ');
        return place == std::string::npos ? 0 : std::stod(text.substr(place + name.size() + 2));
    }

    void kill()
    {
        process_.signal(SIGKILL);
        REQUIRE(process_.wait());
    }

    /// As an orchestrator does; the exit code.
    int terminate()
    {
        process_.signal(SIGTERM);
        REQUIRE(process_.wait(1min));
        return process_.status();
    }

private:
    testing::HttpClient operations() const
    {
        return testing::HttpClient("http://127.0.0.1:" + std::to_string(ops_port_));
    }

    bool ready() const
    {
        try {
            return operations().get("/readyz").status == 200;
        } catch (std::runtime_error const&) {
            return false;
        }
    }

    std::string key_;
    unsigned short port_, ops_port_;
    testing::Process process_;
};
