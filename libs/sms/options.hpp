#pragma once

#include "core/clock.hpp"
#include "core/config.hpp"
#include "core/secret.hpp"
#include "observe/metrics.hpp"
#include "sms/sender.hpp"
#include "sms/twilio.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace sms {

/// The settings for sending text messages. They are the same in every service that sends text messages.
struct Options {
    bool twilio = false; ///< SMS_PROVIDER=twilio
    /// SMS_OUTBOX: the file for messages that are not sent. With SMS_PROVIDER=twilio, those of sandboxes
    /// (make_sandbox_sender); may be empty then.
    std::string outbox;
    /// TWILIO_*: required with SMS_PROVIDER=twilio. `auth_token` is also used to check the signatures of
    /// Twilio's inbound requests.
    twilio::Account account;
    /// TWILIO_WEBHOOK_URL: the URL of the service's webhook as configured at Twilio. If it is empty,
    /// signatures are checked against the request's Host, and no status callbacks are requested.
    std::string webhook_url;
    bool sender_verified = false;       ///< SMS_SENDER_VERIFIED
    std::int64_t sender_per_minute = 0; ///< SMS_SENDER_PER_MINUTE: the limit of a verified sender

    /// Reads the settings. Errors are collected in `config`.
    static Options read(core::Config& config);

    /// The name of the sender in the counts of SenderGuard.
    std::string sender() const { return twilio ? account.from : "outbox"; }
};

/// Makes the configured sender. It counts the outcomes in `metrics` under the provider `sms`. The address
/// policy of `client` must allow addresses that the operator configured. `clock` and `metrics` must outlive
/// the sender.
std::unique_ptr<Sender> make_sender(Options const& options, http_client::ClientOptions client,
    core::Clock const& clock, observe::Metrics& metrics);

} // namespace sms
