#include "api.hpp"

using namespace blobs_test;

TEST_CASE("presigning answers an address for exactly that file")
{
    LocalService s;
    auto client = s.api.client();
    auto const response = client.post("/v1/attachments/presign",
        R"({"filename":"Bericht über €.pdf","contentType":"application/pdf","sizeBytes":26214400})",
        {{"Host", "demo.feedback.localhost:8101"}, {"X-User", "u1"}});
    INFO(response.body);
    REQUIRE(response.status == 201);
    auto const json = response.json();
    auto const id = core::Uuid::parse(json.at("attachmentId").as_string());
    REQUIRE(id);
    CHECK(member(json, "filename") == "Bericht über €.pdf");
    CHECK(member(json, "contentType") == "application/pdf");
    CHECK(member(json, "expiresAt") == "2026-01-01T00:15:00.000Z");
    std::string const url(json.at("uploadUrl").as_string());
    std::string const beginning = "http://demo.feedback.localhost:8101/uploads/";
    REQUIRE(url.starts_with(beginning));
    auto const upload = s.store.open_upload(url.substr(beginning.size()));
    REQUIRE(upload);
    CHECK(upload->size_bytes == 26'214'400);
    CHECK(upload->key.attachment_id == *id);

    CHECK(s.postgres.query("SELECT concat_ws(' ', scope_id, owner, state, size_bytes) FROM attachments") ==
          "14 u1 presigned 26214400");
    CHECK(s.postgres.query("SELECT concat_ws(' ', queue, scope_id, run_at AT TIME ZONE 'UTC') FROM jobs") ==
          "blobs.expire 14 2026-01-02 00:00:00");
}

TEST_CASE("the scheme of addresses is configuration, and the limit an option")
{
    LocalService s({.max_bytes = 10, .origin = blobs::origin_from_host("https")});
    auto client = s.api.client();
    CHECK(presign(client, "a", "text/csv", 10).url.starts_with("https://127.0.0.1:"));
    auto const response =
        client.post("/v1/attachments/presign", R"({"filename":"a","contentType":"text/csv","sizeBytes":11})");
    CHECK(response.status == 400);
    CHECK(pointers_of(response) == std::vector<std::string>{"/sizeBytes"});
}

TEST_CASE("every fault of a presign is named at once")
{
    LocalService s;
    auto client = s.api.client();
    auto const faults = [&](std::string const& body) {
        auto const response = client.post("/v1/attachments/presign", body);
        INFO(body << " " << response.body);
        REQUIRE(response.status == 400);
        CHECK(code_of(response) == "VALIDATION_ERROR");
        return pointers_of(response);
    };
    using List = std::vector<std::string>;
    CHECK(faults("{}") == List{"/filename", "/contentType", "/sizeBytes"});
    CHECK(faults(R"({"filename":"","contentType":"image/svg+xml","sizeBytes":0})") ==
          List{"/filename", "/contentType", "/sizeBytes"});
    CHECK(
        faults(R"({"filename":"a","contentType":"text/plain","sizeBytes":26214401})") == List{"/sizeBytes"});
    CHECK(faults(R"({"filename":"a","contentType":"text/plain","sizeBytes":1.5})") == List{"/sizeBytes"});
    CHECK(faults(R"({"filename":"a","contentType":"TEXT/PLAIN","sizeBytes":1})") == List{"/contentType"});
    CHECK(faults(R"({"filename":"../../etc/passwd","contentType":"text/plain","sizeBytes":1})") ==
          List{"/filename"});
    CHECK(faults(R"({"filename":"..\\..\\boot.ini","contentType":"text/plain","sizeBytes":1})") ==
          List{"/filename"});
    CHECK(faults(R"({"filename":"a\nb","contentType":"text/plain","sizeBytes":1})") == List{"/filename"});
    std::string const longest(255, 'x');
    CHECK(faults(R"({"filename":")" + longest + R"(y","contentType":"text/plain","sizeBytes":1})") ==
          List{"/filename"});
    presign(client, longest, "text/plain", 1);
    CHECK(s.postgres.query("SELECT count(*) FROM attachments") == "1");
}

TEST_CASE("a presign repeated with its Idempotency-Key is one attachment")
{
    LocalService s;
    auto client = s.api.client();
    auto const first = presign(client, "a.txt", "text/plain", 5, {{"Idempotency-Key", "k"}});
    auto const again = presign(client, "a.txt", "text/plain", 5, {{"Idempotency-Key", "k"}});
    CHECK(again.id == first.id);
    CHECK(again.url == first.url);
    CHECK(s.postgres.query("SELECT count(*) FROM attachments") == "1");
    CHECK(s.postgres.query("SELECT count(*) FROM jobs") == "1");
}

TEST_CASE("what a scope leaves unattached is limited, small files counting 64 KiB")
{
    LocalService s({.max_unattached_bytes = 3 * 65'536});
    auto client = s.api.client();
    auto const try_presign = [&](std::size_t size, std::string const& scope = "14") {
        boost::json::value const body{{"filename", "a"}, {"contentType", "text/csv"}, {"sizeBytes", size}};
        return client.post("/v1/attachments/presign", boost::json::serialize(body), {{"X-Scope", scope}});
    };
    CHECK(try_presign(65'537).status == 201);
    CHECK(try_presign(1).status == 201);
    auto const refused = try_presign(1);
    CHECK(refused.status == 429);
    CHECK(code_of(refused) == "TOO_MANY_UPLOADS");
    CHECK(refused.header("retry-after") == "3600");
    CHECK(s.postgres.query("SELECT count(*) FROM attachments") == "2");
    CHECK(s.postgres.query("SELECT count(*) FROM jobs") == "2");
    CHECK(try_presign(1, "15").status == 201);

    s.postgres.query("UPDATE attachments SET state = 'attached', version = 'v', uploaded_at = now(), "
                     "attached_at = now(), parent_type = 'feedback', parent_id = gen_random_uuid() "
                     "WHERE size_bytes = 1 AND scope_id = 14");
    CHECK(try_presign(1).status == 201);
}

TEST_CASE("a Host that is none makes no address")
{
    LocalService s;
    auto client = s.api.client();
    auto const origin = blobs::origin_from_host("http");
    http::Request request;
    CHECK_THROWS_AS(origin(request), core::Error);
    request.headers = {{"Host", "evil.example/path?"}};
    CHECK_THROWS_AS(origin(request), core::Error);
    request.headers = {{"Host", "[::1]:8101"}};
    CHECK(origin(request) == "http://[::1]:8101");
}
