#include "auth/erased_users.hpp"

#include "audit/audit.hpp"
#include "auth/erased_user_rows.hpp"
#include "core/hex.hpp"
#include "support.hpp"
#include "support/eventually.hpp"

#include <pqxx/connection>
#include <pqxx/transaction>

#include <thread>

using namespace std::chrono_literals;

namespace {

namespace rows = auth::erased_user_rows;

constexpr core::ScopeId scope{14};
constexpr core::ScopeId other_scope{15};

std::string notification_for(std::string const& user_id)
{
    auto const digest = rows::hash_of(scope, user_id);
    return core::hex::encode(crypto::view(digest));
}

/// Erased users with a database for this test. The test controls `live`.
struct ErasedFixture {
    explicit ErasedFixture(std::size_t capacity = 100)
        : users(database, clock, [this] { return live.load(); }, {.capacity = capacity})
    {
    }

    ~ErasedFixture() { database.stop(); }

    /// Records that the account was deleted. Does not notify `users`.
    core::Uuid erase(std::string const& user_id, core::ScopeId in = scope)
    {
        auto const id = core::Uuid::v7();
        database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
            return rows::insert(tx, {.scope_id = in,
                                        .user_hash = rows::hash_of(in, user_id),
                                        .erasure_id = id,
                                        .sealed_user_id = "sealed " + user_id,
                                        .refuse_until = clock.now() + auth::refusal_time});
        });
        return id;
    }

    bool contains(std::string const& user_id, core::ScopeId in = scope)
    {
        return testing::run_awaitable(users.contains(in, user_id));
    }

    testing::Postgres postgres =
        testing::Postgres::migrated({&audit::migrations(), &auth::migrations()}, "auth");
    pg::Database database{{.url = postgres.service_url(), .threads = 2}};
    testing::FakeClock clock;
    std::atomic<bool> live = true;
    auth::ErasedUsers users;
};

} // namespace

TEST_CASE("tokens of an erased user are refused for 16 minutes, in one scope")
{
    ErasedFixture f;
    f.erase("ada");
    CHECK(f.contains("ada"));
    CHECK_FALSE(f.contains("bob"));
    CHECK_FALSE(f.contains("ada", other_scope));
    f.clock.advance(16min - 1us);
    CHECK(f.contains("ada"));
    f.clock.advance(1us);
    CHECK_FALSE(f.contains("ada"));
    f.live = false;
    CHECK_FALSE(f.contains("ada"));
}

TEST_CASE(
    "while notifications arrive, the first look-up loads all erased users, and later ones need no query")
{
    ErasedFixture f;
    f.erase("ada");
    CHECK(f.users.check(scope, "ada") == std::nullopt);
    CHECK_FALSE(f.contains("bob"));
    CHECK(f.users.check(scope, "bob") == false);
    CHECK(f.users.check(scope, "ada") == true);
    f.postgres.stop();
    CHECK(f.contains("ada"));
    CHECK_FALSE(f.contains("bob"));
    f.live = false;
    CHECK(code_of([&] { f.contains("bob"); }) == "UNAVAILABLE");
    f.postgres.start();
}

TEST_CASE("a notification adds the user to the memory")
{
    ErasedFixture f;
    CHECK_FALSE(f.contains("ada"));
    f.users.on_notify(notification_for("ada"));
    CHECK(f.users.check(scope, "ada") == true);
    CHECK(f.users.check(other_scope, "ada") == false);
    CHECK(f.users.check(scope, "bob") == false);
    f.clock.advance(16min);
    CHECK(f.users.check(scope, "ada") == false);
}

TEST_CASE("after a gap and after an unknown notification the users are read again")
{
    ErasedFixture f;
    CHECK_FALSE(f.contains("ada"));
    f.erase("ada"); // its notification is lost
    f.users.on_gap();
    CHECK(f.users.check(scope, "ada") == std::nullopt);
    CHECK(f.contains("ada"));
    f.users.on_notify("not a digest");
    CHECK(f.users.check(scope, "ada") == std::nullopt);
    CHECK(f.contains("ada"));
}

TEST_CASE("without notifications every look-up queries the database")
{
    ErasedFixture f;
    CHECK_FALSE(f.contains("ada"));
    f.live = false;
    f.erase("ada");
    CHECK(f.users.check(scope, "ada") == std::nullopt);
    CHECK(f.contains("ada"));
}

