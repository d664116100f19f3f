#pragma once

#include <array>
#include <string>
#include <string_view>

/// Scopes of OAuth, as texts in which they are separated by spaces (RFC 6749, 3.3).
namespace auth_mfa {

/// The scopes that clients may ask for.
inline constexpr auto known_scopes =
    std::to_array<std::string_view>({"openid", "profile", "email", "offline_access"});

bool has_scope(std::string_view scope, std::string_view name) noexcept;

/// The known scopes in `requested`, in the order of `known_scopes`. Unknown scopes are left out, and so is
/// `offline_access` unless `may_refresh`.
std::string granted_scope(std::string_view requested, bool may_refresh = true);

/// Whether every scope in `part` is in `whole`.
bool is_part_of(std::string_view part, std::string_view whole) noexcept;

} // namespace auth_mfa
