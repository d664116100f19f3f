#include "workers/mails.hpp"

#include "core/backoff.hpp"
#include "core/text.hpp"
#include "core/wait.hpp"
#include "crypto/random.hpp"
#include "domain/email_token.hpp"
#include "domain/settings.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "service/tenant_jobs.hpp"
#include "storage/email_tokens.hpp"
#include "storage/mails.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"
#include "tokens/email_tokens.hpp"

#include <boost/json/value_to.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace auth_mfa {

namespace {

constexpr unsigned threads = 8; ///< sending waits for the mail server most of the time
constexpr std::chrono::seconds first_delay{10};
constexpr std::chrono::minutes longest_delay{30};
/// Attempts are made for about three days.
constexpr unsigned max_attempts = 150;

/// A kind of email with a link.
struct Link {
    TokenPurpose purpose;
    std::string_view setting; ///< the tenant's page; empty: always the hosted page
    std::string_view page;    ///< the hosted page
};

std::optional<Link> link_of(MailKind kind)
{
    switch (kind) {
    case MailKind::verify_email:
        return Link{TokenPurpose::verify_email, "verifyUrl", "/verify-email"};
    case MailKind::reset_password:
        return Link{TokenPurpose::reset_password, "resetUrl", "/reset"};
    case MailKind::confirm_new_email:
        return Link{TokenPurpose::confirm_email, {}, "/confirm-email"};
    case MailKind::email_changed:
        return Link{TokenPurpose::revert_email, {}, "/revert-email"};
    case MailKind::invitation:
        return Link{TokenPurpose::invitation, "inviteUrl", "/invite"};
    default:
        return std::nullopt;
    }
}

/// Whether the user's credentials are still those with which the user requested `mail`. A reset of the
/// password and an undone change of the email also withdraw requests whose email was not sent yet.
bool has_version_of(Mail const& mail, User const& user)
{
    auto const* const version = mail.details.if_contains("credentialsVersion");
    return version != nullptr && *version == boost::json::value(user.credentials_version);
}

/// Whether `user` should still get `mail`.
bool is_wanted(Mail const& mail, User const& user)
{
    bool const own = core::lower(mail.email) == core::lower(user.email);
    switch (mail.kind) {
    case MailKind::verify_email:
        return own && !user.email_verified && user.status == UserStatus::active;
    case MailKind::reset_password:
        return own && user.status != UserStatus::disabled;
    case MailKind::invitation:
        return own && user.status == UserStatus::invited;
    case MailKind::confirm_new_email:
        return user.status == UserStatus::active && has_version_of(mail, user);
    default:
        return true;
    }
}

/// The email's user. The lock serialises the transaction with every other transaction that withdraws tokens
/// or emails of the user, or changes the address.
std::optional<User> lock_user(pg::Tx& tx, core::Scope const& scope, Mail const& mail)
{
    if (mail.user_id) return users::lock(tx, scope, *mail.user_id);
    auto const found = users::find_by_email(tx, scope, mail.email);
    return found ? users::lock(tx, scope, found->id) : std::nullopt;
}

/// A reason without the rest of a server's reply, which may repeat the address: `550 5.1.1`.
std::string_view without_text(std::string_view reason)
{
    bool const is_reply = !reason.empty() && reason.front() >= '0' && reason.front() <= '9';
    return is_reply ? reason.substr(0, reason.find_first_not_of("0123456789. -")) : reason;
}

std::string detail(Mail const& mail, std::string_view name)
{
    auto const* const value = mail.details.if_contains(name);
    return value == nullptr ? std::string() : boost::json::value_to<std::string>(*value);
}

} // namespace

MailWorker::MailWorker(MailWorkerDeps deps) : deps_(std::move(deps)) {}

jobs::WorkerOptions MailWorker::options()
{
    return {.queue = mails::queue, .threads = threads, .on_dead = [](pg::Tx& tx, jobs::Claim const& claim) {
                mails::remove(tx, claim.scope_id, claim.ref);
            }};
}

jobs::Handler MailWorker::handler()
{
    return service::for_active_tenants(deps_.io, deps_.directory, deps_.clock,
        [this](core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop) {
            return run(scope, claim, stop);
        });
}

