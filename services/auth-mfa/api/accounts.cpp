#include "api/accounts.hpp"

#include "api/credentials.hpp"
#include "core/json_writer.hpp"
#include "crypto/password.hpp"
#include "domain/json.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/guess_origin.hpp"
#include "flows/mail_requests.hpp"
#include "flows/sign_in.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "storage/email_tokens.hpp"
#include "storage/sessions.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

Credentials parse_registration(http::Request const& req)
{
    core::Fields f(req.json());
    Credentials c{read_new_email(f), read_new_password(f, "password")};
    f.check();
    return c;
}

struct PasswordChange {
    SentPassword current;
    core::Secret wanted;

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

/// The new user, who gets a verification email; nullopt when the email is taken.
asio::awaitable<std::optional<User>> create_user(
    http::Request const& req, Deps& deps, crypto::PasswordHasher::Reservation turn, Credentials const& wanted)
{
    auto const known = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return users::find_by_email(tx, req.scope(), wanted.email); });
    if (known) co_return std::nullopt;
    users::NewUser const row{.id = UserId(core::Uuid::v7()),
        .email = wanted.email,
        .password_hash = co_await deps.passwords.hash(turn, wanted.password)};
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto user = users::insert(tx, req.scope(), row);
        if (!user) return user;
        mail_user(tx, req, MailKind::verify_email, *user);
        record_created(tx, req, *user);
        return user;
    });
}

/// The response to a registration that has to verify its email before the first session.
http::Response created_without_session(User const& user)
{
    core::JsonWriter w(512);
    write(w.begin_object().key("user"), user);
    w.end_object();
    return http::Response::created(std::move(w).str()).header("Cache-Control", "no-store");
}

} // namespace

asio::awaitable<Registered> register_account(http::Request const& req, Deps& deps)
{
    Credentials const wanted = parse_registration(req);
    AccountRules const rules = co_await account_rules(req, deps);
    if (!rules.sign_up_open) throw sign_up_closed();
    auto turn = deps.passwords.reserve(req.scope().id);
    auto& limits = deps.rate_limits;
    // Successful registrations stay counted too: each one costs a password hash. So do refused passwords,
    // because their check may take as long as a hash.
    auto reserved = co_await limits.require(
        {limits.registrations_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto place = co_await require_good_password(
        req.scope().id, deps, std::move(turn), {.password = wanted.password, .email = wanted.email});
    auto user = co_await limits.or_give_back(reserved, create_user(req, deps, std::move(place), wanted));
    if (!user) throw with_rate_limit(email_taken(), reserved);
    std::optional<SignedIn> signed_in;
    if (!rules.verified_only)
        signed_in = co_await finish_sign_in(req, deps, *user, {.amr = {"pwd"}, .status = 201});
    co_return Registered{*std::move(user), std::move(signed_in), std::move(reserved)};
}

asio::awaitable<http::Response> register_user(http::Request const& req, Deps& deps)
{
    auto const made = co_await register_account(req, deps);
    co_return with_rate_limit(
        made.signed_in ? respond_with_tokens(req, deps, *made.signed_in) : created_without_session(made.user),
        made.reserved);
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
    auto const origin = co_await guess_origin(req, deps, user.id);
    auto turn = deps.passwords.reserve(req.scope().id);
    auto const right =
        co_await deps.rate_limits.try_guess(RateLimits::wrong_passwords_of_user(req.scope(), user.id, origin),
            guess_password(req, deps, turn, user, change.current));
    if (!right) throw invalid_credentials();
    auto const place = co_await require_good_password(req.scope().id, deps, std::move(turn),
        {.password = change.wanted, .email = user.email, .field = "newPassword", .current = &change.current});
    std::string const hash = co_await deps.passwords.hash(place, change.wanted);
    AccountRules const rules = co_await account_rules(req, deps);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        lock_signed_in_user(tx, req, deps);
        if (!users::set_password(tx, req.scope(), user.id, hash, user.credentials_version))
            throw core::Error(core::codes::conflict,
                "Another request changed the account's password or second factors at "
                "the same time. Check the current password, then try again.");
        sessions::end_others(tx, req.scope(), user.id, session_id_of(req), deps.clock.now());
        trusted_devices::revoke_all(tx, req.scope(), user.id);
        static constexpr std::array obsolete{TokenPurpose::reset_password};
        email_tokens::remove(tx, req.scope(), user.id, obsolete);
        if (rules.security_emails) mail_notice(tx, req, MailKind::password_changed, user);
        record(tx, req, {.user_id = user.id, .type = "password_changed", .action = "user.password_changed"});
        return http::Response::ok(R"({"changed":true})");
    });
}

} // namespace auth_mfa
