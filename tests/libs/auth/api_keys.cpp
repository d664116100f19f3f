#include "auth/api_keys.hpp"

#include "auth/api_key_format.hpp"
#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "support.hpp"
#include "support/eventually.hpp"

#include <thread>

using namespace std::chrono_literals;

namespace {

std::string notification_for(std::string const& raw)
{
    auto const digest = crypto::sha256(raw);
    return core::hex::encode(crypto::view(digest));
}

} // namespace

TEST_CASE("a created key verifies with its scope and kind")
{
    KeysFixture f(two_kinds());
    auto const secret = f.mint({.body = R"({"environment":"sandbox","kind":"secret"})"});
    auto const publishable = f.mint({.body = R"({"environment":"production","kind":"publishable"})"});

    auto const a = f.verify(std::string(secret.at("key").as_string()));
    REQUIRE(a);
    CHECK(a->scope_id == core::ScopeId{15});
    CHECK(a->prefix == secret.at("prefix").as_string());
    CHECK(a->access == core::Access::key);

    auto const b = f.verify(std::string(publishable.at("key").as_string()));
    REQUIRE(b);
    CHECK(b->scope_id == core::ScopeId{14});
    CHECK(b->access == core::Access::publishable_key);
}

TEST_CASE("a well-formed unknown key is refused, and the refusal is cached")
{
    KeysFixture f;
    std::string const raw = auth::api_key_format::generate("fbk_");
    CHECK_FALSE(f.keys.check(raw).decided);
    CHECK_FALSE(f.verify(raw));
    auto const known = f.keys.check(raw);
    CHECK(known.decided);
    CHECK_FALSE(known.key);
}

TEST_CASE("malformed keys never reach the database")
{
    testing::FakeClock const clock;
    pg::Database nowhere({.url = "host=127.0.0.1 port=1 dbname=none user=none"});
    auth::ApiKeys keys(nowhere, clock, {.kinds = one_kind(), .flush_interval = 0ms}, [] { return true; });

    std::string const good = auth::api_key_format::generate("fbk_");
    std::string wrong = good;
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    for (std::string const& raw :
        {wrong, std::string(), std::string("fbk_"), std::string(50, 'a'), good + "x"}) {
        INFO(raw);
        CHECK_FALSE(keys.is_candidate(raw));
        CHECK(keys.check(raw).decided);
        CHECK_FALSE(testing::run_awaitable(keys.verify(raw)));
    }
    // A well-formed key cannot be verified, which shows that the database is really down.
    CHECK(keys.is_candidate(good));
    CHECK(code_of([&] { testing::run_awaitable(keys.verify(good)); }) == "UNAVAILABLE");
    nowhere.stop();
}

TEST_CASE("a verified key is served from the cache while notifications arrive")
{
    KeysFixture f;
    std::string const raw = f.mint_raw();
    CHECK_FALSE(f.keys.check(raw).decided);
    CHECK(f.verify(raw));
    CHECK(f.keys.check(raw).decided);
    f.postgres.stop();
    CHECK(f.verify(raw));
    f.postgres.start();
}

TEST_CASE("without notifications every verification queries the database")
{
    KeysFixture f;
    std::string const raw = f.mint_raw();
    CHECK(f.verify(raw));
    f.live = false;
    CHECK_FALSE(f.keys.check(raw).decided);
    f.revoke(raw.substr(0, 12)); // f.keys gets no notification
    CHECK_FALSE(f.verify(raw));
}

TEST_CASE("look-ups without notifications are not cached")
{
    KeysFixture f;
    std::string const raw = f.mint_raw();
    f.live = false;
    CHECK(f.verify(raw));
    f.live = true;
    CHECK_FALSE(f.keys.check(raw).decided);
}

TEST_CASE("a notification removes its key from the cache, and a gap in notifications removes all keys")
{
    KeysFixture f;
    std::string const a = f.mint_raw();
    std::string const b = f.mint_raw();
    CHECK(f.verify(a));
    CHECK(f.verify(b));
    f.keys.on_notify(notification_for(a));
    CHECK_FALSE(f.keys.check(a).decided);
    CHECK(f.keys.check(b).decided);
    f.keys.on_gap();
    CHECK_FALSE(f.keys.check(b).decided);
    CHECK(f.verify(b));
    f.keys.on_notify("not a digest"); // an unknown notification clears the cache
    CHECK_FALSE(f.keys.check(b).decided);
}

