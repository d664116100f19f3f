#include "api.hpp"
#include "blobs/erasure.hpp"
#include "blobs/s3_store.hpp"
#include "s3_server.hpp"
#include "samples.hpp"
#include "support/run_awaitable.hpp"

#include <filesystem>

using namespace blobs_test;
using testing::run_awaitable;

namespace {

std::string const png("\x89PNG\r\n\x1a\n and the rest of a picture");

S3Server& server()
{
    static S3Server one;
    return one;
}

blobs::S3Options options(std::string secret = "S3RVER")
{
    return {server().endpoint, "attachments", "eu-central-1", fixed_keys("S3RVER", std::move(secret))};
}

/// A service whose attachments are on the S3 server. Each test has its own scope.
struct S3Service {
    testing::Postgres postgres = database();
    pg::Database db{{.url = postgres.service_url(), .application_name = "test_blobs"}};
    core::SystemClock clock;
    http_client::Client outbound{{.addresses = http_client::AddressPolicy(true)}};
    blobs::S3Store store{options(), outbound, clock};
    Api api{db, store, clock};
    testing::HttpClient client = api.client();
    testing::HttpClient s3{server().endpoint};
    core::ScopeId const scope_id = next_scope();
    testing::HttpClient::Headers const headers{{"X-Scope", core::to_string(scope_id)}};

    static core::ScopeId next_scope()
    {
        static std::int64_t number = 100;
        return core::ScopeId{++number};
    }

    Presigned presign_png() { return presign(client, "naïve (1).png", "image/png", png.size(), headers); }

    std::string state() const { return postgres.query("SELECT state FROM attachments"); }

    void confirm(std::string const& id)
    {
        std::vector<std::string> const ids{id};
        run_awaitable(api.attachments.confirm_uploads(scope(scope_id), ids));
    }

    std::vector<blobs::Attachment> attach(std::string const& id)
    {
        return db.transact_blocking(scope_id, [&](pg::Tx& tx) {
            blobs::Parent const parent{.type = "feedback", .id = core::Uuid::v7()};
            return api.attachments.attach(tx, scope(scope_id), std::vector{id}, key(), parent);
        });
    }

    /// The objects of the scope.
    std::size_t objects() const
    {
        std::size_t count = 0;
        namespace fs = std::filesystem;
        fs::path const folder =
            fs::path(server().folder.path()) / "objects" / "attachments" / core::to_string(scope_id);
        std::error_code none;
        for (auto const& entry : fs::recursive_directory_iterator(folder, none)) {
            if (entry.path().filename().string().ends_with("._S3rver_object")) ++count;
        }
        return count;
    }
};

} // namespace

TEST_CASE("a presigned PUT accepts exactly the declared file")
{
    S3Service s;
    auto const presigned = s.presign_png();
    CHECK(presigned.url.starts_with(server().endpoint + "/attachments/" + core::to_string(s.scope_id) + "/"));
    CHECK(put(s.s3, presigned, "image/png", png + "x").status == 403);
    CHECK(put(s.s3, presigned, "image/png", png.substr(1)).status == 403);
    CHECK(put(s.s3, presigned, "image/jpeg", png).status == 403);
    auto altered = presigned;
    auto const signature = altered.path.find("X-Amz-Signature=") + 16;
    altered.path[signature] = altered.path[signature] == 'a' ? 'b' : 'a';
    CHECK(put(s.s3, altered, "image/png", png).status == 403);
    auto elsewhere = presigned;
    elsewhere.path.replace(elsewhere.path.find(presigned.id), 36, core::Uuid::v7().to_string());
    CHECK(put(s.s3, elsewhere, "image/png", png).status == 403);
    CHECK(s.s3.get(presigned.path).status == 403);
    CHECK(s.objects() == 0);

    CHECK(put(s.s3, presigned, "image/png", png).status == 200);
    CHECK(s.objects() == 1);
}

