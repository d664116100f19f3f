#pragma once

#include "auth/tenant_url_pattern.hpp"
#include "core/config.hpp"

#include <optional>
#include <string>
#include <vector>

namespace console {

/// The addresses that the console uses, besides those of the auth host that serves it.
struct Settings {
    /// CONSOLE_FEEDBACK_URL, CONSOLE_NOTIFY_URL, CONSOLE_BILLING_URL. Each is an origin
    /// (auth::TenantUrlPattern::is_origin). The console hides the areas of services without a URL.
    std::optional<auth::TenantUrlPattern> feedback, notify, billing;
    /// CONSOLE_UPLOAD_ORIGINS: origins to which upload and download URLs of attachments lead, if these are
    /// not the services' own hosts.
    std::vector<std::string> uploads;

    /// Reads the variables. Errors are recorded in `config`.
    static Settings read(core::Config& config);
};

} // namespace console
