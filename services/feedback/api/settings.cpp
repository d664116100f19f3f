#include "api/settings.hpp"

#include "core/fields.hpp"
#include "pg/database.hpp"
#include "tenancy/origins.hpp"
#include "tenancy/settings.hpp"

namespace feedback {

namespace {

namespace settings = tenancy::settings;
namespace json = boost::json;

json::object to_json(json::object const& document)
{
    return settings::with_defaults(document, {{"allowedOrigins", json::array()}, {"notifyEmail", nullptr}});
}

struct Changes {
    core::Change<std::vector<std::string>> allowed_origins;
    core::Change<std::string> notify_email;

    static Changes parse(http::Request const& req)
    {
        static constexpr std::array<std::string_view, 2> names{"allowedOrigins", "notifyEmail"};
        core::Fields f(req.json());
        Changes c;
        c.allowed_origins = tenancy::change_origins(f);
        c.notify_email = f.change_email("notifyEmail");
        f.check_any_of(names);
        return c;
    }

    void apply(json::object& document) const
    {
        settings::set(document, "allowedOrigins", allowed_origins, json::array());
        settings::set(document, "notifyEmail", notify_email);
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

} // namespace feedback
