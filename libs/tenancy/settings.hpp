#pragma once

#include "core/clock.hpp"
#include "core/fields.hpp"
#include "core/identity.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value_from.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

/// The settings of a scope: one JSON document, whose members each service names and checks. A service's
/// `GET|PATCH /v1/settings` parses a PATCH, says how it changes the document and how that is shown;
/// everything between is here, beside the table, since the audit log comes before this library.
namespace tenancy::settings {

struct Settings {
    boost::json::object document; ///< empty when nothing was ever set
    std::int64_t version = 0;     ///< counts the writes
    std::optional<core::Time> updated_at;
};

/// The settings as they are. The transaction sees the scope.
Settings read(pg::Tx& tx, core::Scope const& scope);

/// The same, and nobody else writes them until this transaction ends: for read, change, write.
Settings read_for_update(pg::Tx& tx, core::Scope const& scope);

/// Replaces the document and announces it to every Directory at commit. With `expected_version` (0: never
/// written) throws PRECONDITION_FAILED when the version is another one.
Settings write(pg::Tx& tx, core::Scope const& scope, boost::json::object const& document,
    std::optional<std::int64_t> expected_version, core::Time now);

/// What reads answer of a document. It goes into the audit log as well, so it holds no secret.
using Show = boost::json::object (*)(boost::json::object const& document);

/// `defaults`, with what the document has in the place of those members it has.
boost::json::object with_defaults(boost::json::object const& document, boost::json::object defaults);

/// Does to the member what a PATCH asks for, which is nothing when it does not name it; `cleared` is what
/// `null` leaves.
template <class T>
void set(boost::json::object& document, std::string_view name, core::Change<T> const& change,
    boost::json::value cleared = nullptr)
{
    if (change) document[name] = change.value ? boost::json::value_from(*change.value) : std::move(cleared);
}

/// `GET /v1/settings`: 200 with what `show` makes of the request's scope's, and their ETag.
http::Response answer_get(pg::Tx& tx, http::Request const& request, Show show);

/// `PATCH /v1/settings`: `change` alters the document, an audit entry `settings.updated` says how, and the
/// answer is that of a GET. PRECONDITION_FAILED when the request's If-Match names another version. Call it
/// last in the transaction (audit::record).
http::Response answer_patch(pg::Tx& tx, http::Request const& request,
    std::function<void(boost::json::object&)> const& change, Show show, core::Time now);

} // namespace tenancy::settings
