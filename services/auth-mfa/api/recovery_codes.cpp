#include "api/recovery_codes.hpp"

#include "core/fields.hpp"
#include "domain/errors.hpp"
#include "flows/activity.hpp"
#include "flows/enrolment.hpp"
#include "flows/fresh_authentication.hpp"
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

/// The optional field `code` of an optional body.
std::optional<std::string> parse_optional_code(http::Request const& req)
{
    if (req.body.find_first_not_of(" \t\r\n") == std::string::npos) return std::nullopt;
    core::Fields f(req.json());
    auto code = f.optional_text("code", 1, 64);
    f.check();
    return code;
}

} // namespace

asio::awaitable<http::Response> replace_recovery_codes(http::Request const& req, Deps& deps)
{
    auto const code = parse_optional_code(req);
    User const user = co_await signed_in_user(req, deps);
    co_await require_fresh(req, deps, user);
    require_factor(user);
    std::optional<VerifiedCode> verified;
    if (code) verified = co_await require_code(req, deps, user.id, *code);
    auto const codes = co_await NewRecoveryCodes::make(deps, deps.passwords.reserve(req.scope().id));
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const locked = lock_signed_in_user(tx, req, deps);
        require_factor(locked);
        core::Time const now = deps.clock.now();
        if (verified && !consume(tx, req.scope(), locked.id, *verified, now)) throw invalid_code();
        recovery_codes::replace(tx, req.scope(), locked.id, codes.hashed, now);
        record(tx, req,
            {.user_id = locked.id, .type = "recovery_codes_replaced", .action = "recovery_codes.replaced"});
    });
    co_return recovery_codes_response(codes.texts);
}

} // namespace auth_mfa
