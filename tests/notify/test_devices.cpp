#include "pg/batcher.hpp"
#include "storage/devices.hpp"
#include "world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <future>
#include <set>

namespace asio = boost::asio;
namespace devices = notify::devices;
using notify::Device, notify::DevicePlatform;

namespace {

core::UserId const first_user("ada"), second_user("bob");

std::string device(std::string const& user, std::string const& token, std::string const& platform = "android")
{
    return body({{"userId", user}, {"token", token}, {"platform", platform}});
}

std::vector<std::string> tokens_of(testing::HttpClient& client, std::string const& user, int limit = 100)
{
    std::vector<std::string> tokens;
    for (auto const& item : all_items(client, "/v1/devices?userId=" + user, limit))
        tokens.push_back(text(item, "token"));
    return tokens;
}

/// The table of devices, without a service.
struct Table {
    std::vector<Device> registered(std::vector<devices::Registration> const& rows)
    {
        std::vector<Device> devices;
        for (auto& device : offered(rows))
            devices.push_back(std::move(device).value());
        return devices;
    }

    /// As `registered`; nullopt for registrations that are refused.
    std::vector<std::optional<Device>> offered(std::vector<devices::Registration> const& rows)
    {
        return together<devices::Registration, std::optional<Device>>(devices::register_batch, rows);
    }

    std::vector<bool> removed(std::vector<devices::Token> const& tokens)
    {
        return together<devices::Token, bool>(devices::remove_batch, tokens);
    }

    std::optional<Device> find(std::string const& token)
    {
        return database.transact_blocking(core::ScopeId{2},
            [&](pg::Tx& tx) { return devices::find(tx, core::Scope{core::ScopeId{2}, ""}, token); });
    }

    void prune(Device const& d)
    {
        devices::Gone const gone{d.id, d.updated_at};
        database.transact_blocking(
            core::ScopeId{2}, [&](pg::Tx& tx) { devices::prune(tx, core::ScopeId{2}, {&gone, 1}); });
    }

    testing::Postgres const postgres = testing::Postgres::migrated(notify::App::components(), "notify");
    pg::Database database{{.url = postgres.service_url(), .threads = 1, .queue_timeout = 30s}};

private:
    /// The results of callers that all wait before the first one is served, so that they form one batch.
    template <class In, class Out>
    std::vector<Out> together(
        std::type_identity_t<typename pg::Batcher<In, Out>::Work> work, std::vector<In> const& inputs)
    {
        std::size_t batches = 0;
        pg::Batcher<In, Out> coalescer(
            database, [&](pg::BatchConnection& connection, std::span<In const> batch) {
                ++batches;
                return work(connection, batch);
            });
        std::vector<std::optional<Out>> outputs(inputs.size());
        asio::io_context ioc(1);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            asio::co_spawn(ioc, coalescer.run(inputs[i]), [&outputs, i](std::exception_ptr failure, Out out) {
                if (!failure) outputs[i].emplace(std::move(out));
            });
        }
        ioc.run();
        REQUIRE(batches == 1);
        std::vector<Out> all;
        for (auto& output : outputs)
            all.push_back(std::move(output).value());
        return all;
    }
};

} // namespace

TEST_CASE("registrations for users whose account was deleted store nothing, and others of the batch succeed",
    "[devices]")
{
    Table table;
    core::ScopeId const scope{2}, other{3};
    auto const of = [&](core::UserId const& user, std::string token, core::ScopeId in) {
        return devices::Registration{in, std::move(token), user, DevicePlatform::android};
    };
    REQUIRE(table.registered({of(second_user, "kept", scope)}).size() == 1);
    table.postgres.query(
        "INSERT INTO erased_users VALUES (sha256('2:ada'), 2, gen_random_uuid(), NULL, now())");
    auto const devices = table.offered({of(first_user, "a", scope), of(second_user, "b", scope),
        of(first_user, "b", scope), of(first_user, "c", scope), of(second_user, "c", scope),
        of(first_user, "kept", scope), of(first_user, "a", other)});
    std::vector<bool> stored;
    for (auto const& device : devices)
        stored.push_back(device.has_value());
    CHECK(stored == std::vector<bool>{false, true, false, false, true, false, true});
    CHECK(table.postgres.query(
              "SELECT string_agg(concat_ws(' ', scope_id, token, user_id), ', ' ORDER BY scope_id, "
              "token) FROM devices") == "2 b bob, 2 c bob, 2 kept bob, 3 a ada");
}

