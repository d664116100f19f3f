#pragma once

#include "service/settings.hpp"
#include "support/postgres.hpp"
#include "support/redis.hpp"

#include <string>

namespace testing {

inline constexpr char const* master_key = "master-key-of-the-tests-0123456789abcdef";
inline constexpr char const* encryption_keys = "test:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// Makes the settings of a service under test: free ports, the servers of the fixtures, and outbound calls to
/// loopback allowed.
inline service::Settings service_settings(std::string base_host, Postgres const& postgres, Redis const& redis)
{
    service::Settings settings;
    settings.base_host = std::move(base_host);
    settings.database_url = core::Secret(postgres.service_url());
    settings.redis_url = core::Secret(redis.url());
    // A slow machine must not look like a Redis that is down.
    settings.redis_timeout = std::chrono::seconds(3);
    settings.master_key = core::Secret(master_key);
    settings.encryption_keys = core::Secret(encryption_keys);
    settings.outbound_allow_private = true;
    return settings;
}

/// Returns the environment that the first label of a host names: `demo`, `demo-sandbox`.
inline core::Environment environment_of(std::string const& label)
{
    return label.ends_with("-sandbox") ? core::Environment::sandbox : core::Environment::production;
}

inline std::string slug_of(std::string const& label)
{
    return label.substr(0, label.find("-sandbox"));
}

} // namespace testing
