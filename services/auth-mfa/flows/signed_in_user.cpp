#include "flows/signed_in_user.hpp"

#include "pg/database.hpp"
#include "storage/users.hpp"
#include "tokens/tokens.hpp"

namespace auth_mfa {

namespace {

core::Uuid require_id(std::string_view text)
{
    auto const id = core::Uuid::parse(text);
    if (!id) throw session_ended();
    return *id;
}

asio::awaitable<void> require_current(http::Request const& req, Deps& deps, core::Access allowed)
{
    if (!req.caller().is_jwt()) co_return;
    co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return require_role(tx, req, deps, allowed); });
}

/// The user of an enrolment token. The token ends when a factor is enrolled, and when the user's credentials
/// or status change.
User require_enrolling(std::optional<User> user, http::Request const& req)
{
    auto const enrolment = Tokens::read_enrolment(req.caller().session_id);
    if (!user || !enrolment || user->credentials_version != enrolment->credentials_version ||
        user->status != UserStatus::active || user->has_factor())
        throw session_ended();
    return *std::move(user);
}

} // namespace

core::Error session_ended()
{
    return core::Error(core::codes::unauthorized, "The session has ended. Sign in again.")
        .header("WWW-Authenticate", "Bearer error=\"invalid_token\"");
}

asio::awaitable<User> signed_in_user(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return signed_in_user(tx, req, deps); });
}

User signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps)
{
    if (req.caller().kind == core::Access::enrolment)
        return require_enrolling(users::find(tx, req.scope(), UserId(require_id(req.caller().id))), req);
    auto user = users::find_signed_in(
        tx, req.scope(), UserId(require_id(req.caller().id)), session_id_of(req), deps.clock.now());
    if (!user) throw session_ended();
    return *std::move(user);
}

User lock_signed_in_user(pg::Tx& tx, http::Request const& req, Deps const& deps)
{
    if (req.caller().kind == core::Access::enrolment)
        return require_enrolling(users::lock(tx, req.scope(), UserId(require_id(req.caller().id))), req);
    auto user = users::lock_signed_in(
        tx, req.scope(), UserId(require_id(req.caller().id)), session_id_of(req), deps.clock.now());
    if (!user) throw session_ended();
    return *std::move(user);
}

core::Access require_role(pg::Tx& tx, http::Request const& req, Deps const& deps, core::Access allowed)
{
    if (!req.caller().is_jwt()) return req.caller().kind;
    core::Access const current = access_of(signed_in_user(tx, req, deps).role);
    if (!core::allows(allowed, current))
        throw core::Error(core::codes::forbidden, "Your current role does not permit this request. Ask an "
                                                  "owner of the tenant to change your role.");
    return current;
}

asio::awaitable<void> require_staff(http::Request const& req, Deps& deps)
{
    return require_current(req, deps, core::Access::staff);
}

asio::awaitable<void> require_owner(http::Request const& req, Deps& deps)
{
    return require_current(req, deps, core::Access::owner);
}

core::Uuid session_id_of(http::Request const& req)
{
    return require_id(req.caller().session_id);
}

} // namespace auth_mfa
