#include "idempotency/once.hpp"

#include "core/error.hpp"
#include "pg/row.hpp"
#include "support/postgres.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <thread>

namespace {

core::Scope const acme = core::Scope::of(core::TenantId{1}, core::Environment::production, "acme");
core::Scope const acme_sandbox = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "acme");

/// A service with a table of objects to create.
pg::Component const& things()
{
    static pg::Component const component{"things", {{"0001_things", R"(
        CREATE TABLE things (scope_id bigint NOT NULL, thing_id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL,
            PRIMARY KEY (scope_id, thing_id));
        SELECT protect_by_scope('things');
        GRANT SELECT, INSERT ON things TO :service_role;
    )"}}};
    return component;
}

struct Store {
    testing::Postgres postgres =
        testing::Postgres::migrated({&idempotency::migrations(), &things()}, "things");
    pg::Database database{{.url = postgres.service_url(), .threads = 8}};
    crypto::Keyring const* seal = nullptr;

    http::Response create(http::Request const& request)
    {
        return testing::run_awaitable(idempotency::once(
            database, request,
            [&](pg::Tx& tx) {
                auto const rows =
                    tx.run("INSERT INTO things (scope_id, name) VALUES ($1, $2) RETURNING thing_id",
                        {request.scope().id, request.body});
                auto const id = pg::RowReader(rows.front()).text();
                return http::Response::created(R"({"id":)" + id + "}")
                    .header("ETag", "\"" + id + "\"")
                    .header("Location", "/v1/things/" + id)
                    .header("X-Other", "not kept");
            },
            seal));
    }

    std::string error_of(http::Request const& request)
    {
        try {
            create(request);
        } catch (core::Error const& error) {
            return std::string(error.code().name);
        }
        return {};
    }

    int count(char const* table = "things") const
    {
        return std::stoi(postgres.query(std::string("SELECT count(*) FROM ") + table));
    }
};

http::Request make_request(std::string key, std::string body = "a")
{
    http::Request request;
    request.method = http::Method::post;
    request.method_text = "POST";
    request.target = request.path = "/v1/things";
    request.body = std::move(body);
    request.context.scope = acme;
    request.context.caller = {.kind = core::Access::key, .id = "key:fbk_12345678", .role = "admin"};
    request.context.idempotency_key = std::move(key);
    return request;
}

std::string header(http::Response const& response, std::string_view name)
{
    for (auto const& [key, value] : response.headers)
        if (key == name) return value;
    return "absent";
}

} // namespace

TEST_CASE("a key is 1 to 255 visible characters")
{
    CHECK(idempotency::parse_key("a") == "a");
    CHECK(idempotency::parse_key("\"8e03978e-40d5\"") == "\"8e03978e-40d5\"");
    CHECK(idempotency::parse_key(std::string(255, '~')).size() == 255);
    for (std::string const& key : {std::string(), std::string(256, 'a'), std::string("a b"),
             std::string("a\tb"), std::string("\xc3\xa9"), std::string("a\x7f"), std::string("a\0b", 3)}) {
        INFO(key);
        CHECK_THROWS_AS(idempotency::parse_key(key), core::Error);
    }
    try {
        idempotency::parse_key("");
    } catch (core::Error const& error) {
        CHECK(error.code().name == "VALIDATION_ERROR");
        CHECK(error.faults().at(0).pointer == "Idempotency-Key");
    }
}

TEST_CASE("without a key every request is executed")
{
    Store store;
    CHECK(store.create(make_request("")).body == R"({"id":1})");
    CHECK(store.create(make_request("")).body == R"({"id":2})");
    CHECK(store.count("idempotency_keys") == 0);
}

TEST_CASE("a repeated request gets the stored response and is not executed again")
{
    Store store;
    auto const first = store.create(make_request("k"));
    CHECK(first.status == 201);
    CHECK(header(first, "Idempotent-Replayed") == "absent");
    for (int i = 0; i < 3; ++i) {
        auto const again = store.create(make_request("k"));
        CHECK(again.status == 201);
        CHECK(again.body == first.body);
        CHECK(again.content_type == first.content_type);
        CHECK(header(again, "ETag") == "\"1\"");
        CHECK(header(again, "Location") == "/v1/things/1");
        CHECK(header(again, "X-Other") == "absent");
        CHECK(header(again, "Idempotent-Replayed") == "true");
    }
    CHECK(store.count() == 1);
}

TEST_CASE("a key is valid for one scope, caller, method and path")
{
    Store store;
    store.create(make_request("k"));
    auto const is_another = [&](auto const& change) {
        auto request = make_request("k");
        change(request);
        auto const response = store.create(request);
        return header(response, "Idempotent-Replayed") == "absent";
    };
    CHECK(is_another([](auto& r) { r.context.idempotency_key = "K"; }));
    CHECK(is_another([](auto& r) { r.context.scope = acme_sandbox; }));
    CHECK(is_another([](auto& r) { r.context.caller.id = "key:fbk_other"; }));
    CHECK(is_another([](auto& r) { r.context.caller.kind = core::Access::user; }));
    CHECK(is_another([](auto& r) { r.method_text = "PUT"; }));
    CHECK(is_another([](auto& r) { r.path = "/v1/things/7/parts"; }));
    CHECK(is_another([](auto& r) { r.path = "/v1/thing", r.context.idempotency_key = "sk"; }));
    CHECK(is_another([](auto& r) { r.context.scope = {}; }));
    CHECK_FALSE(is_another([](auto& r) { r.context.request_id = "another"; }));
    CHECK(store.count() == 9);
}

TEST_CASE("a key used with another body or query is refused")
{
    Store store;
    store.create(make_request("k"));
    CHECK(store.error_of(make_request("k", "b")) == "IDEMPOTENCY_KEY_REUSED");
    auto request = make_request("k");
    request.query = "x=1";
    CHECK(store.error_of(request) == "IDEMPOTENCY_KEY_REUSED");
    CHECK(store.error_of(make_request("k")).empty());
    CHECK(store.count() == 1);
}

TEST_CASE("a failed request is not stored, and the next request with its key is executed")
{
    Store store;
    auto const request = make_request("k");
    SECTION("the request failed with an error")
    {
        CHECK_THROWS_AS(testing::run_awaitable(idempotency::once(store.database, request,
                            [&](pg::Tx& tx) -> http::Response {
                                tx.run("INSERT INTO things (scope_id, name) VALUES ($1, 'x')", {acme.id});
                                throw core::Error(core::codes::conflict, "no");
                            })),
            core::Error);
        CHECK(store.count() == 0);
    }
    SECTION("the response is not a success")
    {
        auto const refused = testing::run_awaitable(idempotency::once(
            store.database, request, [](pg::Tx&) { return http::Response{.status = 409}; }));
        CHECK(refused.status == 409);
    }
    CHECK(store.count("idempotency_keys") == 0);
    CHECK(header(store.create(request), "Idempotent-Replayed") == "absent");
    CHECK(store.count() == 1);
}

TEST_CASE("after 24 hours a key can be used again")
{
    Store store;
    store.create(make_request("k"));
    store.postgres.query("UPDATE idempotency_keys SET created_at = now() - interval '23 hours 59 minutes'");
    CHECK(header(store.create(make_request("k")), "Idempotent-Replayed") == "true");
    store.postgres.query("UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second'");
    CHECK(store.create(make_request("k", "another body")).body == R"({"id":2})");
    CHECK(store.create(make_request("k", "another body")).body == R"({"id":2})");
    CHECK(store.count("idempotency_keys") == 1);
}

TEST_CASE("of 64 equal concurrent requests only one is executed")
{
    Store store;
    constexpr int callers = 64;
    for (int round = 0; round < 5; ++round) {
        std::barrier start(callers);
        std::atomic<int> carried_out = 0, replayed = 0, in_flight = 0, other = 0;
        std::mutex mutex;
        std::set<std::string> bodies;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < callers; ++i)
                threads.emplace_back([&] {
                    auto const request = make_request("round " + std::to_string(round));
                    start.arrive_and_wait();
                    try {
                        auto const response = store.create(request);
                        ++(header(response, "Idempotent-Replayed") == "true" ? replayed : carried_out);
                        std::lock_guard const lock(mutex);
                        bodies.insert(response.body);
                    } catch (core::Error const& error) {
                        ++(error.code().name == "CONFLICT" ? in_flight : other);
                    }
                });
        }
        INFO(replayed << " replayed, " << in_flight << " in flight");
        CHECK(carried_out == 1);
        CHECK(other == 0);
        CHECK(carried_out + replayed + in_flight == callers);
        CHECK(bodies.size() == 1);
        CHECK(store.count() == round + 1);
    }
}

