#include "api/password_reset.hpp"

#include "api/credentials.hpp"
#include "core/text.hpp"
#include "domain/errors.hpp"
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

/// Removes the factors, the phone number and the identities. Another person, who does not own the mailbox,
/// may have registered the account and added them. Returns the removed identities.
std::vector<LinkedIdentity> remove_unproven_credentials(
    pg::Tx& tx, core::Scope const& scope, User const& user)
{
    auto identities = identities::list(tx, scope, user.id);
    factors::remove_all(tx, scope, user);
    users::set_phone(tx, scope, user.id, std::nullopt, users::PhoneProof::none);
    identities::remove_all(tx, scope, user.id);
    return identities;
}

void set_password(
    pg::Tx& tx, core::Scope const& scope, User const& user, std::string const& hash, core::Time now)
{
    users::set_password_by_email(tx, scope, user.id, hash);
    sessions::end_others(tx, scope, user.id, std::nullopt, now);
    trusted_devices::revoke_all(tx, scope, user.id);
    static constexpr std::array obsolete{
        TokenPurpose::reset_password, TokenPurpose::verify_email, TokenPurpose::invitation};
    email_tokens::remove(tx, scope, user.id, obsolete);
}

/// Announces the reset and what it removed. Call it last in the transaction (see audit::record).
void announce_reset(pg::Tx& tx, http::Request const& req, User const& before,
    std::vector<LinkedIdentity> const& unlinked, AccountRules const& rules, core::Time now)
{
    User const after = users::find(tx, req.scope(), before.id).value();
    publish_user(tx, req, "user.updated", after);
    if (rules.security_emails) mail_notice(tx, req, MailKind::password_changed, after);
    record(tx, req, {.user_id = after.id, .type = "password_reset", .action = "user.password_reset"});
    if (before.email_verified) return;
    announce_no_factors(tx, req, before, rules, now);
    for (auto const& identity : unlinked)
        record_unlinked(tx, req, before.id, identity);
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
    auto const wanted = TokenAndPassword::parse(req, "newPassword");
    EmailToken const token = co_await require_token(req, deps, wanted.token, TokenPurpose::reset_password);
    std::string const hash = co_await hash_counted(
        req, deps, {.password = wanted.password, .email = token.email, .field = "newPassword"});
    AccountRules const rules = co_await account_rules(req, deps);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const before = use_token(tx, req, token);
        if (core::lower(before.email) != core::lower(token.email)) throw token_expired();
        core::Time const now = deps.clock.now();
        std::vector<LinkedIdentity> unlinked;
        if (!before.email_verified) unlinked = remove_unproven_credentials(tx, req.scope(), before);
        set_password(tx, req.scope(), before, hash, now);
        announce_reset(tx, req, before, unlinked, rules, now);
        return http::Response::ok(R"({"reset":true})");
    });
}

} // namespace auth_mfa
