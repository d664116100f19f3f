#pragma once

#include "console/bundle.hpp"
#include "console/settings.hpp"
#include "core/scope.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

/// The responses of the console's routes, for one environment of a tenant.
namespace console {

/// The Content-Security-Policy of the console: only files of its own host, and requests only to its own host,
/// to the tenant's hosts in `settings`, and to the attachment stores. No inline script or style, no frames,
/// and Trusted Types for scripts.
std::string policy_of(Settings const& settings, core::Scope const& scope);

/// `GET /console` and the paths below it that `path` names: the application, which reads the path itself.
/// `path` is the part after `/console/`, percent-decoded, or empty. Throws NOT_FOUND if the bundle is empty,
/// or if `path` names a file (`is_file_name`) that the bundle does not have, or is below `assets/`.
http::Response page(
    http::Request const& request, Bundle const& bundle, Settings const& settings, std::string_view path);

/// `GET /console/assets/{name}`. Throws NOT_FOUND if the bundle does not have the file.
http::Response asset(http::Request const& request, Bundle const& bundle, std::string_view name);

/// The facts about an environment that only auth-mfa has.
struct Place {
    std::string auth_url;  ///< of the scope's auth host
    std::string other_url; ///< of the auth host of the tenant's other environment
    std::string name;      ///< that the hosted pages show
};

/// `GET /console/config.json`: `{feedbackUrl, notifyUrl, billingUrl, authUrl, otherEnvironmentUrl, tenant,
/// environment, displayName}`. The URL of a service is null if it is not configured. Throws NOT_FOUND if the
/// bundle is empty.
http::Response config(
    http::Request const& request, Bundle const& bundle, Settings const& settings, Place const& place);

} // namespace console
