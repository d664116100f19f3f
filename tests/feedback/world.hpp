#pragma once

#include "app.hpp"
#include "core/clock.hpp"
#include "observe/log.hpp"
#include "service/host.hpp"
#include "testing/http_client.hpp"
#include "testing/issuer.hpp"
#include "testing/json.hpp"
#include "testing/postgres.hpp"
#include "testing/process.hpp"
#include "testing/redis.hpp"
#include "testing/service.hpp"

#include <memory>
#include <string>

/// The whole feedback service in this process, on free ports, with a PostgreSQL and a Redis of its own,
/// tenants `demo` and `other`, and an issuer of user tokens.
class World {
public:
    World();

    static constexpr char const* master = testing::master_key;

    /// Calls as a tenant's environment: `demo`, `demo-sandbox`.
    testing::HttpClient client(std::string const& tenant = "demo-sandbox") const;

    /// The same with an Authorization header.
    testing::HttpClient as_master(std::string const& tenant = "demo-sandbox") const;
    testing::HttpClient as_backend(
        std::string const& tenant = "demo-sandbox") const; ///< with an API key of it
    testing::HttpClient as_user(std::string const& subject, std::string const& role = "user",
        std::string const& tenant = "demo-sandbox") const;

    /// An API key of the scope, made on first use.
    std::string key(std::string const& tenant = "demo-sandbox") const;
    std::string token(std::string const& subject, std::string const& role = "user",
        std::string const& tenant = "demo-sandbox") const;

    /// Ends the service and begins a new one over the same data.
    void restart();

    testing::Postgres postgres;
    testing::Redis redis;
    core::SystemClock clock;
    testing::Issuer issuer;
    testing::TemporaryDirectory directory;
    observe::Logger logger;
    std::unique_ptr<service::Host> host;

private:
    void begin();

    mutable std::map<std::string, std::string> keys_;
};

/// Ids of two users.
inline constexpr char const* ada = "0190a5d2-0000-7000-8000-00000000ada0";
inline constexpr char const* bob = "0190a5d2-0000-7000-8000-00000000b0b0";

/// A thread made through the API; its id.
std::string new_thread(testing::HttpClient& client, std::string const& title = "Title");

using testing::all_items, testing::text;
