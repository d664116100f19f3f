#pragma once

#include <cstddef>
#include <string_view>

namespace tenancy {

/// The longest slug: with `-sandbox` behind it a DNS label of 63 characters (RFC 1035).
inline constexpr std::size_t max_slug_length = 55;

/// What the host label of a tenant's sandbox ends in.
inline constexpr std::string_view sandbox_suffix = "-sandbox";

/// Whether `text` may name a tenant: `^[a-z0-9]([a-z0-9-]{0,53}[a-z0-9])?$`, not ending in `-sandbox`, and
/// not one of the reserved names (www, api, admin, auth, feedback, notify, billing, static, docs).
bool is_slug(std::string_view text) noexcept;

} // namespace tenancy
