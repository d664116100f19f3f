#include "core/error.hpp"
#include "crypto/password.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <fstream>
#include <future>
#include <optional>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;

/// A low cost, because these tests do not measure it.
constexpr crypto::Argon2Cost cheap{.memory_kib = 64, .passes = 1, .lanes = 1};

template <class T> T run(asio::awaitable<T> task)
{
    asio::io_context ioc(1);
    auto result = asio::co_spawn(ioc, std::move(task), asio::use_future);
    ioc.run();
    return result.get();
}

/// The resident memory of this process.
std::size_t resident_kib()
{
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

} // namespace

TEST_CASE("the hasher frees the memory of a costly imported hash, also while other callers wait")
{
    auto const costly = crypto::hash_password("correct horse", {.memory_kib = 64 * 1024, .passes = 1});
    auto const slow = crypto::hash_password("correct horse", {.memory_kib = 64, .passes = 2});
    auto const before = resident_kib();
    std::vector<std::size_t> during;
    crypto::PasswordHasher hasher(
        {.threads = 1, .cost = cheap, .on_hash = [&] { during.push_back(resident_kib()); }});
    auto const reservation = hasher.reserve();
    asio::io_context ioc(1);
    auto const verify = [&](std::string const& hash) {
        return asio::co_spawn(
            ioc, hasher.verify(reservation, core::Secret("correct horse"), hash), asio::use_future);
    };
    auto first = verify(costly), second = verify(slow); // the second waits behind the first
    ioc.run();
    CHECK((first.get() && second.get()));
    REQUIRE(during.size() == 2);
    CHECK(during[0] >= before + 32 * 1024);
    CHECK(during[1] < before + 32 * 1024);
}

TEST_CASE("the hasher resumes the caller's thread, and verifies without a hash to compare")
{
    crypto::PasswordHasher hasher({.threads = 2, .cost = cheap});
    auto const reservation = hasher.reserve();
    auto const phc = run(hasher.hash(reservation, core::Secret("correct horse")));
    CHECK(run(hasher.verify(reservation, core::Secret("correct horse"), phc)));
    CHECK_FALSE(run(hasher.verify(reservation, core::Secret("wrong horse"), phc)));
    CHECK_FALSE(run(hasher.verify(reservation, core::Secret("correct horse"), std::nullopt)));
}

TEST_CASE("callers beyond the queue limit are refused until a place is free")
{
    crypto::PasswordHasher hasher({.threads = 1, .queue_limit = 2, .cost = cheap});
    {
        auto const first = hasher.reserve();
        auto second = hasher.reserve();
        auto const moved = std::move(second);
        CHECK(hasher.queued() == 2);
        CHECK_THROWS_AS(hasher.reserve(), core::Error);
        CHECK(hasher.queued() == 2);
    }
    CHECK(hasher.queued() == 0);
    CHECK_NOTHROW(hasher.reserve());
}

namespace {

/// Takes places for the scope until one is refused. Keeps the places in `turns` and returns their number.
int enter_all(
    crypto::PasswordHasher& hasher, std::vector<crypto::PasswordHasher::Reservation>& turns, int scope_id)
{
    int count = 0;
    try {
        for (;; ++count)
            turns.push_back(hasher.reserve(core::ScopeId{scope_id}));
    } catch (core::Error const&) {
        return count;
    }
}

} // namespace

TEST_CASE("a tenant gets at most half of the places, and each environment gets a share of that half")
{
    // Scopes 6 and 7 belong to one tenant, 8 and 9 to another.
    crypto::PasswordHasher hasher({.threads = 1, .queue_limit = 16, .cost = cheap});
    std::vector<crypto::PasswordHasher::Reservation> turns;
    CHECK(enter_all(hasher, turns, 7) == 6);
    CHECK(enter_all(hasher, turns, 6) == 2);
    CHECK(hasher.queued() == 8); // refused callers hold no place
    CHECK(enter_all(hasher, turns, 9) == 6);
    CHECK(enter_all(hasher, turns, 8) == 2);
    CHECK(enter_all(hasher, turns, 10) == 0);
    turns.pop_back();
    CHECK(enter_all(hasher, turns, 10) == 1);

    turns.clear();
    CHECK(hasher.queued() == 0);
    CHECK(enter_all(hasher, turns, 0) == 16);
}

