#include "backfilling.hpp"
#include "pg/database.hpp"
#include "storage/backfills.hpp"
#include "workers/backfill.hpp"

#include <algorithm>
#include <array>
#include <thread>

// The runs of backfills: failures, waiting, and restarts of the service.

namespace {

using namespace backfilling;
namespace backfills = billing::backfills;

} // namespace

TEST_CASE_METHOD(
    Fixture, "after a failure the backfill waits, and continues with the failed page", "[backfills]")
{
    provider.generates({{"count", 250}});
    unsigned const status = GENERATE(429U, 503U);
    provider.fails({success, refusal(status)});
    auto const id = start();
    auto const waiting = waits_for(id, "status " + std::to_string(status));
    CHECK(summary(waiting) == "running 100 100 0");
    CHECK(waiting.at("completedAt").is_null());
    CHECK(text(waiting, "lastError").find("marker") == std::string::npos);
    CHECK(count(stored_subscriptions) == "100");
    world.clock.advance(9min);
    CHECK(cursors().size() == 2); // the provider's Retry-After is 10 minutes
    world.clock.advance(2min);
    auto const done = ended(id);
    CHECK(summary(done) == "done 250 250 0");
    CHECK(done.at("lastError").is_null());
    CHECK(cursors() == Cursors{"", "sub_1_000099", "sub_1_000099", "sub_1_000199"});
    CHECK(count(archived_syncs) == "250");
}

TEST_CASE_METHOD(Fixture, "a backfill fails if the provider refuses the key", "[backfills]")
{
    provider.set({{"key", "sk_test_another"}});
    auto const failed = ended(start());
    CHECK(summary(failed) == "failed 0 0 0");
    CHECK(text(failed, "lastError").find("status 401") != std::string::npos);
    CHECK(text(failed, "lastError").find("sk_") == std::string::npos);
    set_key("demo", "sk_test_another");
    CHECK(run() == "done 0 0 0");
}

TEST_CASE_METHOD(Fixture, "a backfill fails after three days without progress", "[backfills]")
{
    auto failure = refusal(503, "3600");
    failure["times"] = nullptr; // all requests
    provider.fails({failure});
    auto const id = start();
    waits_for(id, "status 503");
    CHECK(post().status == 409);
    world.clock.advance(71h);
    REQUIRE(eventually([&] { return cursors().size() == 2; }));
    auto const is_waiting =
        "SELECT run_at > jobs_now() FROM jobs WHERE queue = 'backfill' AND lease_owner IS NULL";
    REQUIRE(eventually([&] { return world.postgres.query(is_waiting) == "t"; }));
    CHECK(text(get(id), "status") == "running");
    world.clock.advance(2h);
    auto const failed = ended(id);
    CHECK(summary(failed) == "failed 0 0 0");
    CHECK(text(failed, "completedAt") == events::rfc3339(73 * 3600));
    CHECK(text(failed, "lastError").find("status 503") != std::string::npos);
    CHECK(cursors().size() == 3);
}

