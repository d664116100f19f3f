#pragma once
// Private to the delivery workers.

#include "sms/guard.hpp"
#include "sms/options.hpp"
#include "workers/common.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace notify {

/// What became of a text message, in the taxonomy of all channels. A create that may have been carried out is
/// `unknown`.
Answer answer_of(sms::Sent const& sent);

/// The address that Twilio tells what becomes of a message: `webhook_url` with the scope, the notification
/// and its `queued_at` (Unix microseconds: a retry has another one) as its query; empty when there is none to
/// tell.
std::string status_callback(std::string const& webhook_url, std::int64_t scope_id, Notification const& n);

/// Sends text messages: the handler of `queue_of(Channel::sms)`.
class SmsHandler {
public:
    SmsHandler(sms::Options const& options, DeliveryDeps const& deps);

    /// One attempt at one message (`jobs::Handler`). Numbers on the scope's suppression list are not sent to,
    /// and those that turn out to have opted out are put on it. Twilio's sender is shared by all tenants:
    /// what is beyond its limits waits.
    jobs::Outcome operator()(jobs::Claim& claim, std::stop_token const& stop);

private:
    struct Loaded {
        std::optional<Notification> notification;
        bool suppressed = false;
    };

    Loaded load(jobs::Claim const& claim) const;
    jobs::Outcome attempt(core::Scope const& scope, Notification const& n);
    /// nullopt: it may go out, and is counted as `use`; else when to ask again.
    std::optional<core::Time> held_back(core::Scope const& scope, sms::SenderGuard::Use& use);
    void give_back(sms::SenderGuard::Use const& use);

    DeliveryDeps const& deps_;
    std::string const webhook_url_;
    bool const guarded_; ///< the outbox sends nothing that a carrier could mind
    std::unique_ptr<sms::Sender> const sender_;
    sms::SenderGuard guard_;
};

} // namespace notify
