#include "flows/open_session.hpp"

#include "batchers.hpp"
#include "domain/json.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/mail_requests.hpp"
#include "pg/database.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

/// Opens a session that the batch left out, because a webhook or an email announces it.
bool open_with_announcements(
    pg::Tx& tx, http::Request const& req, sessions::NewSession const& row, User const& user)
{
    begin_account_change(tx, req);
    if (!users::lock(tx, req.scope(), user.id)) return false;
    auto const inserted = sessions::insert(tx, row);
    if (!inserted.opened) return false;
    if (inserted.new_browser) mail_notice(tx, req, MailKind::new_sign_in, user);
    publish_session(tx, req, row);
    record(tx, req,
        {.user_id = user.id,
            .type = "sign_in",
            .action = "session.created",
            .after = boost::json::object{{"amr", boost::json::array(row.amr.begin(), row.amr.end())}},
            .session_id = row.id});
    return true;
}

asio::awaitable<bool> insert(
    http::Request const& req, Deps& deps, sessions::NewSession const& row, User const& user)
{
    auto const opened = co_await deps.batchers.open.run(row);
    if (opened != sessions::Opened::not_plain) co_return opened == sessions::Opened::yes;
    co_return co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { return open_with_announcements(tx, req, row, user); });
}

} // namespace

asio::awaitable<SignedIn> open_session(
    http::Request const& req, Deps& deps, User const& user, SignIn const& sign_in)
{
    // Requires a signing key before the session is stored, because no tokens can be issued without one.
    co_await deps.tokens.ready();
    AccountRules const rules = co_await account_rules(req, deps);
    sessions::NewSession row{.scope_id = req.scope().id,
        .id = core::Uuid::v7(),
        .user_id = user.id,
        .credentials_version = user.credentials_version,
        .amr = {sign_in.amr.begin(), sign_in.amr.end()},
        .aal2 = sign_in.aal2,
        .identity_provider = sign_in.identity_provider,
        .now = deps.clock.now(),
        .user_agent = user_agent(req),
        .address = req.remote_address,
        .request_id = req.context.request_id,
        .report_new_browser = rules.security_emails};
    if (!co_await insert(req, deps, row, user)) throw sign_in.outdated();
    co_return SignedIn{.session_id = row.id,
        .user = user,
        .amr = std::move(row.amr),
        .assurance = {row.now, row.aal2},
        .status = sign_in.status,
        .with_user = sign_in.with_user,
        .recovery_codes = sign_in.recovery_codes};
}

AccessTokenClaims claims_of(sessions::TokenContents const& contents)
{
    return {.user_id = contents.user_id,
        .email = contents.email,
        .email_verified = contents.email_verified,
        .role = contents.role,
        .session_id = contents.session_id,
        .amr = contents.amr,
        .assurance = contents.assurance,
        .client_id = contents.client_id,
        .scope = contents.scope};
}

http::Response respond_with_tokens(http::Request const& req, Deps const& deps, TokenResponse const& contents)
{
    core::Scope const& scope = req.scope();
    core::JsonWriter w(1536);
    w.begin_object()
        .member("accessToken", deps.tokens.access_token(scope, contents.claims))
        .member(
            "refreshToken", deps.tokens.refresh_token(scope, contents.claims.session_id, contents.generation))
        .member("expiresIn", access_token_lifetime.count());
    if (contents.user != nullptr) write(w.key("user"), *contents.user);
    if (contents.recovery_codes != nullptr) w.member("recoveryCodes", *contents.recovery_codes);
    if (contents.more) contents.more(w);
    w.end_object();
    return http::Response{.status = contents.status, .body = std::move(w).str()}.header(
        "Cache-Control", "no-store");
}

http::Response respond_with_tokens(http::Request const& req, Deps const& deps, SignedIn const& signed_in,
    std::function<void(core::JsonWriter&)> more)
{
    User const& user = signed_in.user;
    auto response = respond_with_tokens(req, deps,
        TokenResponse{.claims = {.user_id = user.id,
                          .email = user.email,
                          .email_verified = user.email_verified,
                          .role = user.role,
                          .session_id = signed_in.session_id,
                          .amr = signed_in.amr,
                          .assurance = signed_in.assurance},
            .status = signed_in.status,
            .user = signed_in.with_user ? &user : nullptr,
            .recovery_codes = signed_in.recovery_codes ? &*signed_in.recovery_codes : nullptr,
            .more = std::move(more)});
    response.headers.insert(response.headers.end(), signed_in.headers.begin(), signed_in.headers.end());
    return response;
}

} // namespace auth_mfa