/// Finds the email's user and makes its token valid. nullopt if nothing has to be sent any more.
std::optional<MailWorker::Prepared> MailWorker::prepare(
    pg::Tx& tx, core::Scope const& scope, jobs::Claim& claim) const
{
    auto mail = mails::find(tx, scope.id, claim.ref);
    if (!mail) return std::nullopt;
    claim.traceparent = mail->traceparent.value_or("");
    auto const user = lock_user(tx, scope, *mail);
    if (!user || !is_wanted(*mail, *user)) return std::nullopt;
    if (!mail->user_id) mail->email = user->email; // as the user wrote it
    Prepared prepared{.mail = *std::move(mail), .account_email = user->email, .token = {}};
    auto const link = link_of(prepared.mail.kind);
    if (!link) return prepared;
    auto const tokens = deps_.tokens.candidates(scope, prepared.mail.id);
    // The token that undoes a change of the email is stored with the change, and valid from then on.
    bool const reverts = link->purpose == TokenPurpose::revert_email;
    bool const is_stored = reverts || prepared.mail.has_token;
    auto const token =
        is_stored
            ? std::ranges::find_if(tokens,
                  [&](std::string const& t) { return email_tokens::exists(tx, scope, EmailTokens::hash(t)); })
            : tokens.begin();
    if (token == tokens.end()) return std::nullopt; // it was used or withdrawn
    prepared.token = *token;
    if (reverts) return prepared;
    bool const confirms = link->purpose == TokenPurpose::confirm_email;
    email_tokens::put(tx, scope,
        {.hash = EmailTokens::hash(prepared.token),
            .purpose = link->purpose,
            .user_id = user->id,
            .email = prepared.mail.email,
            .credentials_version = confirms ? std::optional(user->credentials_version) : std::nullopt},
        deps_.clock.now() + lifetime_of(link->purpose));
    mails::set_has_token(tx, scope.id, prepared.mail.id);
    return prepared;
}

mail::Message MailWorker::compose(
    core::Scope const& scope, tenancy::Tenant const& tenant, Prepared const& prepared) const
{
    auto const environment = scope.environment();
    Mail const& mail = prepared.mail;
    MailValues values{.brand = brand_of(tenant, environment),
        .email = mail.kind == MailKind::confirm_new_email ? mail.email : prepared.account_email,
        .link = {},
        .token = prepared.token,
        .at = mail.created_at,
        .user_agent = detail(mail, "userAgent"),
        .ip = detail(mail, "ip"),
        .factor = core::parse_enum<MailFactor>(detail(mail, "factor")).value_or(MailFactor::sms)};
    auto const page_of = [&](std::string_view setting, std::string_view page) {
        auto const own = setting.empty() ? std::nullopt : link_page_of(tenant, environment, setting);
        return own.value_or(deps_.issuer.of(scope) + std::string(page));
    };
    if (auto const link = link_of(mail.kind)) {
        values.link = page_of(link->setting, link->page) + "?token=" + prepared.token;
        values.lifetime = lifetime_of(link->purpose);
    } else { // a notice leads to the page that requests a new password
        values.link = page_of("resetUrl", "/reset");
    }
    MailText text = render_mail(mail.kind, mail.locale, values);
    return {.id = mail.id,
        .date = mail.created_at,
        .to = mail.email,
        .subject = std::move(text.subject),
        .text = std::move(text.text),
        .html = std::move(text.html),
        .traceparent = mail.traceparent.value_or(""),
        .tenant = core::tenant_of(scope.id)};
}

jobs::Outcome MailWorker::run(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop)
{
    auto const remove = [scope_id = scope.id, id = claim.ref](
                            pg::Tx& tx) { mails::remove(tx, scope_id, id); };
    auto const prepared =
        deps_.db.transact_blocking(scope, [&](pg::Tx& tx) { return prepare(tx, scope, claim); });
    if (!prepared) return jobs::Outcome::done(remove);
    auto const tenant = core::wait(deps_.io.get_executor(), deps_.directory.get(scope.slug));
    auto const result = deps_.mailer.send(compose(scope, *tenant, *prepared), stop);
    switch (result.outcome) {
    case mail::Outcome::accepted:
        return jobs::Outcome::done(remove);
    case mail::Outcome::transient:
        if (stop.stop_requested()) return jobs::Outcome::not_yet(deps_.clock.now());
        [[fallthrough]];
    case mail::Outcome::credential:
        if (claim.attempts >= max_attempts) break;
        return jobs::Outcome::retry(deps_.clock.now() + core::backoff(claim.attempts - 1, first_delay,
                                                            longest_delay, crypto::random_u64()));
    default:
        break;
    }
    deps_.logger.warn("an email could not be sent",
        {{"tenant", scope.slug}, {"kind", to_string(prepared->mail.kind)}, {"mailId", claim.ref.to_string()},
            {"reason", without_text(result.reason)}});
    return jobs::Outcome::dead(remove);
}

} // namespace auth_mfa