TEST_CASE("device tokens and user ids are validated", "[devices][domain]")
{
    for (auto const* good : {"x", "dGhpcyBpcyBhIHRva2Vu:APA91b-_", "!~\"\\/%", "00fc13adff78512"})
        CHECK(notify::is_device_token(good));
    CHECK(notify::is_device_token(std::string(1024, 'x')));
    for (auto const* bad : {"", " ", "a b", "a\n", "\x7f", "\xc3\xa9"})
        CHECK_FALSE(notify::is_device_token(bad));
    CHECK_FALSE(notify::is_device_token(std::string(1025, 'x')));

    for (auto const* good :
        {"ada", "anon", "Anon:x", "auth0|5f", "anon:0190a5d2-0000-7000-8000-00000000000A"})
        CHECK(notify::is_user_id(good));
    for (auto const* bad : {"anon:", "anon:ada", "anon:0190a5d200007000800000000000000a",
             "anon:0190a5d2-0000-7000-8000-00000000000a "})
        CHECK_FALSE(notify::is_user_id(bad));
}

TEST_CASE("a device is registered, listed and unregistered", "[devices]")
{
    World const world;
    auto app = world.as_app(), backend = world.as_backend();
    auto const made = app.post("/v1/devices", device(ada, "token:1"));
    REQUIRE(made.status == 201);
    CHECK(text(made.json(), "userId") == ada);
    CHECK(text(made.json(), "token") == "token:1");
    CHECK(text(made.json(), "platform") == "android");
    auto const listed = backend.get("/v1/devices?userId=" + std::string(ada)).json();
    CHECK(listed.at("items") == boost::json::array{made.json()});
    CHECK(listed.at("cursor").is_null());

    SECTION("registering a known token moves it to the new user")
    {
        auto const moved = app.post("/v1/devices", device(bob, "token:1", "ios"));
        REQUIRE(moved.status == 201);
        CHECK(text(moved.json(), "userId") == bob);
        CHECK(text(moved.json(), "platform") == "ios");
        CHECK(text(moved.json(), "createdAt") == text(made.json(), "createdAt"));
        CHECK(tokens_of(backend, ada).empty());
        CHECK(tokens_of(backend, bob) == std::vector<std::string>{"token:1"});
        CHECK(world.postgres.query("SELECT count(*) FROM devices") == "1");
    }
    SECTION("a second request to unregister gets 404")
    {
        CHECK(app.del("/v1/devices/token%3A1").body == R"({"deleted":true})");
        auto const again = app.del("/v1/devices/token%3A1");
        CHECK(again.status == 404);
        CHECK(error_of(again) == "NOT_FOUND");
        CHECK(tokens_of(backend, ada).empty());
    }
    SECTION("each scope has its own devices, even with the same token")
    {
        auto production = world.as_app("demo");
        CHECK(production.del("/v1/devices/token:1").status == 404);
        CHECK(production.post("/v1/devices", device(bob, "token:1")).status == 201);
        CHECK(production.del("/v1/devices/token:1").status == 200);
        CHECK(tokens_of(backend, ada).size() == 1);
        auto stranger = world.as_backend("other-sandbox");
        CHECK(tokens_of(stranger, ada).empty());
        CHECK(stranger.del("/v1/devices/token:1").status == 404);
    }
}

TEST_CASE("all faults of a device are reported at once, and nothing is written", "[devices]")
{
    World const world;
    auto app = world.as_app();
    for (auto const& [request, faults] : std::map<std::string, std::string>{
             {"{}", "/userId required\n/token required\n/platform required"},
             {body({{"userId", ""}, {"token", ""}, {"platform", "windows"}}),
                 "/userId too_short\n/token too_short\n/platform not_allowed"},
             {body({{"userId", std::string(129, 'x')}, {"token", std::string(1025, 'x')}, {"platform", 1}}),
                 "/userId too_long\n/token too_long\n/platform type"},
             {device("anon:ada", "a b", "web"), "/userId format\n/token format"},
             {device(std::string("a\0", 2), "t\xc3\xa9"), "/userId format\n/token format"},
         }) {
        CAPTURE(request);
        auto const r = app.post("/v1/devices", request);
        CHECK(r.status == 400);
        CHECK(faults_of(r) == faults);
    }
    std::string longest_id;
    for (int i = 0; i < 128; ++i)
        longest_id += "\xc3\xa9";
    CHECK(world.postgres.query("SELECT count(*) FROM devices") == "0");
    CHECK(app.post("/v1/devices", device(longest_id, std::string(1024, 'x'), "web")).status == 201);
    CHECK(app.del("/v1/devices/" + std::string(1024, 'x')).status == 200);
    CHECK(app.del("/v1/devices/" + std::string(1025, 'x')).status == 404);
}