TEST_CASE("an expired URL is refused")
{
    testing::FakeClock const clock(
        std::chrono::time_point_cast<core::Time::duration>(std::chrono::system_clock::now()) -
        std::chrono::minutes(16));
    http_client::Client outbound({.addresses = http_client::AddressPolicy(true)});
    blobs::S3Store store(options(), outbound, clock);
    std::string const url = store.upload_url(
        {{core::ScopeId{100}, core::Uuid::v7(), {}}, 5, "text/plain", clock.now() + std::chrono::minutes(15)},
        "");
    testing::HttpClient s3(server().endpoint);
    CHECK(s3.put(url.substr(server().endpoint.size()), "hello", {{"Content-Type", "text/plain"}}).status ==
          403);
}

TEST_CASE("an upload to S3 is detected, attached, and downloaded with its name")
{
    S3Service s;
    auto const presigned = s.presign_png();
    s.confirm(presigned.id);
    CHECK(s.state() == "presigned");
    CHECK_THROWS_AS(s.attach(presigned.id), core::Error);

    REQUIRE(put(s.s3, presigned, "image/png", png).status == 200);
    CHECK_THROWS_AS(s.attach(presigned.id), core::Error);
    s.confirm(presigned.id);
    CHECK(s.state() == "uploaded");
    auto const attached = s.attach(presigned.id);
    REQUIRE(attached.size() == 1);

    std::string const path = download_path(s.client, presigned.id, s.headers);
    auto const response = s.s3.get(path);
    CHECK(response.status == 200);
    CHECK(response.body == png);
    CHECK(response.header("content-type") == "image/png");
    CHECK(response.header("content-disposition") == "attachment; filename*=UTF-8''na%C3%AFve%20%281%29.png");
    CHECK(response.header("cache-control") == "private, no-store");
    std::string altered = path;
    altered.replace(altered.find("private"), 7, "public");
    CHECK(s.s3.get(altered).status == 403);
}

