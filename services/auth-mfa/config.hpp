#pragma once

#include "auth/tenant_url_pattern.hpp"
#include "console/settings.hpp"
#include "core/config.hpp"
#include "crypto/password.hpp"
#include "domain/erasure.hpp"
#include "domain/issuer.hpp"
#include "mail/options.hpp"
#include "sms/options.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// A service that is asked to erase deleted users.
struct ErasureTargetUrl {
    ErasureService service{};
    auth::TenantUrlPattern base; ///< `https://{tenant}.feedback.example.com`
};

/// The configuration of auth-mfa in addition to service::Settings (docs/configuration.md).
struct Config {
    unsigned password_threads = 2;             ///< threads that hash passwords, at a lower priority
    crypto::Argon2Cost password_cost;          ///< of new hashes of passwords and recovery codes
    std::int64_t registrations_per_hour = 100; ///< limit per network and scope
    /// REAUTHENTICATION_SECONDS: the age up to which an authentication is fresh (require_fresh)
    std::chrono::seconds reauthentication_window{300};
    mail::Options mail;
    /// BREACH_API_URL: base URL of a server with the range search of the Pwned Passwords API, without a slash
    /// at the end; empty: new passwords are not looked up
    std::string breach_api_url;
    sms::Options sms;
    std::string sms_brand_provider; ///< SMS_BRAND_PROVIDER: the company that text messages name as sender

    std::vector<ErasureTargetUrl> erasure_targets; ///< ERASURE_TARGETS

    console::Settings console; ///< CONSOLE_FEEDBACK_URL and the other CONSOLE_... variables

    /// FEEDBACK_BASE_HOST: base host of feedback, which serves the boards. Empty: there are no boards.
    std::string feedback_base_host = "feedback.localhost";

    /// The configuration of a service with this base host. If it is not local, a local feedback_base_host is
    /// left out: local programs must not get tokens of its users.
    Config below(std::string_view base_host) const;

    /// The URLs of the tenants' boards at feedback, such as `https://demo.feedback.example.com`.
    Issuer board_urls() const;

    /// The services of `erasure_targets`.
    std::vector<ErasureService> erasure_services() const;

    /// Reads the variables. Errors are collected in `config`.
    static Config read(core::Config& config);
};

} // namespace auth_mfa
