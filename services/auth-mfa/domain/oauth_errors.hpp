#pragma once

#include "core/error.hpp"

#include <string>
#include <string_view>
#include <utility>

/// The error codes of OAuth and OpenID Connect, in addition to auth-mfa/domain/errors.hpp. Their names are
/// those of RFC 6749, RFC 6750, RFC 9126, OpenID Connect Core 1.0 and its extension for unmet authentication
/// requirements.
namespace auth_mfa::codes {

inline constexpr core::ErrorCode invalid_request{"invalid_request", 400};
inline constexpr core::ErrorCode invalid_client{"invalid_client", 401};
inline constexpr core::ErrorCode invalid_grant{"invalid_grant", 400};
inline constexpr core::ErrorCode unsupported_grant_type{"unsupported_grant_type", 400};
inline constexpr core::ErrorCode invalid_scope{"invalid_scope", 400};

/// For responses of resources (RFC 6750, 3.1).
inline constexpr core::ErrorCode insufficient_scope{"insufficient_scope", 403};
inline constexpr core::ErrorCode invalid_token{"invalid_token", 401};

/// For responses to authorization requests.
inline constexpr core::ErrorCode access_denied{"access_denied", 403};
inline constexpr core::ErrorCode unsupported_response_type{"unsupported_response_type", 400};
inline constexpr core::ErrorCode login_required{"login_required", 400};
inline constexpr core::ErrorCode unmet_authentication_requirements{"unmet_authentication_requirements", 400};
inline constexpr core::ErrorCode invalid_request_uri{"invalid_request_uri", 400};
inline constexpr core::ErrorCode request_not_supported{"request_not_supported", 400};
inline constexpr core::ErrorCode request_uri_not_supported{"request_uri_not_supported", 400};
inline constexpr core::ErrorCode registration_not_supported{"registration_not_supported", 400};

} // namespace auth_mfa::codes

namespace auth_mfa {

inline core::Error invalid_request(std::string detail)
{
    return {codes::invalid_request, std::move(detail)};
}

inline core::Error invalid_grant(std::string detail)
{
    return {codes::invalid_grant, std::move(detail)};
}

/// The code that OAuth has for `error`: `invalid_request`, `server_error`, … A code of OAuth stands for
/// itself. Valid as long as the program runs.
std::string_view oauth_code(core::Error const& error) noexcept;

/// The text for `error_description`: the detail of `error`, or of its first fault. It contains only the
/// characters that RFC 6749, 5.2 allows, and at most 500 bytes.
std::string oauth_description(core::Error const& error);

} // namespace auth_mfa
