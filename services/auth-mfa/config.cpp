#include "config.hpp"

#include "domain/challenge.hpp"
#include "domain/message.hpp"
#include "sms/gsm7.hpp"

#include <algorithm>
#include <thread>

namespace auth_mfa {

Config Config::read(core::Config& config)
{
    Config c;
    auto const cores = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
    c.password_threads = static_cast<unsigned>(config.integer("PASSWORD_THREADS", cores, 1, 256,
        "threads that hash passwords, 19 MiB each; the default is one per core"));
    c.registrations_per_hour = config.integer("REGISTRATIONS_PER_HOUR", network_registrations.count, 1,
        100'000, "accounts that one network may register in a tenant's environment");
    c.sms = sms::Options::read(config);
    c.sms_brand_provider =
        config.text("SMS_BRAND_PROVIDER", "Tetrad", "who codes are sent by, as messages say");
    std::size_t const septets = sms::gsm7::septets(c.sms_brand_provider);
    if (septets == 0 || septets > max_provider_septets)
        config.fault("SMS_BRAND_PROVIDER", "must be at most " + std::to_string(max_provider_septets) +
                                               " characters that text messages have");
    return c;
}

} // namespace auth_mfa
