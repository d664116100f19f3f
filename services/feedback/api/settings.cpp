#include "api/settings.hpp"

#include "core/fields.hpp"
#include "core/joined.hpp"
#include "core/text.hpp"
#include "domain/settings.hpp"
#include "hosted_pages/brand_colors.hpp"
#include "pg/database.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/origins.hpp"
#include "tenancy/settings.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace feedback {

namespace {

namespace settings = tenancy::settings;
namespace json = boost::json;

json::object to_json(json::object const& document)
{
    FeedbackSettings const defaults;
    return settings::with_defaults(
        document, {{"allowedOrigins", json::array()}, {"notifyEmail", nullptr},
                      {"publicBoard", defaults.public_board}, {"publicByDefault", defaults.public_by_default},
                      {"reopenOnReply", defaults.reopen_on_reply}, {"notifyUsers", defaults.notify_users},
                      {"boardName", nullptr}, {"boardColor", nullptr}, {"logo", nullptr}});
}

/// The name at the top of the board, without control characters.
core::Change<std::string> change_board_name(core::Fields& f)
{
    auto change = f.change_text("boardName", 1, 60);
    bool const breaks = change.value && std::ranges::any_of(*change.value, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (breaks) f.fault("boardName", "format", "must not contain line breaks or other control characters");
    return change;
}

core::Change<std::string> change_board_color(core::Fields& f)
{
    auto change = f.change_text("boardColor", 1, 7);
    if (!change.value) return change;
    change.value = core::lower(*change.value);
    if (!hosted_pages::brand_colors::is_color(*change.value))
        f.fault("boardColor", "format", "must be `#` and six hexadecimal digits, such as #1d4ed8");
    return change;
}

struct Changes {
    core::Change<std::vector<std::string>> allowed_origins;
    core::Change<std::string> notify_email, board_name, board_color;
    std::vector<std::pair<std::string_view, core::Change<bool>>> switches;

    static Changes parse(http::Request const& req)
    {
        static constexpr std::array<std::string_view, 4> switch_names{
            "publicBoard", "publicByDefault", "reopenOnReply", "notifyUsers"};
        static constexpr auto names = core::joined(
            std::to_array<std::string_view>({"allowedOrigins", "notifyEmail", "boardName", "boardColor"}),
            switch_names);
        core::Fields f(req.json());
        Changes c;
        c.allowed_origins = tenancy::change_origins(f);
        c.notify_email = f.change_email("notifyEmail");
        c.board_name = change_board_name(f);
        c.board_color = change_board_color(f);
        c.switches.reserve(switch_names.size());
        for (auto const name : switch_names)
            c.switches.emplace_back(name, core::Change<bool>{f.has(name), f.optional_boolean(name)});
        f.check_any_of(names);
        return c;
    }

    void apply(json::object& document) const
    {
        settings::set(document, "allowedOrigins", allowed_origins, json::array());
        settings::set(document, "notifyEmail", notify_email);
        settings::set(document, "boardName", board_name);
        settings::set(document, "boardColor", board_color);
        for (auto const& [name, change] : switches) {
            if (change.value) document[name] = *change.value;
            if (change && !change.value) document.erase(name); // the default applies
        }
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
    auto response = co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        return settings::answer_patch(
            tx, req, [&](json::object& document) { changes.apply(document); }, to_json, deps.clock.now());
    });
    deps.directory.on_notify(req.scope().slug); // the next request to this process finds the new settings
    co_return response;
}

} // namespace feedback
