#include "api/settings.hpp"

#include "core/fields.hpp"
#include "pg/database.hpp"
#include "storage/retention.hpp"
#include "tenancy/origins.hpp"
#include "tenancy/settings.hpp"

namespace notify {

namespace {

namespace settings = tenancy::settings;
namespace json = boost::json;

json::object to_json(json::object const& document)
{
    return settings::with_defaults(document, {{"pushEnabled", true}, {"allowedOrigins", json::array()},
                                                 {retention::setting, retention::default_days}});
}

struct Changes {
    core::Change<bool> push_enabled;
    core::Change<std::vector<std::string>> allowed_origins;
    core::Change<std::int64_t> retention_days;

    static Changes parse(http::Request const& req)
    {
        static constexpr std::array<std::string_view, 3> names{
            "pushEnabled", "allowedOrigins", retention::setting};
        core::Fields f(req.json());
        Changes c;
        c.push_enabled = {f.has("pushEnabled"), f.optional_boolean("pushEnabled")};
        c.allowed_origins = tenancy::change_origins(f);
        c.retention_days = {f.has(retention::setting),
            f.optional_integer(retention::setting, retention::min_days, retention::max_days)};
        f.check_any_of(names);
        return c;
    }

    void apply(json::object& document) const
    {
        settings::set(document, "pushEnabled", push_enabled, true);
        settings::set(document, "allowedOrigins", allowed_origins, json::array());
        settings::set(document, retention::setting, retention_days, retention::default_days);
    }
};

} // namespace

asio::awaitable<http::Response> get_settings(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return settings::answer_get(tx, req, to_json); });
}

asio::awaitable<http::Response> update_settings(http::Request const& req, Deps& deps)
{
    Changes const changes = Changes::parse(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        return settings::answer_patch(
            tx, req, [&](json::object& document) { changes.apply(document); }, to_json, deps.clock.now());
    });
}

bool push_enabled(boost::json::object const& document)
{
    auto const* value = document.if_contains("pushEnabled");
    return value == nullptr || *value != false;
}

} // namespace notify
