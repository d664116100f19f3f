#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace pg {

/// Maps names of settings, such as `statement_timeout`, to values.
using Settings = std::map<std::string, std::string>;

/// How long a connection of a service, whose callers wait, may take.
inline constexpr std::chrono::seconds connect_timeout{3};
/// How long a connection of a migration may take: no caller waits, and the server may be busy.
inline constexpr std::chrono::seconds migration_connect_timeout{30};

/// Returns `url` (a libpq connection string or URI) as a keyword/value string. Adds defaults for settings
/// that `url` does not have: a connect timeout, keepalives and a TCP user timeout of 5 s, the client
/// encoding UTF8, and `target_session_attrs=read-write`. Also adds session settings: TimeZone UTC and
/// DateStyle ISO, as RowReader requires, no just-in-time compilation, and `settings`. The `options` in `url`
/// come after these session settings, so they take precedence. Throws std::invalid_argument if `url` is not a
/// connection string; the message does not contain it.
std::string complete_conninfo(std::string const& url, std::string const& application_name,
    Settings const& settings = {}, std::chrono::seconds timeout = connect_timeout);

/// As `complete_conninfo`, for a pooler that gives a session to another client after each transaction. Adds
/// neither session settings nor `target_session_attrs`. PgBouncer reports the state that the server had at
/// PgBouncer's first connection. So after a failover a check for a writable server could fail forever.
std::string pooled_conninfo(std::string const& url, std::string const& application_name);

/// The statement that a connection of `pooled_conninfo` runs first in each transaction. It applies the
/// settings of `complete_conninfo` to that transaction.
std::string transaction_settings(Settings const& settings);

/// Returns libpq's message about a connection in a form that may be logged: its first line, with `...` in
/// place of each quoted part. Other lines may contain key values. Quoted parts may contain parts of the
/// address and, if the password contains `@` or `/`, parts of the password.
std::string loggable_reason(std::string_view message);

} // namespace pg
