#include "api/recovery_codes.hpp"

#include "audit/audit.hpp"
#include "domain/errors.hpp"
#include "flows/enrolment.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "storage/recovery_codes.hpp"

namespace auth_mfa {

namespace {

void require_factor(User const& user)
{
    if (!user.has_factor())
        throw setup_required("Your account has no second factor. Enrol one with POST /v1/auth/mfa/totp/setup "
                             "or POST /v1/auth/mfa/sms/setup.");
}

/// Call it last in the transaction (see audit::record).
void record_replaced(pg::Tx& tx, http::Request const& req)
{
    audit::record(tx, req.context,
        {.action = "recovery_codes.replaced",
            .subject_type = "user",
            .subject_id = req.caller().id,
            .before = std::nullopt,
            .after = std::nullopt});
}

} // namespace

asio::awaitable<http::Response> replace_recovery_codes(http::Request const& req, Deps& deps)
{
    std::string const code = parse_code(req);
    User const user = co_await signed_in_user(req, deps);
    require_factor(user);
    VerifiedCode const verified = co_await require_code(deps, req.scope(), user.id, code);
    auto const codes = co_await NewRecoveryCodes::make(deps, deps.passwords.reserve(req.scope().id));
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const locked = lock_signed_in_user(tx, req, deps);
        require_factor(locked);
        core::Time const now = deps.clock.now();
        if (!consume(tx, req.scope(), locked.id, verified, now)) throw invalid_code();
        recovery_codes::replace(tx, req.scope(), locked.id, codes.hashed, now);
        record_replaced(tx, req);
    });
    co_return recovery_codes_response(codes.texts);
}

} // namespace auth_mfa
