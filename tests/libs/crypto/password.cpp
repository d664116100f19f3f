#include "crypto/password.hpp"

#include "core/error.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <future>
#include <vector>

namespace {

namespace asio = boost::asio;

/// Quick: what is tested is not the cost.
constexpr crypto::Argon2Cost cheap{.memory_kib = 64, .passes = 1, .lanes = 1};

template <class T> T run(asio::awaitable<T> task)
{
    asio::io_context ioc(1);
    auto result = asio::co_spawn(ioc, std::move(task), asio::use_future);
    ioc.run();
    return result.get();
}

} // namespace

TEST_CASE("a hash is a PHC string of the cost that was asked for")
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

TEST_CASE("the reference implementation's vector verifies")
{
    // phc-winner-argon2, src/test.c: argon2id, v=19, t=2, m=65536, p=1.
    CHECK(crypto::verify_password("password",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"));
}

TEST_CASE("the hasher answers on the caller's thread, and knows a secret nobody has")
{
    crypto::PasswordHasher hasher({.threads = 2, .cost = cheap});
    auto const turn = hasher.enter();
    auto const phc = run(hasher.hash(turn, core::Secret("correct horse")));
    CHECK(run(hasher.verify(turn, core::Secret("correct horse"), phc)));
    CHECK_FALSE(run(hasher.verify(turn, core::Secret("wrong horse"), phc)));
    CHECK_FALSE(run(hasher.verify(turn, core::Secret("correct horse"), std::nullopt)));
}

TEST_CASE("beyond the queue limit nobody gets in, and a place that is left is free again")
{
    crypto::PasswordHasher hasher({.threads = 1, .queue_limit = 2, .cost = cheap});
    {
        auto const first = hasher.enter();
        auto second = hasher.enter();
        auto const moved = std::move(second);
        CHECK(hasher.queued() == 2);
        CHECK_THROWS_AS(hasher.enter(), core::Error);
        CHECK(hasher.queued() == 2);
    }
    CHECK(hasher.queued() == 0);
    CHECK_NOTHROW(hasher.enter());
}

TEST_CASE("a scope has at most half of the places, and nobody's have all")
{
    crypto::PasswordHasher hasher({.threads = 1, .queue_limit = 4, .cost = cheap});
    std::vector<crypto::PasswordHasher::Turn> turns;
    turns.push_back(hasher.enter(7));
    turns.push_back(hasher.enter(7));
    CHECK_THROWS_AS(hasher.enter(7), core::Error);
    CHECK(hasher.queued() == 2); // who was refused holds none
    turns.push_back(hasher.enter(8));
    turns.push_back(hasher.enter(9));
    CHECK_THROWS_AS(hasher.enter(9), core::Error); // it has one of its two, but all are taken
    turns.pop_back();
    turns.push_back(hasher.enter(8));
    CHECK_THROWS_AS(hasher.enter(8), core::Error);

    turns.clear();
    CHECK(hasher.queued() == 0);
    for (int i = 0; i < 4; ++i)
        turns.push_back(hasher.enter());
    CHECK_THROWS_AS(hasher.enter(), core::Error);
}

TEST_CASE("a place that a scope leaves is its own again")
{
    crypto::PasswordHasher hasher({.threads = 1, .queue_limit = 3, .cost = cheap});
    auto const kept = hasher.enter(7);
    {
        auto const left = hasher.enter(7); // half of three is two
        CHECK_THROWS_AS(hasher.enter(7), core::Error);
    }
    auto const again = hasher.enter(7);
    CHECK(run(hasher.verify(again, core::Secret("correct horse"), std::nullopt)) == false);
    CHECK(hasher.queued() == 2);
    CHECK_THROWS_AS(hasher.enter(7), core::Error);
    CHECK_NOTHROW(hasher.enter(8));
}

TEST_CASE("scopes take turns for the threads, whoever has asked for more")
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
        auto const turn = hasher.enter(scope);
        co_await hasher.verify(turn, core::Secret("correct horse"), std::nullopt);
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
    CHECK(served == std::vector<int>{7, 7, 8, 9, 7, 8, 7});
}

TEST_CASE("each hash is told of once, whoever it was for")
{
    std::atomic<int> hashes = 0;
    crypto::PasswordHasher hasher({.threads = 1, .cost = cheap, .on_hash = [&] { ++hashes; }});
    CHECK(hashes == 0);
    auto const turn = hasher.enter();
    auto const phc = run(hasher.hash(turn, core::Secret("correct horse")));
    CHECK(hashes == 1);
    CHECK(run(hasher.verify(turn, core::Secret("correct horse"), phc)));
    CHECK(hashes == 2);
    CHECK_FALSE(run(hasher.verify(turn, core::Secret("correct horse"), std::nullopt)));
    CHECK(hashes == 3);
}
