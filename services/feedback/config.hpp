#pragma once

#include "blobs/options.hpp"
#include "core/config.hpp"
#include "service/service_base.hpp"

namespace feedback {

/// The configuration of feedback in addition to service::Settings (docs/configuration.md).
struct Config {
    service::TokenIssuer issuer;
    blobs::Options blobs;

    /// Reads the variables. Errors are collected in `config`.
    static Config read(core::Config& config);
};

} // namespace feedback
