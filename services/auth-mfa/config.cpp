#include "config.hpp"

#include "domain/limits.hpp"
#include "domain/sms_code.hpp"
#include "http_client/url.hpp"
#include "sms/gsm7.hpp"

#include <algorithm>
#include <thread>

namespace auth_mfa {

Config Config::read(core::Config& config)
{
    Config c;
    auto const cores = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
    c.password_threads = static_cast<unsigned>(config.integer("PASSWORD_THREADS", cores, 1, 256,
        "threads that hash passwords, 19 MiB of memory each; the default is one per core"));
    c.registrations_per_hour = config.integer("REGISTRATIONS_PER_HOUR", registration_limit_per_network.count,
        1, 100'000, "registrations per hour from one network, in each tenant's environment");
    c.reauthentication_window = std::chrono::seconds(config.integer("REAUTHENTICATION_SECONDS", 300, 30,
        86'400,
        "seconds for which an authentication is fresh enough to change factors, the email and identities"));
    c.mail = mail::Options::read(config, "Tetrad <accounts@auth.localhost>");
    c.breach_api_url = config.text("BREACH_API_URL", "",
        "base URL of the range search for breached passwords (https://api.pwnedpasswords.com); if empty, new "
        "passwords are not looked up");
    if (!c.breach_api_url.empty() && !http_client::parse_url(c.breach_api_url))
        config.fault("BREACH_API_URL", "must be an http or https URL");
    while (c.breach_api_url.ends_with('/'))
        c.breach_api_url.pop_back();
    c.sms = sms::Options::read(config);
    c.sms_brand_provider = config.text("SMS_BRAND_PROVIDER", "Tetrad",
        "name of the sender in text messages with codes, and on the enrolment page");
    std::size_t const septets = sms::gsm7::septets(c.sms_brand_provider);
    if (septets == 0 || septets > max_provider_septets)
        config.fault("SMS_BRAND_PROVIDER",
            "must be 1 to " + std::to_string(max_provider_septets) + " characters of the GSM-7 alphabet");
    return c;
}

} // namespace auth_mfa
