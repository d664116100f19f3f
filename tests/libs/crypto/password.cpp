#include "crypto/password.hpp"

#include "core/error.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <future>

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
    auto const phc = run(hasher.hash(core::Secret("correct horse")));
    CHECK(run(hasher.verify(core::Secret("correct horse"), phc)));
    CHECK_FALSE(run(hasher.verify(core::Secret("wrong horse"), phc)));
    CHECK_FALSE(run(hasher.verify(core::Secret("correct horse"), std::nullopt)));
    CHECK(hasher.queued() == 0);
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
        CHECK_THROWS_AS(run(hasher.hash(core::Secret("correct horse"))), core::Error);
        CHECK(hasher.queued() == 2);
    }
    CHECK(hasher.queued() == 0);
    CHECK_NOTHROW(run(hasher.hash(core::Secret("correct horse"))));
}
