#include "api/password_reset.hpp"

#include "api/credentials.hpp"
#include "crypto/password.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/email_tokens.hpp"
#include "flows/mail_requests.hpp"
#include "pg/database.hpp"
#include "storage/email_tokens.hpp"
#include "storage/factors.hpp"
#include "storage/identities.hpp"
#include "storage/sessions.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"

#include <array>

namespace auth_mfa {

namespace {

struct Reset {
    std::string token;
    core::Secret password;

    static Reset parse(http::Request const& req)
    {
        core::Fields f(req.json());
        Reset reset{read_token(f), read_new_password(f, "newPassword")};
        f.check();
        return reset;
    }
};

/// Removes what another person may have enrolled, who registered the account without owning its mailbox.
/// Announces the removed factors to webhooks.
void remove_unproven_credentials(pg::Tx& tx, http::Request const& req, User const& user, core::Time now)
{
    core::Scope const& scope = req.scope();
    if (user.phone_verified) publish_factor(tx, req, "mfa.disabled", user.id, "sms", now);
    if (user.totp) publish_factor(tx, req, "mfa.disabled", user.id, "totp", now);
    factors::remove_all(tx, scope, user);
    users::set_phone(tx, scope, user.id, std::nullopt, false);
    identities::remove_all(tx, scope, user.id);
}

void reset(pg::Tx& tx, http::Request const& req, User const& user, std::string const& hash, core::Time now)
{
    core::Scope const& scope = req.scope();
    if (!user.email_verified) remove_unproven_credentials(tx, req, user, now);
    users::set_password_by_email(tx, scope, user.id, hash);
    sessions::end_others(tx, scope, user.id, std::nullopt, now);
    trusted_devices::revoke_all(tx, scope, user.id);
    // `confirm_email`: another person who knew the password may have begun to change the email.
    static constexpr std::array obsolete{TokenPurpose::reset_password, TokenPurpose::verify_email,
        TokenPurpose::confirm_email, TokenPurpose::invitation};
    email_tokens::remove(tx, scope, user.id, obsolete);
}

} // namespace

asio::awaitable<http::Response> request_password_reset(http::Request const& req, Deps& deps)
{
    std::string const email = parse_email(req);
    co_await request_mail(req, deps, MailKind::reset_password, email);
    co_return http::Response{.status = 202, .body = "{}"};
}

asio::awaitable<http::Response> reset_password(http::Request const& req, Deps& deps)
{
    Reset const wanted = Reset::parse(req);
    EmailToken const token = co_await require_token(req, deps, wanted.token, TokenPurpose::reset_password);
    auto const turn = deps.passwords.reserve(req.scope().id);
    co_await require_good_password(req.scope().id, deps, turn,
        {.password = wanted.password, .email = token.email, .field = "newPassword"});
    std::string const hash = co_await deps.passwords.hash(turn, wanted.password);
    AccountRules const rules = co_await account_rules(req, deps);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const before = use_token(tx, req, token);
        reset(tx, req, before, hash, deps.clock.now());
        User const after = users::find(tx, req.scope(), before.id).value();
        publish_user(tx, req, "user.updated", after);
        if (rules.security_emails) mail_notice(tx, req, MailKind::password_changed, after);
        record(tx, req, {.user_id = after.id, .type = "password_reset", .action = "user.password_reset"});
        return http::Response::ok(R"({"reset":true})");
    });
}

} // namespace auth_mfa
