#include "api/email_change.hpp"

#include "api/credentials.hpp"
#include "core/text.hpp"
#include "domain/errors.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/email_tokens.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/mail_requests.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/email_tokens.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"
#include "tokens/email_tokens.hpp"

#include <array>

namespace auth_mfa {

namespace {

/// Tokens that were sent to an address that is no longer the account's.
constexpr std::array obsolete{
    TokenPurpose::verify_email, TokenPurpose::reset_password, TokenPurpose::confirm_email};

std::string parse_new_email(http::Request const& req)
{
    core::Fields f(req.json());
    std::string email = read_new_email(f, "newEmail");
    f.check();
    return email;
}

/// Throws CONFLICT if another user has the email, or can still take it back.
void require_free(pg::Tx& tx, http::Request const& req, UserId user_id, std::string const& email)
{
    auto const owner = users::find_by_email(tx, req.scope(), email);
    if ((owner && owner->id != user_id) || users::is_reserved(tx, req.scope(), email, user_id))
        throw email_taken();
}

/// Changes the email and announces the change. Call `use_token` first.
User switch_email(
    pg::Tx& tx, http::Request const& req, User const& user, std::string const& email, bool verified)
{
    require_free(tx, req, user.id, email);
    if (!users::set_email(tx, req.scope(), user.id, email, verified)) throw email_taken();
    email_tokens::remove(tx, req.scope(), user.id, obsolete);
    User after = users::find(tx, req.scope(), user.id).value();
    publish_user(tx, req, "user.updated", after);
    return after;
}

/// Sends the notice to the previous address. Its token undoes the change for 72 hours and reserves the
/// address.
void report_to_previous_address(pg::Tx& tx, http::Request const& req, Deps const& deps, User const& before)
{
    auto const mail_id = mail_user_at(tx, req, MailKind::email_changed, before, before.email);
    email_tokens::put(tx, req.scope(),
        {.hash = EmailTokens::hash(deps.email_tokens.make(req.scope(), mail_id)),
            .purpose = TokenPurpose::revert_email,
            .user_id = before.id,
            .email = before.email,
            .was_verified = before.email_verified},
        deps.clock.now() + lifetime_of(TokenPurpose::revert_email));
}

http::Response respond(User const& user)
{
    core::JsonWriter w;
    w.begin_object().member("email", user.email).end_object();
    return http::Response::ok(std::move(w).str());
}

} // namespace

asio::awaitable<http::Response> change_email(http::Request const& req, Deps& deps)
{
    std::string const email = parse_new_email(req);
    User const user = co_await signed_in_user(req, deps);
    co_await require_fresh(req, deps, user);
    if (core::lower(email) == core::lower(user.email))
        throw core::Error::validation(
            {{"/newEmail", "unchanged", "must differ from the account's present email"}});
    auto& limits = deps.rate_limits;
    // The second counter protects the new address: many accounts must not be able to flood one mailbox.
    co_await limits.require(
        {RateLimits::mails_to(req.scope(), user.email, to_string(MailKind::confirm_new_email)),
            RateLimits::mails_to(req.scope(), email, "mails_to_new_address")},
        too_many_attempts);
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const locked = lock_signed_in_user(tx, req, deps);
        require_free(tx, req, locked.id, email);
        mail_user_at(tx, req, MailKind::confirm_new_email, locked, email);
        record(tx, req,
            {.user_id = locked.id,
                .type = "email_change_requested",
                .action = "user.email_change_requested"});
    });
    co_return http::Response{.status = 202, .body = "{}"};
}

asio::awaitable<http::Response> confirm_email(http::Request const& req, Deps& deps)
{
    EmailToken const token = co_await require_token(req, deps, parse_token(req), TokenPurpose::confirm_email);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const before = use_token(tx, req, token);
        User const after = switch_email(tx, req, before, token.email, true);
        report_to_previous_address(tx, req, deps, before);
        record(tx, req, {.user_id = after.id, .type = "email_changed", .action = "user.email_changed"});
        return respond(after);
    });
}

asio::awaitable<http::Response> revert_email(http::Request const& req, Deps& deps)
{
    EmailToken const token = co_await require_token(req, deps, parse_token(req), TokenPurpose::revert_email);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const before = use_token(tx, req, token);
        // The email of an admin or owner stays verified.
        if (before.role != Role::user && !token.was_verified) throw token_expired();
        User const after = switch_email(tx, req, before, token.email, token.was_verified);
        // An attacker may have changed the email again. The notices of these later changes must not restore
        // the attacker's address.
        email_tokens::remove_since(tx, req.scope(), after.id, token.created_at);
        sessions::end_others(tx, req.scope(), after.id, std::nullopt, deps.clock.now());
        record(tx, req, {.user_id = after.id, .type = "email_reverted", .action = "user.email_reverted"});
        return respond(after);
    });
}

} // namespace auth_mfa
