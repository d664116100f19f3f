#include "api/members.hpp"

#include "audit/audit.hpp"
#include "core/fields.hpp"
#include "domain/json.hpp"
#include "flows/signed_in_user.hpp"
#include "http/etag.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/factors.hpp"
#include "storage/sessions.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

Role parse_role_change(http::Request const& req)
{
    core::Fields f(req.json());
    auto const role = f.one_of<Role>("role");
    f.check();
    return role;
}

/// The ETag of a member. It is derived from `updated_at`, which every change of a field in the member's JSON
/// sets, under the lock on the user's row.
std::string etag(User const& member)
{
    return http::etag(member.updated_at.time_since_epoch().count());
}

http::Response respond(User const& member)
{
    return http::Response::ok(to_json(member)).header("ETag", etag(member));
}

void record(pg::Tx& tx, http::Request const& req, std::string action, User const& member,
    std::optional<boost::json::value> before, std::optional<boost::json::value> after)
{
    audit::record(tx, req.context,
        {.action = std::move(action),
            .subject_type = "member",
            .subject_id = member.id.to_string(),
            .before = std::move(before),
            .after = std::move(after)});
}

/// Throws FORBIDDEN if the caller may not reset the member's factors. Callers may not reset their own
/// factors, because a stolen access token would then be enough to remove them. Admins may not reset an
/// owner's factors.
void check_may_reset(http::Request const& req, core::Access caller, User const& member)
{
    if (req.caller().id == member.id.to_string())
        throw core::Error(core::codes::forbidden,
            "You cannot reset your own factors. Disable each factor with a code instead.");
    if (member.role == Role::owner && caller == core::Access::admin)
        throw core::Error(core::codes::forbidden,
            "An admin cannot reset the factors of an owner. Ask an owner to reset them.");
}

} // namespace

asio::awaitable<http::Response> list_members(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(req, paging::FilterHash().add("list", "members").value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, core::Access::managers);
        return users::list(tx, req.scope(), asked.after, asked.rows());
    });
    auto const page = asked.page(std::move(rows),
        [](User const& member) { return paging::Position{member.created_at, member.id.uuid()}; });
    co_return http::Response::ok(
        paging::to_json(page, [](core::JsonWriter& w, User const& member) { write(w, member); }, 512));
}

asio::awaitable<http::Response> update_member(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    Role const role = parse_role_change(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        // The lock of the scope serialises role changes. So if two owners demote each other, only one
        // succeeds.
        pg::lock_scope(tx, req.scope().id);
        require_role(tx, req, deps, core::Access::owner | core::Access::master);
        User const before = core::require_found(users::lock(tx, req.scope(), id), "member");
        http::check_if_match(req, etag(before));
        if (before.role == role) return respond(before);
        if (before.role == Role::owner && !users::has_other_owner(tx, req.scope(), id))
            throw core::Error(core::codes::conflict,
                "This user is the last owner of the environment. Give another user the role `owner` first.");
        User const after = users::set_role(tx, req.scope(), id, role).value();
        record(tx, req, "member.role", after, boost::json::object{{"role", to_string(before.role)}},
            boost::json::object{{"role", to_string(role)}});
        return respond(after);
    });
}

asio::awaitable<http::Response> reset_member(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        core::Access const caller = require_role(tx, req, deps, core::Access::managers);
        User const member = core::require_found(users::lock(tx, req.scope(), id), "member");
        check_may_reset(req, caller, member);
        factors::remove_all(tx, req.scope(), member);
        users::increment_credentials_version(tx, req.scope(), id);
        sessions::end_others(tx, req.scope(), id, std::nullopt, deps.clock.now());
        record(tx, req, "member.mfa_reset", member,
            boost::json::object{{"sms", member.phone_verified}, {"totp", member.totp}}, {});
        return http::Response::deleted();
    });
}

} // namespace auth_mfa
