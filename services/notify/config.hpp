#pragma once

#include "blobs/options.hpp"
#include "core/config.hpp"
#include "providers/mail_options.hpp"
#include "providers/push_options.hpp"
#include "service/service_base.hpp"
#include "sms/options.hpp"

#include <cstddef>

namespace notify {

/// The configuration of notify in addition to service::Settings (docs/configuration.md).
struct Config {
    service::TokenIssuer issuer;
    blobs::Options blobs;
    PushOptions push;
    MailOptions mail;
    sms::Options sms;
    std::size_t broadcast_chunk = 0; ///< BROADCAST_CHUNK

    /// Reads the variables. Errors are collected in `config`.
    static Config read(core::Config& config);
};

} // namespace notify