TEST_CASE("a scope can use a place again after releasing it")
{
    crypto::PasswordHasher hasher({.threads = 1, .queue_limit = 4, .cost = cheap});
    {
        auto const left = hasher.reserve(core::ScopeId{7}); // takes one of the tenant's two places
        CHECK_THROWS_AS(hasher.reserve(core::ScopeId{7}), core::Error);
    }
    auto const again = hasher.reserve(core::ScopeId{7});
    CHECK(run(hasher.verify(again, core::Secret("correct horse"), std::nullopt)) == false);
    CHECK(hasher.queued() == 1);
    CHECK_THROWS_AS(hasher.reserve(core::ScopeId{7}), core::Error);
    CHECK_NOTHROW(hasher.reserve(core::ScopeId{6}));
}

TEST_CASE("the number of hashes ahead of a new caller is computed from the turns of tenants and scopes")
{
    using crypto::hashes_ahead;
    CHECK(hashes_ahead(0, 1, 1, 0) == 0);
    CHECK(hashes_ahead(5, 1, 1, 5) == 5);     // no other tenant waits: its own 5 hashes are ahead
    CHECK(hashes_ahead(0, 1, 2, 40) == 1);    // another tenant has 40 hashes: one of them is ahead
    CHECK(hashes_ahead(3, 1, 2, 43) == 7);    // the two tenants take turns until the caller's fourth turn
    CHECK(hashes_ahead(0, 2, 2, 40) == 3);    // the tenant's turn goes to its other scope first
    CHECK(hashes_ahead(30, 1, 10, 39) == 39); // at most all queued hashes
}

TEST_CASE("a caller whose hash would start too late is refused")
{
    crypto::PasswordHasher hasher(
        {.threads = 1, .longest_wait = std::chrono::milliseconds(0), .cost = cheap});
    {
        auto const first = hasher.reserve(core::ScopeId{7});
        auto const second = hasher.reserve(core::ScopeId{7}); // no hash has been measured yet
        CHECK_FALSE(run(hasher.verify(first, core::Secret("correct horse"), std::nullopt)));
    }
    auto const first = hasher.reserve(core::ScopeId{7});
    CHECK_THROWS_AS(hasher.reserve(core::ScopeId{7}), core::Error);
}

TEST_CASE("hashing threads have a lower priority than all other threads of the process")
{
    auto const niceness = [] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); };
    int const own = niceness();
    std::atomic<int> nice = 0, policy = -1;
    crypto::PasswordHasher hasher({.threads = 1, .cost = cheap, .on_hash = [&] {
                                       nice = niceness();
                                       policy = ::sched_getscheduler(0);
                                   }});
    CHECK_FALSE(run(hasher.verify(hasher.reserve(), core::Secret("correct horse"), std::nullopt)));
    CHECK(nice == std::min(19, own + 10));
    CHECK(policy == SCHED_OTHER); // with SCHED_IDLE the threads would get no time on a busy machine
    CHECK(niceness() == own);
}

TEST_CASE("tenants take turns for the threads, and environments within a tenant")
{
    std::promise<void> begun, may_end;
    std::atomic<bool> first = true;
    auto const hold_first = [&] {
        if (!first.exchange(false)) return;
        begun.set_value();
        may_end.get_future().wait();
    };
    crypto::PasswordHasher hasher({.threads = 1, .cost = cheap, .on_hash = hold_first});
    asio::io_context ioc(1);
    std::vector<int> served;
    auto const sign_in = [&](int scope) -> asio::awaitable<void> {
        auto const reservation = hasher.reserve(core::ScopeId{scope});
        co_await hasher.verify(reservation, core::Secret("correct horse"), std::nullopt);
        served.push_back(scope);
    };
    auto const ask = [&](int scope) {
        asio::co_spawn(ioc, sign_in(scope), asio::detached);
        ioc.poll();
    };
    ask(7);
    begun.get_future().wait();
    for (int const scope : {7, 7, 7, 8, 8, 9})
        ask(scope);
    may_end.set_value();
    ioc.run();
    CHECK(served == std::vector<int>{7, 7, 8, 7, 9, 7, 8}); // 8 and 9 belong to one tenant
}

