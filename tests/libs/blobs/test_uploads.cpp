#include "api.hpp"
#include "support/eventually.hpp"
#include "support/raw_connection.hpp"

#include <atomic>
#include <fstream>
#include <thread>

using namespace blobs_test;
using namespace std::string_literals;
using testing::eventually;

namespace {

std::string const png("\x89PNG\r\n\x1a\n and the rest of a picture");

std::string head(Presigned const& presigned, std::string const& type, std::size_t length)
{
    return "PUT " + presigned.path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
           "\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

/// A service, and a text of the given size for it, of which the first two bytes have arrived.
struct HalfUploaded {
    explicit HalfUploaded(std::size_t size = 5) : presigned(presign(client, "a.txt", "text/plain", size))
    {
        raw.send(head(presigned, "text/plain", size) + "he");
        REQUIRE(eventually([&] { return service.files() == 1; }));
    }

    LocalService service;
    testing::HttpClient client = service.api.client();
    Presigned const presigned;
    testing::RawConnection raw{service.api.server.port()};
};

/// The maximum resident memory of this process since `reset_peak`, in KiB.
std::size_t peak_kib()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::size_t kib = 0;
        if (word == "VmHWM:" && status >> kib) return kib;
    }
    FAIL("/proc/self/status has no VmHWM");
    return 0;
}

void reset_peak()
{
    std::ofstream("/proc/self/clear_refs") << "5";
}

} // namespace

TEST_CASE("a presigned file is uploaded once and read back")
{
    LocalService s;
    auto client = s.api.client();
    auto const presigned = presign(client, "a.png", "image/png", png.size());
    auto const response = put(client, presigned, "image/png", png);
    INFO(response.body);
    CHECK(response.status == 200);
    CHECK(member(response.json(), "attachmentId") == presigned.id);
    CHECK(s.postgres.query("SELECT state FROM attachments") == "uploaded");

    auto const again = put(client, presigned, "image/png", png);
    CHECK(again.status == 409);
    CHECK(code_of(again) == "CONFLICT");
    CHECK(s.files() == 1);
    CHECK(client.get(download_path(client, presigned.id)).body == png);
}

TEST_CASE("a refused upload does not use up its URL")
{
    LocalService s;
    auto client = s.api.client();
    auto const presigned = presign(client, "a.png", "image/png", png.size());

    auto const longer = put(client, presigned, "image/png", png + "x");
    CHECK(longer.status == 400);
    CHECK(pointers_of(longer) == std::vector<std::string>{"Content-Length"});
    CHECK(put(client, presigned, "image/png", png.substr(1)).status == 400);
    CHECK(put(client, presigned, "image/png", "").status == 400);

    auto const typed = put(client, presigned, "image/jpeg", png);
    CHECK(typed.status == 415);
    CHECK(code_of(typed) == "UNSUPPORTED_MEDIA_TYPE");

    std::string html = "<html><script>alert(1)</script>";
    html.resize(png.size(), ' ');
    auto const other = put(client, presigned, "image/png", html);
    CHECK(other.status == 400);
    CHECK(other.body.find("image/png") != std::string::npos);

    CHECK(s.files() == 0);
    CHECK(s.postgres.query("SELECT state FROM attachments") == "presigned");
    CHECK(put(client, presigned, "Image/PNG", png).status == 200);
}