TEST_CASE("a publishable key can only register and unregister devices", "[devices]")
{
    World const world;
    auto app = world.as_app();
    CHECK(app.post("/v1/devices", device(ada, "t")).status == 201);
    CHECK(app.get("/v1/devices?userId=" + std::string(ada)).status == 403);
    CHECK(app.post("/v1/devices/t/test", "").status == 403);
    CHECK(app.del("/v1/devices/t").status == 200);
    std::array backends{world.as_backend(), world.as_master()};
    for (auto& client : backends) {
        CHECK(client.post("/v1/devices", device(ada, "t")).status == 201);
        CHECK(client.del("/v1/devices/t").status == 200);
    }
    CHECK(world.as_user(ada, "owner").post("/v1/devices", device(ada, "t")).status == 201);
    CHECK(world.as_user(ada).post("/v1/devices", device(ada, "t2")).status == 403);
    CHECK(world.client().post("/v1/devices", device(ada, "t2")).status == 401);
}

TEST_CASE("a user's devices are listed newest first", "[devices]")
{
    World const world;
    auto backend = world.as_backend();
    std::vector<std::string> expected;
    for (int i = 0; i < 7; ++i) {
        std::string const token = "token-" + std::to_string(i);
        world.new_device(ada, token);
        world.new_device(bob, "of-bob-" + std::to_string(i));
        expected.insert(expected.begin(), token);
    }
    for (int const limit : {1, 3, 7, 100})
        CHECK(tokens_of(backend, ada, limit) == expected);
    auto const page = backend.get("/v1/devices?limit=2&userId=" + std::string(ada)).json();
    auto const cursor = "&cursor=" + text(page, "cursor");
    CHECK(faults_of(backend.get("/v1/devices?userId=" + std::string(bob) + cursor)) ==
          "?cursor invalid_cursor");
    CHECK(faults_of(backend.get("/v1/devices")) == "?userId required");
    CHECK(faults_of(backend.get("/v1/devices?userId=&limit=0")) == "?userId too_short\n?limit range");
}

TEST_CASE("registering a device is idempotent under an idempotency key", "[devices]")
{
    World const world;
    auto app = world.as_app();
    testing::HttpClient::Headers const key{{"Idempotency-Key", "k"}};
    auto const first = app.post("/v1/devices", device(ada, "t"), key);
    CHECK(first.status == 201);
    CHECK(app.post("/v1/devices", device(bob, "t")).status == 201);
    auto const again = app.post("/v1/devices", device(ada, "t"), key);
    CHECK(again.body == first.body);
    CHECK(again.header("idempotent-replayed") == "true");
    auto backend = world.as_backend();
    CHECK(tokens_of(backend, bob).size() == 1);
}

