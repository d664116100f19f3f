#include "api/erasures.hpp"

#include "core/json_writer.hpp"
#include "flows/signed_in_user.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/erasures.hpp"

namespace auth_mfa {

namespace {

void write(core::JsonWriter& w, ErasureTarget const& target)
{
    w.begin_object()
        .member("service", to_string(target.service))
        .member("status", to_string(target.status))
        .member("attempts", target.attempts)
        .member("lastError", target.last_error)
        .member("doneAt", target.done_at)
        .end_object();
}

void write(core::JsonWriter& w, Erasure const& erasure)
{
    w.begin_object()
        .member("erasureId", erasure.id.to_string())
        .member("userId", erasure.user_id.to_string())
        .member("requestedAt", erasure.requested_at)
        .member("completedAt", erasure.completed_at)
        .key("targets")
        .begin_array();
    for (auto const& target : erasure.targets)
        write(w, target);
    w.end_array().end_object();
}

} // namespace

asio::awaitable<http::Response> list_erasures(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(req, paging::FilterHash().add("list", "erasures").value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, core::Access::staff);
        return erasures::list(tx, req.scope(), asked.after, asked.rows());
    });
    auto const page = asked.page(std::move(rows),
        [](Erasure const& erasure) { return paging::Position{erasure.requested_at, erasure.id}; });
    co_return http::Response::ok(
        paging::to_json(page, [](core::JsonWriter& w, Erasure const& erasure) { write(w, erasure); }, 512));
}

asio::awaitable<http::Response> get_erasure(http::Request const& req, Deps& deps)
{
    core::Uuid const id = req.uuid_param("erasureId");
    Erasure const erasure = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, core::Access::staff);
        return core::require_found(erasures::find(tx, req.scope(), id), "erasure");
    });
    core::JsonWriter w(512);
    write(w, erasure);
    co_return http::Response::ok(std::move(w).str());
}

} // namespace auth_mfa
