#include "api/activity.hpp"

#include "core/json_writer.hpp"
#include "domain/json.hpp"
#include "flows/signed_in_user.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/activity.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

http::Response respond(paging::PageRequest const& asked, std::vector<Activity> rows)
{
    auto const page = asked.page(
        std::move(rows), [](Activity const& entry) { return paging::Position{entry.at, entry.id}; });
    return http::Response::ok(
        paging::to_json(page, [](core::JsonWriter& w, Activity const& entry) { write(w, entry); }, 256));
}

paging::PageRequest read_page(http::Request const& req, std::string const& user_id)
{
    return paging::PageRequest::read(
        req, paging::FilterHash().add("list", "activity").add("userId", user_id).value());
}

} // namespace

asio::awaitable<http::Response> list_activity(http::Request const& req, Deps& deps)
{
    auto const asked = read_page(req, req.caller().id);
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        User const user = signed_in_user(tx, req, deps);
        return activity::list(tx, req.scope(), user.id, asked.after, asked.rows());
    });
    co_return respond(asked, std::move(rows));
}

asio::awaitable<http::Response> list_member_activity(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    auto const asked = read_page(req, id.to_string());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, core::Access::staff);
        core::require_found(users::find(tx, req.scope(), id), "member");
        return activity::list(tx, req.scope(), id, asked.after, asked.rows());
    });
    co_return respond(asked, std::move(rows));
}

} // namespace auth_mfa
