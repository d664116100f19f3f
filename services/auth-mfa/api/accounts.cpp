#include "api/accounts.hpp"

#include "api/credentials.hpp"
#include "audit/audit.hpp"
#include "crypto/password.hpp"
#include "domain/json.hpp"
#include "flows/sign_in.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/sessions.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

Credentials parse_registration(http::Request const& req)
{
    core::Fields f(req.json());
    Credentials c{read_email(f), read_new_password(f, "password")};
    f.check();
    return c;
}

struct PasswordChange {
    core::Secret current, wanted;

    static PasswordChange parse(http::Request const& req)
    {
        core::Fields f(req.json());
        PasswordChange c{read_password(f, "currentPassword"), read_new_password(f, "newPassword")};
        f.check();
        return c;
    }
};

// Each handler reserves a place in the hashing queue before it counts the attempt. So a request that is
// refused because the queue is full does not count as a guess.

/// The new user; nullopt when the email is taken.
asio::awaitable<std::optional<User>> create_user(
    http::Request const& req, Deps& deps, crypto::PasswordHasher::Reservation turn, Credentials const& wanted)
{
    auto const known = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return users::find_by_email(tx, req.scope(), wanted.email); });
    if (known) co_return std::nullopt;
    users::NewUser const user{UserId(core::Uuid::v7()), wanted.email,
        co_await deps.passwords.hash(turn, wanted.password), Role::user};
    co_return co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { return users::insert(tx, req.scope(), user); });
}

/// True if `password` is the user's password, else nullopt (see RateLimits::try_guess).
asio::awaitable<std::optional<bool>> confirm(Deps& deps, crypto::PasswordHasher::Reservation const& turn,
    User const& user, core::Secret const& password)
{
    bool const right = co_await deps.passwords.verify(turn, password, user.password_hash);
    co_return right ? std::optional(true) : std::nullopt;
}

} // namespace

asio::awaitable<http::Response> register_user(http::Request const& req, Deps& deps)
{
    Credentials const wanted = parse_registration(req);
    auto attempt = create_user(req, deps, deps.passwords.reserve(req.scope().id), wanted);
    auto& limits = deps.rate_limits;
    // Successful registrations stay counted too: each one costs a password hash.
    auto const reserved = co_await limits.require(
        {limits.registrations_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto const user = co_await limits.or_give_back(reserved, std::move(attempt));
    if (!user)
        throw with_rate_limit(
            core::Error(core::codes::conflict,
                "An account with this email already exists. Sign in, or use another email."),
            reserved);
    co_return with_rate_limit(
        co_await finish_sign_in(req, deps, *user, {.amr = {"pwd"}, .status = 201}), reserved);
}

asio::awaitable<http::Response> get_me(http::Request const& req, Deps& deps)
{
    User const user = co_await signed_in_user(req, deps);
    co_return http::Response::ok(to_json(user));
}

asio::awaitable<http::Response> change_password(http::Request const& req, Deps& deps)
{
    auto const change = PasswordChange::parse(req);
    User const user = co_await signed_in_user(req, deps);
    if (!user.has_password())
        throw core::Error(codes::mfa_password_required,
            "The account has no password, because its user signs in through an identity provider. Change the "
            "password at that provider.");
    auto const turn = deps.passwords.reserve(req.scope().id);
    auto const right =
        co_await deps.rate_limits.try_guess({RateLimits::wrong_passwords_of_user(req.scope(), user.id)},
            confirm(deps, turn, user, change.current));
    if (!right) throw invalid_credentials();
    std::string const hash = co_await deps.passwords.hash(turn, change.wanted);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        lock_signed_in_user(tx, req, deps);
        if (!users::set_password(tx, req.scope(), user.id, hash, user.credentials_version))
            throw core::Error(core::codes::conflict,
                "Another request changed the account's password or second factors at "
                "the same time. Check the current password, then try again.");
        sessions::end_others(tx, req.scope(), user.id, session_id_of(req), deps.clock.now());
        trusted_devices::revoke_all(tx, req.scope(), user.id);
        audit::record(tx, req.context,
            {.action = "user.password_changed",
                .subject_type = "user",
                .subject_id = user.id.to_string(),
                .before = {},
                .after = {}});
        return http::Response::ok(R"({"changed":true})");
    });
}

} // namespace auth_mfa
