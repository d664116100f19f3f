#pragma once

#include "blobs/options.hpp"
#include "core/config.hpp"
#include "mail/options.hpp"
#include "providers/push_options.hpp"
#include "service/service_base.hpp"
#include "sms/options.hpp"

#include <cstddef>
#include <string>

namespace notify {

/// The configuration of notify in addition to service::Settings (docs/configuration.md).
struct Config {
    service::TokenIssuer issuer;
    blobs::Options blobs;
    PushOptions push;
    mail::Options mail;
    std::string dns_servers; ///< DNS_SERVERS, as in DnsOptions::servers
    sms::Options sms;
    std::size_t broadcast_chunk = 0; ///< BROADCAST_CHUNK

    /// Reads the variables. Errors are collected in `config`.
    static Config read(core::Config& config);
};

} // namespace notify
