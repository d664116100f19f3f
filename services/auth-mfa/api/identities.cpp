#include "api/identities.hpp"

#include "core/json_writer.hpp"
#include "domain/errors.hpp"
#include "domain/json.hpp"
#include "domain/settings.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/id_tokens.hpp"
#include "flows/mail_requests.hpp"
#include "flows/signed_in_user.hpp"
#include "flows/ways_to_sign_in.hpp"
#include "pg/database.hpp"
#include "storage/identities.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa {

namespace {

LinkedIdentity link(pg::Tx& tx, http::Request const& req, Deps& deps, ExternalIdentity const& external,
    AccountRules const& rules)
{
    User const user = lock_signed_in_user(tx, req, deps);
    require_unused(tx, req, external);
    if (identities::list(tx, req.scope(), user.id).size() >= identities::max_identities)
        throw core::Error(core::codes::conflict, "The account has the maximum number of identities (" +
                                                     std::to_string(identities::max_identities) +
                                                     "). Unlink one of them first.");
    auto const linked = identities::insert(tx, req.scope(), external, user.id, deps.clock.now());
    if (!linked)
        throw core::Error(
            core::codes::conflict, "This identity is already linked to an account. Unlink it there first.");
    if (rules.security_emails) mail_notice(tx, req, MailKind::identity_linked, user);
    record(tx, req,
        {.user_id = user.id,
            .type = "identity_linked",
            .action = "identity.linked",
            .after = boost::json::object{{"issuer", linked->issuer}}});
    return *linked;
}

} // namespace

asio::awaitable<LinkedIdentity> link_proved_identity(
    http::Request const& req, Deps& deps, ExternalIdentity const& external)
{
    AccountRules const rules = co_await account_rules(req, deps);
    co_return co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { return link(tx, req, deps, external, rules); });
}

asio::awaitable<http::Response> link_identity(http::Request const& req, Deps& deps)
{
    auto const presented = PresentedIdToken::parse(req);
    co_await require_fresh(req, deps, co_await signed_in_user(req, deps));
    ExternalIdentity const external = co_await require_identity(req, deps, presented);
    auto const linked = co_await link_proved_identity(req, deps, external);
    core::JsonWriter w;
    write(w, linked);
    co_return http::Response::created(std::move(w).str());
}

asio::awaitable<http::Response> list_identities(http::Request const& req, Deps& deps)
{
    auto const linked = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        User const user = signed_in_user(tx, req, deps);
        return identities::list(tx, req.scope(), user.id);
    });
    core::JsonWriter w;
    w.begin_object().key("items").begin_array();
    for (auto const& identity : linked)
        write(w, identity);
    w.end_array().member("cursor", nullptr).end_object(); // all of them fit into one page
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> unlink_identity(http::Request const& req, Deps& deps)
{
    core::Uuid const id = req.uuid_param("identityId");
    co_await require_fresh(req, deps, co_await signed_in_user(req, deps));
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = lock_signed_in_user(tx, req, deps);
        auto const removed =
            core::require_found(identities::remove(tx, req.scope(), user.id, id), "identity", "account");
        if (!can_sign_in(tx, req, deps, *tenant, user))
            throw core::Error(core::codes::conflict,
                "This identity is the only way to sign in to the account. Set a password first, with POST "
                "/v1/auth/password/forgot, or register a passkey.");
        // A sign-in with this identity that waits for the second factor ends, too.
        users::increment_credentials_version(tx, req.scope(), user.id);
        sessions::end_of_issuer(tx, req.scope(), user.id, removed.issuer, deps.clock.now());
        record_unlinked(tx, req, user.id, removed);
        return http::Response::deleted();
    });
}

} // namespace auth_mfa
