#pragma once

#include "core/config.hpp"
#include "service/platform.hpp"

#include <string>

namespace billing {

/// What billing is configured with beyond service::Settings (README, "Configuration").
struct Config {
    service::TokenIssuer issuer;
    std::string purchases_api_url;         ///< PURCHASES_API_URL
    std::string payments_signature_header; ///< PAYMENTS_SIGNATURE_HEADER
    unsigned archive_months = 24;          ///< EVENT_ARCHIVE_MONTHS: how long events are kept

    /// Faults are recorded in `config`.
    static Config read(core::Config& config);
};

} // namespace billing
