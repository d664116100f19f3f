#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace auth_mfa {

/// Why an RP id is refused: the code and the detail of a FieldError.
struct RpIdFault {
    std::string_view code; ///< `format`, `reserved`, `public_suffix` or `origin`
    std::string_view detail;
};

/// The hosts of the service, in lower case and without a port.
struct ServiceHosts {
    std::string_view base; ///< such as `auth.example.com`
    std::string_view own;  ///< the tenant's auth host in the environment: `demo.auth.example.com`
};

/// The fault of the setting `passkeyRpId`; nullopt if there is none. Passkeys can be used on all pages of the
/// RP id and of its subdomains, so it must belong to the tenant alone. It must be the own auth host, or
/// - a host name in lower case, and not an IP address,
/// - neither the base host, nor above or below it, because all tenants share these names,
/// - not a public suffix (is_public_suffix),
/// - the host of one of `allowed_origins`, or above it.
/// `allowed_origins` are normalised (`scheme://host[:port]`). `rp_id` is untrusted text.
std::optional<RpIdFault> rp_id_fault(
    std::string_view rp_id, std::span<std::string const> allowed_origins, ServiceHosts const& hosts);

} // namespace auth_mfa