TEST_CASE_METHOD(Fixture, "a backfill waits while the tenant has no key or is suspended", "[backfills]")
{
    provider.generates({{"count", 150}});
    provider.fails({success, refusal(429)});
    auto const id = start();
    waits_for(id, "status 429");
    auto const set_status = [&](std::string_view status) {
        require(200, world.as_master("demo").put(
                         "/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}})));
    };
    auto const resumes = [&] {
        CHECK(cursors().size() == 2);
        world.clock.advance(11min);
        CHECK(summary(ended(id)) == "done 150 150 0");
    };
    SECTION("no key")
    {
        set_key("demo", nullptr);
        world.clock.advance(11min);
        CHECK(summary(waits_for(id, "`paymentsApiKey`")) == "running 100 100 0");
        set_key("demo", "sk_test_provider");
        resumes();
    }
    SECTION("suspended")
    {
        set_status("suspended");
        world.clock.advance(11min);
        CHECK(summary(waits_for(id, "suspended")) == "running 100 100 0");
        set_status("active");
        resumes();
    }
}

TEST_CASE_METHOD(Fixture, "a backfill continues after a restart of the service", "[backfills]")
{
    provider.generates({{"count", 150}});
    provider.set({{"held", true}});
    auto const id = start();
    REQUIRE(eventually([&] { return provider.waiting() == 1; }));
    world.restart();
    REQUIRE(eventually([&] { return provider.waiting() == 2; }));
    CHECK(text(get(id), "status") == "running");
    provider.release();
    CHECK(summary(ended(id)) == "done 150 150 0");
}

TEST_CASE_METHOD(Fixture, "a backfill starts again if the provider has deleted the subscription where it was",
    "[backfills]")
{
    provider.generates({{"count", 250}});
    provider.fails({success, refusal(503)});
    auto const id = start();
    waits_for(id, "503");
    auto const last_id = world.postgres.query("SELECT last_id FROM backfills");
    provider.has({subscription("sub_1", "ada"), subscription("sub_2", "bob")});
    world.clock.advance(11min);
    REQUIRE(eventually([&] { return world.postgres.query("SELECT last_id FROM backfills").empty(); }));
    world.clock.advance(11min);
    CHECK(summary(ended(id)) == "done 2 102 0");
    CHECK(cursors() == Cursors{"", last_id, last_id, ""});
}

TEST_CASE_METHOD(Fixture, "a tenant has at most one backfill that has not ended", "[backfills]")
{
    set_key("other", "sk_test_other");
    provider.set({{"held", true}});
    std::vector<unsigned> statuses(8);
    std::vector<std::thread> threads;
    auto const key = world.key("demo");
    for (auto& status : statuses)
        threads.emplace_back([&] {
            status = world.with(key, "demo").post("/v1/backfills", R"({"source":"payments"})").status;
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(std::ranges::count(statuses, 202U) == 1);
    CHECK(std::ranges::count(statuses, 409U) == 7);
    auto const refused = post();
    CHECK(error_of(refused) == "CONFLICT");
    CHECK(text(refused.json(), "detail").find("Another backfill") != std::string::npos);
    auto const others = start({}, "other");
    provider.release();
    CHECK(summary(ended(others, "other")) == "done 0 0 0");
    REQUIRE(eventually([&] { return post().status == 202; }));
}

TEST_CASE_METHOD(Fixture, "a backfill records each step once, and old ones are purged", "[backfills]")
{
    core::TenantId const tenant = core::tenant_of(core::ScopeId{std::stoll(world.scope_id())});
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    REQUIRE(eventually([&] { return db.healthy(); }));
    auto const transact = [&](auto work) {
        return db.transact_blocking(pg::Scopes::of_tenant(tenant), work);
    };
    transact([&](pg::Tx& tx) {
        backfills::Backfill draft, second;
        draft.id = core::Uuid::v7();
        second.id = core::Uuid::v7();
        REQUIRE(backfills::insert(tx, tenant, draft));
        CHECK_FALSE(backfills::insert(tx, tenant, second));
        auto const queued = backfills::find(tx, tenant, draft.id).value();
        CHECK(queued.status == backfills::Status::queued);
        CHECK_FALSE(queued.started_at);
        auto const begun = backfills::begin(tx, tenant, draft.id).value();
        CHECK(begun.backfill.status == backfills::Status::running);
        CHECK(begun.backfill.started_at == begun.now);
        backfills::Step const step{.from = "", .to = "sub_1", .counts = {3, 2, 1}};
        CHECK(backfills::advance(tx, tenant, draft.id, step));
        CHECK_FALSE(backfills::advance(tx, tenant, draft.id, step));
        backfills::complete(tx, tenant, draft.id);
        backfills::set_error(tx, tenant, draft.id, "too late");
        backfills::fail(tx, tenant, draft.id, "too late");
        CHECK_FALSE(backfills::advance(tx, tenant, draft.id, {.from = "sub_1", .to = "sub_2", .counts = {}}));
        CHECK_FALSE(backfills::begin(tx, tenant, draft.id));
        auto const done = backfills::find(tx, tenant, draft.id).value();
        CHECK(done.status == backfills::Status::done);
        CHECK(done.last_id.empty()); // names a customer's subscription, so it is not kept
        CHECK(done.counts.processed == 3);
        CHECK_FALSE(done.last_error);
    });
    CHECK(run() == "done 0 0 0");
    provider.set({{"held", true}});
    auto const running = start();
    auto const purge = [&](core::Time before) {
        auto const scopes = core::scopes_of(tenant);
        return transact([&](pg::Tx& tx) { return backfills::purge(tx, scopes, before, 1); });
    };
    CHECK(purge(world.clock.now()) == 0);
    world.clock.advance(1min);
    CHECK(purge(world.clock.now()) == 1);
    CHECK(purge(world.clock.now()) == 1);
    CHECK(purge(world.clock.now()) == 0);
    CHECK(world.as_backend("demo").get("/v1/backfills/" + running).status == 200);
    provider.release();
    db.stop();
}

TEST_CASE("the pause of a backfill grows with the time without progress", "[backfills]")
{
    using billing::backfill::pause_after;
    for (auto const& [without_progress, least, most] :
        std::vector<std::array<std::chrono::milliseconds, 3>>{{0s, 2500ms, 5s}, {5s, 2500ms, 5s},
            {1min, 30s, 1min}, {10min, 5min, 10min}, {70h, 5min, 10min}}) {
        CAPTURE(without_progress.count());
        for (std::uint64_t entropy = 0; entropy < 100; ++entropy) {
            auto const pause = pause_after(without_progress, std::nullopt, entropy * 977);
            CHECK(pause >= least);
            CHECK(pause <= most);
        }
    }
    CHECK(pause_after(0s, 1h, 0) == 1h);
    CHECK(pause_after(1h, 1s, 0) == 5min);
    CHECK(pause_after(0s, std::chrono::seconds::max(), 0) == 72h);
}
