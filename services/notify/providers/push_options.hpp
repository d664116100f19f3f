#pragma once

#include "core/config.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace notify {

/// How pushes are sent.
struct PushOptions {
    std::string outbox;       ///< PUSH_OUTBOX: the file to write pushes to; if empty, pushes are sent
    std::string fcm_base_url; ///< FCM_BASE_URL, such as `https://fcm.googleapis.com`
    /// FCM_TOKEN_URL, such as `https://oauth2.googleapis.com/token`; also the `aud` of the assertion.
    std::string fcm_token_url;
    std::string apns_base_url;        ///< APNS_BASE_URL; if empty, Apple's host for the environment
    std::string ca_file;              ///< OUTBOUND_CA_FILE, set by the caller; if empty, the system's roots
    unsigned max_connections = 4;     ///< maximum per credential
    std::size_t max_clients = 1'000;  ///< maximum of credentials with connections, tokens and queues
    std::size_t max_queued = 100'000; ///< maximum of devices in the queues of all credentials together
    std::chrono::milliseconds response_timeout{10'000}; ///< from sending a push to its response

    /// Reads the variables. Errors are collected in `config`. An `http` URL means cleartext HTTP/2 with prior
    /// knowledge.
    static PushOptions read(core::Config& config);
};

} // namespace notify
