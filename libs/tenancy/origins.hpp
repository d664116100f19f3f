#pragma once

#include "core/fields.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenancy {

/// Maximum number of origins that a scope may allow.
inline constexpr std::size_t max_origins = 20;

/// Normalises an origin to the form that browsers send (WHATWG URL, serialised origin):
/// `scheme://host[:port]` with scheme and host in lower case and without a default port. Returns nullopt for
/// any other text: another scheme than http and https, a wildcard, credentials, `null`, or anything after the
/// port (even `/`). Host names with letters outside ASCII must be in Punycode, as browsers send them.
std::optional<std::string> normalise_origin(std::string_view text);

/// Reads the member `name` of a settings PATCH: an array of at most 20 origins, which are normalised and
/// deduplicated. `null` clears the setting. Errors are recorded in `fields`. The error for an entry that is
/// not an origin has the pointer `name/index`.
core::Change<std::vector<std::string>> change_origins(
    core::Fields& fields, std::string_view name = "allowedOrigins");

} // namespace tenancy
