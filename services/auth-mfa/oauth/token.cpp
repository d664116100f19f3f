#include "oauth/token.hpp"

#include "audit/audit.hpp"
#include "batchers.hpp"
#include "core/json_writer.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "domain/errors.hpp"
#include "domain/oauth_errors.hpp"
#include "domain/oauth_scope.hpp"
#include "domain/settings.hpp"
#include "flows/activity.hpp"
#include "flows/client_authentication.hpp"
#include "flows/open_session.hpp"
#include "flows/refresh.hpp"
#include "oauth/form.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/authorization_codes.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa::oauth {

namespace {

constexpr std::size_t min_verifier = 43, max_verifier = 128;
constexpr std::string_view verifier_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

std::string required(http::Form const& form, std::string_view name)
{
    auto const value = http::find(form, name);
    if (value.empty()) throw invalid_request(std::string(name) + ": is required");
    return std::string(value);
}

core::Error bad_code()
{
    return invalid_grant(
        "The code is unknown, expired or already used, was issued to another client, or "
        "redirect_uri or code_verifier does not match the authorization request. Start a new "
        "authorization request.");
}

core::Error bad_refresh_token()
{
    return invalid_grant(
        "The refresh token is invalid, expired, already used, or was issued to another client. "
        "Start a new authorization request.");
}

/// The S256 challenge of the parameter `code_verifier` (RFC 7636, 4.6); empty if it is absent.
std::string challenge_of(http::Form const& form)
{
    auto const verifier = http::find(form, "code_verifier");
    if (verifier.empty()) return {};
    if (verifier.size() < min_verifier || verifier.size() > max_verifier ||
        verifier.find_first_not_of(verifier_characters) != std::string_view::npos)
        throw invalid_request("code_verifier: must be 43 to 128 characters of A-Z, a-z, 0-9, -, ., _ and ~");
    return crypto::base64url::encode(crypto::view(crypto::sha256(verifier)));
}

/// The contents of a response with tokens.
struct Granted {
    sessions::TokenContents const& session;
    std::string_view scope; ///< of the access token
    std::string_view nonce{};
};

/// The response of RFC 6749, 5.1, with an id token if the scope has `openid`.
http::Response respond(
    http::Request const& req, Deps const& deps, Client const& client, Granted const& granted)
{
    auto claims = claims_of(granted.session);
    claims.scope = granted.scope;
    auto const access_token = deps.tokens.access_token(req.scope(), claims);
    core::JsonWriter w(3072);
    w.begin_object()
        .member("access_token", access_token)
        .member("token_type", "Bearer")
        .member("expires_in", access_token_lifetime.count())
        .member("scope", granted.scope);
    if (has_scope(granted.session.scope, "offline_access"))
        w.member("refresh_token",
            deps.tokens.refresh_token(req.scope(), granted.session.session_id, granted.session.generation));
    if (has_scope(granted.scope, "openid"))
        w.member("id_token", deps.tokens.id_token(req.scope(), client.id_token_alg,
                                 {.session = claims,
                                     .nonce = granted.nonce,
                                     .access_token = access_token,
                                     .updated_at = granted.session.user_updated_at}));
    w.end_object();
    return http::Response::ok(std::move(w).str()).header("Cache-Control", "no-store");
}

/// Ends the session of a code that is presented again (RFC 6749, 4.1.2).
void end_reused(pg::Tx& tx, http::Request const& req, authorization_codes::Redemption const& presented)
{
    auto const session =
        authorization_codes::session_of_used(tx, req.scope(), presented.hash, presented.client_id);
    if (!session || !sessions::find_live(tx, req.scope(), *session, presented.now)) return;
    sessions::end(tx, req.scope(), *session, presented.now);
    audit::record(tx, req.scope(), {.id = "system:sessions", .request_id = req.context.request_id},
        {.action = "authorization_code.reused",
            .subject_type = "session",
            .subject_id = session->to_string(),
            .before = {},
            .after = boost::json::object{{"clientId", presented.client_id}}});
}

/// Counts the refused code, and ends the session of a used one. Throws.
asio::awaitable<void> refuse_code(
    http::Request const& req, Deps& deps, authorization_codes::Redemption const& presented)
{
    co_await deps.rate_limits.require(
        {RateLimits::refused_codes_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) { end_reused(tx, req, presented); });
    throw bad_code();
}

asio::awaitable<http::Response> exchange_code(
    http::Request const& req, Deps& deps, Client const& client, http::Form const& form)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const environment = req.scope().environment();
    authorization_codes::Redemption const presented{.scope_id = req.scope().id,
        .hash = crypto::sha256(required(form, "code")),
        .client_id = client.id,
        .redirect_uri = required(form, "redirect_uri"),
        .code_challenge = challenge_of(form),
        .now = deps.clock.now(),
        .verified_only = account_rules_of(*tenant, environment).verified_only,
        .user_agent = user_agent(req),
        .address = req.remote_address,
        .request_id = req.context.request_id};
    co_await deps.tokens.ready();
    auto const redeemed = co_await deps.batchers.redeem_code.run(presented);
    if (!redeemed) co_await refuse_code(req, deps, presented);
    auto const& session = redeemed->session;
    if (!trusts(*tenant, environment, session.identity_provider)) {
        co_await deps.db.transact(req.scope(),
            [&](pg::Tx& tx) { sessions::end(tx, req.scope(), session.session_id, presented.now); });
        throw bad_code();
    }
    co_return respond(
        req, deps, client, {.session = session, .scope = session.scope, .nonce = redeemed->nonce});
}

