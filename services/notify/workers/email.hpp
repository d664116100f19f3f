#pragma once
// Only the delivery workers use this header.

#include "providers/mail.hpp"
#include "storage/attachments.hpp"
#include "workers/common.hpp"

#include <stop_token>
#include <vector>

namespace notify {

/// Sends emails. The handler of `queue_of(Channel::email)`.
class EmailHandler {
public:
    explicit EmailHandler(DeliveryDeps const& deps) : deps_(deps) {}

    /// Makes one attempt to send one email (`jobs::Handler`). The sender's address is in the scope's custom
    /// domain if this domain is verified, else it is the shared sender's address. If a stop of the process
    /// interrupts the attempt, the attempt does not count, and the next attempt is due at once.
    jobs::Outcome operator()(jobs::Claim& claim, std::stop_token const& stop) const;

private:
    struct Loaded {
        std::optional<Notification> notification;
        std::vector<email_attachments::Row> attachments;
        std::optional<EmailSender> sender;
    };

    Loaded load(core::Scope const& scope, core::Uuid const& id) const;
    jobs::Outcome attempt(core::Scope const& scope, Loaded loaded, std::stop_token const& stop) const;
    std::optional<Answer> read_uploads(
        std::vector<email_attachments::Row>& rows, std::stop_token const& stop) const;
    Answer send(Loaded loaded, std::stop_token const& stop) const;

    DeliveryDeps const& deps_;
};

} // namespace notify
