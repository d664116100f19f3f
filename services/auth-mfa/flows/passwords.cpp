#include "flows/passwords.hpp"

#include "domain/password_policy.hpp"
#include "pg/database.hpp"
#include "providers/breach_check.hpp"
#include "state/rate_limits.hpp"
#include "storage/users.hpp"

#include <string>
#include <utility>

namespace auth_mfa {

namespace {

core::Error refused(std::string_view field, PasswordFault const& fault)
{
    return core::Error::validation(
        {{"/" + std::string(field), std::string(fault.code), std::string(fault.detail)}});
}

/// Replaces the user's hash, unless another request has changed it.
asio::awaitable<void> renew_hash(http::Request const& req, Deps& deps,
    crypto::PasswordHasher::Reservation const& turn, User const& user, core::Secret const& password)
{
    try {
        std::string const hash = co_await deps.passwords.hash(turn, password);
        co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
            return users::replace_hash(tx, req.scope(), user.id, *user.password_hash, hash);
        });
    } catch (std::exception const& error) {
        deps.logger.warn("could not replace an outdated password hash",
            {{"error", observe::first_line(error.what())}, {"tenant", req.scope().slug},
                {"requestId", req.context.request_id}, {"traceId", req.context.trace_id}});
    }
}

} // namespace

asio::awaitable<bool> is_password_of(http::Request const& req, Deps& deps,
    crypto::PasswordHasher::Reservation const& turn, User const* user, SentPassword const& sent)
{
    std::optional<std::string> const hash = user == nullptr ? std::nullopt : user->password_hash;
    bool right = co_await deps.passwords.verify(turn, sent.normal, hash);
    bool outdated = hash && deps.passwords.needs_rehash(*hash);
    if (!right && sent.raw) right = outdated = co_await deps.passwords.verify(turn, *sent.raw, hash);
    if (right && outdated) co_await renew_hash(req, deps, turn, *user, sent.normal);
    co_return right;
}

asio::awaitable<std::optional<bool>> guess_password(http::Request const& req, Deps& deps,
    crypto::PasswordHasher::Reservation const& turn, User const& user, SentPassword const& sent)
{
    bool const right = co_await is_password_of(req, deps, turn, &user, sent);
    co_return right ? std::optional(true) : std::nullopt;
}

asio::awaitable<crypto::PasswordHasher::Reservation> require_good_password(
    core::ScopeId scope_id, Deps& deps, crypto::PasswordHasher::Reservation turn, NewPassword wanted)
{
    auto const& password = wanted.password.reveal();
    auto const* const current = wanted.current == nullptr ? nullptr : &wanted.current->normal.reveal();
    std::optional<PasswordFault> fault;
    auto const judge = [&] { fault = password_fault(password, wanted.email, current); };
    if (password.size() <= quickly_estimated)
        judge();
    else
        co_await deps.passwords.compute(turn, judge);
    if (fault) throw refused(wanted.field, *fault);
    if (!deps.breaches.is_on()) co_return turn;
    {
        auto const given_back = std::move(turn);
    }
    if (co_await deps.breaches.is_breached(scope_id, wanted.password))
        throw refused(wanted.field,
            {"breached", "is on a list of passwords from data breaches; choose another password"});
    co_return deps.passwords.reserve(scope_id);
}

asio::awaitable<std::string> hash_counted(http::Request const& req, Deps& deps, NewPassword wanted)
{
    auto turn = deps.passwords.reserve(req.scope().id);
    auto const reserved = co_await deps.rate_limits.require(
        {RateLimits::wrong_sign_ins_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto const place = co_await require_good_password(req.scope().id, deps, std::move(turn), wanted);
    co_await deps.rate_limits.give_back(reserved);
    co_return co_await deps.passwords.hash(place, wanted.password);
}

} // namespace auth_mfa
