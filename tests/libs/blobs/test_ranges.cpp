#include "api.hpp"
#include "support/file.hpp"
#include "support/raw_connection.hpp"

#include <fstream>

using namespace blobs_test;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

/// A service with an uploaded text, and the path of its download URL.
struct Uploaded {
    explicit Uploaded(std::string text = "0123456789")
        : bytes(std::move(text)), id(upload_text(client, bytes)), path(download_path(client, id))
    {
    }

    testing::HttpResponse get(testing::HttpClient::Headers const& headers)
    {
        return client.get(path, headers);
    }

    testing::HttpResponse range(std::string const& range) { return get({{"Range", range}}); }

    /// The file of the blob.
    std::filesystem::path file() const
    {
        std::filesystem::path found;
        for (auto const& entry : std::filesystem::recursive_directory_iterator(service.folder.path()))
            if (entry.is_regular_file()) found = entry.path();
        return found;
    }

    LocalService service;
    testing::HttpClient client = service.api.client();
    std::string const bytes;
    std::string const id;
    std::string const path;
};

/// 3 MB in which no two pieces are equal.
std::string numbers()
{
    std::string text;
    for (int i = 0; text.size() < 3'000'000; ++i)
        text += std::to_string(i) + '\n';
    return text;
}

} // namespace

