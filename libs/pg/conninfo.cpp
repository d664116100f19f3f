#include "pg/conninfo.hpp"

#include <libpq-fe.h>
#include <map>
#include <memory>
#include <stdexcept>

namespace pg {

using Keywords = std::map<std::string, std::string>;

static Keywords parse(std::string const& url)
{
    char* fault = nullptr;
    std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> const options(
        PQconninfoParse(url.c_str(), &fault), &PQconninfoFree);
    PQfreemem(fault);
    if (!options) throw std::invalid_argument("the database connection string cannot be parsed");
    Keywords keywords;
    for (PQconninfoOption const* option = options.get(); option->keyword; ++option) {
        if (option->val) keywords.emplace(option->keyword, option->val);
    }
    return keywords;
}

/// Adds the formats on which row.cpp depends.
static Settings with_formats(Settings settings)
{
    settings.emplace("TimeZone", "UTC");
    settings.emplace("DateStyle", "ISO");
    // Compiling a plan takes up to half a second. Statements of a service are much shorter, even when the
    // planner expects otherwise.
    settings.emplace("jit", "off");
    return settings;
}

static std::string quoted(std::string const& value)
{
    std::string out = "'";
    for (char const c : value) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out += '\'';
}

static Keywords complete(
    std::string const& url, std::string const& application_name, std::chrono::seconds timeout)
{
    Keywords keywords = parse(url);
    keywords.emplace("application_name", application_name);
    keywords.emplace("connect_timeout", std::to_string(timeout.count()));
    keywords.emplace("client_encoding", "UTF8");
    keywords.emplace("keepalives", "1");
    keywords.emplace("keepalives_idle", "5");
    keywords.emplace("keepalives_interval", "2");
    keywords.emplace("keepalives_count", "3");
    keywords.emplace("tcp_user_timeout", "5000");
    return keywords;
}

static std::string join(Keywords const& keywords)
{
    std::string out;
    for (auto const& [keyword, value] : keywords) {
        if (!out.empty()) out += ' ';
        out.append(keyword).append("=").append(quoted(value));
    }
    return out;
}

std::string complete_conninfo(std::string const& url, std::string const& application_name,
    Settings const& settings, std::chrono::seconds timeout)
{
    Keywords keywords = complete(url, application_name, timeout);
    keywords.emplace("target_session_attrs", "read-write");
    std::string options;
    for (auto const& [name, value] : with_formats(settings))
        options.append(options.empty() ? "-c " : " -c ").append(name).append("=").append(value);
    if (auto const given = keywords.find("options"); given != keywords.end())
        options.append(" ").append(given->second);
    keywords["options"] = options;
    return join(keywords);
}

std::string pooled_conninfo(std::string const& url, std::string const& application_name)
{
    return join(complete(url, application_name, connect_timeout));
}

std::string transaction_settings(Settings const& settings)
{
    std::string sql;
    for (auto const& [name, value] : with_formats(settings))
        sql.append(sql.empty() ? "SELECT " : ",")
            .append("set_config('")
            .append(name)
            .append("','")
            .append(value)
            .append("',true)");
    return sql;
}

std::string loggable_reason(std::string_view message)
{
    std::string out;
    bool quoted = false;
    for (char const c : message.substr(0, message.find('\n'))) {
        if (c == '"') {
            quoted = !quoted;
            out += quoted ? "\"..." : "\"";
        } else if (!quoted) {
            out += c;
        }
    }
    return out;
}

} // namespace pg
