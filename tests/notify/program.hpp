#pragma once

#include "support/program.hpp"
#include "world.hpp"

#include <string>
#include <utility>

/// The notify program, running on the data of a World whose own service has stopped. The World must outlive
/// this object.
class NotifyProgram : public testing::Program {
public:
    /// Returns once the program is ready. `key` is an API key of `demo-sandbox`. `environment` overrides
    /// variables of the world.
    NotifyProgram(World const& world, std::string key, testing::Variables environment = {})
        : Program(NOTIFY_PROGRAM, completed(std::move(environment), world)), key_(std::move(key))
    {
    }

    testing::HttpClient client() const { return Program::client("Bearer " + key_); }

    /// The value of a counter in /metrics, labels included; 0 if absent.
    double metric(std::string const& name) const
    {
        auto const text = operations().get("/metrics").body;
        auto const place = text.find('\n' + name + ' ');
        return place == std::string::npos ? 0 : std::stod(text.substr(place + name.size() + 2));
    }

private:
    static testing::Variables completed(testing::Variables environment, World const& world)
    {
        auto const folder = world.directory.path();
        environment.merge(
            testing::Variables{{"BLOB_DIR", folder + "/blobs"}, {"EMAIL_OUTBOX", folder + "/mail"},
                {"SMS_OUTBOX", folder + "/sms"}, {"OUTBOUND_ALLOW_PRIVATE", "true"}});
        environment.merge(world.variables());
        return environment;
    }

    std::string key_;
};
