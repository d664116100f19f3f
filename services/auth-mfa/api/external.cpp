#include "api/external.hpp"

#include "api/session.hpp"
#include "api/sign_in.hpp"
#include "api/tenant.hpp"
#include "core/fields.hpp"
#include "storage/identities.hpp"
#include "storage/users.hpp"

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

/// Who the token says it is; refused ones are counted.
asio::awaitable<ExternalIdentity> require_identity(http::Request const& req, Deps& deps,
    std::string const& token, std::vector<IdentityProvider> const& providers)
{
    auto& budgets = deps.mfa.budgets;
    auto const reserved = co_await budgets.require(
        {Budgets::login_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto identity = co_await budgets.or_give_back(
        reserved, deps.identity_tokens.verify(req.scope().id, token, providers));
    if (!identity)
        throw with_limit(
            core::Error(codes::invalid_credentials, "The id token is not valid here."), reserved);
    co_await budgets.give_back(reserved);
    co_return *std::move(identity);
}

struct Known {
    User user;
    bool created = false;
};

/// A new user for somebody who is not one yet. Never an account that exists for another reason: whoever
/// controls an address at a provider need not be the one who has it here.
User create(pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity)
{
    if (!identity.email)
        throw core::Error::validation(
            {{"/idToken", "email", "must hold a verified email at the first sign-in"}});
    auto user = users::insert(tx, scope, {core::Uuid::v7(), *identity.email, std::nullopt, Role::user});
    if (!user) throw core::Error(core::codes::conflict, "There is an account with this email already.");
    identities::insert(tx, scope, identity.issuer, identity.subject, user->id);
    return *std::move(user);
}

Known find_or_create(pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity)
{
    auto const find = [&] { return identities::find_user(tx, scope, identity.issuer, identity.subject); };
    if (auto user = find()) return {*std::move(user)};
    // Users are made in turn, and the one before may have been made by the same sign-in, sent twice.
    pg::serialise(tx, scope.id);
    if (auto user = find()) return {*std::move(user)};
    return {create(tx, scope, identity), true};
}

} // namespace

asio::awaitable<http::Response> sign_in_externally(http::Request const& req, Deps& deps)
{
    std::string const token = parse_id_token(req);
    auto const tenant = co_await find_tenant(deps, req.scope().slug);
    auto const providers = identity_providers_of(*tenant, req.scope().environment());
    ExternalIdentity const identity = co_await require_identity(req, deps, token, providers);
    Known const known = co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { return find_or_create(tx, req.scope(), identity); });
    co_return co_await finish_sign_in(
        req, deps, known.user, {.amr = {"fed"}, .status = known.created ? 201U : 200U});
}

} // namespace auth_mfa
