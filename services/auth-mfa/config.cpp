#include "config.hpp"

#include "domain/limits.hpp"
#include "domain/sms_code.hpp"
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
