#include "api.hpp"

using namespace blobs_test;

TEST_CASE("a download is saved under its name and never rendered")
{
    LocalService s;
    auto client = s.api.client();
    std::string const text = "a,b\n1,2\n";
    auto const presigned = presign(client, "naïve \"report\".csv", "text/csv", text.size());
    REQUIRE(put(client, presigned, "text/csv; charset=utf-8", text).status == 200);

    auto const shown = client.get("/v1/attachments/" + presigned.id);
    REQUIRE(shown.status == 200);
    auto const json = shown.json();
    CHECK(member(json, "attachmentId") == presigned.id);
    CHECK(member(json, "filename") == "naïve \"report\".csv");
    CHECK(member(json, "contentType") == "text/csv");
    CHECK(json.at("sizeBytes").to_number<std::size_t>() == text.size());
    CHECK(member(json, "status") == "uploaded");
    CHECK(member(json, "createdAt") == "2026-01-01T00:00:00.000Z");
    CHECK(member(json, "uploadedAt") == "2026-01-01T00:00:00.000Z");
    CHECK(member(json, "expiresAt") == "2026-01-01T00:05:00.000Z");

    std::string const path = download_path(client, presigned.id);
    auto const response = client.get(path);
    CHECK(response.status == 200);
    CHECK(response.body == text);
    CHECK(response.header("content-type") == "text/csv");
    CHECK(response.header("content-disposition") ==
          "attachment; filename*=UTF-8''na%C3%AFve%20%22report%22.csv");
    CHECK(response.header("x-content-type-options") == "nosniff");
    CHECK(response.header("cache-control") == "private, no-store");
    CHECK(response.header("content-security-policy") == "default-src 'none'; sandbox");

    s.clock.advance(std::chrono::minutes(5));
    CHECK(client.get(path).status == 404);
}

TEST_CASE("a download URL gets 404 if it is altered or the blob was deleted")
{
    LocalService s;
    auto client = s.api.client();
    std::string const path = download_path(client, upload_text(client, "hello"));
    std::string altered = path;
    altered.back() = altered.back() == 'A' ? 'B' : 'A';
    CHECK(client.get(altered).status == 404);
    CHECK(client.get("/downloads/..%2f..%2f..%2f..%2fetc%2fpasswd").status == 404);
    s.api.attachments.erase_scope(scope());
    CHECK(client.get(path).status == 404);
}

TEST_CASE("an attachment without an upload has no download URL")
{
    LocalService s;
    auto client = s.api.client();
    auto const presigned = presign(client, "a.txt", "text/plain", 5);
    auto const json = client.get("/v1/attachments/" + presigned.id).json();
    CHECK(member(json, "status") == "presigned");
    CHECK(json.at("downloadUrl").is_null());
    CHECK(json.at("expiresAt").is_null());
    CHECK(json.at("uploadedAt").is_null());
}

TEST_CASE("staff, the presigning user and readers of the parent can see an attachment")
{
    LocalService s;
    auto client = s.api.client();
    auto const status = [&](std::string const& id, testing::HttpClient::Headers const& headers) {
        return client.get("/v1/attachments/" + id, headers).status;
    };
    std::string const id = upload_text(client, "hello", {{"X-User", "u1"}});
    CHECK(status(id, {{"X-User", "u1"}}) == 200);
    CHECK(status(id, {}) == 200);
    CHECK(status(id, {{"X-User", "u2"}}) == 404);
    CHECK(status(id, {{"X-User", "u1"}, {"X-Scope", "15"}}) == 404);
    CHECK(status(id, {{"X-Scope", "15"}}) == 404);
    CHECK(status(core::Uuid::v7().to_string(), {}) == 404);
    CHECK(status("not-an-id", {}) == 404);

    blobs::Parent const parent{.type = "feedback", .id = core::Uuid::v7()};
    std::vector<core::Uuid> asked;
    s.api.application.may_read = [&](blobs::Attachment const& a) {
        asked.push_back(a.parent_id.value_or(core::Uuid{}));
        return true;
    };
    // The attachment has no parent yet, so `may_read` is not called.
    CHECK(status(id, {{"X-User", "u2"}}) == 404);
    CHECK(asked.empty());
    s.db.transact_blocking(core::ScopeId{14},
        [&](pg::Tx& tx) { return s.api.attachments.attach(tx, scope(), std::vector{id}, key(), parent); });
    CHECK(status(id, {{"X-User", "u2"}}) == 200);
    CHECK(asked == std::vector{parent.id});
    s.api.application.may_read = [](blobs::Attachment const&) { return false; };
    CHECK(status(id, {{"X-User", "u2"}}) == 404);
    CHECK(status(id, {{"X-User", "u1"}}) == 200);
}

TEST_CASE("only staff can see internal attachments")
{
    LocalService s;
    auto client = s.api.client();
    s.api.application.may_read = [](blobs::Attachment const&) { return true; };
    std::string const id = upload_text(client, "hello", {{"X-User", "u1"}});
    s.db.transact_blocking(core::ScopeId{14}, [&](pg::Tx& tx) {
        blobs::Parent const parent{.type = "feedback", .id = core::Uuid::v7(), .internal = true};
        return s.api.attachments.attach(tx, scope(), std::vector{id}, key(), parent);
    });
    CHECK(client.get("/v1/attachments/" + id).status == 200);
    CHECK(client.get("/v1/attachments/" + id, {{"X-User", "u1"}}).status == 404);
    CHECK(client.get("/v1/attachments/" + id, {{"X-User", "u2"}}).status == 404);
}
