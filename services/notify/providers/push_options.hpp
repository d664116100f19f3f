#pragma once

#include "core/config.hpp"
#include "domain/web_subscription.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace notify {

/// How pushes are sent.
struct PushOptions {
    std::string outbox;       ///< PUSH_OUTBOX: the file to write pushes to; if empty, pushes are sent
    std::string fcm_base_url; ///< FCM_BASE_URL, such as `https://fcm.googleapis.com`
    /// FCM_TOKEN_URL, such as `https://oauth2.googleapis.com/token`; also the `aud` of the assertion.
    std::string fcm_token_url;
    std::string apns_base_url;      ///< APNS_BASE_URL; if empty, Apple's host for the environment
    std::string ca_file;            ///< OUTBOUND_CA_FILE, set by the caller; if empty, the system's roots
    WebPushHosts web_push_hosts;    ///< WEB_PUSH_HOSTS
    bool allow_private = false;     ///< OUTBOUND_ALLOW_PRIVATE, set by the caller; for Web Push only
    unsigned max_connections = 100; ///< PUSH_CONNECTIONS: maximum per credential
    /// FCM_QUOTA_PER_MINUTE: pushes per minute and Firebase project of a tenant, over all replicas
    /// (https://firebase.google.com/docs/cloud-messaging/throttling-and-quotas).
    std::int64_t fcm_quota = 600'000;
    std::size_t max_clients = 1'000;  ///< maximum of credentials with connections, tokens and queues
    std::size_t max_queued = 100'000; ///< maximum of devices in the queues of all credentials together
    std::chrono::milliseconds response_timeout{10'000}; ///< from sending a push to its response

    /// Reads the variables. Errors are collected in `config`. An `http` URL means cleartext HTTP/2 with prior
    /// knowledge.
    static PushOptions read(core::Config& config);
};

} // namespace notify