/// The scope that the parameter `scope` asks for, which must be part of the session's (RFC 6749, 6). Checked
/// before the refresh token is used up. Empty if there is no such parameter.
asio::awaitable<std::string> narrower_scope(http::Request const& req, Deps& deps, Client const& client,
    RefreshToken const& token, http::Form const& form)
{
    auto const asked = http::find(form, "scope");
    if (asked.empty()) co_return std::string();
    auto const session = co_await deps.db.read(req.scope(),
        [&](pg::Tx& tx) { return sessions::find_live(tx, req.scope(), token.session_id, deps.clock.now()); });
    if (session && session->client_id == client.id && !is_part_of(asked, session->scope))
        throw core::Error(
            codes::invalid_scope, "scope: must contain only scopes that the user authorized for the client");
    co_return granted_scope(asked);
}

asio::awaitable<http::Response> exchange_refresh_token(
    http::Request const& req, Deps& deps, Client const& client, http::Form const& form)
{
    auto const token = deps.tokens.read_refresh_token(req.scope(), required(form, "refresh_token"));
    if (!token) throw bad_refresh_token();
    co_await deps.tokens.ready();
    auto const narrower = co_await narrower_scope(req, deps, client, *token, form);
    auto const result = co_await refresh_session(req, deps, *token, client.id);
    auto const* const session = std::get_if<sessions::TokenContents>(&result);
    if (session == nullptr && std::get<RefusedRefresh>(result) == RefusedRefresh::email_not_verified)
        throw invalid_grant("The email of the user's account is not verified.");
    if (session == nullptr) throw bad_refresh_token();
    co_return respond(
        req, deps, client, {.session = *session, .scope = narrower.empty() ? session->scope : narrower});
}

} // namespace

asio::awaitable<http::Response> post_token(http::Request const& req, Deps& deps)
{
    auto const form = read_form(req);
    auto const grant_type = required(form, "grant_type");
    auto const client = co_await require_client(req, deps, form);
    if (grant_type == "authorization_code") co_return co_await exchange_code(req, deps, client, form);
    if (grant_type == "refresh_token") co_return co_await exchange_refresh_token(req, deps, client, form);
    throw core::Error(
        codes::unsupported_grant_type, "grant_type: must be authorization_code or refresh_token");
}

} // namespace auth_mfa::oauth
