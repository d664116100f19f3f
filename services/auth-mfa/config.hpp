#pragma once

#include "core/config.hpp"
#include "sms/options.hpp"

#include <cstdint>
#include <string>

namespace auth_mfa {

/// What auth-mfa is configured with beyond service::Settings (README, "Configuration").
struct Config {
    unsigned password_threads = 2;             ///< that hash passwords, at a lower priority than the others
    std::int64_t registrations_per_hour = 100; ///< from one network
    sms::Options sms;
    std::string sms_brand_provider; ///< SMS_BRAND_PROVIDER: who sends codes on behalf of a tenant

    /// Faults are recorded in `config`.
    static Config read(core::Config& config);
};

} // namespace auth_mfa
