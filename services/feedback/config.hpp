#pragma once

#include "auth/tenant_url_pattern.hpp"
#include "blobs/options.hpp"
#include "core/config.hpp"
#include "mail/options.hpp"
#include "service/service_base.hpp"

#include <optional>

namespace feedback {

/// The configuration of feedback in addition to service::Settings (docs/configuration.md).
struct Config {
    service::TokenIssuer issuer;
    blobs::Options blobs;
    mail::Options mail;
    std::int64_t requests_of_network = 0;              ///< BOARD_REQUESTS_PER_MINUTE
    std::optional<auth::TenantUrlPattern> sign_in_url; ///< BOARD_SIGN_IN_URL; of the auth hosts

    /// Reads the variables. Errors are collected in `config`.
    static Config read(core::Config& config);
};

} // namespace feedback
