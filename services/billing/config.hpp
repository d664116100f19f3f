#pragma once

#include "core/config.hpp"
#include "service/service_base.hpp"

#include <string>

namespace billing {

/// The configuration of billing in addition to service::Settings (docs/configuration.md).
struct Config {
    service::TokenIssuer issuer;
    std::string purchases_api_url;         ///< PURCHASES_API_URL
    std::string payments_api_url;          ///< PAYMENTS_API_URL
    std::string payments_signature_header; ///< PAYMENTS_SIGNATURE_HEADER
    unsigned archive_months = 24;          ///< EVENT_ARCHIVE_MONTHS: how long events are kept

    /// Reads the variables. Errors are collected in `config`.
    static Config read(core::Config& config);
};

} // namespace billing
