#include "api/password_sign_in.hpp"

#include "api/credentials.hpp"
#include "crypto/password.hpp"
#include "flows/guess_origin.hpp"
#include "flows/sign_in.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

struct Login {
    std::string email;
    SentPassword password;

    static Login parse(http::Request const& req)
    {
        core::Fields f(req.json());
        Login login{read_email(f), read_password(f, "password")};
        f.check();
        return login;
    }
};

/// The user with these credentials, else nullopt. An unknown email and a wrong password take the same time.
asio::awaitable<std::optional<User>> authenticate(
    http::Request const& req, Deps& deps, crypto::PasswordHasher::Reservation turn, Login const& given)
{
    auto found = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return users::find_by_email(tx, req.scope(), given.email); });
    bool const right = co_await is_password_of(req, deps, turn, found ? &*found : nullptr, given.password);
    if (right) co_return std::move(found);
    co_await record_refusal(req, deps, found ? std::optional(found->id) : std::nullopt, "wrong_password");
    co_return std::nullopt;
}

} // namespace

asio::awaitable<SignedIn> sign_in_with_password(http::Request const& req, Deps& deps)
{
    auto const given = Login::parse(req);
    auto const origin = co_await guess_origin_for_email(req, deps, given.email);
    // The place in the hashing queue is reserved before the attempt is counted. So a request that is refused
    // because the queue is full does not count as a guess.
    auto attempt = authenticate(req, deps, deps.passwords.reserve(req.scope().id), given);
    auto& limits = deps.rate_limits;
    auto const user = co_await limits.try_guess(
        RateLimits::wrong_passwords_for_email(req.scope(), given.email, origin), std::move(attempt));
    if (!user) throw invalid_credentials();
    co_return co_await finish_sign_in(req, deps, *user, {.amr = {"pwd"}});
}

asio::awaitable<http::Response> login(http::Request const& req, Deps& deps)
{
    co_return respond_with_tokens(req, deps, co_await sign_in_with_password(req, deps));
}

} // namespace auth_mfa
