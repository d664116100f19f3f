#pragma once
// Only JobHandlers uses this header.

#include "core/scope.hpp"
#include "sms/guard.hpp"
#include "sms/options.hpp"
#include "workers/notification_job.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace notify {

/// Translates the result of sending a text message into a SendResult. If the message may have been created
/// although the request failed, the verdict is `unknown`.
SendResult result_of(sms::SendResult const& sent);

/// The status callback URL for Twilio: `webhook_url` with the scope, the notification and its `queued_at`
/// (Unix microseconds; a retry has another value) as query. Empty if `webhook_url` is empty.
std::string status_callback(std::string const& webhook_url, core::ScopeId scope_id, Notification const& n);

/// Sends text messages. The handler of `queue_of(Channel::sms)`.
class SmsHandler {
public:
    SmsHandler(sms::Options const& options, WorkerDeps const& deps);

    /// Makes one attempt to send one message. Suppressed numbers get no message. If the provider answers that
    /// a number has opted out, the number is suppressed. All tenants share one sender at Twilio, so messages
    /// beyond the sender's limits wait.
    jobs::Outcome operator()(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop);

private:
    struct Loaded {
        std::optional<Notification> notification;
        bool suppressed = false;
    };

    Loaded load(jobs::Claim& claim) const;
    jobs::Outcome attempt(core::Scope const& scope, Notification const& n);
    /// Checks the sender's limits. Returns nullopt if the message may be sent; the message is then counted as
    /// `use`. Otherwise returns the time to try again.
    std::optional<core::Time> held_back(core::Scope const& scope, sms::SenderGuard::Use& use);
    void give_back(sms::SenderGuard::Use const& use);

    WorkerDeps const& deps_;
    std::string const webhook_url_;
    bool const guarded_; ///< whether the limits apply; false for the outbox, which sends nothing to a carrier
    std::unique_ptr<sms::Sender> const sender_;
    sms::SenderGuard guard_;
};

} // namespace notify
