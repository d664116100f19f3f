#include "auth/jwks.hpp"

#include "http/client.hpp"
#include "support.hpp"
#include "testing/eventually.hpp"
#include "testing/issuer.hpp"
#include "testing/process.hpp"

#include <filesystem>
#include <fstream>
#include <mutex>

using namespace std::chrono_literals;

namespace {

void write_file(std::string const& path, std::string const& text)
{
    std::ofstream(path + ".new", std::ios::binary) << text;
    std::filesystem::rename(path + ".new", path);
}

std::size_t size_of(auth::Jwks const& jwks)
{
    auto const keys = jwks.snapshot().keys;
    return keys ? keys->keys.size() : 0;
}

} // namespace

TEST_CASE("a key set is fetched at once and then from time to time")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    std::atomic<int> fetches = 0;
    auth::Jwks jwks(
        [&]() -> std::optional<std::string> {
            ++fetches;
            return issuer.jwks();
        },
        {.refresh = 20ms});
    CHECK(testing::eventually([&] { return size_of(jwks) == 1; }));
    CHECK(testing::eventually([&] { return fetches >= 3; }));
    CHECK(jwks.snapshot().generation == 1); // the same set is no change
    jwks.stop();
    int const then = fetches;
    std::this_thread::sleep_for(60ms);
    CHECK(fetches == then);
}

TEST_CASE("unknown key ids cause a fetch at most once in the interval")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    std::atomic<int> fetches = 0;
    auth::Jwks jwks(
        [&]() -> std::optional<std::string> {
            ++fetches;
            return issuer.jwks();
        },
        {.min_refetch = 300ms});
    REQUIRE(testing::eventually([&] { return size_of(jwks) == 1; }));
    REQUIRE(testing::eventually([&] { return fetches == 1 && jwks.may_refetch(); }));
    std::this_thread::sleep_for(20ms); // the first fetch is over
    testing::run_awaitable(jwks.refetch());
    CHECK(fetches == 2);
    for (int i = 0; i < 10; ++i)
        testing::run_awaitable(jwks.refetch());
    CHECK(fetches == 2);
    CHECK_FALSE(jwks.may_refetch());
    REQUIRE(testing::eventually([&] { return jwks.may_refetch(); }, 1s));
    testing::run_awaitable(jwks.refetch());
    CHECK(fetches == 3);
}

TEST_CASE("many waiters share one fetch")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    std::atomic<int> fetches = 0;
    std::atomic<bool> open = true;
    auth::Jwks jwks(
        [&]() -> std::optional<std::string> {
            ++fetches;
            testing::eventually([&] { return open.load(); });
            return issuer.jwks();
        },
        {});
    REQUIRE(testing::eventually([&] { return size_of(jwks) == 1; }));
    std::this_thread::sleep_for(20ms);
    open = false;
    std::atomic<int> resumed = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] {
            testing::run_awaitable(jwks.refetch());
            ++resumed;
        });
    }
    REQUIRE(testing::eventually([&] { return fetches == 2; }));
    std::this_thread::sleep_for(50ms);
    CHECK(resumed == 0);
    open = true;
    for (auto& thread : threads)
        thread.join();
    CHECK(fetches == 2);
}

TEST_CASE("nobody waits longer than patience allows, nor for what has stopped")
{
    std::atomic<bool> open = false;
    auth::Jwks jwks(
        [&]() -> std::optional<std::string> {
            testing::eventually([&] { return open.load(); });
            return R"({"keys":[]})";
        },
        {.patience = 50ms});
    auto const started = std::chrono::steady_clock::now();
    testing::run_awaitable(jwks.refetch());
    CHECK(std::chrono::steady_clock::now() - started < 5s);
    open = true;
    jwks.stop();
    CHECK_FALSE(jwks.may_refetch());
    testing::run_awaitable(jwks.refetch());
}

TEST_CASE("failures are told and the last good set stays")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    std::mutex mutex;
    std::string document = issuer.jwks();
    std::vector<std::string> failures;
    auth::Jwks jwks(
        [&]() -> std::optional<std::string> {
            std::lock_guard const lock(mutex);
            if (document.empty()) throw std::runtime_error("gone");
            return document;
        },
        {.refresh = 10ms},
        [&](std::string const& what) {
            std::lock_guard const lock(mutex);
            failures.push_back(what);
        });
    REQUIRE(testing::eventually([&] { return size_of(jwks) == 1; }));
    for (char const* bad : {"", "not json", R"({"no":"keys"})"}) {
        std::size_t before = 0;
        {
            std::lock_guard const lock(mutex);
            document = bad;
            before = failures.size();
        }
        CHECK(testing::eventually([&] {
            std::lock_guard const lock(mutex);
            return failures.size() > before;
        }));
        CHECK(size_of(jwks) == 1);
    }
}

TEST_CASE("a file is read again when it changes")
{
    testing::FakeClock const clock;
    testing::Issuer issuer(clock);
    testing::TemporaryDirectory const dir;
    std::string const path = dir.path() + "/jwks.json";
    auto fetch = auth::jwks_from_file(path);
    CHECK_THROWS_AS(fetch(), std::runtime_error);
    write_file(path, issuer.jwks());
    CHECK(fetch() == issuer.jwks());
    CHECK(fetch() == std::nullopt);
    issuer.rotate();
    write_file(path, issuer.jwks());
    CHECK(fetch() == issuer.jwks());
    CHECK(fetch() == std::nullopt);

    auth::Jwks jwks(auth::jwks_from_file(path), auth::jwks_file_options());
    REQUIRE(testing::eventually([&] { return size_of(jwks) == 2; }));
    issuer.retire_old();
    write_file(path, issuer.jwks());
    CHECK(testing::eventually([&] { return size_of(jwks) == 1; }, 3s));
}

TEST_CASE("an address is asked, and its failures are failures")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    testing::IssuerServer server([&] { return issuer.jwks(); });
    http::Client client({.addresses = http::AddressPolicy(true)});
    auto fetch = auth::jwks_from_url(client, server.url());
    CHECK(fetch() == issuer.jwks());
    server.answer_with(500);
    CHECK_THROWS_AS(fetch(), std::runtime_error);
    server.answer_with(200);
    CHECK(fetch() == issuer.jwks());
    CHECK(server.requests() == 3);
    auto nowhere = auth::jwks_from_url(client, "http://127.0.0.1:1/jwks.json");
    CHECK_THROWS_AS(nowhere(), std::runtime_error);
}
