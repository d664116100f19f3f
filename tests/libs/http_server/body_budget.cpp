// The server counts request bodies and long heads in its budget.
#include "http/body_budget.hpp"

#include "client.hpp"
#include "core/error.hpp"
#include "http/problem.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

using http::BodyBudget;
using testing::eventually;

namespace asio = boost::asio;

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = kibibyte * kibibyte;

constexpr core::ScopeId production(std::int64_t tenant_id)
{
    return core::ScopeId{2 * tenant_id};
}

/// Reads the whole body. Its memory counts for `holder`.
test::Handler counted(std::shared_ptr<BodyBudget> budget, BodyBudget::Holder holder = {})
{
    return [budget = std::move(budget), holder](http::Request& request) -> asio::awaitable<http::Response> {
        request.lease = budget->lease(holder);
        std::optional<http::Response> refused;
        try {
            co_await request.body_reader->read_all(request.body, 64 * mebibyte);
        } catch (core::Error const& error) {
            refused = http::problem(error, "test");
        }
        auto const size = request.body.size();
        request.drop_body();
        request.lease.reset();
        if (refused) co_return std::move(*refused);
        co_return http::Response::ok(std::to_string(size));
    };
}

std::string head(std::size_t length)
{
    return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

} // namespace

TEST_CASE("the bytes of a body count when they arrive")
{
    auto const budget = BodyBudget::make(16 * mebibyte);
    test::Server server(counted(budget));
    auto client = server.connect();
    client.send(head(8 * mebibyte));
    auto other = server.connect();
    other.send(head(4) + "four");
    CHECK(other.read().body == "4");
    // The declared bytes that have not arrived do not count.
    CHECK(eventually([&] { return budget->held() == 0; }));
    client.send(std::string(100 * kibibyte, 'a'));
    CHECK(eventually([&] { return budget->held() >= 100 * kibibyte; }));
    CHECK(budget->held() <= 512 * kibibyte);
    client.send(std::string(8 * mebibyte - 100 * kibibyte, 'a'));
    CHECK(client.read().body == std::to_string(8 * mebibyte));
    CHECK(budget->held() == 0);
}

TEST_CASE("an aborted body returns its memory")
{
    auto const budget = BodyBudget::make(16 * mebibyte);
    test::Server server(counted(budget));
    auto client = server.connect();
    client.send(head(8 * mebibyte) + std::string(kibibyte * kibibyte, 'a'));
    CHECK(eventually([&] { return budget->held() >= mebibyte; }));
    client.reset();
    CHECK(eventually([&] { return budget->held() == 0; }));
}

TEST_CASE("bodies beyond the budget get 503 with Retry-After, with and without a declared length")
{
    auto const budget = BodyBudget::make(2 * mebibyte);
    test::Server server(counted(budget, {.scope_id = production(1)}));
    auto slow = server.connect();
    slow.send(head(mebibyte) + std::string(300 * kibibyte, 'a'));
    CHECK(eventually([&] { return budget->held() >= 300 * kibibyte; }));
    auto client = server.connect();
    client.send(head(900 * kibibyte) + std::string(900 * kibibyte, 'a'));
    auto const declared = client.read();
    CHECK(declared.status == 503);
    CHECK(declared.header("retry-after") == "1");
    auto chunked = server.connect();
    chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 30; ++i)
        if (!chunked.send("8000\r\n" + std::string(32 * kibibyte, 'a') + "\r\n")) break;
    CHECK(chunked.read().status == 503);
    slow.reset();
    CHECK(eventually([&] { return budget->held() == 0; }));
    auto again = server.connect();
    again.send(head(300 * kibibyte) + std::string(300 * kibibyte, 'a'));
    CHECK(again.read().status == 200);
}

TEST_CASE("thousands of slow bodies cost little memory")
{
    constexpr std::size_t count = 3000;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    auto const resident = [] {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages >> pages;
        return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    };
    auto const budget = BodyBudget::make(64 * mebibyte);
    std::atomic<std::size_t> begun = 0;
    auto const handler = counted(budget);
    test::Server server([&](http::Request& request) {
        ++begun;
        return handler(request);
    });
    std::vector<test::Client> clients;
    std::size_t const before = resident();
    for (std::size_t i = 0; i < count; ++i) {
        clients.push_back(server.connect());
        clients.back().send(head(16 * kibibyte));
    }
    REQUIRE(eventually([&] { return begun == count; }));
    for (auto& client : clients)
        client.send(std::string(100, 'a'));
    // After its bytes were read, each body holds one step (1 KiB) of the budget.
    CHECK(eventually([&] { return budget->held() >= count * 1024; }));
    std::size_t const each = (std::max(resident(), before) - before) / count;
    INFO(each << " bytes each");
#if !defined(__has_feature) || !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
    CHECK(each < 14 * kibibyte); // a buffer of 16 KiB for each connection would exceed this
#endif
    clients.clear();
    CHECK(eventually([&] { return budget->held() == 0; }));
}

TEST_CASE("a long head counts until the response is sent")
{
    auto const budget = BodyBudget::make(64 * kibibyte); // an address without a credential gets 8 KiB of it
    test::Server server;
    server.heads = budget;
    std::string const field(1000, 'a');
    auto const lines = [&](int count) {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += "X-" + std::to_string(i) + ": " + field + "\r\n";
        return text;
    };
    auto small = server.connect();
    small.send("GET / HTTP/1.1\r\nHost: a\r\n" + lines(2));
    auto slow = server.connect();
    slow.send("GET / HTTP/1.1\r\nHost: a\r\n" + lines(6));
    CHECK(eventually([&] { return budget->held() >= 8 * kibibyte; }));
    CHECK(budget->held() <= 16 * kibibyte);

    auto second = server.connect();
    second.send("GET / HTTP/1.1\r\nHost: a\r\n" + lines(12));
    auto const refused = second.read();
    CHECK(refused.status == 503);
    CHECK(refused.header("retry-after") == "1");
    CHECK(second.ends());

    test::Client elsewhere(server->port(), 0, "127.0.1.1");
    elsewhere.send("GET / HTTP/1.1\r\nHost: a\r\n" + lines(6) + "\r\n");
    CHECK(elsewhere.read().status == 200);
    small.send("\r\n");
    CHECK(small.read().status == 200);
    slow.send("\r\n");
    CHECK(slow.read().status == 200);
    CHECK(eventually([&] { return budget->held() == 0; }));
}
