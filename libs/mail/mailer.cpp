#include "mail/mailer.hpp"

#include "mail/dkim.hpp"
#include "mail/mime.hpp"

#include <utility>

namespace mail {

Mailer::Mailer(Mailbox shared, std::unique_ptr<Transport> transport)
    : shared_(std::move(shared)), transport_(std::move(transport)), signer_(std::make_unique<DkimSigner>())
{
}

Mailer::~Mailer() = default;

SendResult Mailer::send(Message const& message, std::stop_token const& stop)
{
    Mailbox const& from = message.sender ? message.sender->from : shared_;
    // The Message-ID has the shared sender's domain. So a repeated message has the same id even if a custom
    // domain was verified or removed after the first attempt.
    std::string const message_id =
        message.id.to_string() + '@' + shared_.address.substr(shared_.address.rfind('@') + 1);
    auto composed = compose(message, from, message_id);
    if (!composed) return {.outcome = Outcome::refused, .reason = "INVALID_HEADER"};
    if (message.sender) composed->insert(0, signer_->sign(*composed, message.sender->key));
    SendResult result = transport_->deliver(
        {.id = message.id, .from = from.address, .to = message.to, .message = std::move(*composed)}, stop);
    if (result.outcome == Outcome::accepted) result.message_id = message_id;
    return result;
}

} // namespace mail
