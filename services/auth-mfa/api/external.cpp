#include "api/external.hpp"

#include "api/attempts.hpp"
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

struct Known {
    User user;
    bool created = false;
};

/// A new user for somebody who is not one yet; nullopt when the address is taken.
std::optional<User> create(pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity)
{
    if (!identity.email)
        throw core::Error::validation(
            {{"/idToken", "email", "must hold a verified email at the first sign-in"}});
    auto user = users::insert(tx, scope, {core::Uuid::v7(), *identity.email, std::nullopt, Role::user});
    if (user) identities::insert(tx, scope, identity.issuer, identity.subject, user->id);
    return user;
}

/// Never an account that exists for another reason: whoever controls an address at a provider need not be
/// the one who has it here.
Known find_or_create(pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity)
{
    if (auto user = identities::find_user(tx, scope, identity.issuer, identity.subject))
        return {*std::move(user)};
    if (auto user = create(tx, scope, identity)) return {*std::move(user), true};
    // The address may have been taken just now, by the same sign-in sent twice.
    if (auto user = identities::find_user(tx, scope, identity.issuer, identity.subject))
        return {*std::move(user)};
    throw core::Error(core::codes::conflict, "There is an account with this email already.");
}

} // namespace

asio::awaitable<http::Response> sign_in_externally(http::Request const& req, Deps& deps)
{
    std::string const token = parse_id_token(req);
    auto const tenant = co_await find_tenant(deps, req.scope().slug);
    auto const providers = identity_providers_of(*tenant, req.scope().environment());
    auto const identity =
        co_await counted(deps, {login_from_network(req)}, deps.identity_tokens.verify(token, providers));
    if (!identity) throw core::Error(codes::invalid_credentials, "The id token is not valid here.");
    Known const known = co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { return find_or_create(tx, req.scope(), *identity); });
    co_return co_await finish_sign_in(
        req, deps, known.user, {.amr = {"fed"}, .status = known.created ? 201U : 200U});
}

} // namespace auth_mfa
