#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <thread>

namespace {

namespace json = boost::json;

json::object pro()
{
    return {{"providerProductId", "com.example.pro.monthly"}, {"name", "Pro, monthly"},
        {"kind", "subscription"}, {"features", json::array{"export", "sync"}},
        {"grants", json::array{json::object{{"name", "seats"}, {"quantity", 5}}}}};
}

json::object pro(json::object const& changes)
{
    return events::changed(pro(), changes);
}

} // namespace

TEST_CASE("a product is created, read, changed and removed", "[products]")
{
    World const world;
    auto backend = world.as_backend("demo");
    auto const made = backend.post("/v1/products", body(pro()));
    REQUIRE(made.status == 201);
    auto const product = made.json();
    CHECK(text(product, "providerProductId") == "com.example.pro.monthly");
    CHECK(text(product, "kind") == "subscription");
    CHECK(product.at("features") == json::array{"export", "sync"});
    CHECK(product.at("grants") == json::array{json::object{{"name", "seats"}, {"quantity", 5}}});
    CHECK(product.at("version") == 1);
    auto const path = "/v1/products/" + text(product, "productId");
    CHECK(made.header("location") == path);
    CHECK(backend.get(path).body == made.body);
    CHECK(backend.get(path).header("etag") == made.header("etag"));

    auto const changed = backend.patch(path, R"({"name":"Pro","grants":null})");
    REQUIRE(changed.status == 200);
    CHECK(text(changed.json(), "name") == "Pro");
    CHECK(changed.json().at("grants") == json::array());
    CHECK(changed.json().at("features") == json::array{"export", "sync"});
    CHECK(changed.json().at("version") == 2);
    CHECK(backend.patch(path, R"({"name":"Other"})", {{"If-Match", made.header("etag")}}).status == 412);
    CHECK(backend.del(path, {{"If-Match", made.header("etag")}}).status == 412);

    CHECK(backend.del(path, {{"If-Match", changed.header("etag")}}).body == R"({"deleted":true})");
    CHECK(backend.get(path).status == 404);
    CHECK(backend.patch(path, R"({"name":"Pro"})").status == 404);
    CHECK(backend.del(path).status == 404);

    for (std::string const action : {"product.created", "product.updated", "product.deleted"}) {
        CAPTURE(action);
        auto const entries = all_items(backend, "/v1/audit?action=" + action);
        REQUIRE(entries.size() == 1);
        auto const name = [&](char const* when) {
            auto const& value = entries[0].at(when);
            return value.is_null() ? "" : text(value, "name");
        };
        CHECK(text(entries[0], "subjectId") == text(product, "productId"));
        CHECK(name("before") == (action == "product.created"      ? ""
                                    : action == "product.updated" ? "Pro, monthly"
                                                                  : "Pro"));
        CHECK(name("after") == (action == "product.created"      ? "Pro, monthly"
                                   : action == "product.updated" ? "Pro"
                                                                 : ""));
    }
}

TEST_CASE("a product has one of three kinds", "[products]")
{
    World const world;
    auto backend = world.as_backend("demo");
    std::string path;
    for (auto const* kind : {"subscription", "consumable", "lifetime"}) {
        CAPTURE(kind);
        auto const made =
            backend.post("/v1/products", body(pro({{"providerProductId", kind}, {"kind", kind}})));
        REQUIRE(made.status == 201);
        CHECK(text(made.json(), "kind") == kind);
        path = "/v1/products/" + text(made.json(), "productId");
        CHECK(backend.get(path).body == made.body);
    }
    auto const changed = backend.patch(path, R"({"kind":"subscription"})");
    CHECK(text(changed.json(), "kind") == "subscription");
    CHECK(text(backend.patch(path, R"({"kind":"lifetime"})").json(), "kind") == "lifetime");
}

TEST_CASE("a product belongs to the tenant, in both environments", "[products]")
{
    World const world;
    auto sandbox = world.as_backend("demo-sandbox"), production = world.as_backend("demo");
    auto other = world.as_backend("other");
    auto const made = production.post("/v1/products", body(pro()));
    REQUIRE(made.status == 201);
    auto const path = "/v1/products/" + text(made.json(), "productId");
    CHECK(sandbox.get(path).body == made.body);
    CHECK(all_items(sandbox, "/v1/products").size() == 1);
    CHECK(production.post("/v1/products", body(pro())).status == 409);
    CHECK(other.get(path).status == 404);
    CHECK(other.patch(path, R"({"name":"x"})").status == 404);
    CHECK(other.del(path).status == 404);
    CHECK(other.post("/v1/products", body(pro())).status == 201);
    CHECK(all_items(other, "/v1/products").size() == 1);
    CHECK(production.get(path).body == made.body);
}

