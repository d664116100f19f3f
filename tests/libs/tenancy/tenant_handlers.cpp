#include "tenancy/tenant_handlers.hpp"

#include "fixture.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

namespace {

struct Admin : Store {
    tenancy::Eraser eraser{database, clock, {}};
    tenancy::TenantAdmin tenants{database, clock, eraser};

    http::Response put(std::string slug, std::string body)
    {
        auto const request = make_request(std::move(slug), std::move(body));
        return testing::run_awaitable(tenancy::put_tenant(request, tenants));
    }

    http::Response get(std::string slug)
    {
        auto const request = make_request(std::move(slug));
        return testing::run_awaitable(tenancy::get_tenant(request, tenants));
    }

    http::Response remove(std::string slug, std::string_view query = {})
    {
        auto const request = make_request(std::move(slug), {}, query);
        return testing::run_awaitable(tenancy::delete_tenant(request, tenants));
    }

    boost::json::object list(std::string const& query = {})
    {
        auto const request = make_request({}, {}, query);
        return json_of(testing::run_awaitable(tenancy::list_tenants(request, tenants)));
    }
};

std::vector<std::string> slugs_of(boost::json::object const& page)
{
    std::vector<std::string> slugs;
    for (auto const& item : page.at("items").as_array())
        slugs.emplace_back(item.as_object().at("slug").as_string());
    return slugs;
}

std::vector<std::string> pointers_of(Admin& admin, std::string slug, std::string body)
{
    std::vector<std::string> pointers;
    try {
        admin.put(std::move(slug), std::move(body));
    } catch (core::Error const& error) {
        for (auto const& fault : error.faults())
            pointers.push_back(fault.pointer);
    }
    return pointers;
}

} // namespace

TEST_CASE("PUT creates a tenant and later changes it")
{
    Admin admin;
    auto const created = admin.put("acme", R"({"displayName": "Acme", "limits": {"requestsPerMinute": 60}})");
    CHECK(created.status == 201);
    CHECK(
        created.body ==
        R"({"slug":"acme","displayName":"Acme","status":"active","limits":{"requestsPerMinute":60},)"
        R"("createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z","eraseAfter":null})");

    admin.clock.advance(std::chrono::minutes(1));
    auto const changed = admin.put("acme", R"({"displayName": "Acme & Co", "status": "suspended"})");
    CHECK(changed.status == 200);
    CHECK(
        changed.body ==
        R"({"slug":"acme","displayName":"Acme & Co","status":"suspended","limits":{"requestsPerMinute":60},)"
        R"("createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:01:00.000Z","eraseAfter":null})");
    CHECK(admin.get("acme").body == changed.body);

    SECTION("absent values stay unchanged")
    {
        CHECK(admin.put("acme", R"({"displayName": "Acme & Co"})").body == changed.body);
    }
    SECTION("limits are replaced as a whole")
    {
        auto const limited =
            json_of(admin.put("acme", R"({"displayName": "A", "limits": {"other": 0, "none": null}})"));
        CHECK(boost::json::serialize(limited.at("limits")) == R"({"other":0})");
        auto const unlimited = json_of(admin.put("acme", R"({"displayName": "A", "limits": {}})"));
        CHECK(boost::json::serialize(unlimited.at("limits")) == "{}");
    }
    SECTION("a limit may be a switch")
    {
        auto const body = R"({"displayName": "A", "limits": {"smsPerDay": 5, "sandboxSms": true}})";
        auto const limited = json_of(admin.put("acme", body));
        CHECK(boost::json::serialize(limited.at("limits")) == R"({"sandboxSms":true,"smsPerDay":5})");
        CHECK(json_of(admin.get("acme")) == limited);
    }
    SECTION("a suspended tenant can be activated")
    {
        CHECK(json_of(admin.put("acme", R"({"displayName": "A", "status": "active"})")).at("status") ==
              "active");
    }
}

