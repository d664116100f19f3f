#pragma once

#include "auth/api_keys.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"
#include "pg/listener.hpp"
#include "support/fake_clock.hpp"
#include "support/postgres.hpp"
#include "support/run_awaitable.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

/// A request as the gateway passes it to a key route.
struct KeyRequest {
    core::Scope scope = core::Scope::of(core::TenantId{7}, core::Environment::production, "demo");
    core::Access caller = core::Access::master;
    std::string body;
    std::string query;
    std::string environment; ///< path parameter
    std::string prefix;      ///< path parameter

    /// Valid for the lifetime of this object.
    http::Request make() const;
};

std::vector<auth::ApiKeyKind> one_kind();
std::vector<auth::ApiKeyKind> two_kinds();

/// Keys with a database for this test. The test controls `live`.
struct KeysFixture {
    explicit KeysFixture(std::vector<auth::ApiKeyKind> kinds = one_kind());
    ~KeysFixture();

    std::optional<auth::ApiKey> verify(std::string const& raw);

    /// Creates a key through the route and returns the response's JSON.
    boost::json::object mint(KeyRequest const& request);
    std::string mint_raw(std::string const& environment = "production");
    boost::json::object rotate(KeyRequest const& request, std::size_t kind = 0);
    boost::json::object list(KeyRequest const& request = {});
    void revoke(std::string const& prefix, KeyRequest request = {});

    testing::Postgres postgres;
    pg::Database database;
    testing::FakeClock clock;
    std::atomic<bool> live = true;
    auth::ApiKeys keys;
};

/// Simulates another replica: an object for keys with its own listener on the same database.
struct Replica {
    explicit Replica(KeysFixture& fixture);

    pg::Database database;
    auth::ApiKeys keys;
    std::unique_ptr<pg::Listener> listener; ///< destroyed first, because it calls `keys`

    std::optional<auth::ApiKey> verify(std::string const& raw);

private:
    std::atomic<bool> listening_ = false;
};

/// The code of the core::Error that `action` throws; "" if it throws none.
std::string code_of(std::function<void()> const& action);
