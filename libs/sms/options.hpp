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

/// How messages leave the house: the same settings in every service that sends any.
struct Options {
    bool twilio = false; ///< SMS_PROVIDER=twilio
    std::string outbox;  ///< SMS_OUTBOX: the file, with SMS_PROVIDER=outbox
    /// TWILIO_*: needed with SMS_PROVIDER=twilio. The token alone also lets the inbound webhook be signed.
    twilio::Account account;
    /// TWILIO_WEBHOOK_URL: our webhook as Twilio is told it; empty: what the request's Host says, and then
    /// nobody asks Twilio for status callbacks.
    std::string webhook_url;
    bool sender_verified = false;       ///< SMS_SENDER_VERIFIED
    std::int64_t sender_per_minute = 0; ///< SMS_SENDER_PER_MINUTE, once verified

    /// Faults are recorded in `config`.
    static Options read(core::Config& config);

    /// What the shared limit is counted under.
    std::string sender() const { return twilio ? account.from : "outbox"; }
};

/// `client` (to addresses the operator configured), `clock` and `metrics` outlive the sender, which counts
/// the answers of provider `sms` there.
std::unique_ptr<Sender> make_sender(
    Options const& options, http::Client& client, core::Clock const& clock, observe::Metrics& metrics);

} // namespace sms
