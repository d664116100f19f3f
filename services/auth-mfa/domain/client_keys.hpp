#pragma once

#include "core/fields.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

inline constexpr std::size_t max_client_keys = 10;

/// Reads the JWK set (RFC 7517) in the field `name`: the public keys with which a client authenticates.
/// Returns the set as JSON with only the members that public keys need; nullopt if the field is absent, null
/// or invalid. Records an error unless each of the 1 to 10 keys has a `kid` of its own, is an RSA key of 2048
/// to 8192 bits for RS256 or a P-256 key for ES256, and has no private members.
std::optional<std::string> read_client_keys(core::Fields& f, std::string_view name);

} // namespace auth_mfa