TEST_CASE("an upload to S3 is detected after its URL expires, even without a request for the attachment")
{
    S3Service s;
    auto const presigned = s.presign_png();
    auto const settle = [&] {
        return s.api.attachments.settle(s.scope_id, *core::Uuid::parse(presigned.id));
    };
    CHECK(s.postgres.query(R"(
        SELECT j.run_at - a.created_at
        FROM jobs j
        JOIN attachments a ON j.ref = a.attachment_id
        WHERE j.queue = 'blobs.settle')") == "00:16:00");
    CHECK(settle());
    REQUIRE(put(s.s3, presigned, "image/png", png).status == 200);
    CHECK(s.state() == "presigned");
    CHECK_FALSE(settle());
    CHECK(s.state() == "uploaded");
}

TEST_CASE(
    "bytes that are uploaded to S3 after the erasure of the attachment are deleted when the URL has expired")
{
    S3Service s;
    auto const presigned = s.presign_png();
    auto const id = *core::Uuid::parse(presigned.id);
    std::vector<core::Uuid> const ids{id};
    s.db.transact_blocking(s.scope_id,
        [&](pg::Tx& tx) { return blobs::erase_attachments(tx, s.scope_id, ids, std::nullopt).size(); });
    s.api.attachments.expire(s.scope_id, id);
    REQUIRE(put(s.s3, presigned, "image/png", png).status == 200);
    CHECK(s.objects() == 1);
    CHECK(s.api.attachments.settle(s.scope_id, id) == std::nullopt);
    CHECK(s.objects() == 0);
}

TEST_CASE("GET of an attachment checks whether its file has been uploaded")
{
    S3Service s;
    auto const presigned = s.presign_png();
    auto const shown = [&] { return s.client.get("/v1/attachments/" + presigned.id, s.headers).json(); };
    CHECK(shown().at("downloadUrl").is_null());
    REQUIRE(put(s.s3, presigned, "image/png", png).status == 200);
    CHECK(member(shown(), "status") == "uploaded");
}

TEST_CASE("a PUT after an upload was confirmed changes nothing")
{
    S3Service s;
    auto const presigned = s.presign_png();
    REQUIRE(put(s.s3, presigned, "image/png", png).status == 200);
    s.confirm(presigned.id);
    std::string const other(png.size(), 'x');
    REQUIRE(put(s.s3, presigned, "image/png", other).status == 200);
    s.confirm(presigned.id);
    s.attach(presigned.id);
    CHECK(s.s3.get(download_path(s.client, presigned.id, s.headers)).body == png);

    s.api.attachments.expire(s.scope_id, *core::Uuid::parse(presigned.id));
    CHECK(s.objects() == 1);
    CHECK(s.s3.get(download_path(s.client, presigned.id, s.headers)).body == png);
}

TEST_CASE("an upload that changes while it is checked is not accepted")
{
    S3Service s;
    auto const presigned = s.presign_png();
    REQUIRE(put(s.s3, presigned, "image/png", png).status == 200);
    blobs::Key const key{s.scope_id, *core::Uuid::parse(presigned.id), {}};
    auto const stat = run_awaitable(s.store.stat(key));
    REQUIRE(stat);
    CHECK(stat->size_bytes == static_cast<std::int64_t>(png.size()));
    CHECK(stat->content.head == png.substr(0, 16));
    REQUIRE(put(s.s3, presigned, "image/png", std::string(png.size(), 'x')).status == 200);
    CHECK_FALSE(run_awaitable(s.store.finalize(key, *stat)));
}

TEST_CASE("bytes that do not fit their type are refused")
{
    S3Service s;
    auto const presigned = s.presign_png();
    std::string html = "<html>";
    html.resize(png.size(), ' ');
    REQUIRE(put(s.s3, presigned, "image/png", html).status == 200);
    s.confirm(presigned.id);
    CHECK(s.state() == "presigned");
    REQUIRE(put(s.s3, presigned, "image/png", png).status == 200);
    s.confirm(presigned.id);
    CHECK(s.state() == "uploaded");
}

TEST_CASE("a program that is uploaded to S3 as a text is refused, and a text is accepted")
{
    S3Service s;
    std::string const program = linux_program();
    auto const presigned = presign(s.client, "a.txt", "text/plain", program.size(), s.headers);
    REQUIRE(put(s.s3, presigned, "text/plain", program).status == 200);
    s.confirm(presigned.id);
    CHECK(s.state() == "presigned");
    REQUIRE(put(s.s3, presigned, "text/plain", std::string(program.size(), 'x')).status == 200);
    s.confirm(presigned.id);
    CHECK(s.state() == "uploaded");
}

TEST_CASE("unattached attachments and all attachments of an erased scope are deleted from S3")
{
    S3Service s;
    auto const forgotten = s.presign_png();
    auto const kept = s.presign_png();
    for (auto const& presigned : {forgotten, kept}) {
        REQUIRE(put(s.s3, presigned, "image/png", png).status == 200);
        s.confirm(presigned.id);
    }
    CHECK(s.objects() == 4);
    s.api.attachments.expire(s.scope_id, *core::Uuid::parse(forgotten.id));
    CHECK(s.objects() == 2);
    CHECK(s.postgres.query("SELECT attachment_id FROM attachments") == kept.id);
    s.api.attachments.erase_scope(scope(s.scope_id));
    CHECK(s.objects() == 0);
    s.api.attachments.erase_scope(scope(s.scope_id));
    s.api.attachments.expire(s.scope_id, *core::Uuid::parse(kept.id));
}

TEST_CASE("a wrong secret gives an internal error, and an outage of S3 gives UNAVAILABLE")
{
    S3Service s;
    blobs::Key const key{s.scope_id, core::Uuid::v7(), {}};
    blobs::S3Store wrong(options("another secret"), s.outbound, s.clock, 1);
    CHECK_THROWS_WITH(run_awaitable(wrong.stat(key)), Catch::Contains("SignatureDoesNotMatch"));

    auto away = options();
    away.endpoint = "http://127.0.0.1:" + std::to_string(testing::free_port());
    blobs::S3Store absent(away, s.outbound, s.clock, 1);
    try {
        run_awaitable(absent.stat(key));
        FAIL("the port should be closed");
    } catch (core::Error const& error) {
        CHECK(error.code().status == 503);
    }
}
