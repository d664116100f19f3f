#include "checks.hpp"
#include "routes.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

OpenApi const& contract()
{
    static OpenApi const loaded(PROTO_DIR "/feedback.openapi.yaml");
    return loaded;
}

TEST_CASE("the contract describes exactly the routes of the service", "[contract]")
{
    check_described(feedback::routes);
}

TEST_CASE("the contract names the callers and the parameters of each route", "[contract]")
{
    check_operations(feedback::routes);
}

TEST_CASE("responses match the contract", "[contract]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada);
    auto master = world.as_master();

    auto const made =
        checked(backend, "POST /v1/feedbacks", "/v1/feedbacks", example_of("POST /v1/feedbacks"));
    REQUIRE(made.status == 201);
    auto const thread = "/v1/feedbacks/" + text(made.json(), "feedbackId");
    checked(backend, "POST /v1/feedbacks", "/v1/feedbacks", "{}");
    auto const presigned = checked(user, "POST /v1/attachments/presign", "/v1/attachments/presign",
        example_of("POST /v1/attachments/presign"));
    REQUIRE(presigned.status == 201);
    auto const attachment = "/v1/attachments/" + text(presigned.json(), "attachmentId");
    CHECK(checked(user, "GET /v1/attachments/{attachmentId}", attachment).status == 200);
    auto const upload = text(presigned.json(), "uploadUrl");
    std::string const png = "\x89PNG\r\n\x1a\n" + std::string(48'205, 'x');
    CHECK(checked(user, "PUT /uploads/{token}", upload.substr(upload.find("/uploads/")), png,
              {{"Content-Type", "image/png"}})
              .status == 200);
    CHECK(checked(user, "GET /v1/attachments/{attachmentId}", attachment).status == 200);

    CHECK(checked(backend, "POST /v1/feedbacks/{feedbackId}/replies", thread + "/replies",
              example_of("POST /v1/feedbacks/{feedbackId}/replies"))
              .status == 201);
    check_webhooks(backend, [&] {
        CHECK(checked(backend, "PATCH /v1/feedbacks/{feedbackId}", thread,
                  example_of("PATCH /v1/feedbacks/{feedbackId}"))
                  .status == 200);
    });
    for (auto const* list :
        {"/v1/feedbacks", "/v1/audit", "/v1/webhooks", "/v1/settings", "/v1/feedbacks/stats"})
        CHECK(checked(backend, std::string("GET ") + list, list).status == 200);
    CHECK(checked(backend, "GET /v1/feedbacks/{feedbackId}", thread).status == 200);
    CHECK(checked(user, "GET /v1/feedbacks/{feedbackId}", thread).status == 404);
    CHECK(checked(backend, "GET /v1/feedbacks/{feedbackId}/replies", thread + "/replies").status == 200);
    CHECK(checked(backend, "GET /v1/feedbacks/{feedbackId}/history", thread + "/history").status == 200);
    CHECK(checked(backend, "PATCH /v1/settings", "/v1/settings", example_of("PATCH /v1/settings")).status ==
          200);
    CHECK(checked(backend, "DELETE /v1/feedbacks/{feedbackId}", thread).status == 200);

    auto const person = std::string("/v1/users/") + ada;
    auto other_user = world.as_user(bob), erasure = world.with(world.erasure_token(ada));
    CHECK(checked(user, "GET /v1/users/{userId}/export", person + "/export").status == 200);
    CHECK(checked(other_user, "GET /v1/users/{userId}/export", person + "/export").status == 404);
    CHECK(checked(backend, "DELETE /v1/users/{userId}", person + "?mode=anonymize").status == 200);
    CHECK(checked(backend, "DELETE /v1/users/{userId}", person + "?mode=x").status == 400);
    CHECK(checked(erasure, "POST /v1/erasures", "/v1/erasures").status == 200);
    CHECK(checked(backend, "POST /v1/erasures", "/v1/erasures").status == 401);

    check_keys(master, backend);
    check_tenants(master);
}

TEST_CASE("the served reference matches the contract", "[contract]")
{
    World const world;
    auto anyone = world.client();
    check_reference(anyone);
}
