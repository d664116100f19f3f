#pragma once

#include "core/config.hpp"
#include "sms/options.hpp"

#include <cstdint>
#include <string>

namespace auth_mfa {

/// The configuration of auth-mfa in addition to service::Settings (docs/configuration.md).
struct Config {
    unsigned password_threads = 2;             ///< threads that hash passwords, at a lower priority
    std::int64_t registrations_per_hour = 100; ///< limit per network and scope
    sms::Options sms;
    std::string sms_brand_provider; ///< SMS_BRAND_PROVIDER: the company that text messages name as sender

    /// Reads the variables. Errors are collected in `config`.
    static Config read(core::Config& config);
};

} // namespace auth_mfa
