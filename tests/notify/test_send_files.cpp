#include "crypto/encoding.hpp"
#include "sends.hpp"

#include <catch2/catch.hpp>

using namespace sends;

TEST_CASE("inline files and uploads are sent with an email", "[notify]")
{
    World world;
    make_templates(world);
    auto const upload = uploaded(world, "uploaded bytes");
    boost::json::array const files{file("inline bytes", "note.txt"), {{"attachmentId", upload}}};
    auto const first = world.send(email({{"attachments", files}}));
    auto const second = world.send(email({{"attachments", files}})); // an upload may be reused
    REQUIRE(world.becomes(first, "sent"));
    REQUIRE(world.becomes(second, "sent"));
    // Inline files are deleted after the email is sent.
    CHECK(count(world, "notification_attachments WHERE content IS NOT NULL") == "0");
    CHECK(count(world, "notification_attachments") == "2");
    auto const mails = world.mails();
    REQUIRE(mails.size() == 2);
    for (auto const& mail : mails) {
        CHECK(mail.find("note.txt") != std::string::npos);
        CHECK(mail.find(crypto::base64::encode("inline bytes")) != std::string::npos);
        CHECK(mail.find("report.txt") != std::string::npos);
        CHECK(mail.find(crypto::base64::encode("uploaded bytes")) != std::string::npos);
    }
}

TEST_CASE("files of a failed email are kept for a retry", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const id = world.send(email({{"attachments", boost::json::array{file("inline bytes")}},
        {"sendAt", core::to_rfc3339(world.clock.now() + 1h)}}));
    REQUIRE(backend.post("/v1/notifications/" + id + "/cancel", "").status == 200);
    CHECK(count(world, "notification_attachments WHERE content IS NOT NULL") == "1");
    REQUIRE(backend.post("/v1/notifications/" + id + "/retry", "").status == 202);
    world.clock.advance(1h);
    REQUIRE(world.becomes(id, "sent"));
    REQUIRE(world.mails().size() == 1);
    CHECK(world.mails()[0].find(crypto::base64::encode("inline bytes")) != std::string::npos);
    CHECK(count(world, "notification_attachments") == "0");
}

TEST_CASE("invalid attachments are refused", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const faults = [&](boost::json::value files) {
        auto const r = backend.post(path, body(email({{"attachments", std::move(files)}})));
        INFO(r.body);
        CHECK(r.status == 400);
        return faults_of(r);
    };
    using boost::json::array, boost::json::object;
    CHECK(faults("x") == "/attachments type");
    CHECK(faults(array{7}) == "/attachments/0 type");
    CHECK(faults(array{object()}) == "/attachments/0/filename required\n/attachments/0/contentType required\n"
                                     "/attachments/0/content required");
    for (std::string const bad : {"not base64!", "YQ", "YQ===", "Y Q==", "YR=="}) {
        auto one = file("x");
        one["content"] = bad;
        CHECK(faults(array{one}) == "/attachments/0/content format");
    }
    auto one = file("x");
    one["filename"] = "a\r\nb.txt";
    CHECK(faults(array{file("fine"), one}) == "/attachments/1/filename format");
    one = file("x", "../../etc/passwd");
    CHECK(faults(array{one}) == "/attachments/0/filename format");
    one = file("x");
    one["contentType"] = "text/plain\r\nX: y";
    CHECK(faults(array{one}) == "/attachments/0/contentType format");
    CHECK(faults(array(11, file("x"))) == "/attachments too_many");
    CHECK(faults(array{object{{"attachmentId", "nope"}}}) == "/attachments/0/attachmentId format");
    CHECK(faults(array{object{{"attachmentId", ada}}}) == "/attachments/0/attachmentId not_attachable");
    auto const upload = uploaded(world, "x");
    object const twice{{"attachmentId", upload}};
    CHECK(faults(array{twice, twice}) == "/attachments/1/attachmentId not_attachable");
    CHECK(faults(array{object{{"attachmentId", upload}, {"content", "eA=="}}}) ==
          "/attachments/0/content not_allowed");
    auto const elsewhere = uploaded(world, "x", "demo");
    CHECK(faults(array{object{{"attachmentId", elsewhere}}}) == "/attachments/0/attachmentId not_attachable");
    auto const presigned = backend.post(
        "/v1/attachments/presign", R"({"filename":"a.txt","contentType":"text/plain","sizeBytes":3})");
    CHECK(faults(array{object{{"attachmentId", text(presigned.json(), "attachmentId")}}}) ==
          "/attachments/0/attachmentId not_attachable");
    CHECK(faults_of(backend.post(path, body({{"templateName", "code"}, {"channel", "sms"},
                                           {"to", "+14155550100"}, {"attachments", array{file("x")}}}))) ==
          "/attachments not_allowed");
    CHECK(count(world) == "0");
    CHECK(count(world, "notification_attachments") == "0");
}

TEST_CASE("attachments are limited to 10 MiB in total, inline or uploaded", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    std::string const most(10'485'760, 'x');
    auto const fits = backend.post(path, body(email({{"attachments", boost::json::array{file(most)}}})));
    INFO(fits.body);
    REQUIRE(fits.status == 202);
    REQUIRE(world.becomes(text(fits.json(), "notificationId"), "sent"));

    auto const too_large = [&](boost::json::array files) {
        auto const r = backend.post(path, body(email({{"attachments", std::move(files)}})));
        CHECK(r.status == 400);
        return faults_of(r);
    };
    CHECK(too_large({file(most), file("x")}) == "/attachments too_large");
    boost::json::object const upload{{"attachmentId", uploaded(world, "x")}};
    CHECK(too_large({upload, file(most)}) == "/attachments too_large");
    CHECK(too_large({{{"attachmentId", ada}}, file(most), file("x")}) ==
          "/attachments/0/attachmentId not_attachable\n/attachments too_large");
    CHECK(too_large({file(most + "xxxx")}) == "/attachments/0/content too_long");
    CHECK(faults_of(backend.post("/v1/attachments/presign",
              R"({"filename":"a.txt","contentType":"text/plain","sizeBytes":10485761})")) ==
          "/sizeBytes range");
}

TEST_CASE("the body is limited to 15 MiB, inclusive", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    std::string padded = body(email());
    padded.append((15 << 20) - padded.size(), ' ');
    CHECK(backend.post(path, padded).status == 202);
    auto const r = backend.post(path, padded + " ");
    CHECK(r.status == 413);
    CHECK(error_of(r) == "PAYLOAD_TOO_LARGE");
    CHECK(count(world) == "1");
}
