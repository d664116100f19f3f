#pragma once

#include "support/postgres.hpp"
#include "support/process.hpp"

/// A streaming standby of a Postgres fixture's server, with its own port on 127.0.0.1. Create it on a thread
/// that outlives this object.
class Standby {
public:
    explicit Standby(testing::Postgres const& primary);

    unsigned short port() const { return port_; }

private:
    testing::TemporaryDirectory directory_{"tstandby"};
    unsigned short port_ = testing::free_port();
    testing::Process process_;
};
