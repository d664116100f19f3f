#include "api/settings.hpp"

#include "audit/audit.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "http/etag.hpp"
#include "tenancy/origins.hpp"
#include "tenancy/settings.hpp"

namespace feedback {

namespace {

using tenancy::settings::Settings;

std::string etag(Settings const& settings)
{
    return http::etag(std::to_string(settings.version));
}

http::Response answer(Settings const& settings)
{
    auto const member = [&](std::string_view name, boost::json::value const& absent) {
        auto const* found = settings.document.if_contains(name);
        return found ? *found : absent;
    };
    boost::json::object const shown{{"allowedOrigins", member("allowedOrigins", boost::json::array())},
        {"notifyEmail", member("notifyEmail", nullptr)}};
    return http::Response::ok(boost::json::serialize(shown)).header("ETag", etag(settings));
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

    void apply(boost::json::object& document) const
    {
        if (allowed_origins) {
            document["allowedOrigins"] =
                boost::json::value_from(allowed_origins.value.value_or(std::vector<std::string>()));
        }
        if (notify_email) document["notifyEmail"] = boost::json::value_from(notify_email.value);
    }
};

} // namespace

asio::awaitable<http::Response> get_settings(http::Request const& req, Deps& deps)
{
    co_return answer(co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return tenancy::settings::read(tx, req.scope()); }));
}

asio::awaitable<http::Response> update_settings(http::Request const& req, Deps& deps)
{
    Changes const changes = Changes::parse(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Settings const before = tenancy::settings::read_for_update(tx, req.scope());
        http::check_if_match(req, etag(before));
        boost::json::object document = before.document;
        changes.apply(document);
        Settings const after =
            tenancy::settings::write(tx, req.scope(), document, before.version, deps.clock.now());
        audit::record(tx, req.context,
            {.action = "settings.updated",
                .subject_type = "settings",
                .subject_id = {},
                .before = before.document,
                .after = after.document});
        return answer(after);
    });
}

} // namespace feedback
