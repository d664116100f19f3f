#include "api/trusted_devices.hpp"

#include "audit/audit.hpp"
#include "core/json_writer.hpp"
#include "domain/json.hpp"
#include "flows/signed_in_user.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/trusted_devices.hpp"

namespace auth_mfa {

namespace {

/// Call it last in the transaction (see audit::record).
void record(pg::Tx& tx, http::Request const& req, std::string action, std::string type, std::string id)
{
    audit::record(tx, req.context,
        {.action = std::move(action),
            .subject_type = std::move(type),
            .subject_id = std::move(id),
            .before = std::nullopt,
            .after = std::nullopt});
}

} // namespace

asio::awaitable<http::Response> list_devices(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "devices").add("userId", req.caller().id).value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        User const user = signed_in_user(tx, req, deps);
        return trusted_devices::list(tx, req.scope(), user.id, deps.clock.now(), asked.after, asked.rows());
    });
    co_return http::Response::ok(paging::to_json(asked.page(std::move(rows)),
        [](core::JsonWriter& w, TrustedDevice const& device) { write(w, device); }));
}

asio::awaitable<http::Response> forget_devices(http::Request const& req, Deps& deps)
{
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = lock_signed_in_user(tx, req, deps);
        trusted_devices::revoke_all(tx, req.scope(), user.id);
        record(tx, req, "devices.forgotten", "user", req.caller().id);
    });
    co_return http::Response::deleted();
}

asio::awaitable<http::Response> forget_device(http::Request const& req, Deps& deps)
{
    core::Uuid const id = req.uuid_param("deviceId");
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = lock_signed_in_user(tx, req, deps);
        if (!trusted_devices::revoke(tx, req.scope(), user.id, id, deps.clock.now()))
            throw core::Error(core::codes::not_found, "You have no trusted device with this id. Get the ids "
                                                      "of your devices from GET /v1/auth/mfa/devices.");
        record(tx, req, "device.forgotten", "device", id.to_string());
    });
    co_return http::Response::deleted();
}

} // namespace auth_mfa
