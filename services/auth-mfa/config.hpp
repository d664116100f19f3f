#pragma once

#include "core/config.hpp"
#include "mail/options.hpp"
#include "sms/options.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace auth_mfa {

/// The configuration of auth-mfa in addition to service::Settings (docs/configuration.md).
struct Config {
    unsigned password_threads = 2;             ///< threads that hash passwords, at a lower priority
    std::int64_t registrations_per_hour = 100; ///< limit per network and scope
    /// REAUTHENTICATION_SECONDS: the age up to which an authentication is fresh (require_fresh)
    std::chrono::seconds reauthentication_window{300};
    mail::Options mail;
    /// BREACH_API_URL: base URL of a server with the range search of the Pwned Passwords API, without a slash
    /// at the end; empty: new passwords are not looked up
    std::string breach_api_url;
    sms::Options sms;
    std::string sms_brand_provider; ///< SMS_BRAND_PROVIDER: the company that text messages name as sender

    /// Reads the variables. Errors are collected in `config`.
    static Config read(core::Config& config);
};

} // namespace auth_mfa
