#pragma once

#include "support/postgres.hpp"

#include <map>
#include <string>

/// Settings of the whole server (`ALTER SYSTEM`) for the lifetime of this object, such as {"log_lock_waits",
/// "on"}.
class ServerSettings {
public:
    /// Returns when new sessions have the settings.
    ServerSettings(testing::Postgres const& postgres, std::map<std::string, std::string> const& settings);
    ~ServerSettings();
    ServerSettings(ServerSettings const&) = delete;
    ServerSettings& operator=(ServerSettings const&) = delete;

    /// Resets the settings, and returns when new sessions no longer have them.
    void reset();

private:
    testing::Postgres const& postgres_;
    std::map<std::string, std::string> before_;
};
