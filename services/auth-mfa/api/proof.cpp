#include "api/proof.hpp"

#include "core/fields.hpp"
#include "domain/errors.hpp"
#include "domain/recovery_code.hpp"
#include "domain/totp.hpp"
#include "storage/totp.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

bool is_six_digits(std::string_view code)
{
    return code.size() == 6 && std::ranges::all_of(code, [](char c) { return c >= '0' && c <= '9'; });
}

asio::awaitable<std::optional<Proof>> examine_totp(
    Deps& deps, core::Scope const& scope, core::Uuid user_id, std::string const& code)
{
    auto const totp =
        co_await deps.db.read(scope, [&](pg::Tx& tx) { return totps::find(tx, scope, user_id); });
    if (!totp || !totp->confirmed) co_return std::nullopt;
    core::Secret const seed(totps::open(deps.keyring, scope, user_id, totp->sealed_seed));
    auto const step = totp::match(seed.reveal(), code, deps.clock.now(), totp->last_step);
    if (!step) co_return std::nullopt;
    co_return Proof{.method = Method::totp, .step = *step};
}

asio::awaitable<std::optional<Proof>> examine_recovery(Deps& deps, core::Scope const& scope,
    core::Uuid user_id, crypto::PasswordHasher::Turn const& turn, std::string const& text)
{
    auto const code = RecoveryCode::parse(text);
    if (!code) co_return std::nullopt;
    auto hash = co_await deps.db.read(
        scope, [&](pg::Tx& tx) { return recovery_codes::find(tx, scope, user_id, code->locator); });
    // If `hash` is nullopt, `verify` does the same work, so that the duration does not reveal which locators
    // exist.
    bool const right = co_await deps.passwords.verify(turn, core::Secret(code->secret), hash);
    if (!right) co_return std::nullopt;
    co_return Proof{.method = Method::recovery_code, .recovery = {code->locator, *hash}};
}

} // namespace

std::string parse_code(http::Request const& req)
{
    core::Fields f(req.json());
    std::string code = f.text("code", 1, 64);
    f.check();
    return code;
}

Turn turn_for(Deps& deps, core::Scope const& scope, Method method)
{
    return method == Method::recovery_code ? Turn(deps.passwords.enter(scope.id)) : std::nullopt;
}

asio::awaitable<std::optional<Proof>> examine(Deps& deps, core::Scope const& scope, core::Uuid user_id,
    Method method, Turn const& turn, std::string const& code)
{
    if (method == Method::recovery_code) return examine_recovery(deps, scope, user_id, turn.value(), code);
    return examine_totp(deps, scope, user_id, code);
}

bool use(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, Proof const& proof, core::Time now)
{
    if (proof.method == Method::recovery_code)
        return recovery_codes::use(tx, scope, user_id, proof.recovery, now);
    return totps::use(tx, scope, user_id, proof.step);
}

asio::awaitable<Proof> require_proof(
    Deps& deps, core::Scope const& scope, core::Uuid user_id, std::string const& code)
{
    Method const method = is_six_digits(code) ? Method::totp : Method::recovery_code;
    auto& budgets = deps.mfa.budgets;
    Turn const turn = turn_for(deps, scope, method);
    auto const reserved = co_await budgets.require({Budgets::wrong(scope, user_id, method)});
    auto proof = co_await budgets.or_give_back(reserved, examine(deps, scope, user_id, method, turn, code));
    if (!proof) throw invalid_code();
    co_await budgets.give_back(reserved);
    co_return std::move(*proof);
}

} // namespace auth_mfa
