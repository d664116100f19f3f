#pragma once

#include "blobs/options.hpp"
#include "core/config.hpp"
#include "service/platform.hpp"

namespace feedback {

/// What feedback is configured with beyond service::Settings (README, "Configuration").
struct Config {
    service::TokenIssuer issuer;
    blobs::Options blobs;

    /// Faults are recorded in `config`.
    static Config read(core::Config& config);
};

} // namespace feedback
