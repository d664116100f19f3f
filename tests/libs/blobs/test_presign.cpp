#include "api.hpp"

#include <algorithm>
#include <thread>

using namespace blobs_test;

namespace {

constexpr std::size_t largest = 26'214'400;

testing::HttpResponse try_presign(
    testing::HttpClient& client, std::size_t size, testing::HttpClient::Headers const& headers = {})
{
    boost::json::value const body{{"filename", "a"}, {"contentType", "text/csv"}, {"sizeBytes", size}};
    return client.post("/v1/attachments/presign", boost::json::serialize(body), headers);
}

testing::HttpClient::Headers by(std::string const& user)
{
    return {{"X-User", user}};
}

/// Presigns at most `tries` files of that size, until the limit is reached. Returns the number of presigned
/// files.
int presigned_within_limit(
    testing::HttpClient& client, int tries, std::size_t size, testing::HttpClient::Headers const& headers)
{
    int count = 0;
    for (int i = 0; i < tries; ++i)
        if (try_presign(client, size, headers).status == 201) ++count;
    return count;
}

void attach_all(LocalService const& s)
{
    s.postgres.query(R"(
        UPDATE attachments
        SET state = 'attached', version = 'v', uploaded_at = now(), attached_at = now(),
            parent_type = 'feedback', parent_id = gen_random_uuid())");
}

} // namespace

TEST_CASE("presigning returns a URL for exactly that file")
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
    auto const upload = s.store.verify_upload(url.substr(beginning.size()));
    REQUIRE(upload);
    CHECK(upload->size_bytes == 26'214'400);
    CHECK(upload->key.attachment_id == *id);

    CHECK(s.postgres.query("SELECT concat_ws(' ', scope_id, owner, state, size_bytes) FROM attachments") ==
          "14 u1 presigned 26214400");
    CHECK(s.postgres.query(R"(
        SELECT string_agg(
            concat_ws(' ', queue, scope_id, run_at AT TIME ZONE 'UTC'), ', '
            ORDER BY queue
        )
        FROM jobs)") == "blobs.expire 14 2026-01-02 00:00:00, blobs.settle 14 2026-01-01 01:00:00");
}

TEST_CASE("the scheme of URLs and the limit are configurable")
{
    LocalService s({.max_bytes = 10, .origin = blobs::origin_from_host("https")});
    auto client = s.api.client();
    CHECK(presign(client, "a", "text/csv", 10).url.starts_with("https://127.0.0.1:"));
    auto const response =
        client.post("/v1/attachments/presign", R"({"filename":"a","contentType":"text/csv","sizeBytes":11})");
    CHECK(response.status == 400);
    CHECK(pointers_of(response) == std::vector<std::string>{"/sizeBytes"});
}

TEST_CASE("all faults of a presign request are reported together")
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

TEST_CASE("repeated presign requests with the same Idempotency-Key create one attachment")
{
    LocalService s;
    auto client = s.api.client();
    auto const first = presign(client, "a.txt", "text/plain", 5, {{"Idempotency-Key", "k"}});
    auto const again = presign(client, "a.txt", "text/plain", 5, {{"Idempotency-Key", "k"}});
    CHECK(again.id == first.id);
    CHECK(again.url == first.url);
    CHECK(s.postgres.query("SELECT count(*) FROM attachments") == "1");
    CHECK(s.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'blobs.expire'") == "1");
}

TEST_CASE("the unattached bytes of a scope are limited, and small files count as 64 KiB")
{
    LocalService s({.max_unattached_bytes = 3 * 65'536});
    auto client = s.api.client();
    CHECK(try_presign(client, 65'537).status == 201);
    CHECK(try_presign(client, 1).status == 201);
    auto const refused = try_presign(client, 1);
    CHECK(refused.status == 429);
    CHECK(code_of(refused) == "TOO_MANY_UPLOADS");
    CHECK(member(refused.json(), "detail") == "Too many unattached uploads. Attach or wait for older uploads "
                                              "to expire, or raise BLOB_UNATTACHED_LIMIT.");
    CHECK(refused.header("retry-after") == "900");
    CHECK(s.postgres.query("SELECT count(*) FROM attachments") == "2");
    CHECK(s.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'blobs.expire'") == "2");
    CHECK(try_presign(client, 1, {{"X-Scope", "15"}}).status == 201);

    attach_all(s);
    CHECK(try_presign(client, 1).status == 201);
}

TEST_CASE("a user who presigns and never uploads leaves room for others")
{
    LocalService s;
    auto client = s.api.client();
    // 56 files of the maximum size exceed the default limit of a scope. A user may use a tenth of that limit.
    CHECK(presigned_within_limit(client, 56, largest, by("mallory")) == 4);
    auto const refused = try_presign(client, 1 << 22, by("mallory"));
    CHECK(refused.status == 429);
    CHECK(code_of(refused) == "TOO_MANY_UPLOADS");
    CHECK(member(refused.json(), "detail") ==
          "Too many unattached uploads of this user. Attach or wait for older "
          "uploads to expire, or raise BLOB_UNATTACHED_LIMIT_PER_USER.");
    CHECK(refused.header("retry-after") == "900");
    CHECK(try_presign(client, largest, by("ada")).status == 201);
    CHECK(try_presign(client, largest).status == 201);
}

TEST_CASE("the limit of a scope applies to all users together, and API keys have no other limit")
{
    LocalService s;
    auto client = s.api.client();
    CHECK(presigned_within_limit(client, 50, largest, {}) == 40);
    CHECK(try_presign(client, largest, by("ada")).status == 429);
    CHECK(try_presign(client, largest, {{"X-User", "ada"}, {"X-Scope", "15"}}).status == 201);
}

TEST_CASE("declared bytes count until the URL expires, and uploaded bytes until they are attached")
{
    LocalService s;
    auto client = s.api.client();
    auto const uploaded = presign(client, "a.csv", "text/csv", largest, by("ada"));
    REQUIRE(put(client, uploaded, "text/csv", std::string(largest, 'x')).status == 200);
    CHECK(presigned_within_limit(client, 10, largest, by("ada")) == 3);
    s.clock.advance(std::chrono::minutes(15) - std::chrono::milliseconds(1));
    CHECK(try_presign(client, largest, by("ada")).status == 429);
    s.clock.advance(std::chrono::milliseconds(1));
    CHECK(presigned_within_limit(client, 10, largest, by("ada")) == 3);
    attach_all(s);
    CHECK(presigned_within_limit(client, 10, largest, by("ada")) == 4);
}

TEST_CASE("parallel presign requests of one user do not exceed the limit together")
{
    LocalService s;
    std::vector<unsigned> statuses(16);
    std::vector<std::thread> threads;
    threads.reserve(statuses.size());
    for (auto& status : statuses) {
        threads.emplace_back([&] {
            auto client = s.api.client();
            status = try_presign(client, largest, by("ada")).status;
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(std::ranges::count(statuses, 201U) == 4);
    CHECK(s.postgres.query("SELECT count(*) FROM attachments") == "4");
}

TEST_CASE("a request with an invalid Host gets no URL")
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
