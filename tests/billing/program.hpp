#pragma once

#include "world.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <stdexcept>
#include <string>

/// The program itself, over the data of a World: what is killed.
class BillingProgram {
public:
    /// Returns once it is ready. The world outlives it.
    explicit BillingProgram(World const& world) : port_(testing::free_port()), ops_port_(testing::free_port())
    {
        auto const number = [](unsigned short n) { return std::to_string(n); };
        process_ = testing::Process({.argv = {BILLING_PROGRAM, "serve"},
            .environment = {"PORT=" + number(port_), "OPS_PORT=" + number(ops_port_),
                "BASE_HOST=billing.localhost", "DATABASE_URL=" + world.postgres.service_url(),
                "REDIS_URL=" + world.redis.url(), std::string("MASTER_KEY=") + testing::master_key,
                std::string("ENCRYPTION_KEYS=") + testing::encryption_keys,
                "JWKS_FILE=" + world.directory.path() + "/jwks.json", "LOG_LEVEL=warn"}});
        REQUIRE(eventually([this] { return ready(); }));
    }

    /// What the purchase platform is to `demo-sandbox`.
    testing::HttpClient client() const
    {
        testing::HttpClient client("http://127.0.0.1:" + std::to_string(port_));
        client.set("Host", "demo-sandbox.billing.localhost");
        client.set("Authorization", purchases_secret);
        return client;
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
    bool ready() const
    {
        try {
            return testing::HttpClient("http://127.0.0.1:" + std::to_string(ops_port_))
                       .get("/readyz")
                       .status == 200;
        } catch (std::runtime_error const&) {
            return false;
        }
    }

    unsigned short port_, ops_port_;
    testing::Process process_;
};
