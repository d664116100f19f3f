#include "auth/jwks.hpp"

#include "http_client/client.hpp"
#include "support.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/gate.hpp"
#include "support/issuer.hpp"
#include "support/process.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <mutex>

using namespace std::chrono_literals;

namespace {

std::size_t size_of(auth::Jwks const& jwks)
{
    auto const keys = jwks.snapshot().keys;
    return keys ? keys->keys.size() : 0;
}

/// A source of a key set. It responds only while it is open. At first it is closed.
struct Source {
    auth::Jwks::Fetch fetch()
    {
        return [this]() -> std::optional<std::string> {
            ++fetches;
            testing::eventually([this] { return open.load(); });
            return issuer.jwks();
        };
    }

    /// Opens the source and returns when the first fetch has ended. Does not cause another fetch.
    void let_first_fetch_end(auth::Jwks& jwks)
    {
        boost::asio::io_context ioc(1);
        boost::asio::co_spawn(ioc, jwks.refetch(), boost::asio::detached);
        ioc.poll(); // runs `refetch` until it waits for the running fetch
        open = true;
        ioc.run();
    }

    testing::FakeClock const clock;
    testing::Issuer const issuer{clock};
    std::atomic<int> fetches = 0;
    std::atomic<bool> open = false;
};

} // namespace

TEST_CASE("a key set is fetched at once and then at intervals")
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
    CHECK(jwks.snapshot().generation == 1); // the same set is not a change
    jwks.stop();
    int const then = fetches;
    std::this_thread::sleep_for(60ms); // long enough for three more fetches
    CHECK(fetches == then);
}

TEST_CASE("unknown key ids cause a fetch at most once per interval")
{
    Source source;
    auth::Jwks jwks(source.fetch(), {.min_refetch = 1h, .patience = 1h});
    source.let_first_fetch_end(jwks);
    CHECK(source.fetches == 1);
    CHECK(jwks.may_refetch());
    for (int i = 0; i < 10; ++i)
        testing::run_awaitable(jwks.refetch());
    CHECK(source.fetches == 2);
    CHECK_FALSE(jwks.may_refetch());
}

TEST_CASE("after the interval an unknown key id causes another fetch")
{
    Source source;
    auth::Jwks jwks(source.fetch(), {.min_refetch = 50ms, .patience = 1h});
    source.let_first_fetch_end(jwks);
    for (int expected = 2; expected < 4; ++expected) {
        REQUIRE(testing::eventually([&] { return jwks.may_refetch(); }));
        testing::run_awaitable(jwks.refetch());
        CHECK(source.fetches == expected);
    }
}

TEST_CASE("many waiting callers share one fetch")
{
    Source source;
    auth::Jwks jwks(source.fetch(), {.min_refetch = 1h, .patience = 1h});
    source.let_first_fetch_end(jwks);
    source.open = false;
    std::atomic<int> resumed = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] {
            testing::run_awaitable(jwks.refetch());
            ++resumed;
        });
    }
    CHECK(testing::eventually([&] { return source.fetches == 2; }));
    std::this_thread::sleep_for(50ms); // time in which a caller could resume
    CHECK(resumed == 0);
    source.open = true;
    for (auto& thread : threads)
        thread.join();
    CHECK(source.fetches == 2);
}

TEST_CASE("callers wait for at most `patience`, and not after stop")
{
    testing::Gate gate;
    auth::Jwks jwks(
        [&]() -> std::optional<std::string> {
            gate.pass_blocking();
            return R"({"keys":[]})";
        },
        {.patience = 50ms});
    testing::OpenAtEnd const guard{gate};
    testing::run_awaitable(jwks.refetch());
    CHECK(size_of(jwks) == 0);
    gate.open();
    jwks.stop();
    CHECK_FALSE(jwks.may_refetch());
    testing::run_awaitable(jwks.refetch());
}

TEST_CASE("failures are reported, and the last valid set stays in use")
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
    testing::write_file(path, issuer.jwks());
    CHECK(fetch() == issuer.jwks());
    CHECK(fetch() == std::nullopt);
    issuer.rotate();
    testing::write_file(path, issuer.jwks());
    CHECK(fetch() == issuer.jwks());
    CHECK(fetch() == std::nullopt);

    auth::Jwks jwks(auth::jwks_from_file(path), auth::jwks_file_options());
    REQUIRE(testing::eventually([&] { return size_of(jwks) == 2; }));
    issuer.retire_old();
    testing::write_file(path, issuer.jwks());
    CHECK(testing::eventually([&] { return size_of(jwks) == 1; }));
}

TEST_CASE("an invalid file fails at every check, and the last valid keys stay in use")
{
    testing::FakeClock const clock;
    testing::Issuer issuer(clock);
    testing::TemporaryDirectory const dir;
    std::string const path = dir.path() + "/jwks.json";
    std::atomic<int> failures = 0;
    testing::write_file(path, issuer.jwks());
    auth::Jwks const jwks(
        auth::jwks_from_file(path), {.refresh = 10ms}, [&](std::string const&) { ++failures; });
    REQUIRE(testing::eventually([&] { return size_of(jwks) == 1; }));

    testing::write_file(path, "{\"keys\":[");
    REQUIRE(testing::eventually([&] { return failures > 0; }));
    auto const broken = std::chrono::steady_clock::now();
    // The file stays as it is, and is still invalid.
    CHECK(testing::eventually([&] { return failures > 3; }));
    auto const since = std::chrono::steady_clock::now() - broken;
    CHECK(jwks.age() > since);
    CHECK(size_of(jwks) == 1);

    issuer.rotate();
    testing::write_file(path, issuer.jwks());
    CHECK(testing::eventually([&] { return size_of(jwks) == 2; }));
    int const then = failures;
    CHECK(testing::eventually([&] { return jwks.age() < std::chrono::steady_clock::now() - broken; }));
    CHECK(failures == then);
}

TEST_CASE("a URL is requested, and its failures are reported")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    testing::IssuerServer server([&] { return issuer.jwks(); });
    http_client::Client client({.addresses = http_client::AddressPolicy(true)});
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

TEST_CASE("the age of a key set is the time since its source's last response, even an unchanged one")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    std::atomic<bool> there = true;
    std::atomic<int> failures = 0;
    auth::Jwks const jwks(
        [&]() -> std::optional<std::string> {
            if (!there) throw std::runtime_error("not now");
            return issuer.jwks();
        },
        {.refresh = 10ms}, [&](std::string const&) { ++failures; });
    auto const younger_than = [&](std::chrono::steady_clock::time_point then) {
        auto const now = std::chrono::steady_clock::now(); // taken before `age`, which uses a later time
        return jwks.age() < now - then;
    };
    REQUIRE(testing::eventually([&] { return size_of(jwks) == 1; }));
    CHECK(testing::eventually([&, begin = std::chrono::steady_clock::now()] { return younger_than(begin); }));

    there = false;
    int const before = failures;
    REQUIRE(testing::eventually([&] { return failures > before; }));
    auto const failed = std::chrono::steady_clock::now();
    REQUIRE(testing::eventually([&] { return failures > before + 2; }));
    CHECK_FALSE(younger_than(failed));
    there = true;
    CHECK(testing::eventually([&] { return younger_than(failed); }));
}
