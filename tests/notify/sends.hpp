#pragma once

#include "world.hpp"

/// Helpers for tests of sends.
namespace sends {

inline constexpr char const* path = "/v1/notifications/send";

/// The body of a send request. `more` replaces or adds members.
inline boost::json::object email(boost::json::object more = {})
{
    boost::json::object fields{{"templateName", "welcome"}, {"channel", "email"}, {"to", "ada@example.com"},
        {"variables", boost::json::object{{"name", "Ada"}}}};
    for (auto& [name, value] : more)
        fields[name] = value;
    return fields;
}

inline boost::json::object push(boost::json::object more = {})
{
    boost::json::object fields{{"templateName", "ping"}, {"channel", "push"}, {"to", ada}};
    for (auto& [name, value] : more)
        fields[name] = value;
    return fields;
}

/// Creates the templates that the bodies name, and `code` for SMS.
inline void make_templates(World const& world)
{
    world.new_template("welcome", {{"subject", "Welcome, {{name}}"}, {"body", "<p>Hello {{name}}!</p>"}});
    world.new_template("code", {{"channel", "sms"}, {"body", "Your code is {{code}}."}});
    world.new_template("ping", {{"channel", "push"}, {"subject", "Ping"}, {"body", "Are you there?"}});
}

/// The number of rows of a table.
inline std::string count(World const& world, std::string const& table = "notifications")
{
    return world.postgres.query("SELECT count(*) FROM " + table);
}

} // namespace sends