TEST_CASE("the result of a look-up is not cached if a notification arrives during the look-up")
{
    KeysFixture f;
    std::string const raw = f.mint_raw();

    // Another session locks the table, so that the look-up waits in the database.
    pg::Database other({.url = f.postgres.owner_url(), .threads = 1});
    std::atomic<bool> locked = false;
    std::atomic<bool> release = false;
    std::thread blocker([&] {
        other.transact_blocking({}, [&](pg::Tx& tx) {
            tx.run("LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE");
            locked = true;
            return testing::eventually([&] { return release.load(); });
        });
    });
    REQUIRE(testing::eventually([&] { return locked.load(); }));
    std::optional<auth::ApiKey> found;
    std::thread caller([&] { found = f.verify(raw); });
    REQUIRE(testing::eventually([&] {
        return f.postgres.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") ==
               "1";
    }));
    f.keys.on_notify(notification_for("some other key"));
    release = true;
    caller.join();
    blocker.join();
    other.stop();

    CHECK(found);
    CHECK_FALSE(f.keys.check(raw).decided);
    CHECK(f.verify(raw));
    CHECK(f.keys.check(raw).decided);
}

TEST_CASE("a revoked key is refused on every replica")
{
    KeysFixture f;
    Replica one(f);
    Replica two(f);
    std::string const raw = f.mint_raw();
    CHECK(one.verify(raw));
    CHECK(two.verify(raw));
    CHECK(two.keys.check(raw).decided);

    f.revoke(raw.substr(0, 12));
    auto const refused = [&](Replica& replica) { return !replica.verify(raw); };
    CHECK(testing::eventually([&] { return refused(one); }));
    CHECK(testing::eventually([&] { return refused(two); }));
}

TEST_CASE("a replica whose listener lost its connection does not use its cache")
{
    KeysFixture f;
    Replica replica(f);
    std::string const raw = f.mint_raw();
    CHECK(replica.verify(raw));
    f.postgres.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%listener%'");
    f.revoke(raw.substr(0, 12));
    CHECK(testing::eventually([&] { return !replica.verify(raw); }));
}

TEST_CASE("a key becomes invalid exactly at the end of its grace period, cached or not")
{
    KeysFixture f;
    std::string const old = f.mint_raw();
    CHECK(f.verify(old));
    f.rotate({.body = R"({"gracePeriodSeconds":60})", .environment = "production"});
    f.keys.on_notify(notification_for(old));

    f.clock.advance(60s - 1us);
    auto const key = f.verify(old);
    REQUIRE(key);
    CHECK(key->expires_at == testing::FakeClock::start + 60s);
    CHECK(f.keys.check(old).decided);
    f.clock.advance(1us);
    auto const known = f.keys.check(old);
    CHECK(known.decided);
    CHECK_FALSE(known.key);
    f.keys.on_gap();
    CHECK_FALSE(f.verify(old));
}

TEST_CASE("when the rows of a scope are erased, its keys become invalid on every replica")
{
    KeysFixture f;
    Replica replica(f);
    std::string const raw = f.mint_raw();
    CHECK(replica.verify(raw));
    f.postgres.query("DELETE FROM api_keys WHERE scope_id = 14");
    CHECK(testing::eventually([&] { return !replica.verify(raw); }));
}

TEST_CASE("keys of one scope are invisible in another")
{
    KeysFixture f;
    f.mint_raw();
    auto const count = [&](pg::Scopes const& scopes) {
        return f.database.transact_blocking(
            scopes, [](pg::Tx& tx) { return tx.run("SELECT prefix FROM api_keys").size(); });
    };
    CHECK(count(core::ScopeId{14}) == 1);
    CHECK(count(core::ScopeId{15}) == 0);
    CHECK(count({}) == 0);
}

TEST_CASE("many threads verify, revoke and flush concurrently")
{
    KeysFixture f;
    Replica replica(f);
    std::vector<std::string> raw;
    for (int i = 0; i < 8; ++i)
        raw.push_back(f.mint_raw());
    std::atomic<bool> done = false;
    std::atomic<int> accepted = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            while (!done)
                for (auto const& key : raw)
                    if (replica.verify(key)) ++accepted;
        });
    }
    for (int i = 0; i < 4; ++i) {
        f.revoke(raw[static_cast<std::size_t>(i)].substr(0, 12));
        f.clock.advance(61s);
        replica.keys.flush_usage();
        replica.keys.on_gap();
    }
    CHECK(testing::eventually([&] { return accepted > 100; }));
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(testing::eventually([&] { return !replica.verify(raw[i]); }));
    done = true;
    for (auto& thread : threads)
        thread.join();
    for (std::size_t i = 0; i < raw.size(); ++i)
        CHECK(replica.verify(raw[i]).has_value() == (i >= 4));
}

TEST_CASE("kinds of keys must have different prefixes of the right length")
{
    testing::FakeClock const clock;
    pg::Database nowhere({.url = "host=127.0.0.1 port=1"});
    auto const make = [&](std::vector<auth::ApiKeyKind> kinds) {
        auth::ApiKeys const keys(nowhere, clock, {.kinds = std::move(kinds)}, [] { return true; });
    };
    CHECK_THROWS_AS(make({{"a", "x_"}, {"b", "x_"}}), std::invalid_argument);
    CHECK_THROWS_AS(make({{"a", "toolong_"}}), std::invalid_argument);
    nowhere.stop();
}
