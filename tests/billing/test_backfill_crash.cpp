// Backfills by the real program, which is killed and stopped while it works.
#include "core/clock.hpp"
#include "payments_provider.hpp"
#include "support/program.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace {

namespace json = boost::json;

constexpr int total = 3000;

/// A World whose own service is stopped, so that only the program carries out backfills.
struct Fixture {
    Fixture()
    {
        // With a fixed time of the provider, two backfills store the same rows. The programs' clock is real.
        auto const now = core::unix_seconds(core::SystemClock().now());
        provider.generates({{"count", total}, {"users", 1000}, {"newest", now}, {"delayMs", 50}});
        provider.set({{"now", now}});
        for (std::string const tenant : {"demo", "other"}) {
            auto const key = R"({"paymentsApiKey":"sk_test_provider"})";
            require(200, world.as_backend(tenant).patch("/v1/settings", key));
            scopes.emplace(tenant, world.scope_id(tenant + "-sandbox"));
        }
        world.host->stop();
        variables = world.variables();
        variables["PAYMENTS_API_URL"] = provider.url();
    }

    testing::Program program() const { return testing::Program(BILLING_PROGRAM, variables); }

    testing::HttpResponse request(testing::Program const& program, std::string const& tenant,
        std::string const& method, std::string const& path,
        std::optional<std::string> const& document = std::nullopt) const
    {
        auto const host = tenant + '.' + variables.at("BASE_HOST");
        auto client = program.client("Bearer " + world.key(tenant));
        return client.request(method, path, {{"Host", host}}, document);
    }

    std::string start(testing::Program const& program, std::string const& tenant) const
    {
        auto const r = request(program, tenant, "POST", "/v1/backfills", R"({"source":"payments"})");
        return text(require(202, r).json(), "backfillId");
    }

    /// Waits for the end of the backfill. Returns `status processed changed failed`.
    std::string ended(testing::Program const& program, std::string const& tenant, std::string const& id) const
    {
        json::object backfill;
        REQUIRE(eventually(
            [&] {
                auto const r = request(program, tenant, "GET", "/v1/backfills/" + id);
                backfill = require(200, r).json().as_object();
                return !backfill.at("completedAt").is_null();
            },
            2min));
        auto line = text(backfill, "status");
        for (auto const* name : {"processed", "changed", "failed"})
            line += ' ' + json::serialize(backfill.at(name));
        return line;
    }

    int processed() const { return std::stoi(world.postgres.query("SELECT max(processed) FROM backfills")); }

    std::string count(std::string const& table) const
    {
        return world.postgres.query(
            "SELECT count(*) FROM " + table + " WHERE scope_id = " + scopes.at("demo"));
    }

    /// A fingerprint of what the backfill of a tenant has found, without ids and times of receipt.
    std::string found(std::string const& tenant) const
    {
        auto const scope_id = scopes.at(tenant);
        return world.postgres.query(R"(
            SELECT md5(string_agg(t::text, ' ' ORDER BY t::text))
            FROM (
                SELECT user_id, provider_product_id, status, purchased_at, expires_at, access_until,
                    renewal_until, past_due_until, will_renew, quantity, store
                FROM entitlements
                WHERE scope_id = )" +
                                    scope_id + R"(
            ) AS t)") +
               world.postgres.query(R"(
            SELECT md5(string_agg(t::text, ' ' ORDER BY t::text))
            FROM (SELECT subscription_id, user_id FROM payment_subscriptions WHERE scope_id = )" +
                                    scope_id + ") AS t");
    }

    PaymentsProvider const provider;
    World const world;
    testing::Variables variables;
    std::map<std::string, std::string> scopes; ///< `scope_id` of the sandbox, by tenant
};

} // namespace

TEST_CASE_METHOD(
    Fixture, "a backfill that was killed continues where it was, and counts nothing twice", "[faults]")
{
    std::string id;
    {
        auto killed = program();
        id = start(killed, "demo");
        REQUIRE(eventually([&] { return processed() >= 500; }));
        killed.kill();
    }
    int const reached = processed();
    REQUIRE(reached < total);
    CHECK(count("payment_subscriptions") == std::to_string(reached));
    auto const last_id = world.postgres.query("SELECT last_id FROM backfills");
    provider.forget();
    world.clock.advance(2min); // the lease of the killed program ends
    {
        auto stopped = program();
        REQUIRE(eventually([&] { return processed() >= reached + 500; }, 1min));
        CHECK(text(provider.seen().at(0).at("query"), "starting_after") == last_id);
        CHECK(stopped.terminate() == 0);
    }
    REQUIRE(processed() < total);

    auto const last = program();
    auto const all = std::to_string(total);
    CHECK(ended(last, "demo", id) == "done " + all + ' ' + all + " 0");
    CHECK(count("payment_subscriptions") == all);
    CHECK(count("events") == all);
    auto const uninterrupted = start(last, "other");
    CHECK(ended(last, "other", uninterrupted) == "done " + all + ' ' + all + " 0");
    CHECK(found("demo") == found("other"));
}
