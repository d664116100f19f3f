#pragma once

#include <map>
#include <string>
#include <string_view>

namespace pg {

/// Names of settings to values, e.g. `statement_timeout`.
using Settings = std::map<std::string, std::string>;

/// `url` (a libpq connection string or URI) as a keyword/value string, completed with what every connection
/// of ours wants unless `url` says otherwise: a connect timeout of 3 s, keepalives and a TCP user timeout of
/// 5 s, UTF8, a server that takes writes. The session settings TimeZone UTC and DateStyle ISO, which
/// RowReader depends on, and `settings` come before the url's own `options`, which therefore win. Throws
/// std::invalid_argument when `url` is not a connection string; the message does not repeat it.
std::string complete_conninfo(
    std::string const& url, std::string const& application_name, Settings const& settings = {});

/// The same for a pooler that gives a session away after each transaction: without settings of the session
/// and without `target_session_attrs`. PgBouncer reports the server's state as of its first connection, so a
/// check for a writable server could fail for ever after a failover.
std::string pooled_conninfo(std::string const& url, std::string const& application_name);

/// What such a connection runs first in each transaction instead, for that transaction alone: one statement
/// that sets what `complete_conninfo` would have.
std::string transaction_settings(Settings const& settings);

/// What libpq says of a connection, fit for a log: its first line (others may carry keys), without what it
/// quotes: these are parts of the address, and with a `@` or `/` too many parts of its password.
std::string loggable_reason(std::string_view message);

} // namespace pg
