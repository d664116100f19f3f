#include "api/totp_factor.hpp"

#include "core/json_writer.hpp"
#include "crypto/encoding.hpp"
#include "crypto/random.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "domain/settings.hpp"
#include "domain/totp.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/guess_origin.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/totp_seeds.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa {

namespace {

/// The unconfirmed seed, and the time step whose code matched.
struct Confirmation {
    std::string sealed_seed;
    std::int64_t step = 0;
};

asio::awaitable<Confirmation> require_confirmed(
    http::Request const& req, Deps& deps, UserId user_id, std::string const& code)
{
    core::Scope const& scope = req.scope();
    auto const waiting =
        co_await deps.db.read(scope, [&](pg::Tx& tx) { return totp_seeds::find(tx, scope, user_id); });
    if (!waiting || waiting->confirmed)
        throw setup_required(
            "No authenticator app waits for confirmation. Start with POST /v1/auth/mfa/totp/setup.");
    auto& limits = deps.rate_limits;
    auto const origin = co_await guess_origin(req, deps, user_id);
    auto const reserved =
        co_await limits.require(RateLimits::wrong_codes_of_user(scope, user_id, MfaMethod::totp, origin));
    core::Secret const seed(totp_seeds::open(deps.keyring, scope, user_id, waiting->sealed_seed));
    auto const step = totp::match(seed.reveal(), code, deps.clock.now(), totp::never);
    if (!step) throw invalid_code();
    co_await limits.give_back(reserved);
    co_return Confirmation{waiting->sealed_seed, *step};
}

} // namespace

asio::awaitable<http::Response> set_up_totp(http::Request const& req, Deps& deps)
{
    co_await require_fresh(req, deps, co_await signed_in_user(req, deps));
    std::string const seed = crypto::random_bytes(totp::seed_bytes);
    std::string account;
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = lock_signed_in_user(tx, req, deps);
        require_password(user);
        std::string const sealed = totp_seeds::seal(deps.keyring, req.scope(), user.id, seed);
        if (!totp_seeds::set_up(tx, req.scope(), user.id, sealed, deps.clock.now())) throw already_enabled();
        account = user.email;
    });
    auto const tenant = co_await deps.directory.find(req.scope().slug);
    std::string const brand = tenant ? brand_of(*tenant, req.scope().environment()) : req.scope().slug;
    core::JsonWriter w;
    w.begin_object()
        .member("secret", crypto::base32::encode(seed))
        .member("otpauthUrl", totp::key_uri(seed, brand, account))
        .end_object();
    co_return http::Response::ok(std::move(w).str()).header("Cache-Control", "no-store");
}

asio::awaitable<Enrolled> enrol_totp(http::Request const& req, Deps& deps)
{
    std::string const code = parse_code(req);
    User const user = co_await signed_in_user(req, deps);
    HashingTurn turn = hashing_turn_for_recovery_codes(deps, req.scope(), user);
    auto const right = co_await require_confirmed(req, deps, user.id, code);
    co_return co_await enrol_factor(req, deps, "totp", std::move(turn), [&](pg::Tx& tx, User const& locked) {
        core::Time const now = deps.clock.now();
        if (!totp_seeds::confirm(tx, req.scope(), locked.id, right.sealed_seed, right.step, now))
            throw setup_required("Another request changed the set-up of the authenticator app at the same "
                                 "time. Start again with POST /v1/auth/mfa/totp/setup.");
    });
}

asio::awaitable<http::Response> confirm_totp(http::Request const& req, Deps& deps)
{
    co_return enrolled_response(req, deps, co_await enrol_totp(req, deps));
}

asio::awaitable<http::Response> disable_totp(http::Request const& req, Deps& deps)
{
    return disable_factor(
        req, deps, "totp", [](User const& user) { return user.totp; },
        [](pg::Tx& tx, core::Scope const& scope, User const& user) {
            totp_seeds::remove(tx, scope, user.id);
        });
}

} // namespace auth_mfa
