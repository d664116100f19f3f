#pragma once

#include "testing/program.hpp"
#include "world.hpp"

#include <string>
#include <utility>

/// The notify program, over the data of a World whose own service has ended, and which outlives it.
class NotifyProgram : public testing::Program {
public:
    /// Returns once it is ready. `key`: of `demo-sandbox`. `environment` wins over what the world says.
    NotifyProgram(World const& world, std::string key, Environment environment = {})
        : Program(NOTIFY_PROGRAM, completed(std::move(environment), world)), key_(std::move(key))
    {
    }

    testing::HttpClient client() const { return Program::client("Bearer " + key_); }

    /// What /metrics says of a counter, labels included; 0 when it says nothing.
    double metric(std::string const& name) const
    {
        auto const text = operations().get("/metrics").body;
        auto const place = text.find('\n' + name + ' ');
        return place == std::string::npos ? 0 : std::stod(text.substr(place + name.size() + 2));
    }

private:
    static Environment completed(Environment environment, World const& world)
    {
        auto const folder = world.directory.path();
        environment.merge(Environment{{"BLOB_DIR", folder + "/blobs"}, {"EMAIL_OUTBOX", folder + "/mail"},
            {"SMS_OUTBOX", folder + "/sms"}, {"OUTBOUND_ALLOW_PRIVATE", "true"}});
        environment.merge(world.variables());
        return environment;
    }

    std::string key_;
};