TEST_CASE("the registrations of one batch take effect in their order of arrival", "[devices]")
{
    Table table;
    auto const first = table.registered({{core::ScopeId{2}, "a", first_user, DevicePlatform::ios},
        {core::ScopeId{2}, "b", first_user, DevicePlatform::web},
        {core::ScopeId{3}, "a", first_user, DevicePlatform::ios},
        {core::ScopeId{2}, "a", second_user, DevicePlatform::android}});
    REQUIRE(first.size() == 4);
    CHECK(first[0].user_id.text() == "ada");
    CHECK(first[0].platform == DevicePlatform::ios);
    CHECK(first[3].user_id.text() == "bob");
    CHECK(first[3].id == first[0].id);
    CHECK(first[2].token == "a");
    CHECK(first[2].id != first[0].id);
    CHECK(first[1].token == "b");
    CHECK(table.postgres.query(R"(
        SELECT string_agg(scope_id || token || user_id || platform, ' ' ORDER BY scope_id, token)
        FROM devices)") == "2abobandroid 2badaweb 3aadaios");

    CHECK(table.removed({{core::ScopeId{2}, "a"}, {core::ScopeId{2}, "a"}, {core::ScopeId{2}, "c"},
              {core::ScopeId{3}, "b"}, {core::ScopeId{3}, "a"}}) ==
          std::vector<bool>{true, false, false, false, true});
    CHECK(table.postgres.query("SELECT string_agg(scope_id || token, ' ') FROM devices") == "2b");
}

TEST_CASE("a device that was registered again after the push is not removed", "[devices]")
{
    Table table;
    auto const row = devices::Registration{core::ScopeId{2}, "a", first_user, DevicePlatform::ios};
    Device const seen = table.registered({row}).front();
    Device const again = table.registered({row}).front();
    CHECK(again.id == seen.id);
    CHECK(again.updated_at > seen.updated_at);
    table.prune(seen);
    REQUIRE(table.find("a"));
    table.prune(again);
    CHECK_FALSE(table.find("a"));
}

TEST_CASE("after concurrent registrations and removals each token exists at most once", "[devices]")
{
    World const world;
    world.key("demo-sandbox", "publishable");
    constexpr int clients = 8, rounds = 25;
    std::vector<std::future<std::set<unsigned>>> answers;
    for (int c = 0; c < clients; ++c) {
        answers.push_back(std::async(std::launch::async, [&world, c] {
            auto app = world.as_app();
            std::set<unsigned> statuses;
            for (int i = 0; i < rounds; ++i) {
                std::string const token = "t" + std::to_string((c + i) % 5);
                statuses.insert(app.post("/v1/devices", device("user " + std::to_string(c), token)).status);
                if (i % 3 == 0) statuses.insert(app.del("/v1/devices/" + token).status);
            }
            return statuses;
        }));
    }
    std::set<unsigned> statuses;
    for (auto& answer : answers)
        statuses.merge(answer.get());
    statuses.erase(404); // another client has removed the device
    CHECK(statuses == std::set<unsigned>{200, 201});
    CHECK(world.postgres.query("SELECT count(*) = count(DISTINCT token) AND count(*) <= 5 FROM devices") ==
          "t");
    auto app = world.as_app();
    for (int i = 0; i < 5; ++i)
        CHECK(app.post("/v1/devices", device(ada, "t" + std::to_string(i))).status == 201);
    auto backend = world.as_backend();
    CHECK(tokens_of(backend, ada).size() == 5);
}

TEST_CASE("only the last hundred registered devices of a user are kept", "[devices]")
{
    Table table;
    auto const names = [&](char const* user) {
        return table.postgres.query(std::string(R"(
            SELECT count(*) || ' ' || min(token) || ' ' || max(token)
            FROM devices
            WHERE user_id = ')") + user +
                                    "'");
    };
    std::vector<devices::Registration> rows;
    auto const row = [](int i, core::UserId user = first_user) {
        return devices::Registration{
            core::ScopeId{2}, std::to_string(1'000 + i), std::move(user), DevicePlatform::web};
    };
    for (int i = 0; i < 100; ++i)
        rows.push_back(row(i));
    table.registered(rows);
    table.registered({row(0), row(500, second_user),
        {core::ScopeId{3}, "1000", first_user, DevicePlatform::web}}); // no new device of ada in scope 2
    CHECK(names("ada") == "101 1000 1099");                            // one of the 101 is in scope 3
    CHECK(names("bob") == "1 1500 1500");

    table.registered({row(100)});
    CHECK_FALSE(table.find("1001")); // 1000 was registered again
    CHECK(table.find("1000"));
    // The same holds for a device that moves from another user, and for several devices at once.
    table.registered({row(500), row(101), row(102)});
    CHECK(names("ada") == "101 1000 1500");
    for (auto const* gone : {"1001", "1002", "1003", "1004"})
        CHECK_FALSE(table.find(gone));
    CHECK(table.find("1005"));
    CHECK(table.postgres.query("SELECT count(*) FROM devices WHERE scope_id = 3") == "1");
}