TEST_CASE("comparisons with slower hashes delay only each other")
{
    CHECK(crypto::is_slower("$2b$04$abcdefghijklmnopqrstuuOmDAPvMEcXqgbZnY9QoPoV4M2nsUaSG"));
    CHECK_FALSE(crypto::is_slower(crypto::hash_password("correct horse")));
    auto const slow_hash = crypto::hash_password("correct horse", {.memory_kib = 64, .passes = 2});
    REQUIRE(crypto::is_slower(slow_hash, cheap));
    std::promise<void> begun, may_end;
    std::atomic<bool> first = true;
    auto const hold_first = [&] {
        if (!first.exchange(false)) return;
        begun.set_value();
        may_end.get_future().wait();
    };
    crypto::PasswordHasher hasher({.threads = 1, .cost = cheap, .on_hash = hold_first});
    asio::io_context ioc(1);
    std::vector<std::string> served;
    auto const sign_in = [&](std::string name, std::optional<std::string> hash) -> asio::awaitable<void> {
        auto const reservation = hasher.reserve(core::ScopeId{7});
        co_await hasher.verify(reservation, core::Secret("correct horse"), hash);
        served.push_back(name);
    };
    asio::co_spawn(ioc, sign_in("slow", slow_hash), asio::detached);
    ioc.poll();
    begun.get_future().wait();
    // One tenant gets at most half of the 16 places.
    int refused = 0;
    auto const refuse = [&](std::exception_ptr const& failure) {
        if (failure) ++refused;
    };
    for (int i = 0; i < 20; ++i)
        asio::co_spawn(ioc, sign_in("waiting", slow_hash), refuse);
    ioc.poll();
    CHECK(refused >= 12);
    CHECK(refused < 20);
    asio::co_spawn(ioc, sign_in("usual", std::nullopt), asio::detached);
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (served.empty() && std::chrono::steady_clock::now() < deadline)
        ioc.run_one_for(std::chrono::seconds(1));
    CHECK(served == std::vector<std::string>{"usual"});
    may_end.set_value();
    ioc.run();
    REQUIRE(served.size() == static_cast<std::size_t>(22 - refused));
    CHECK(served[1] == "slow");
}

TEST_CASE("each hash is reported once, for hashing and for verifying")
{
    std::atomic<int> hashes = 0;
    crypto::PasswordHasher hasher({.threads = 1, .cost = cheap, .on_hash = [&] { ++hashes; }});
    CHECK(hashes == 0);
    auto const reservation = hasher.reserve();
    auto const phc = run(hasher.hash(reservation, core::Secret("correct horse")));
    CHECK(hashes == 1);
    CHECK(run(hasher.verify(reservation, core::Secret("correct horse"), phc)));
    CHECK(hashes == 2);
    CHECK_FALSE(run(hasher.verify(reservation, core::Secret("correct horse"), std::nullopt)));
    CHECK(hashes == 3);
}

TEST_CASE("other work on a password runs on the hasher's threads and is not counted as a hash")
{
    std::atomic<int> hashes = 0;
    crypto::PasswordHasher hasher({.threads = 1, .cost = cheap, .on_hash = [&] { ++hashes; }});
    auto const reservation = hasher.reserve();
    auto const own = ::gettid();
    auto elsewhere = own;
    run(hasher.compute(reservation, [&] { elsewhere = ::gettid(); }));
    CHECK(elsewhere != own);
    CHECK_THROWS_AS(
        run(hasher.compute(reservation, [] { throw std::logic_error("broken"); })), std::logic_error);
    CHECK(hashes == 0);
    auto const phc = run(hasher.hash(reservation, core::Secret("correct horse")));
    CHECK(hasher.needs_rehash(crypto::hash_password("correct horse")));
    CHECK_FALSE(hasher.needs_rehash(phc));
}
