#include "checks.hpp"

#include "support/eventually.hpp"
#include "support/json.hpp"

using testing::text;

testing::HttpResponse checked(testing::HttpClient& client, std::string const& name, std::string const& path,
    std::optional<std::string> const& body, testing::HttpClient::Headers const& headers)
{
    auto const& operation = contract().operations().at(name);
    auto const r = client.request(name.substr(0, name.find(' ')), path, headers, body);
    INFO(name << " " << path << ": " << r.status << " " << r.body);
    auto const status = operation.responses.find(std::to_string(r.status));
    auto const& schema =
        status == operation.responses.end() ? operation.responses.at("default") : status->second;
    CHECK((status != operation.responses.end() || r.status >= 400));
    if (!schema.is_null()) CHECK(faults_of(r.json(), schema) == std::vector<std::string>());
    CHECK_FALSE(r.header("x-request-id").empty());
    return r;
}

std::string example_of(std::string const& name)
{
    return boost::json::serialize(contract().operations().at(name).request_example.value());
}

testing::HttpResponse example(testing::HttpClient& client, std::string const& name)
{
    bool const has_body = contract().operations().at(name).request_example.has_value();
    return checked(client, name, name.substr(name.find(' ') + 1),
        has_body ? std::optional(example_of(name)) : std::nullopt);
}

void check_webhooks(testing::HttpClient& backend, std::function<void()> const& happen)
{
    auto const made = example(backend, "POST /v1/webhooks");
    REQUIRE(made.status == 201);
    CHECK(example(backend, "GET /v1/webhooks").status == 200);
    auto const path = "/v1/webhooks/" + text(made.json(), "webhookId");
    happen();
    auto const deliveries = [&] {
        return checked(backend, "GET /v1/webhooks/{webhookId}/deliveries", path + "/deliveries").json();
    };
    REQUIRE(testing::eventually([&] { return !deliveries().at("items").as_array().empty(); }));
    auto const delivery = path + "/deliveries/" + text(deliveries().at("items").at(0), "deliveryId");
    CHECK(checked(backend, "GET /v1/webhooks/{webhookId}/deliveries/{deliveryId}", delivery).status == 200);
    CHECK(checked(backend, "POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
              delivery + "/redeliver")
              .status == 202);
    CHECK(checked(backend, "GET /v1/webhooks/{webhookId}", path).status == 200);
    CHECK(checked(backend, "POST /v1/webhooks/{webhookId}/rotate-secret", path + "/rotate-secret").status ==
          200);
    CHECK(
        checked(backend, "PATCH /v1/webhooks/{webhookId}", path, example_of("PATCH /v1/webhooks/{webhookId}"))
            .status == 200);
    REQUIRE(backend.patch(path, R"({"url":"http://127.0.0.1:9/"})").status == 200);
    CHECK(checked(backend, "POST /v1/webhooks/{webhookId}/test", path + "/test", "{}").status == 200);
    CHECK(checked(backend, "DELETE /v1/webhooks/{webhookId}", path).status == 200);
}

void check_keys(testing::HttpClient& manager, testing::HttpClient& backend)
{
    auto const key = example(manager, "POST /v1/keys");
    REQUIRE(key.status == 201);
    CHECK(example(backend, "POST /v1/keys").status == 403);
    CHECK(example(manager, "GET /v1/keys").status == 200);
    CHECK(
        checked(manager, "DELETE /v1/keys/{prefix}", "/v1/keys/" + text(key.json(), "prefix")).status == 200);
    std::string const rotate = "POST /v1/keys/{environment}/rotate";
    CHECK(checked(manager, rotate, "/v1/keys/sandbox/rotate", example_of(rotate)).status == 201);
}

void check_tenants(testing::HttpClient& master)
{
    std::string const put = "PUT /v1/admin/tenants/{slug}", tenants = "/v1/admin/tenants";
    CHECK(checked(master, put, tenants + "/new", example_of(put)).status == 201);
    CHECK(checked(master, put, tenants + "/www", example_of(put)).status == 400);
    CHECK(checked(master, "GET /v1/admin/tenants/{slug}", tenants + "/new").status == 200);
    CHECK(example(master, "GET /v1/admin/tenants").status == 200);
    CHECK(checked(master, "DELETE /v1/admin/tenants/{slug}", tenants + "/new").status == 200);
}

void check_reference(testing::HttpClient& anyone)
{
    CHECK(example(anyone, "GET /docs").status == 200);
    CHECK(example(anyone, "GET /docs/redoc.js").status == 200);
    CHECK(example(anyone, "GET /").status == 200);
    CHECK(example(anyone, "GET /docs/tutorial").status == 200);
    CHECK(example(anyone, "GET /docs/pages.css").status == 200);
    auto const served = example(anyone, "GET /docs/openapi.json");
    REQUIRE(served.status == 200);
    CHECK(OpenApi(served.json().as_object()).operations() == contract().operations());
    CHECK(served.json().at("info").at("version") == TETRAD_VERSION);
    CHECK(checked(anyone, "GET /docs/openapi.json", "/docs/openapi.json", std::nullopt,
              {{"If-None-Match", served.header("etag")}})
              .status == 304);
}
