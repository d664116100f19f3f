#include "flows/fresh_authentication.hpp"

#include "config.hpp"
#include "core/clock.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "storage/identities.hpp"
#include "storage/passkeys.hpp"
#include "storage/recovery_codes.hpp"
#include "storage/sessions.hpp"

#include <algorithm>

namespace auth_mfa {

boost::json::array reauthentication_methods(pg::Tx& tx, http::Request const& req, User const& user)
{
    boost::json::array methods;
    if (!user.has_factor() || req.caller().aal2) {
        if (user.has_password()) methods.emplace_back("password");
        if (!identities::list(tx, req.scope(), user.id).empty()) methods.emplace_back("external");
    }
    if (user.phone_verified) methods.emplace_back(to_string(MfaMethod::sms));
    if (user.totp) methods.emplace_back(to_string(MfaMethod::totp));
    if (user.passkey) methods.emplace_back(to_string(MfaMethod::passkey));
    if (recovery_codes::count(tx, req.scope(), user.id) > 0)
        methods.emplace_back(to_string(MfaMethod::recovery_code));
    return methods;
}

namespace {

core::Error reauthentication_required(pg::Tx& tx, http::Request const& req, User const& user)
{
    return core::Error(codes::reauthentication_required,
        "This request needs a recent authentication. Call POST /v1/auth/reauthenticate with one of "
        "available_methods, then repeat the request with the new access token.")
        .member("available_methods", reauthentication_methods(tx, req, user));
}

/// Whether the `auth_time` of the access token is recent.
bool is_recent(http::Request const& req, Deps const& deps)
{
    auto const& at = req.caller().authenticated_at;
    return at && deps.clock.now() - *at <= deps.config.reauthentication_window;
}

} // namespace

asio::awaitable<void> require_fresh(http::Request const& req, Deps& deps, User const& user)
{
    auto const& caller = req.caller();
    if (caller.kind == core::Access::enrolment) co_return;
    if (is_recent(req, deps) && (caller.aal2 || !user.has_factor())) co_return;
    throw co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return reauthentication_required(tx, req, user); });
}

void require_fresh_to_remove_passkey(pg::Tx& tx, http::Request const& req, Deps const& deps, User const& user)
{
    auto const is_own = [session = session_id_of(req)](
                            Passkey const& passkey) { return passkey.session_id == session; };
    bool const has_only_own_factors = !user.phone_verified && !user.totp &&
                                      std::ranges::all_of(passkeys::list(tx, req.scope(), user.id), is_own);
    if (!is_recent(req, deps) || !(req.caller().aal2 || has_only_own_factors))
        throw reauthentication_required(tx, req, user);
}

void require_second_factor(pg::Tx& tx, http::Request const& req, User const& user)
{
    if (user.has_factor() && !req.caller().aal2) throw reauthentication_required(tx, req, user);
}

} // namespace auth_mfa