TEST_CASE("PUT reports all faults together")
{
    Admin admin;
    using Pointers = std::vector<std::string>;
    CHECK(pointers_of(admin, "acme", "{}") == Pointers{"/displayName"});
    CHECK(pointers_of(admin, "acme", "[]") == Pointers{""});
    CHECK(pointers_of(admin, "acme", R"({"displayName": "", "status": "gone", "limits": 1})") ==
          Pointers{"/displayName", "/status", "/limits"});
    CHECK(
        pointers_of(admin, "acme",
            R"({"displayName": "A", "limits": {"a": -1, "b": 1.5, "c": "1", "d": 1000000001, "e e": 1, "": 1, "ok": 1}})")
            .size() == 6);
    CHECK(pointers_of(admin, "acme",
              R"({"displayName": "A", "limits": {"sandboxSms": 1, "smsPerDay": true, "other": false}})") ==
          Pointers{"/limits/sandboxSms", "/limits/smsPerDay", "/limits/other"});
    CHECK(pointers_of(admin, "Acme", R"({"displayName": "A"})") == Pointers{":slug"});
    CHECK(pointers_of(admin, "admin", R"({"displayName": "A"})") == Pointers{":slug"});
    CHECK(pointers_of(admin, "acme-sandbox", R"({"displayName": "A"})") == Pointers{":slug"});
    std::string const longest = R"({"displayName": ")" + std::string(100, 'x') + R"("})";
    CHECK(pointers_of(admin, "acme", longest).empty());
    std::string const too_long = R"({"displayName": ")" + std::string(101, 'x') + R"("})";
    CHECK(pointers_of(admin, "acme", too_long) == Pointers{"/displayName"});
    CHECK(admin.postgres.query("SELECT count(*) FROM tenants") == "1");
}

TEST_CASE("unknown tenants are not found")
{
    Admin admin;
    for (auto const* slug : {"nobody", "Not A Slug", "www"}) {
        INFO(slug);
        CHECK(code_of([&] { admin.get(slug); }) == "TENANT_NOT_FOUND");
        CHECK(code_of([&] { admin.remove(slug); }) == "TENANT_NOT_FOUND");
    }
}

TEST_CASE("DELETE suspends a tenant at once and erases it later, and can be undone")
{
    Admin admin;
    admin.put("acme", R"({"displayName": "Acme"})");
    auto const deleted = admin.remove("acme");
    CHECK(deleted.status == 200);
    CHECK(deleted.body == R"({"deleted":true})");
    auto const waiting = json_of(admin.get("acme"));
    CHECK(waiting.at("status") == "suspended");
    CHECK(waiting.at("eraseAfter") == "2026-01-08T00:00:00.000Z");

    SECTION("a second DELETE does not postpone the erasure")
    {
        admin.clock.advance(std::chrono::hours(24));
        admin.remove("acme");
        CHECK(json_of(admin.get("acme")).at("eraseAfter") == "2026-01-08T00:00:00.000Z");
    }
    SECTION("PUT reactivates it")
    {
        auto const revived = json_of(admin.put("acme", R"({"displayName": "Acme"})"));
        CHECK(revived.at("status") == "active");
        CHECK(revived.at("eraseAfter").is_null());
    }
    SECTION("PUT can cancel the erasure and leave the tenant suspended")
    {
        auto const revived = json_of(admin.put("acme", R"({"displayName": "Acme", "status": "suspended"})"));
        CHECK(revived.at("status") == "suspended");
        CHECK(revived.at("eraseAfter").is_null());
    }
    SECTION("purge=now erases it")
    {
        CHECK(admin.remove("acme", "purge=now").body == R"({"deleted":true})");
        CHECK(code_of([&] { admin.get("acme"); }) == "TENANT_NOT_FOUND");
    }
    SECTION("another value of purge is an error and changes nothing")
    {
        CHECK(code_of([&] { admin.remove("acme", "purge=later"); }) == "VALIDATION_ERROR");
        CHECK(admin.get("acme").status == 200);
    }
}