TEST_CASE("an upload without a length is refused with 411")
{
    LocalService s;
    auto client = s.api.client();
    auto const presigned = presign(client, "a.txt", "text/plain", 5);
    testing::RawConnection raw(s.api.server.port());
    raw.send("PUT " + presigned.path +
             " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
             "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    CHECK(raw.read_until("\r\n").starts_with("HTTP/1.1 411"));
    CHECK(put(client, presigned, "text/plain", "hello").status == 200);
}

TEST_CASE("requests to unknown, altered and expired URLs get 404")
{
    LocalService s;
    auto client = s.api.client();
    auto presigned = presign(client, "a.txt", "text/plain", 5);
    auto const status = [&](std::string const& path) {
        auto const response = client.put(path, "hello", {{"Content-Type", "text/plain"}});
        CHECK(code_of(response) == "NOT_FOUND");
        return response.status;
    };
    std::string altered = presigned.path;
    altered[altered.size() - 20] = altered[altered.size() - 20] == 'A' ? 'B' : 'A';
    CHECK(status(altered) == 404);
    CHECK(status("/uploads/x") == 404);
    CHECK(status("/uploads/..%2f..%2f..%2fetc%2fpasswd") == 404);
    CHECK(status("/uploads/" + presigned.id) == 404);

    std::string const id = upload_text(client, "hello");
    std::string const download = download_path(client, id);
    CHECK(status("/uploads/" + download.substr(download.rfind('/') + 1)) == 404);
    CHECK(client.get("/downloads/" + presigned.path.substr(presigned.path.rfind('/') + 1)).status == 404);

    s.clock.advance(std::chrono::minutes(15));
    CHECK(status(presigned.path) == 404);
    CHECK(s.files() == 1);
}

TEST_CASE("an upload without a row gets 404 and leaves no file")
{
    LocalService s;
    auto client = s.api.client();
    auto const presigned = presign(client, "a.txt", "text/plain", 5);
    s.postgres.query("DELETE FROM attachments");
    CHECK(put(client, presigned, "text/plain", "hello").status == 404);
    CHECK(s.files() == 0);
}

TEST_CASE("an upload whose row is deleted during the upload gets 404 and leaves no file")
{
    HalfUploaded up;
    up.service.postgres.query("DELETE FROM attachments");
    up.raw.send("llo");
    CHECK(up.raw.read_until("\r\n").starts_with("HTTP/1.1 404"));
    CHECK(eventually([&] { return up.service.files() == 0; }));
}

TEST_CASE("an aborted upload does not use up its URL and leaves no file")
{
    LocalService s({}, {.body_idle_timeout = std::chrono::seconds(2)});
    auto client = s.api.client();
    std::string const bytes(300'000, 'x');
    auto const presigned = presign(client, "a.txt", "text/plain", bytes.size());
    bool const silent = GENERATE(false, true);
    {
        testing::RawConnection raw(s.api.server.port());
        raw.send(head(presigned, "text/plain", bytes.size()) + bytes.substr(0, 200'000));
        REQUIRE(eventually([&] { return s.files() == 1; }));
        if (silent) CHECK(raw.read_to_close().starts_with("HTTP/1.1 408"));
    }
    CHECK(eventually([&] { return s.files() == 0; }));
    CHECK(put(client, presigned, "text/plain", bytes).status == 200);
    CHECK(client.get(download_path(client, presigned.id)).body == bytes);
}

TEST_CASE("during an upload, a second upload to the same URL gets 409, and the first one is stored")
{
    HalfUploaded up;
    auto const second = put(up.client, up.presigned, "text/plain", "quick");
    CHECK(second.status == 409);
    CHECK(code_of(second) == "CONFLICT");
    auto const other = presign(up.client, "b.txt", "text/plain", 5);
    CHECK(put(up.client, other, "text/plain", "other").status == 200);
    up.raw.send("llo");
    CHECK(up.raw.read_until("\r\n").starts_with("HTTP/1.1 200"));
    CHECK(up.client.get(download_path(up.client, up.presigned.id)).body == "hello");
    CHECK(up.service.files() == 2);
}

TEST_CASE("an upload ends when its URL expires, even while bytes arrive")
{
    HalfUploaded up(100);
    up.service.clock.advance(std::chrono::minutes(15));
    up.raw.send("l");
    CHECK(up.raw.read_until("\r\n").starts_with("HTTP/1.1 408"));
    CHECK(eventually([&] { return up.service.files() == 0; }));
}

TEST_CASE("URLs of a suspended tenant are refused until it is active again")
{
    LocalService s;
    auto client = s.api.client();
    auto const set = [&](bool suspended) {
        return s.db.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
            return tenancy::tenant_rows::upsert(tx, {"demo", "Demo", suspended, {}}, s.clock.now()).tenant.id;
        });
    };
    testing::HttpClient::Headers const in_scope{
        {"X-Scope", core::to_string(core::scope_of(set(false), core::Environment::production))}};
    auto const presigned = presign(client, "a.txt", "text/plain", 5, in_scope);
    std::string const id = upload_text(client, "hello", in_scope);
    std::string const download = download_path(client, id, in_scope);
    set(true);
    auto const refused = put(client, presigned, "text/plain", "hello");
    CHECK(refused.status == 403);
    CHECK(code_of(refused) == "TENANT_SUSPENDED");
    CHECK(code_of(client.get(download)) == "TENANT_SUSPENDED");
    CHECK(s.files() == 1);
    set(false);
    CHECK(put(client, presigned, "text/plain", "hello").status == 200);
    CHECK(client.get(download).body == "hello");
}

TEST_CASE("exactly one of several parallel uploads succeeds, and its bytes are kept")
{
    LocalService s;
    auto client = s.api.client();
    for (int round = 0; round < 5; ++round) {
        std::string const size_of(100'000, ' ');
        auto const presigned = presign(client, "a.txt", "text/plain", size_of.size());
        std::atomic<int> winners = 0;
        std::atomic<int> losers = 0;
        std::atomic<char> winner = 0;
        std::vector<std::thread> threads;
        for (char c = 'a'; c < 'g'; ++c) {
            threads.emplace_back([&, c] {
                auto mine = s.api.client();
                auto const status = put(mine, presigned, "text/plain", std::string(size_of.size(), c)).status;
                if (status == 200) {
                    ++winners;
                    winner = c;
                } else if (status == 409) {
                    ++losers;
                }
            });
        }
        for (auto& thread : threads)
            thread.join();
        CHECK(winners == 1);
        CHECK(losers == 5);
        CHECK(client.get(download_path(client, presigned.id)).body == std::string(size_of.size(), winner));
        CHECK(s.files() == static_cast<std::size_t>(round) + 1);
    }
}

TEST_CASE("an upload and a download of 25 MiB use constant memory")
{
    constexpr std::size_t size = 26'214'400;
    LocalService s;
    auto client = s.api.client();
    upload_text(client, "hello"); // libmagic loads its database at the first upload
    auto const presigned = presign(client, "film.mp4", "video/mp4", size);
    std::string const piece(65'536, 'm');
    std::string const start = "\0\0\0\x18"
                              "ftypisom\0\0\2\0isommp41"s;

    reset_peak();
    std::size_t const before = peak_kib();
    testing::RawConnection up(s.api.server.port());
    up.send(head(presigned, "video/mp4", size));
    up.send(start + piece.substr(start.size()));
    for (std::size_t sent = piece.size(); sent < size; sent += piece.size())
        up.send(piece);
    CHECK(up.read_until("\r\n").starts_with("HTTP/1.1 200"));

    std::string const path = download_path(client, presigned.id);
    testing::RawConnection down(s.api.server.port());
    down.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    REQUIRE(down.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
    std::size_t received = 0;
    for (;;) {
        std::string const got = down.read(65'536);
        if (got.empty()) break;
        received += got.size();
    }
    CHECK(received == size);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    CHECK(peak_kib() - before < 8 * 1024);
#else
    CHECK(before > 0); // sanitizers keep freed memory
#endif
}
