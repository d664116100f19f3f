#include "flows/id_tokens.hpp"

#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "providers/id_token_verifier.hpp"
#include "state/rate_limits.hpp"
#include "storage/identities.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa {

namespace {

constexpr std::size_t max_id_token = 8192;
constexpr std::size_t max_nonce = 255;

core::Error refused()
{
    return {codes::invalid_credentials,
        "The token in `idToken` was refused. Send an id token that is signed, at most 10 minutes old and not "
        "used before, whose `iss` and `aud` match an entry of the setting `identityProviders`, and whose "
        "`nonce` is the one in the request."};
}

} // namespace

PresentedIdToken PresentedIdToken::read(core::Fields& fields)
{
    return {fields.text("idToken", 1, max_id_token), fields.optional_text("nonce", 1, max_nonce)};
}

PresentedIdToken PresentedIdToken::parse(http::Request const& req)
{
    core::Fields f(req.json());
    auto presented = read(f);
    f.check();
    return presented;
}

asio::awaitable<ExternalIdentity> require_identity(
    http::Request const& req, Deps& deps, PresentedIdToken const& presented)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const providers = identity_providers_of(*tenant, req.scope().environment());
    auto& limits = deps.rate_limits;
    auto const reserved = co_await limits.require(
        {RateLimits::wrong_sign_ins_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto identity = co_await limits.or_give_back(
        reserved, deps.id_token_verifier.verify(req.scope().id, presented.token, providers, presented.nonce));
    if (!identity) throw with_rate_limit(refused(), reserved);
    co_await limits.give_back(reserved);
    co_return *std::move(identity);
}

void require_unused(pg::Tx& tx, http::Request const& req, ExternalIdentity const& identity)
{
    if (!identities::use_token(tx, req.scope(), identity)) throw refused();
}

} // namespace auth_mfa
