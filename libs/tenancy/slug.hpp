#pragma once

#include <cstddef>
#include <string_view>

namespace tenancy {

/// The maximum length of a slug: with `-sandbox` it is a DNS label of 63 characters (RFC 1035).
inline constexpr std::size_t max_slug_length = 55;

/// The suffix of the host label of a tenant's sandbox.
inline constexpr std::string_view sandbox_suffix = "-sandbox";

/// Whether `text` is a valid name of a tenant: `^[a-z0-9]([a-z0-9-]{0,53}[a-z0-9])?$`, not ending in
/// `-sandbox`, and not a reserved name (www, api, admin, auth, feedback, notify, billing, static, docs).
bool is_slug(std::string_view text) noexcept;

} // namespace tenancy
