#include "flows/fresh_authentication.hpp"

#include "config.hpp"
#include "core/clock.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "pg/database.hpp"
#include "storage/identities.hpp"
#include "storage/recovery_codes.hpp"

namespace auth_mfa {

namespace {

/// The methods that make the session fresh. A session without a second factor needs one; another session may
/// also repeat the first factor.
boost::json::array available_methods(pg::Tx& tx, http::Request const& req, User const& user)
{
    boost::json::array methods;
    if (!user.has_factor() || req.caller().aal2) {
        if (user.has_password()) methods.emplace_back("password");
        if (!identities::list(tx, req.scope(), user.id).empty()) methods.emplace_back("external");
    }
    if (user.phone_verified) methods.emplace_back(to_string(MfaMethod::sms));
    if (user.totp) methods.emplace_back(to_string(MfaMethod::totp));
    if (recovery_codes::count(tx, req.scope(), user.id) > 0)
        methods.emplace_back(to_string(MfaMethod::recovery_code));
    return methods;
}

core::Error reauthentication_required(pg::Tx& tx, http::Request const& req, User const& user)
{
    return core::Error(codes::reauthentication_required,
        "This request needs a recent authentication. Call POST /v1/auth/reauthenticate with one of "
        "available_methods, then repeat the request with the new access token.")
        .member("available_methods", available_methods(tx, req, user));
}

} // namespace

asio::awaitable<void> require_fresh(http::Request const& req, Deps& deps, User const& user)
{
    auto const& caller = req.caller();
    if (caller.kind == core::Access::enrolment) co_return;
    bool const recent = caller.authenticated_at &&
                        deps.clock.now() - *caller.authenticated_at <= deps.config.reauthentication_window;
    if (recent && (caller.aal2 || !user.has_factor())) co_return;
    throw co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return reauthentication_required(tx, req, user); });
}

void require_second_factor(pg::Tx& tx, http::Request const& req, User const& user)
{
    if (user.has_factor() && !req.caller().aal2) throw reauthentication_required(tx, req, user);
}

} // namespace auth_mfa
