#pragma once
// Only JobHandlers uses this header.

#include "mail/mailer.hpp"
#include "storage/notification_attachments.hpp"
#include "workers/notification_job.hpp"

#include <stop_token>
#include <vector>

namespace notify {

/// Translates the result of sending an email into a SendResult.
SendResult result_of(mail::SendResult sent);

/// Sends emails. The handler of `queue_of(Channel::email)`.
class EmailHandler {
public:
    explicit EmailHandler(WorkerDeps const& deps) : deps_(deps) {}

    /// Makes one attempt to send one email. The sender's address is in the scope's custom domain if this
    /// domain is verified, else it is the shared sender's address. If a stop of the process interrupts the
    /// attempt, the attempt does not count, and the next attempt is due at once.
    jobs::Outcome operator()(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop) const;

private:
    struct Loaded {
        std::optional<Notification> notification;
        std::vector<notification_attachments::Row> attachments;
        std::optional<mail::CustomSender> sender;
    };

    Loaded load(core::Scope const& scope, jobs::Claim& claim) const;
    std::optional<SendResult> read_uploads(
        std::vector<notification_attachments::Row>& rows, std::stop_token const& stop) const;
    SendResult send(Loaded loaded, std::stop_token const& stop) const;

    WorkerDeps const& deps_;
};

} // namespace notify
