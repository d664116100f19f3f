#pragma once

#include "core/fields.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenancy {

/// Origins a scope may allow.
inline constexpr std::size_t max_origins = 20;

/// The form in which a browser sends this origin (WHATWG URL, serialised origin): `scheme://host[:port]` with
/// scheme and host in lower case and no default port. nullopt unless it is http or https with a host and
/// nothing behind the port (not even `/`): no wildcard, no credentials, no `null`. Hosts in other scripts are
/// given in Punycode, as browsers send them.
std::optional<std::string> normalise_origin(std::string_view text);

/// The member `name` of a settings PATCH: an array of at most 20 origins, normalised, each once; `null`
/// clears it. Faults go to `fields`, with `name/index` for an entry that is not an origin.
core::Change<std::vector<std::string>> change_origins(
    core::Fields& fields, std::string_view name = "allowedOrigins");

} // namespace tenancy