TEST_CASE("a providerProductId is unique per tenant, even under concurrent requests", "[products]")
{
    World const world;
    auto backend = world.as_backend("demo");
    REQUIRE(backend.post("/v1/products", body(pro({{"providerProductId", "a"}}))).status == 201);
    auto const second = backend.post("/v1/products", body(pro({{"providerProductId", "b"}})));
    auto const taken =
        backend.patch("/v1/products/" + text(second.json(), "productId"), R"({"providerProductId":"a"})");
    CHECK(taken.status == 409);
    CHECK(error_of(taken) == "CONFLICT");

    auto const key = world.key("demo");
    std::vector<unsigned> statuses(8);
    std::vector<std::thread> threads;
    for (auto& status : statuses)
        threads.emplace_back(
            [&] { status = world.with(key, "demo").post("/v1/products", body(pro())).status; });
    for (auto& thread : threads)
        thread.join();
    CHECK(std::ranges::count(statuses, 201U) == 1);
    CHECK(std::ranges::count(statuses, 409U) == 7);
}

TEST_CASE("products are listed newest first, page by page", "[products]")
{
    World const world;
    auto backend = world.as_backend("demo");
    for (int n = 0; n < 5; ++n)
        REQUIRE(backend.post("/v1/products", body(pro({{"providerProductId", "p" + std::to_string(n)}})))
                    .status == 201);
    auto const items = all_items(backend, "/v1/products", 2);
    REQUIRE(items.size() == 5);
    for (std::size_t n = 0; n < items.size(); ++n)
        CHECK(text(items[n], "providerProductId") == "p" + std::to_string(4 - n));
    for (auto const* query : {"limit=0", "limit=101", "limit=x", "cursor=nonsense"})
        CHECK(backend.get(std::string("/v1/products?") + query).status == 400);
}

TEST_CASE("all faults of a product are reported at once", "[products]")
{
    World const world;
    auto backend = world.as_backend("demo");
    for (auto const& [request, faults] : std::map<std::string, std::string>{
             {"{}", "/providerProductId required\n/name required\n/kind required"},
             {R"([])", " type"},
             {body(pro({{"providerProductId", ""}})), "/providerProductId too_short"},
             {body(pro({{"providerProductId", std::string(256, 'x')}})), "/providerProductId too_long"},
             {body(pro({{"name", std::string(101, 'x')}})), "/name too_long"},
             {body(pro({{"name", std::string("a\0b", 3)}})), "/name format"},
             {body(pro({{"kind", "rental"}})), "/kind not_allowed"},
             {body(pro({{"features", "export"}})), "/features type"},
             {body(pro({{"features", json::array{"ok", 7}}})), "/features/1 type"},
             {body(pro({{"grants", json::array{json::object{{"name", "seats"}}}}})),
                 "/grants/0/quantity required"},
             {body(pro({{"grants", json::array{json::object{{"name", ""}, {"quantity", 0}}}}})),
                 "/grants/0/name too_short\n/grants/0/quantity range"},
             {body(pro({{"grants", json::array{json::object{{"name", "x"}, {"quantity", 1e300}}}}})),
                 "/grants/0/quantity range"},
         }) {
        CAPTURE(request);
        auto const r = backend.post("/v1/products", request);
        CHECK(r.status == 400);
        CHECK(faults_of(r) == faults);
    }
    auto const made = backend.post("/v1/products", body(pro()));
    auto const path = "/v1/products/" + text(made.json(), "productId");
    for (auto const* request : {"{}", R"({"unknown":1})", R"({"name":null})", R"({"kind":null})"})
        CHECK(backend.patch(path, request).status == 400);
    CHECK(backend.get(path).body == made.body);
    CHECK(backend.get("/v1/products/nonsense").status == 404);
}

TEST_CASE("creating a product is idempotent under an idempotency key", "[products]")
{
    World const world;
    auto backend = world.as_backend("demo");
    auto const first = backend.post("/v1/products", body(pro()), {{"Idempotency-Key", "one"}});
    auto const again = backend.post("/v1/products", body(pro()), {{"Idempotency-Key", "one"}});
    CHECK(first.status == 201);
    CHECK(again.status == 201);
    CHECK(again.body == first.body);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(all_items(backend, "/v1/products").size() == 1);
}

TEST_CASE("only API keys, the master key, admins and owners may use the catalog", "[products]")
{
    World const world;
    CHECK(world.as_user("ada", "user").get("/v1/products").status == 403);
    CHECK(world.as_user("ada", "admin").get("/v1/products").status == 200);
    CHECK(world.as_user("ada", "owner").get("/v1/products").status == 200);
    CHECK(world.as_master().get("/v1/products").status == 200);
    CHECK(world.client().get("/v1/products").status == 401);
}