TEST_CASE(
    "a repeated request is refused while the first is in progress, and a request with another key is not")
{
    Store store;
    std::string repeat, other;
    auto const request = make_request("k");
    auto const first = testing::run_awaitable(idempotency::once(store.database, request, [&](pg::Tx&) {
        std::jthread([&] {
            repeat = store.error_of(make_request("k"));
            other = store.error_of(make_request("another"));
        }).join();
        return http::Response::created("{}");
    }));
    CHECK(repeat == "CONFLICT");
    CHECK(other.empty());
    CHECK(header(store.create(request), "Idempotent-Replayed") == "true");
}

TEST_CASE("an encrypted response is sent again, and cannot be read in the table")
{
    Store store;
    auto const keyring = crypto::Keyring::parse("k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    store.seal = &keyring;
    CHECK(store.create(make_request("k")).body == R"({"id":1})");
    CHECK(store.create(make_request("k")).body == R"({"id":1})");
    CHECK(store.postgres.query("SELECT body FROM idempotency_keys").starts_with("k1:"));

    SECTION("a response moved to another key is not decrypted")
    {
        store.create(make_request("other"));
        store.postgres.query(R"(
            UPDATE idempotency_keys
            SET body = (SELECT body FROM idempotency_keys ORDER BY created_at LIMIT 1))");
        CHECK(store.error_of(make_request("other")) == "CONFLICT");
    }
    SECTION("if the encryption key is missing, the request gets no stored response and is not executed again")
    {
        store.seal = nullptr;
        CHECK(store.error_of(make_request("k")) == "CONFLICT");
        CHECK(store.count() == 1);
    }
}

TEST_CASE("stored responses are visible only in their own scope, and contain neither caller nor key")
{
    Store store;
    store.create(make_request("a-very-telling-key"));
    auto const unseen = store.database.transact_blocking(acme_sandbox, [](pg::Tx& tx) {
        return pg::RowReader(tx.run("SELECT count(*) FROM idempotency_keys").front()).integer();
    });
    CHECK(unseen == 0);
    auto const row = store.postgres.query("SELECT idempotency_keys::text FROM idempotency_keys");
    CHECK(row.find("telling") == std::string::npos);
    CHECK(row.find("fbk_") == std::string::npos);
    store.database.transact_blocking(
        acme_sandbox, [](pg::Tx& tx) { tx.run("DELETE FROM idempotency_keys"); });
    CHECK(store.count("idempotency_keys") == 1);
}

TEST_CASE("the erasure of a user deletes the responses that the user got or that are about the user")
{
    Store store;
    auto const create_as = [&](core::Access kind, std::string id, std::string const& about,
                               core::Scope const& scope = acme) {
        auto request = make_request("k" + about);
        request.context.scope = scope;
        request.context.caller = {.kind = kind, .id = std::move(id)};
        testing::run_awaitable(idempotency::once(store.database, request, [&](pg::Tx&) {
            auto response = http::Response::created("{}");
            response.about_user = about;
            return response;
        }));
    };
    create_as(core::Access::user, "ada", "");
    create_as(core::Access::admin, "ada", "bob");
    create_as(core::Access::admin, "ada", "ada");
    create_as(core::Access::key, "key:fbk_12345678", "ada");
    create_as(core::Access::key, "key:fbk_12345678", "");
    create_as(core::Access::key, "ada", "bob"); // no user, but a key with this name
    create_as(core::Access::user, "bob", "");
    create_as(core::Access::user, "ada", "", acme_sandbox);

    auto const erase = [&](std::string const& user, std::size_t limit) {
        return store.database.transact_blocking(acme,
            [&](pg::Tx& tx) { return idempotency::erase_user(tx, acme.id, core::UserId(user), limit); });
    };
    CHECK(erase("ada", 3) == 3);
    CHECK(erase("ada", 3) == 1);
    CHECK(erase("ada", 3) == 0);
    CHECK(store.count("idempotency_keys") == 4);
    CHECK(store.count("idempotency_keys WHERE user_id = 'ada'") == 1);
    CHECK(erase("bob", 3) == 2);
    CHECK(store.count("idempotency_keys WHERE user_id IS NULL AND about_user_id IS NULL") == 1);
}

TEST_CASE("a response that replaces an expired one is about the new response's users")
{
    Store store;
    store.create(make_request("k"));
    store.postgres.query(
        "UPDATE idempotency_keys SET created_at = now() - interval '25 hours', user_id = 'ada', "
        "about_user_id = 'bob'");
    store.create(make_request("k"));
    CHECK(store.count("idempotency_keys WHERE user_id IS NULL AND about_user_id IS NULL") == 1);
}

TEST_CASE("the purge deletes expired responses of all scopes, in batches")
{
    Store store;
    for (int i = 0; i < 7; ++i) {
        auto request = make_request("k" + std::to_string(i));
        request.context.scope = core::Scope::of(core::TenantId{i + 1}, core::Environment::sandbox, "t");
        store.create(request);
    }
    CHECK_FALSE(idempotency::purge(store.database, 5));
    CHECK(store.count("idempotency_keys") == 7);
    store.postgres.query(
        "UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE scope_id > 3");
    CHECK(idempotency::purge(store.database, 5));
    CHECK(store.count("idempotency_keys") == 2);
    CHECK_FALSE(idempotency::purge(store.database, 5));
    CHECK(store.count("idempotency_keys") == 1);
    CHECK(store.postgres.query("SELECT scope_id FROM idempotency_keys") == "3");
    CHECK(store.count() == 7);
}
