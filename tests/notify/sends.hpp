#pragma once

#include "crypto/encoding.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

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

/// A file that is sent with the request.
inline boost::json::object file(std::string const& content, std::string const& name = "a.txt")
{
    return {{"filename", name}, {"contentType", "text/plain"}, {"content", crypto::base64::encode(content)}};
}

/// Presigns and uploads a file. Returns its id.
inline std::string uploaded_as(World const& world, std::string const& filename, std::string const& type,
    std::string const& bytes, std::string const& tenant = "demo-sandbox")
{
    auto backend = world.as_backend(tenant);
    auto const presigned = backend.post("/v1/attachments/presign",
        body({{"filename", filename}, {"contentType", type}, {"sizeBytes", bytes.size()}}));
    INFO(presigned.body);
    REQUIRE(presigned.status == 201);
    auto const url = text(presigned.json(), "uploadUrl");
    auto const at = url.find("/uploads/");
    REQUIRE(backend.put(url.substr(at), bytes, {{"Content-Type", type}}).status == 200);
    return text(presigned.json(), "attachmentId");
}

/// Presigns and uploads a text. Returns its id.
inline std::string uploaded(
    World const& world, std::string const& bytes, std::string const& tenant = "demo-sandbox")
{
    return uploaded_as(world, "report.txt", "text/plain", bytes, tenant);
}

/// The number of rows of a table.
inline std::string count(World const& world, std::string const& table = "notifications")
{
    return world.postgres.query("SELECT count(*) FROM " + table);
}

} // namespace sends
