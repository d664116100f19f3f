#include "flows/factor_codes.hpp"

#include "core/fields.hpp"
#include "domain/errors.hpp"
#include "domain/recovery_code.hpp"
#include "domain/totp.hpp"
#include "flows/activity.hpp"
#include "flows/guess_origin.hpp"
#include "pg/database.hpp"
#include "state/rate_limits.hpp"
#include "storage/totp_seeds.hpp"
#include "storage/users.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

bool is_six_digits(std::string_view code)
{
    return code.size() == 6 && std::ranges::all_of(code, [](char c) { return c >= '0' && c <= '9'; });
}

asio::awaitable<std::optional<VerifiedCode>> verify_totp(
    Deps& deps, core::Scope const& scope, UserId user_id, std::string const& code)
{
    auto const stored =
        co_await deps.db.read(scope, [&](pg::Tx& tx) { return totp_seeds::find(tx, scope, user_id); });
    if (!stored || !stored->confirmed) co_return std::nullopt;
    core::Secret const seed(totp_seeds::open(deps.keyring, scope, user_id, stored->sealed_seed));
    auto const step = totp::match(seed.reveal(), code, deps.clock.now(), stored->last_step);
    if (!step) co_return std::nullopt;
    co_return VerifiedCode{.method = MfaMethod::totp, .step = *step};
}

asio::awaitable<std::optional<VerifiedCode>> verify_recovery_code(Deps& deps, core::Scope const& scope,
    UserId user_id, crypto::PasswordHasher::Reservation const& turn, std::string const& text)
{
    auto const code = RecoveryCode::parse(text);
    if (!code) co_return std::nullopt;
    auto hash = co_await deps.db.read(
        scope, [&](pg::Tx& tx) { return recovery_codes::find(tx, scope, user_id, code->locator); });
    // If `hash` is nullopt, `verify` does the same work, so that the duration does not reveal which locators
    // exist.
    bool const right = co_await deps.passwords.verify(turn, core::Secret(code->secret), hash);
    if (!right) co_return std::nullopt;
    co_return VerifiedCode{.method = MfaMethod::recovery_code, .recovery = {code->locator, *hash}};
}

} // namespace

std::string parse_code(http::Request const& req)
{
    core::Fields f(req.json());
    std::string code = f.text("code", 1, 64);
    f.check();
    return code;
}

HashingTurn hashing_turn_for(Deps& deps, core::Scope const& scope, MfaMethod method)
{
    return method == MfaMethod::recovery_code ? HashingTurn(deps.passwords.reserve(scope.id)) : std::nullopt;
}

asio::awaitable<std::optional<VerifiedCode>> verify_code(Deps& deps, core::Scope const& scope, UserId user_id,
    MfaMethod method, HashingTurn const& turn, std::string const& code)
{
    if (method == MfaMethod::recovery_code)
        return verify_recovery_code(deps, scope, user_id, turn.value(), code);
    return verify_totp(deps, scope, user_id, code);
}

bool consume(pg::Tx& tx, core::Scope const& scope, UserId user_id, VerifiedCode const& code, core::Time now)
{
    if (code.method == MfaMethod::recovery_code)
        return recovery_codes::use(tx, scope, user_id, code.recovery, now);
    return totp_seeds::use(tx, scope, user_id, code.step);
}

asio::awaitable<bool> consume_code(
    http::Request const& req, Deps& deps, UserId user_id, VerifiedCode const& code)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        bool const recovery = code.method == MfaMethod::recovery_code;
        if (recovery) users::lock(tx, req.scope(), user_id);
        if (!consume(tx, req.scope(), user_id, code, deps.clock.now())) return false;
        if (recovery)
            record(
                tx, req, {.user_id = user_id, .type = "recovery_code_used", .action = "recovery_code.used"});
        return true;
    });
}

std::string_view amr_of(MfaMethod method) noexcept
{
    switch (method) {
    case MfaMethod::sms:
        return "sms";
    case MfaMethod::totp:
        return "otp";
    case MfaMethod::recovery_code:
        return "kba";
    case MfaMethod::passkey:
        return "hwk";
    }
    return "";
}

asio::awaitable<VerifiedCode> require_code(
    http::Request const& req, Deps& deps, UserId user_id, std::string const& code)
{
    core::Scope const& scope = req.scope();
    MfaMethod const method = is_six_digits(code) ? MfaMethod::totp : MfaMethod::recovery_code;
    auto& limits = deps.rate_limits;
    auto const origin = co_await guess_origin(req, deps, user_id);
    HashingTurn const turn = hashing_turn_for(deps, scope, method);
    auto const reserved =
        co_await limits.require(RateLimits::wrong_codes_of_user(scope, user_id, method, origin));
    auto verified =
        co_await limits.or_give_back(reserved, verify_code(deps, scope, user_id, method, turn, code));
    if (!verified) throw invalid_code();
    co_await limits.give_back(reserved);
    co_return *std::move(verified);
}

} // namespace auth_mfa
