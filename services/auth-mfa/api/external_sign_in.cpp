#include "api/external_sign_in.hpp"

#include "core/fields.hpp"
#include "domain/id_token.hpp"
#include "domain/settings.hpp"
#include "flows/sign_in.hpp"
#include "pg/database.hpp"
#include "providers/id_token_verifier.hpp"
#include "state/rate_limits.hpp"
#include "storage/identities.hpp"
#include "storage/users.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa {

namespace {

constexpr std::size_t max_id_token = 8192;

std::string parse_id_token(http::Request const& req)
{
    core::Fields f(req.json());
    std::string token = f.text("idToken", 1, max_id_token);
    f.check();
    return token;
}

/// The identity in the token. Throws INVALID_CREDENTIALS if the token is refused. Each attempt counts against
/// the sign-in limit of the client's network. An attempt whose token is not refused is given back.
asio::awaitable<ExternalIdentity> require_identity(http::Request const& req, Deps& deps,
    std::string const& token, std::vector<IdentityProvider> const& providers)
{
    auto& limits = deps.rate_limits;
    auto const reserved = co_await limits.require(
        {RateLimits::wrong_sign_ins_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto identity = co_await limits.or_give_back(
        reserved, deps.id_token_verifier.verify(req.scope().id, token, providers));
    if (!identity)
        throw with_rate_limit(
            core::Error(codes::invalid_credentials,
                "The token in `idToken` was refused. Send an id token that is signed and not expired, and "
                "whose `iss` and `aud` match an entry of the setting `identityProviders`."),
            reserved);
    co_await limits.give_back(reserved);
    co_return *std::move(identity);
}

struct Known {
    User user;
    bool created = false;
};

/// Creates the user of an unknown identity. Never links an existing account with the same email: the person
/// with this email at the provider may not be the owner of the account.
User create(pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity)
{
    if (!identity.email)
        throw core::Error::validation({{"/idToken", "email",
            "must contain a valid `email` that is not marked as unverified, because the user signs in for "
            "the first time. Request the `email` scope from the provider."}});
    auto user =
        users::insert(tx, scope, {UserId(core::Uuid::v7()), *identity.email, std::nullopt, Role::user});
    if (!user)
        throw core::Error(core::codes::conflict,
            "An account with this email already exists, and identities are not linked to existing accounts. "
            "Sign in with the method that created the account.");
    identities::insert(tx, scope, identity.issuer, identity.subject, user->id);
    return *std::move(user);
}

Known find_or_create(pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity)
{
    auto const find = [&] { return identities::find_user(tx, scope, identity.issuer, identity.subject); };
    if (auto user = find()) return {*std::move(user)};
    // Look again under the scope's lock, because a concurrent request with this identity may have created the
    // user.
    pg::lock_scope(tx, scope.id);
    if (auto user = find()) return {*std::move(user)};
    return {create(tx, scope, identity), true};
}

} // namespace

asio::awaitable<http::Response> sign_in_externally(http::Request const& req, Deps& deps)
{
    std::string const token = parse_id_token(req);
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const providers = identity_providers_of(*tenant, req.scope().environment());
    ExternalIdentity const identity = co_await require_identity(req, deps, token, providers);
    Known const known = co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { return find_or_create(tx, req.scope(), identity); });
    co_return co_await finish_sign_in(
        req, deps, known.user, {.amr = {"fed"}, .status = known.created ? 201U : 200U});
}

} // namespace auth_mfa
