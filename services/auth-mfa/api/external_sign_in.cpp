#include "api/external_sign_in.hpp"

#include "domain/settings.hpp"
#include "flows/account_events.hpp"
#include "flows/id_tokens.hpp"
#include "flows/sign_in.hpp"
#include "pg/database.hpp"
#include "storage/identities.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

struct Known {
    User user;
    bool created = false;
};

/// Creates the user of an unknown identity. Never links an existing account with the same email: the person
/// with this email at the provider may not be the owner of the account.
User create(pg::Tx& tx, http::Request const& req, ExternalIdentity const& identity, core::Time now)
{
    if (!identity.email)
        throw core::Error::validation({{"/idToken", "email",
            "must contain a valid `email` and `email_verified` true, because the user signs in for the first "
            "time. Request the `email` scope from the provider."}});
    auto user = users::insert(tx, req.scope(),
        {.id = UserId(core::Uuid::v7()),
            .email = *identity.email,
            .password_hash = std::nullopt,
            .email_verified = true});
    if (!user)
        throw core::Error(core::codes::conflict,
            "An account with this email already exists, and identities are not linked to it at sign-in. Sign "
            "in to the account (reset its password if necessary), then link the identity with POST "
            "/v1/auth/identities.");
    identities::insert(tx, req.scope(), identity, user->id, now);
    record_created(tx, req, *user);
    return *std::move(user);
}

Known find_or_create(
    pg::Tx& tx, http::Request const& req, ExternalIdentity const& identity, bool sign_up_open, core::Time now)
{
    core::Scope const& scope = req.scope();
    require_unused(tx, req, identity);
    auto const find = [&] { return identities::find_user(tx, scope, identity.issuer, identity.subject); };
    if (auto user = find()) return {*std::move(user)};
    if (!sign_up_open) throw sign_up_closed();
    // Look again under the scope's lock, because a concurrent request with this identity may have created the
    // user.
    begin_account_change(tx, req);
    if (auto user = find()) return {*std::move(user)};
    return {create(tx, req, identity, now), true};
}

} // namespace

asio::awaitable<SignedIn> sign_in_with_identity(
    http::Request const& req, Deps& deps, ExternalIdentity const& identity)
{
    AccountRules const rules = co_await account_rules(req, deps);
    Known const known = co_await deps.db.transact(req.scope(),
        [&](pg::Tx& tx) { return find_or_create(tx, req, identity, rules.sign_up_open, deps.clock.now()); });
    co_return co_await finish_sign_in(req, deps, known.user,
        {.amr = {"fed"}, .identity_provider = identity.provider, .status = known.created ? 201U : 200U});
}

asio::awaitable<http::Response> sign_in_externally(http::Request const& req, Deps& deps)
{
    auto const presented = PresentedIdToken::parse(req);
    ExternalIdentity const identity = co_await require_identity(req, deps, presented);
    co_return respond_with_tokens(req, deps, co_await sign_in_with_identity(req, deps, identity));
}

} // namespace auth_mfa
