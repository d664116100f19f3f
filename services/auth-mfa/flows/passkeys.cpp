#include "flows/passkeys.hpp"

#include "auth/token_claims.hpp"
#include "batchers.hpp"
#include "core/fields.hpp"
#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "flows/activity.hpp"
#include "gateway/cors.hpp"
#include "pg/database.hpp"
#include "state/passkey_challenges.hpp"
#include "state/rate_limits.hpp"
#include "storage/passkeys.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/resolve.hpp"

namespace auth_mfa {

namespace {

constexpr std::string_view refused_detail =
    "The passkey was refused. Use another passkey, or another method to sign in.";

/// The stored passkey of an assertion, and its user.
struct Known {
    std::optional<Passkey> passkey;
    std::optional<User> user;
};

asio::awaitable<Known> find_known(http::Request const& req, Deps& deps, std::string const& credential_id)
{
    Known known;
    known.passkey = co_await deps.batchers.find_passkey.run({req.scope().id, credential_id});
    if (!known.passkey) co_return known;
    known.user = co_await deps.batchers.find_user.run({req.scope().id, known.passkey->user_id});
    if (!known.user) known.passkey.reset(); // both were deleted in the meantime
    co_return known;
}

/// Whether the assertion names the user of the passkey. It may leave the user out if the rule names the user.
bool names_user(webauthn::Assertion const& assertion, UserId user_id, PasskeyRule const& rule)
{
    if (rule.user_id && *rule.user_id != user_id) return false;
    if (!assertion.user_handle) return rule.user_id.has_value();
    return *assertion.user_handle == user_handle_of(user_id);
}

/// The detail of a refusal. Mistakes of the app are named, and mistakes of its user are not.
std::string_view detail_of(webauthn::Fault const& fault)
{
    using enum webauthn::FaultKind;
    bool const of_app = fault.kind == type || fault.kind == origin || fault.kind == user_presence ||
                        fault.kind == user_verification;
    return of_app ? fault.detail : refused_detail;
}

/// Stores the state of the passkey after a right assertion; nullopt: its counter did not grow. False if this
/// assertion is refused after all, because the passkey was removed, or because the counter did not grow since
/// another assertion. The latter is recorded.
bool use_or_record(pg::Tx& tx, http::Request const& req, Passkey const& passkey,
    std::optional<webauthn::AssertionResult> const& result, core::Time now)
{
    if (result && passkeys::use(tx, req.scope(), passkey.id, *result, now)) return true;
    if (passkeys::find(tx, req.scope(), passkey.credential.id))
        record(tx, req,
            {.user_id = passkey.user_id,
                .type = "passkey",
                .result = "counter_regressed",
                .action = "passkey.counter_regressed",
                .after = boost::json::object{{"passkeyId", passkey.id.to_string()}}});
    return false;
}

/// As `use_or_record`. The usual case is one statement for many callers.
asio::awaitable<bool> use(http::Request const& req, Deps& deps, Passkey const& passkey,
    std::optional<webauthn::AssertionResult> const& result)
{
    auto const now = deps.clock.now();
    if (result && co_await deps.batchers.use_passkey.run({req.scope().id, passkey.id, *result, now}))
        co_return true;
    co_return co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { return use_or_record(tx, req, passkey, result, now); });
}

} // namespace

asio::awaitable<RelyingParty> relying_party(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const environment = req.scope().environment();
    auto const& base = deps.hosts.base_host();
    RelyingParty party{.id = passkey_rp_id_of(*tenant, environment, base),
        .name = brand_of(*tenant, environment),
        .allows_origin = {}};
    // WebAuthn needs a secure context, so the pages of the auth host are https pages, or local.
    party.allows_origin = [tenant, environment,
                              host = auth::token::authority(base, tenant->slug, environment)](
                              std::string_view origin) {
        return gateway::cors::is_allowed(origin, tenant->settings(environment).allowed_origins) ||
               gateway::cors::is_page_of(origin, host, false);
    };
    co_return party;
}

asio::awaitable<void> count_passkey_challenge(http::Request const& req, Deps& deps)
{
    co_await deps.rate_limits.require(
        {RateLimits::passkey_challenges_from_network(req.scope(), req.remote_address)},
        too_many_passkey_challenges);
}

webauthn::Assertion parse_assertion(http::Request const& req)
{
    core::Fields f(req.json());
    auto assertion = webauthn::read_assertion(f, "credential");
    f.check();
    return std::move(assertion).value();
}

asio::awaitable<PasskeyAttempt> try_passkey(
    http::Request const& req, Deps& deps, webauthn::Assertion const& assertion, PasskeyRule const& rule)
{
    auto const& challenge = assertion.client_data.challenge;
    RelyingParty const party = co_await relying_party(req, deps);
    co_await deps.passkey_challenges.use(req.scope(), challenge);
    auto known = co_await find_known(req, deps, assertion.id);
    PasskeyAttempt attempt{.user = std::move(known.user), .detail = refused_detail};
    if (!known.passkey || !names_user(assertion, known.passkey->user_id, rule)) co_return attempt;
    Passkey const& passkey = *known.passkey;
    auto const verified = webauthn::verify_assertion(assertion, passkey.credential,
        {.challenge = challenge,
            .rp_id = passkey.rp_id,
            .allows_origin = party.allows_origin,
            .user_verification = rule.user_verification});
    std::optional<webauthn::AssertionResult> result;
    if (auto const* const fault = std::get_if<webauthn::Fault>(&verified)) {
        attempt.detail = detail_of(*fault);
        if (fault->kind != webauthn::FaultKind::counter) co_return attempt;
    } else {
        result = std::get<webauthn::AssertionResult>(verified);
    }
    attempt.right = co_await use(req, deps, passkey, result);
    co_return attempt;
}

} // namespace auth_mfa
