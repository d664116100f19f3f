#include "auth/api_key_usage.hpp"

#include "support.hpp"
#include "support/eventually.hpp"

using namespace std::chrono_literals;

TEST_CASE("a key's use is written at most once per interval")
{
    auth::ApiKeyUsage usage(60s);
    core::Time const t{};
    usage.mark(core::ScopeId{14}, "fbk_aaaaaaaa", t);
    auto const first = usage.due(t, false);
    REQUIRE(first.size() == 1);
    CHECK(first[0].at == t);
    usage.written(first, t);
    CHECK(usage.due(t, false).empty());

    usage.mark(core::ScopeId{14}, "fbk_aaaaaaaa", t + 10s);
    usage.mark(core::ScopeId{14}, "fbk_aaaaaaaa", t + 59s);
    CHECK(usage.due(t + 59s, false).empty());
    CHECK(usage.due(t + 59s, true).size() == 1);
    auto const second = usage.due(t + 60s, false);
    REQUIRE(second.size() == 1);
    CHECK(second[0].at == t + 59s);
}

TEST_CASE("a use during the write is not lost, and a failed write is repeated")
{
    auth::ApiKeyUsage usage(60s);
    core::Time const t{};
    usage.mark(core::ScopeId{14}, "fbk_aaaaaaaa", t);
    auto const uses = usage.due(t, false);
    CHECK(usage.due(t, false).size() == 1); // the write was not confirmed
    usage.mark(core::ScopeId{14}, "fbk_aaaaaaaa", t + 1s);
    usage.written(uses, t);
    auto const later = usage.due(t + 60s, false);
    REQUIRE(later.size() == 1);
    CHECK(later[0].at == t + 1s);
}

TEST_CASE("lastUsedAt is recorded")
{
    KeysFixture f;
    std::string const raw = f.mint_raw();
    auto const last_used = [&] { return f.list().at("items").at(0).at("lastUsedAt"); };
    CHECK(last_used().is_null());

    CHECK(f.verify(raw));
    CHECK(last_used().is_null()); // the uses are collected and not written yet
    CHECK(f.keys.flush_usage() == 1);
    CHECK(last_used() == "2026-01-01T00:00:00.000Z");

    f.clock.advance(30s);
    CHECK(f.verify(raw));
    CHECK(f.keys.flush_usage() == 0);
    f.clock.advance(31s);
    CHECK(f.verify(raw));
    CHECK(f.keys.flush_usage() == 1);
    CHECK(last_used() == "2026-01-01T00:01:01.000Z");
    CHECK(f.keys.flush_usage() == 0);
}

TEST_CASE("uses survive an outage of the database")
{
    KeysFixture f;
    std::string const raw = f.mint_raw();
    CHECK(f.verify(raw));
    f.postgres.stop();
    CHECK(f.keys.flush_usage() == 0);
    f.postgres.start();
    CHECK(testing::eventually([&] { return f.keys.flush_usage() == 1; }));
}

TEST_CASE("the background flush writes by itself, and stop writes the rest")
{
    KeysFixture f;
    std::string const raw = f.mint_raw();
    auto const written = [&] { return f.postgres.query("SELECT last_used_at FROM api_keys"); };
    {
        auth::ApiKeys keys(
            f.database, f.clock, {.kinds = one_kind(), .flush_interval = 20ms}, [] { return true; });
        CHECK(testing::run_awaitable(keys.verify(raw)));
        CHECK(testing::eventually([&] { return written() != ""; }));
        std::string const first = written();
        f.clock.advance(5s);
        CHECK(testing::run_awaitable(keys.verify(raw)));
        keys.stop();
        CHECK(written() != first);
    }
}