TEST_CASE("the users are not kept if a notification arrives while they are read")
{
    ErasedFixture f;
    std::optional<pqxx::connection> connection(f.postgres.superuser_url());
    std::optional<pqxx::work> lock(*connection);
    lock->exec("LOCK TABLE erased_users IN ACCESS EXCLUSIVE MODE");
    std::thread look_up([&] { f.contains("ada"); });
    auto const waits = [&] {
        return f.postgres.query("SELECT count(*) FROM pg_locks WHERE relation = 'erased_users'::regclass AND "
                                "NOT granted") == "1";
    };
    CHECK(testing::eventually(waits));
    f.users.on_notify(notification_for("ada"));
    lock.reset();
    look_up.join();
    CHECK(f.users.check(scope, "ada") == std::nullopt);
}

TEST_CASE("more erased users than the memory can hold are looked up in the database")
{
    ErasedFixture f(2);
    for (auto const* user : {"ada", "bob", "eve"})
        f.erase(user);
    for (auto const* user : {"ada", "bob", "eve"})
        CHECK(f.contains(user));
    CHECK_FALSE(f.contains("dan"));
    CHECK(f.users.check(scope, "ada") == std::nullopt);
}

TEST_CASE("a full memory makes room for new users when the tokens of others have expired")
{
    ErasedFixture f(2);
    CHECK_FALSE(f.contains("ada"));
    for (auto const* user : {"ada", "bob"})
        f.users.on_notify(notification_for(user));
    f.clock.advance(16min);
    f.users.on_notify(notification_for("eve"));
    CHECK(f.users.check(scope, "eve") == true);
    CHECK(f.users.check(scope, "ada") == false);
    f.users.on_notify(notification_for("dan"));
    f.users.on_notify(notification_for("fay")); // does not fit
    CHECK(f.users.check(scope, "eve") == std::nullopt);
}

TEST_CASE("every replica refuses the tokens of an erased user")
{
    ErasedFixture f;
    pg::Database database({.url = f.postgres.service_url(), .threads = 1});
    pg::Listener* started = nullptr;
    auth::ErasedUsers replica(database, f.clock, [&] { return started != nullptr && started->live(); });
    {
        pg::Listener listener(f.postgres.service_url(),
            std::map<std::string, std::function<void(std::string const&)>>{{auth::ErasedUsers::channel,
                [&](std::string const& payload) { replica.on_notify(payload); }}},
            [&] { replica.on_gap(); });
        REQUIRE(testing::eventually([&] { return listener.live(); }));
        started = &listener;
        auto const known = [&] { // loads the memory
            testing::run_awaitable(replica.contains(scope, "ada"));
            return replica.check(scope, "ada").has_value();
        };
        REQUIRE(testing::eventually(known));
        CHECK(replica.check(scope, "ada") == false);
        f.erase("ada");
        CHECK(testing::eventually([&] { return replica.check(scope, "ada") == true; }));
        started = nullptr;
    }
    database.stop();
}

TEST_CASE("a user is recorded once, and the encrypted id is removed when the second erasure is complete")
{
    ErasedFixture f;
    auto const first = f.erase("ada");
    f.clock.advance(1min);
    f.erase("ada");
    CHECK(f.postgres.query("SELECT count(*) FROM erased_users") == "1");
    auto const in_transaction = [&](auto work) { return f.database.transact_blocking(pg::Scopes(), work); };
    auto const find = [&] {
        return in_transaction([&](pg::Tx& tx) { return rows::find_pending(tx, first); });
    };
    REQUIRE(find());
    CHECK(find()->scope_id == scope);
    CHECK(find()->sealed_user_id == "sealed ada");

    auto const pending = in_transaction([&](pg::Tx& tx) { return rows::lock_pending(tx, scope); });
    REQUIRE(pending.size() == 1);
    CHECK(pending.front().erasure_id == first);
    CHECK(in_transaction([&](pg::Tx& tx) { return rows::lock_pending(tx, other_scope); }).empty());
    in_transaction([&](pg::Tx& tx) { rows::reseal(tx, first, "again"); });
    CHECK(find()->sealed_user_id == "again");

    in_transaction([&](pg::Tx& tx) { rows::finish(tx, first); });
    CHECK_FALSE(find());
    CHECK(f.contains("ada"));
    f.clock.advance(24h);
    std::vector<std::string> const users{"bob", "ada", "ada"};
    auto const erased = [&](core::ScopeId in) {
        return in_transaction([&](pg::Tx& tx) { return rows::were_erased(tx, in, users); });
    };
    CHECK(erased(scope) == std::vector<bool>{false, true, true});
    CHECK(erased(other_scope) == std::vector<bool>{false, false, false});
}
