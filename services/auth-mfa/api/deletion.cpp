#include "api/deletion.hpp"

#include "audit/audit.hpp"
#include "config.hpp"
#include "core/json_writer.hpp"
#include "flows/account_events.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/member_rules.hpp"
#include "flows/signed_in_user.hpp"
#include "observe/log.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "pg/database.hpp"
#include "storage/erasures.hpp"
#include "storage/mails.hpp"
#include "storage/users.hpp"
#include "user_data/user_data.hpp"

namespace auth_mfa {

namespace {

struct Deleted {
    core::Uuid erasure_id;
    user_data::Erasure erasure;
};

/// Announces the deletion. The event and the entry outlive the account, so the event has only the user's id,
/// and the entry only the pseudonym. The entry does not name the erasure, which would connect the pseudonym
/// with the user. Call it last in the transaction (see audit::record).
void announce(pg::Tx& tx, http::Request const& req, UserId user_id, Deleted const& deleted, core::Time now)
{
    core::JsonWriter w;
    w.begin_object().member("userId", user_id.to_string()).end_object();
    outbound_webhooks::publish(
        tx, req.context, {.type = "user.deleted", .data_json = std::move(w).str(), .at = now});
    auto const& caller = req.caller();
    auto const& pseudonym = deleted.erasure.pseudonym.text();
    bool const own = caller.id == user_id.to_string();
    audit::record(tx, req.scope(),
        {.id = own ? pseudonym : caller.id,
            .role = caller.role,
            .request_id = own ? std::string() : req.context.request_id}, // clients choose the request id
        {.action = "user.deleted",
            .subject_type = "user",
            .subject_id = pseudonym,
            .before = {},
            .after = {}});
}

/// Deletes the account of `user`, who must be locked together with the scope. All credentials and sessions
/// end with the commit. The rows that may be many are deleted afterwards: account_rows.hpp.
Deleted delete_account(pg::Tx& tx, http::Request const& req, Deps& deps, User const& user)
{
    if (req.scope().environment() == core::Environment::production) require_other_owner(tx, req, user);
    Deleted deleted{.erasure_id = {},
        .erasure = {.scope = req.scope(),
            .user_id = core::UserId(user.id.to_string()),
            .pseudonym = user_data::new_pseudonym()}};
    mails::remove_of(tx, req.scope(), user);
    users::remove(tx, req.scope(), user.id);
    deps.users.mark_deleted(tx, deleted.erasure);
    deleted.erasure_id = erasures::insert(tx, req.scope(), user.id, deps.config.erasure_services());
    announce(tx, req, user.id, deleted, deps.clock.now());
    return deleted;
}

/// Erases what is left of a deleted user in this service, and responds. If this fails, a job does it later.
asio::awaitable<http::Response> finish(http::Request const& req, Deps& deps, Deleted const& deleted)
{
    try {
        co_await deps.users.erase(deleted.erasure);
        co_await deps.db.transact(req.scope(),
            [&](pg::Tx& tx) { erasures::set_erased(tx, req.scope(), deleted.erasure_id, deps.clock.now()); });
    } catch (std::exception const& error) {
        deps.logger.warn("the rest of a deleted account will be erased later",
            {{"erasureId", deleted.erasure_id.to_string()}, {"error", observe::first_line(error.what())},
                {"tenant", req.scope().slug}});
    }
    core::JsonWriter w;
    w.begin_object().member("deleted", true).member("erasureId", deleted.erasure_id.to_string()).end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace

asio::awaitable<http::Response> delete_me(http::Request const& req, Deps& deps)
{
    co_await require_fresh(req, deps, co_await signed_in_user(req, deps));
    Deleted const deleted = co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        begin_account_change(tx, req);
        User const user = lock_signed_in_user(tx, req, deps);
        require_second_factor(tx, req, user);
        return delete_account(tx, req, deps, user);
    });
    co_return co_await finish(req, deps, deleted);
}

asio::awaitable<http::Response> delete_member(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    Deleted const deleted = co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        begin_account_change(tx, req);
        core::Access const caller = require_role(tx, req, deps, core::Access::staff);
        User const member = core::require_found(users::lock(tx, req.scope(), id), "member");
        if (req.caller().id == id.to_string())
            throw core::Error(core::codes::forbidden,
                "You cannot delete your own account here. Use DELETE /v1/auth/me, which needs a recent "
                "authentication.");
        require_may_act_on(member.role, caller);
        return delete_account(tx, req, deps, member);
    });
    co_return co_await finish(req, deps, deleted);
}

} // namespace auth_mfa
