#include "tenancy/settings.hpp"

#include "fixture.hpp"

#include <catch2/catch.hpp>
#include <pqxx/except>

#include <thread>

namespace settings = tenancy::settings;

namespace {

core::Scope const acme = core::Scope::of(core::TenantId{1}, core::Environment::production, "acme");
core::Scope const acme_sandbox = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "acme");

} // namespace

TEST_CASE("settings that were never written are empty and have version 0")
{
    Store store;
    auto const found =
        store.database.transact_blocking(acme, [](pg::Tx& tx) { return settings::read(tx, acme); });
    CHECK(found.document.empty());
    CHECK(found.version == 0);
    CHECK_FALSE(found.updated_at);
}

TEST_CASE("a write increments the version, and replaces the document of only one scope")
{
    Store store;
    auto const write = [&](std::string_view json, std::optional<std::int64_t> expected) {
        return store.database.transact_blocking(acme, [&](pg::Tx& tx) {
            return settings::write(
                tx, acme, boost::json::parse(json).as_object(), expected, store.clock.now());
        });
    };
    CHECK(write(R"({"a": 1})", 0).version == 1);
    CHECK(write(R"({"b": "\u00e9"})", std::nullopt).version == 2);
    auto const last = write(R"({"b": 2})", 2);
    CHECK(last.version == 3);
    CHECK(last.updated_at == store.clock.now());

    auto const found =
        store.database.transact_blocking(acme, [](pg::Tx& tx) { return settings::read(tx, acme); });
    CHECK(boost::json::serialize(found.document) == R"({"b":2})");
    auto const other = store.database.transact_blocking(
        acme_sandbox, [](pg::Tx& tx) { return settings::read(tx, acme_sandbox); });
    CHECK(other.version == 0);
}

TEST_CASE("a write that expects another version changes nothing")
{
    Store store;
    auto const write = [&](std::optional<std::int64_t> expected) {
        return code_of([&] {
            store.database.transact_blocking(acme, [&](pg::Tx& tx) {
                settings::write(tx, acme, {{"v", expected.value_or(-1)}}, expected, store.clock.now());
            });
        });
    };
    CHECK(write(5) == "PRECONDITION_FAILED");
    CHECK(write(0).empty());
    CHECK(write(0) == "PRECONDITION_FAILED");
    CHECK(write(2) == "PRECONDITION_FAILED");
    CHECK(store.postgres.query("SELECT document FROM scope_settings") == R"({"v": 0})");
    CHECK(write(1).empty());
}

TEST_CASE("only one transaction at a time can read settings for update, even before the first write")
{
    Store store;
    constexpr int writers = 8;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < writers; ++i)
            threads.emplace_back([&store, i] {
                store.database.transact_blocking(acme, [&](pg::Tx& tx) {
                    auto found = settings::read_for_update(tx, acme);
                    found.document["k" + std::to_string(i)] = i;
                    settings::write(tx, acme, found.document, found.version, store.clock.now());
                });
            });
    }
    auto const found =
        store.database.transact_blocking(acme, [](pg::Tx& tx) { return settings::read(tx, acme); });
    CHECK(found.document.size() == writers);
    CHECK(found.version == writers);
}

TEST_CASE("settings of an invisible scope can be neither read nor written")
{
    Store store;
    store.database.transact_blocking(
        acme, [&](pg::Tx& tx) { settings::write(tx, acme, {{"a", 1}}, std::nullopt, store.clock.now()); });
    auto const unseen =
        store.database.transact_blocking(acme_sandbox, [](pg::Tx& tx) { return settings::read(tx, acme); });
    CHECK(unseen.version == 0);
    CHECK_THROWS_AS(store.database.transact_blocking(acme_sandbox,
                        [&](pg::Tx& tx) { settings::write(tx, acme, {}, std::nullopt, store.clock.now()); }),
        pqxx::insufficient_privilege);
    CHECK(store.postgres.query("SELECT document FROM scope_settings") == R"({"a": 1})");
}
