#pragma once

#include "core/clock.hpp"
#include "core/fields.hpp"
#include "core/scope.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value_from.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

/// The settings of a scope: one JSON document. Each service defines and checks its members. A service's
/// handlers of `/v1/settings` parse the PATCH, change the document and define its visible part (`Show`). This
/// library stores the document, sets the ETag and writes the audit entry.
namespace tenancy::settings {

struct Settings {
    boost::json::object document; ///< empty before the first write
    std::int64_t version = 0;     ///< number of writes
    std::optional<core::Time> updated_at;
};

/// The current settings. The transaction must include the scope in its `pg::Scopes`.
Settings read(pg::Tx& tx, core::Scope const& scope);

/// As `read`, and locks the settings until this transaction ends, so that no other transaction changes them
/// between this read and the next `write`.
Settings read_for_update(pg::Tx& tx, core::Scope const& scope);

/// Replaces the document and announces it to every Directory at commit. If `expected_version` is set and
/// differs from the current version (which is 0 before the first write), throws PRECONDITION_FAILED.
Settings write(pg::Tx& tx, core::Scope const& scope, boost::json::object const& document,
    std::optional<std::int64_t> expected_version, core::Time now);

/// The part of a document that responses or audit entries contain. It must not contain secrets.
using Show = boost::json::object (*)(boost::json::object const& document);

/// Returns `defaults`. Each member that `document` has, too, gets the value from `document`.
boost::json::object with_defaults(boost::json::object const& document, boost::json::object defaults);

/// Sets the member `name` to the value of a PATCH, or to `cleared` if the PATCH has `null`. Does nothing if
/// the PATCH does not contain the member.
template <class T>
void set(boost::json::object& document, std::string_view name, core::Change<T> const& change,
    boost::json::value cleared = nullptr)
{
    if (change) document[name] = change.value ? boost::json::value_from(*change.value) : std::move(cleared);
}

/// 200 with the visible part (`show`) of the settings, and their ETag.
http::Response answer(Settings const& settings, Show show);

struct Changed {
    Settings before, after;
};

/// Locks the settings of `scope`, lets `modify` change the document, and writes it. Throws
/// PRECONDITION_FAILED if the request's If-Match names another version.
Changed change(pg::Tx& tx, core::Scope const& scope, http::Request const& request,
    std::function<void(boost::json::object&)> const& modify, core::Time now);

/// `GET /v1/settings`: 200 with the visible part (`show`) of the settings of the request's scope, and their
/// ETag.
http::Response answer_get(pg::Tx& tx, http::Request const& request, Show show);

/// `PATCH /v1/settings` of the request's scope: as `change`, and an audit entry `settings.updated` records
/// the change. Responds like `answer_get`. Call this function last in the transaction, as audit::record
/// requires. `audited` is the part of the document that the audit entry contains, if it differs from `show`.
http::Response answer_patch(pg::Tx& tx, http::Request const& request,
    std::function<void(boost::json::object&)> const& modify, Show show, core::Time now,
    Show audited = nullptr);

} // namespace tenancy::settings
