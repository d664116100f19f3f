#include "crypto/password.hpp"

#include "core/error.hpp"
#include "crypto/argon2id.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <tuple>
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

} // namespace

namespace {

/// The resident memory of this process.
std::size_t resident_kib()
{
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

} // namespace

TEST_CASE("a hash is a PHC string with the requested cost")
{
    auto const phc = crypto::hash_password("correct horse");
    CHECK(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    CHECK(phc.find('\0') == std::string::npos);
    CHECK(phc != crypto::hash_password("correct horse"));
    CHECK(crypto::verify_password("correct horse", phc));
    CHECK_FALSE(crypto::verify_password("correct hors", phc));
    CHECK_FALSE(crypto::verify_password("", phc));
    CHECK_FALSE(crypto::verify_password("correct horse", "nonsense"));
    CHECK_FALSE(crypto::verify_password("correct horse", ""));
}

TEST_CASE("the test hash of the reference implementation verifies")
{
    // phc-winner-argon2, src/test.c: argon2id, v=19, t=2, m=65536, p=1.
    CHECK(crypto::verify_password("password",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"));
}

TEST_CASE("a PHC string is parsed strictly")
{
    std::string const text =
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    auto const phc = crypto::PhcString::parse(text);
    REQUIRE(phc);
    CHECK(phc->cost.memory_kib == 65536);
    CHECK(phc->cost.passes == 2);
    CHECK(phc->cost.lanes == 1);
    CHECK(phc->salt == "somesalt");
    CHECK(phc->hash.size() == 32);
    CHECK(phc->str() == text);
    for (auto const& [part, other] : std::vector<std::pair<std::string, std::string>>{{"2id$", "2i$"},
             {"v=19", "v=16"}, {"v=19$", ""}, {"m=65536", "m=-1"}, {"m=65536", "m=99999999999"},
             {"m=65536", "m=1"}, {"m=65536", "m=065536"}, {"t=2", "t=0"}, {"t=2", "t=02"}, {"t=2", "t= 2"},
             {",p=1", ""}, {"p=1", "p=0"}, {"p=1", "p=01"}, {"p=1", "p=1,keyid=Hj5+dsK0"}, {"p=1", "p=256"},
             {"c29tZXNhbHQ", ""}, {"c29tZXNhbHQ", "c29tZXNhbHQ="}, {"c29tZXNhbHQ", "c2!tZXNhbHQ"},
             {"$CTF", "CTF"}, {"GRPPc", "GRPPc$"}}) {
        auto wrong = text;
        wrong.replace(wrong.find(part), part.size(), other);
        INFO(wrong);
        CHECK_FALSE(crypto::PhcString::parse(wrong));
        CHECK_FALSE(crypto::verify_password("password", wrong));
    }
}

TEST_CASE("several lanes give the same hash as several threads")
{
    // printf password | argon2 somesalt -id -t 3 -k 256 -p 4 -l 24 (the reference implementation)
    CHECK(crypto::verify_password(
        "password", "$argon2id$v=19$m=256,t=3,p=4$c29tZXNhbHQ$gnktR/nN4iue/y0pIDOKVULnu6asBp/M"));
}

TEST_CASE("hashes of other costs need a new hash")
{
    auto const today = crypto::hash_password("correct horse");
    CHECK_FALSE(crypto::needs_rehash(today));
    CHECK(crypto::needs_rehash(today, cheap));
    CHECK_FALSE(crypto::needs_rehash(crypto::hash_password("correct horse", cheap), cheap));
    for (auto const* other : {"$argon2id$v=19$m=19456,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$", // another cost
             "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$"}) {                          // a shorter salt
        INFO(other);
        CHECK(crypto::needs_rehash(other + std::string("CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")));
    }
    CHECK_FALSE(crypto::needs_rehash("$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$"
                                     "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"));
    CHECK(crypto::needs_rehash( // a shorter hash
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$CTFhFdXPJO1aFaMaO6Mm5Q"));
    CHECK(crypto::needs_rehash("$2b$10$abcdefghijklmnopqrstuuOmDAPvMEcXqgbZnY9QoPoV4M2nsUaSG"));
    CHECK(crypto::needs_rehash(""));
}

TEST_CASE("a hash can be imported up to a cost of 64 MiB, 10 passes, 4 lanes, or 14 of bcrypt")
{
    auto const argon2id = [](std::string const& cost, std::size_t salt_chars = 22,
                              std::size_t hash_chars = 43) {
        return crypto::is_importable_hash("$argon2id$v=19$" + cost + "$" + std::string(salt_chars, 'A') +
                                          "$" + std::string(hash_chars, 'A'));
    };
    CHECK(argon2id("m=65536,t=10,p=4"));
    CHECK(argon2id("m=19456,t=2,p=1"));
    CHECK_FALSE(argon2id("m=65537,t=10,p=4"));
    CHECK_FALSE(argon2id("m=65536,t=11,p=4"));
    CHECK_FALSE(argon2id("m=65536,t=10,p=5"));
    CHECK(argon2id("m=65536,t=3,p=4", 11, 22)); // 8 and 16 bytes
    CHECK(argon2id("m=65536,t=3,p=4", 86, 86)); // 64 bytes
    CHECK_FALSE(argon2id("m=65536,t=3,p=4", 10, 43));
    CHECK_FALSE(argon2id("m=65536,t=3,p=4", 87, 43));
    CHECK_FALSE(argon2id("m=65536,t=3,p=4", 22, 20));
    CHECK_FALSE(argon2id("m=65536,t=3,p=4", 22, 87));

    std::string const bcrypt = "$2b$14$abcdefghijklmnopqrstuuOmDAPvMEcXqgbZnY9QoPoV4M2nsUaSG";
    CHECK(crypto::is_importable_hash(bcrypt));
    for (auto const& [part, other, allowed] : std::vector<std::tuple<std::string, std::string, bool>>{
             {"$2b", "$2y", true}, {"$14", "$04", true}, {"$2b", "$2a", false}, {"$2b", "$2x", false},
             {"$2b", "$2", false}, {"$2b", "$2B", false}, {"$14", "$15", false}, {"$14", "$03", false},
             {"$14", "$4", false}, {"$14", "$99", false}, {"$14", "$1a", false}, {"aSG", "aS", false},
             {"aSG", "aSGG", false}, {"aSG", "aS+", false}, {"abc", "ab=", false}, {"aSG", "aS$", false}}) {
        auto changed = bcrypt;
        changed.replace(changed.find(part), part.size(), other);
        INFO(changed);
        CHECK(crypto::is_importable_hash(changed) == allowed);
    }
    for (auto const* text :
        {"", "$", "$2b$", "$argon2id$", "$argon2i$v=19$m=65536,t=3,p=4$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2d$v=19$m=65536,t=3,p=4$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=16$m=65536,t=3,p=4$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA", "$1$abc$def",
            "5f4dcc3b5aa765d61d8327deb882cf99", "password"}) {
        INFO(text);
        CHECK_FALSE(crypto::is_importable_hash(text));
        CHECK_FALSE(crypto::verify_password("password", text));
    }
}

TEST_CASE("the test vectors of bcrypt verify")
{
    // Openwall's crypt_blowfish 1.3, wrapper.c, with the prefixes $2b$ and $2y$.
    for (auto const& [hash, secret] : std::vector<std::pair<std::string, std::string>>{
             {"$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"},
             {"$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"},
             {"$2b$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", "U*U*"},
             {"$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a", "U*U*U"},
             {"$2b$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", ""},
             {"$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e", "\xff\xff\xa3"},
             {"$2b$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e", "\xff\xff\xa3"}}) {
        INFO(hash);
        CHECK(crypto::verify_password(secret, hash));
        CHECK_FALSE(crypto::verify_password(secret + "x", hash));
    }
}

TEST_CASE("bcrypt reads 72 bytes of a secret of any length, and no secret with NUL")
{
    // crypt_blowfish 1.3: the secret is "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    // "0123456789chars after 72 are ignored".
    std::string const hash = "$2b$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui";
    std::string const first = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    REQUIRE(first.size() == 72);
    CHECK(crypto::verify_password(first, hash));
    CHECK(crypto::verify_password(first + "chars after 72 are ignored", hash));
    CHECK(crypto::verify_password(first + std::string(1'000, 'x'), hash));
    CHECK_FALSE(crypto::verify_password(first.substr(0, 71), hash));
    std::string const of_empty = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy";
    CHECK_FALSE(crypto::verify_password(std::string(1, '\0'), of_empty));
    CHECK_FALSE(crypto::verify_password(std::string("\0x", 2), of_empty));
}

TEST_CASE("memory is kept for the next hash of any cost, and is returned when the hasher is idle")
{
    crypto::HashMemory memory;
    for (std::uint32_t const kib : {64U, 256U, 32U, 256U}) {
        crypto::Argon2Cost const cost{.memory_kib = kib, .passes = 1, .lanes = 1};
        auto const phc = crypto::hash_password("correct horse", cost, memory);
        CHECK(crypto::verify_password("correct horse", phc, memory));
        memory.release();
        CHECK(crypto::verify_password("correct horse", phc));
        CHECK_FALSE(crypto::verify_password("wrong horse", phc, memory));
    }
    CHECK(memory.size() == 256 * 1024);
    memory.shrink(256 * 1024);
    CHECK(memory.size() == 256 * 1024);
    memory.shrink(64 * 1024);
    CHECK(memory.size() == 0);
    CHECK(crypto::verify_password(
        "correct horse", crypto::hash_password("correct horse", cheap, memory), memory));
    CHECK(memory.size() == 64 * 1024);
}

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
    asio::co_spawn(ioc, sign_in("usual", std::nullopt), asio::detached);
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (served.empty() && std::chrono::steady_clock::now() < deadline)
        ioc.run_one_for(std::chrono::seconds(1));
    CHECK(served == std::vector<std::string>{"usual"});
    may_end.set_value();
    ioc.run();
    CHECK(served == std::vector<std::string>{"usual", "slow"});
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
