#include "checks.hpp"
#include "routes.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace {

OpenApi const& contract()
{
    static OpenApi const loaded(PROTO_DIR "/feedback.openapi.yaml");
    return loaded;
}

testing::HttpResponse checked(testing::HttpClient& client, std::string const& name, std::string const& path,
    std::optional<std::string> const& body = std::nullopt, testing::HttpClient::Headers const& headers = {})
{
    return check_answer(contract(), client, name, path, body, headers);
}

} // namespace

TEST_CASE("the contract describes every route and no other", "[contract]")
{
    check_described(contract(), feedback::routes);
}

TEST_CASE("the contract says who may call what, and with which parameters", "[contract]")
{
    check_operations(contract(), feedback::routes);
}

TEST_CASE("answers are what the contract says", "[contract]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada);
    auto master = world.as_master();
    auto const example = [](std::string const& name) {
        return boost::json::serialize(*contract().operations().at(name).request_example);
    };

    auto const made = checked(backend, "POST /v1/feedbacks", "/v1/feedbacks", example("POST /v1/feedbacks"));
    REQUIRE(made.status == 201);
    auto const thread = "/v1/feedbacks/" + text(made.json(), "feedbackId");
    checked(backend, "POST /v1/feedbacks", "/v1/feedbacks", "{}");
    auto const presigned = checked(user, "POST /v1/attachments/presign", "/v1/attachments/presign",
        example("POST /v1/attachments/presign"));
    REQUIRE(presigned.status == 201);
    auto const attachment = "/v1/attachments/" + text(presigned.json(), "attachmentId");
    CHECK(checked(user, "GET /v1/attachments/{attachmentId}", attachment).status == 200);
    auto const upload = text(presigned.json(), "uploadUrl");
    std::string const png = "\x89PNG\r\n\x1a\n" + std::string(60, 'x');
    CHECK(checked(user, "PUT /uploads/{token}", upload.substr(upload.find("/uploads/")), png,
              {{"Content-Type", "image/png"}})
              .status == 200);
    CHECK(checked(user, "GET /v1/attachments/{attachmentId}", attachment).status == 200);

    CHECK(checked(backend, "POST /v1/feedbacks/{feedbackId}/replies", thread + "/replies",
              example("POST /v1/feedbacks/{feedbackId}/replies"))
              .status == 201);
    auto const hook = checked(backend, "POST /v1/webhooks", "/v1/webhooks", example("POST /v1/webhooks"));
    REQUIRE(hook.status == 201);
    auto const hook_path = "/v1/webhooks/" + text(hook.json(), "webhookId");
    CHECK(checked(backend, "PATCH /v1/feedbacks/{feedbackId}", thread,
              example("PATCH /v1/feedbacks/{feedbackId}"))
              .status == 200);
    for (auto const* list :
        {"/v1/feedbacks", "/v1/audit", "/v1/webhooks", "/v1/settings", "/v1/feedbacks/stats"})
        CHECK(checked(backend, std::string("GET ") + list, list).status == 200);
    CHECK(checked(backend, "GET /v1/feedbacks/{feedbackId}", thread).status == 200);
    CHECK(checked(user, "GET /v1/feedbacks/{feedbackId}", thread).status == 404);
    CHECK(checked(backend, "GET /v1/feedbacks/{feedbackId}/replies", thread + "/replies").status == 200);
    CHECK(checked(backend, "GET /v1/feedbacks/{feedbackId}/history", thread + "/history").status == 200);
    CHECK(
        checked(backend, "PATCH /v1/settings", "/v1/settings", example("PATCH /v1/settings")).status == 200);
    CHECK(checked(backend, "GET /v1/webhooks/{webhookId}", hook_path).status == 200);
    auto const deliveries =
        checked(backend, "GET /v1/webhooks/{webhookId}/deliveries", hook_path + "/deliveries");
    REQUIRE(deliveries.json().at("items").as_array().size() == 1);
    auto const delivery =
        hook_path + "/deliveries/" + text(deliveries.json().at("items").at(0), "deliveryId");
    CHECK(checked(backend, "POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
              delivery + "/redeliver")
              .status == 202);
    CHECK(checked(backend, "POST /v1/webhooks/{webhookId}/rotate-secret", hook_path + "/rotate-secret")
              .status == 200);
    CHECK(checked(
              backend, "PATCH /v1/webhooks/{webhookId}", hook_path, example("PATCH /v1/webhooks/{webhookId}"))
              .status == 200);
    CHECK(checked(backend, "DELETE /v1/webhooks/{webhookId}", hook_path).status == 200);
    CHECK(checked(backend, "DELETE /v1/feedbacks/{feedbackId}", thread).status == 200);

    auto const key = checked(master, "POST /v1/keys", "/v1/keys", example("POST /v1/keys"));
    CHECK(key.status == 201);
    CHECK(checked(master, "GET /v1/keys", "/v1/keys").status == 200);
    CHECK(
        checked(master, "DELETE /v1/keys/{prefix}", "/v1/keys/" + text(key.json(), "prefix")).status == 200);
    CHECK(checked(master, "POST /v1/keys/{environment}/rotate", "/v1/keys/sandbox/rotate",
              example("POST /v1/keys/{environment}/rotate"))
              .status == 201);
    CHECK(checked(master, "PUT /v1/admin/tenants/{slug}", "/v1/admin/tenants/new",
              example("PUT /v1/admin/tenants/{slug}"))
              .status == 201);
    CHECK(checked(master, "PUT /v1/admin/tenants/{slug}", "/v1/admin/tenants/www",
              example("PUT /v1/admin/tenants/{slug}"))
              .status == 400);
    CHECK(checked(master, "GET /v1/admin/tenants/{slug}", "/v1/admin/tenants/new").status == 200);
    CHECK(checked(master, "GET /v1/admin/tenants", "/v1/admin/tenants").status == 200);
    CHECK(checked(master, "DELETE /v1/admin/tenants/{slug}", "/v1/admin/tenants/new").status == 200);
}
