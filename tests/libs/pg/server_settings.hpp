#pragma once

#include "testing/postgres.hpp"

#include <map>
#include <string>

/// Settings of the whole server (`ALTER SYSTEM`) for as long as this lives, e.g. {"log_lock_waits", "on"}.
class ServerSettings {
public:
    /// Returns once new sessions have them.
    ServerSettings(testing::Postgres const& postgres, std::map<std::string, std::string> const& settings);
    ~ServerSettings();
    ServerSettings(ServerSettings const&) = delete;
    ServerSettings& operator=(ServerSettings const&) = delete;

    /// Ends them; returns once new sessions are without them.
    void reset();

private:
    testing::Postgres const& postgres_;
    std::map<std::string, std::string> before_;
};