TEST_CASE("a download has its length and an entity tag, and keeps the connection open")
{
    Uploaded file;
    testing::RawConnection raw(file.service.api.server.port());
    for (int i = 0; i < 2; ++i) {
        raw.send("GET " + file.path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        auto const head = raw.read_until("\r\n\r\n");
        CHECK(head.find("Content-Length: 10\r\n") != std::string::npos);
        CHECK(head.find("Transfer-Encoding") == std::string::npos);
        CHECK(raw.read(10) == file.bytes);
    }
    auto const whole = file.get({});
    CHECK(whole.header("accept-ranges") == "bytes");
    auto const tag = whole.header("etag");
    CHECK(tag.size() > 2);
    CHECK(tag.starts_with('"'));
    // The tag belongs to the bytes and not to the URL.
    file.service.clock.advance(1s);
    CHECK(file.client.get(download_path(file.client, file.id)).header("etag") == tag);
    CHECK(file.client.get(download_path(file.client, upload_text(file.client, file.bytes))).header("etag") !=
          tag);
}

TEST_CASE("HEAD returns the head of the whole download, also with a range")
{
    Uploaded file;
    std::vector<testing::HttpClient::Headers> const requests{
        {}, {{"Range", "bytes=2-4"}}, {{"Range", "bytes=10-"}}};
    for (auto const& headers : requests) {
        auto const response = file.client.request("HEAD", file.path, headers);
        CHECK(response.status == 200);
        CHECK(response.body.empty());
        CHECK(response.header("content-length") == "10");
        CHECK(response.header("accept-ranges") == "bytes");
        CHECK(response.header("content-type") == "text/plain");
        CHECK(response.header("content-disposition") == "attachment; filename*=UTF-8''note.txt");
    }
    CHECK(file.get({}).body == file.bytes);
}

TEST_CASE("a range returns a part of the download")
{
    struct Example {
        char const* range;
        char const* content_range;
        char const* body;
    };

    Uploaded file;
    for (auto const& e : {Example{"bytes=0-3", "bytes 0-3/10", "0123"},
             Example{"bytes=4-", "bytes 4-9/10", "456789"}, Example{"bytes=-2", "bytes 8-9/10", "89"},
             Example{"bytes=9-9", "bytes 9-9/10", "9"}, Example{"bytes=5-500", "bytes 5-9/10", "56789"},
             Example{"bytes=-500", "bytes 0-9/10", "0123456789"}}) {
        CAPTURE(e.range);
        auto const response = file.range(e.range);
        CHECK(response.status == 206);
        CHECK(response.header("content-range") == e.content_range);
        CHECK(response.header("content-length") == std::to_string(response.body.size()));
        CHECK(response.body == e.body);
        CHECK(response.header("content-type") == "text/plain");
        CHECK(response.header("content-disposition") == "attachment; filename*=UTF-8''note.txt");
        CHECK(response.header("x-content-type-options") == "nosniff");
        CHECK(response.header("content-security-policy") == "default-src 'none'; sandbox");
        CHECK(response.header("cache-control") == "private, no-store");
        CHECK(response.header("etag") == file.get({}).header("etag"));
    }
}

TEST_CASE("a range without a byte of the file gets 416 with the length of the file")
{
    Uploaded file;
    for (auto const* range : {"bytes=10-", "bytes=10-20", "bytes=99999999999999999999-", "bytes=-0"}) {
        CAPTURE(range);
        auto const response = file.range(range);
        CHECK(response.status == 416);
        CHECK(response.header("content-range") == "bytes */10");
        CHECK(code_of(response) == "RANGE_NOT_SATISFIABLE");
    }
    CHECK(file.get({}).body == file.bytes);
}

TEST_CASE("several ranges, malformed ranges and other units return the whole file")
{
    Uploaded file;
    for (auto const* range :
        {"bytes=0-1,3-4", "bytes=5-2", "bytes=", "bytes=a-b", "bytes=1", "pages=1-2", "x"}) {
        CAPTURE(range);
        auto const response = file.range(range);
        CHECK(response.status == 200);
        CHECK(response.body == file.bytes);
        CHECK(response.header("content-range").empty());
    }
}

TEST_CASE("If-Range continues a download only if the file is the same")
{
    Uploaded file;
    std::string const tag = file.get({}).header("etag");
    auto const status = [&](std::string const& condition) {
        return file.get({{"Range", "bytes=4-"}, {"If-Range", condition}}).status;
    };
    CHECK(status(tag) == 206);
    for (auto const& other :
        {"\"other\""s, "W/" + tag, "*"s, "Sun, 06 Nov 1994 08:49:37 GMT"s, tag + ", \"x\""})
        CHECK(status(other) == 200);
}

TEST_CASE("a download with the current tag gets 304, and one that requires another tag gets 412")
{
    Uploaded file;
    std::string const tag = file.get({}).header("etag");
    for (auto const& list : {tag, "W/" + tag, "\"a\", " + tag, "*"s}) {
        auto const response = file.get({{"If-None-Match", list}, {"Range", "bytes=0-3"}});
        CHECK(response.status == 304);
        CHECK(response.body.empty());
        CHECK(response.header("etag") == tag);
    }
    CHECK(file.get({{"If-None-Match", "\"a\""}}).status == 200);
    CHECK(file.get({{"If-Match", tag}}).status == 200);
    CHECK(file.get({{"If-Match", "\"a\""}}).status == 412);
}

TEST_CASE("curl downloads ranges, and continues a download that was interrupted")
{
    Uploaded file(numbers());
    std::string const url = file.service.api.base() + file.path;
    auto const curl = [&](std::vector<std::string> const& options) {
        std::vector<std::string> argv{"curl", "--silent", "--show-error", "--fail"};
        argv.insert(argv.end(), options.begin(), options.end());
        argv.push_back(url);
        return testing::output_of(argv, 60s);
    };
    CHECK(curl({"-r", "1000000-1999999"}) == file.bytes.substr(1'000'000, 1'000'000));
    CHECK(curl({"-r", "-5"}) == file.bytes.substr(file.bytes.size() - 5));
    CHECK(curl({"--head"}).find("Content-Length: " + std::to_string(file.bytes.size())) != std::string::npos);
    testing::TemporaryDirectory const folder("ranges");
    std::string const part = folder.path() + "/part";
    std::ofstream(part) << file.bytes.substr(0, 1'234'567);
    curl({"-C", "-", "-o", part});
    CHECK(testing::read_file(part) == file.bytes);
    curl({"-o", part});
    CHECK(testing::read_file(part) == file.bytes);
}

TEST_CASE("a file that has lost bytes gets 404")
{
    Uploaded file;
    std::filesystem::resize_file(file.file(), 5);
    CHECK(file.get({}).status == 404);
    CHECK(file.range("bytes=0-3").status == 404);
}

TEST_CASE("a download ends when the file loses bytes during the download")
{
    constexpr std::size_t size = 24 << 20, left = size - 1;
    Uploaded file(std::string(size, 'x'));
    testing::RawConnection raw(file.service.api.server.port());
    raw.send("GET " + file.path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(raw.read_until("\r\n\r\n").find("Content-Length: " + std::to_string(size)) != std::string::npos);
    // The sockets hold less than the rest of the file, because the client has not read it yet.
    std::filesystem::resize_file(file.file(), left);
    CHECK(raw.read_to_close().size() <= left);
    CHECK(raw.closed());
}
