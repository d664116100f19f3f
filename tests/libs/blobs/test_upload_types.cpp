#include "api.hpp"
#include "samples.hpp"
#include "support/raw_connection.hpp"

using namespace blobs_test;

namespace {

/// Uploads the bytes under a declared type.
testing::HttpResponse upload(testing::HttpClient& client, std::string const& type, std::string const& bytes)
{
    return put(client, presign(client, "file", type, bytes.size()), type, bytes);
}

std::string fault_of(testing::HttpResponse const& response)
{
    return member(response.json().at("errors").as_array().at(0), "code");
}

} // namespace

TEST_CASE("a file of every allowed type is accepted and keeps its type")
{
    LocalService s;
    auto client = s.api.client();
    for (auto const& [type, bytes] : samples()) {
        CAPTURE(type);
        auto const presigned = presign(client, "file", type, bytes.size());
        REQUIRE(put(client, presigned, type, bytes).status == 200);
        auto const response = client.get(download_path(client, presigned.id));
        CHECK(response.body == bytes);
        CHECK(response.header("content-type") == type);
    }
    CHECK(s.files() == samples().size());
}

TEST_CASE("a program is refused under every declared type")
{
    LocalService s;
    auto client = s.api.client();
    for (auto const& program : {linux_program(), windows_program()}) {
        for (auto const type : blobs::media_types) {
            CAPTURE(type);
            auto const response = upload(client, std::string(type), program);
            REQUIRE(response.status == 400);
            CHECK(code_of(response) == "VALIDATION_ERROR");
            CHECK(fault_of(response) == "content");
        }
    }
    CHECK(s.files() == 0);
}

TEST_CASE("a text type accepts a shell script")
{
    LocalService s;
    auto client = s.api.client();
    for (auto const* type : {"text/plain", "text/csv", "application/json"})
        CHECK(upload(client, type, "#!/bin/sh\necho hello\n").status == 200);
    CHECK(upload(client, "video/mp4", "#!/bin/sh\necho hello\n").status == 400);
}

TEST_CASE("the type is detected from all first bytes, however the bytes arrive")
{
    LocalService s;
    auto client = s.api.client();
    std::string const program = linux_program();
    auto const presigned = presign(client, "a.txt", "text/plain", program.size());
    testing::RawConnection raw(s.api.server.port());
    raw.send("PUT " + presigned.path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n" +
             "Content-Length: " + std::to_string(program.size()) + "\r\n\r\n");
    for (std::size_t at = 0; at < 64; at += 16)
        raw.send(program.substr(at, 16));
    raw.send(program.substr(64));
    CHECK(raw.read_until("\r\n").starts_with("HTTP/1.1 400"));
    CHECK(s.files() == 0);
}