TEST_CASE("a purge reports success only when it is complete, and continues when it is repeated")
{
    Admin admin;
    admin.put("acme", R"({"displayName": "Acme"})");
    tenancy::Eraser slow(
        admin.database, admin.clock, {}, {.erase_now_timeout = std::chrono::milliseconds(0)});
    tenancy::TenantAdmin tenants{admin.database, admin.clock, slow};
    auto const request = make_request("acme", {}, "purge=now");
    try {
        testing::run_awaitable(tenancy::delete_tenant(request, tenants));
        FAIL("the purge reported success without time to run");
    } catch (core::Error const& error) {
        CHECK(error.code().name == "UNAVAILABLE");
        CHECK(error.headers().front() == std::pair<std::string, std::string>("Retry-After", "5"));
    }
    CHECK(json_of(admin.get("acme")).at("status") == "suspended");
    CHECK(admin.remove("acme", "purge=now").body == R"({"deleted":true})");
    CHECK(code_of([&] { admin.get("acme"); }) == "TENANT_NOT_FOUND");
}

TEST_CASE("tenants are listed newest first, in pages")
{
    Admin admin;
    for (int i = 0; i < 45; ++i)
        admin.create("t" + std::to_string(i));
    auto const first = admin.list();
    CHECK(slugs_of(first).size() == 20);
    CHECK(slugs_of(first).front() == "t44");
    std::vector<std::string> all;
    std::string query = "limit=7";
    for (;;) {
        auto const page = admin.list(query);
        auto const slugs = slugs_of(page);
        all.insert(all.end(), slugs.begin(), slugs.end());
        if (page.at("cursor").is_null()) break;
        query = "limit=7&cursor=" + std::string(page.at("cursor").as_string());
    }
    REQUIRE(all.size() == 45);
    for (int i = 0; i < 45; ++i)
        CHECK(all[static_cast<std::size_t>(i)] == "t" + std::to_string(44 - i));
    CHECK(code_of([&] { admin.list("cursor=nonsense"); }) == "VALIDATION_ERROR");
    CHECK(code_of([&] { admin.list("limit=0"); }) == "VALIDATION_ERROR");
}

TEST_CASE("paging neither omits nor repeats a tenant while others are created")
{
    Admin admin;
    for (int i = 0; i < 30; ++i)
        admin.create("old" + std::to_string(i));
    std::atomic<bool> stop = false;
    std::vector<std::jthread> writers;
    for (int w = 0; w < 3; ++w)
        writers.emplace_back([&admin, &stop, w] {
            for (int i = 0; !stop; ++i)
                admin.create("new" + std::to_string(w) + "-" + std::to_string(i));
        });
    std::vector<std::vector<std::string>> walks;
    for (int walk = 0; walk < 15; ++walk) {
        std::vector<std::string> seen;
        std::string query = "limit=3";
        for (;;) {
            auto const page = admin.list(query);
            auto const slugs = slugs_of(page);
            seen.insert(seen.end(), slugs.begin(), slugs.end());
            if (page.at("cursor").is_null()) break;
            query = "limit=3&cursor=" + std::string(page.at("cursor").as_string());
        }
        walks.push_back(std::move(seen));
    }
    stop = true;
    writers.clear();
    for (auto const& seen : walks) {
        CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == seen.size());
        // Tenants as old as the first entry, or older, existed and must be listed.
        CHECK(admin.postgres.query("SELECT count(*) FROM tenants WHERE tenant_id <= "
                                   "(SELECT tenant_id FROM tenants WHERE slug = '" +
                                   seen.front() + "')") == std::to_string(seen.size()));
    }
}

TEST_CASE("workers process the scopes in the order of their ids")
{
    Admin admin;
    std::vector<core::ScopeId> expected;
    for (int i = 0; i < 5; ++i) {
        auto const tenant = admin.create("t" + std::to_string(i));
        for (auto const id : core::scopes_of(tenant.id))
            expected.push_back(id);
    }
    std::vector<core::ScopeId> seen;
    for (;;) {
        auto const next = admin.database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
            return tenancy::tenant_rows::scopes_after(tx, seen.empty() ? core::no_scope : seen.back(), 3);
        });
        if (next.empty()) break;
        CHECK(next.size() <= 3);
        seen.insert(seen.end(), next.begin(), next.end());
    }
    CHECK(seen == expected);
}
