#include "providers/mail.hpp"

#include "providers/dkim.hpp"
#include "providers/mime.hpp"

#include <utility>

namespace notify {

Mailer::Mailer(Mailbox shared, std::unique_ptr<MailTransport> transport)
    : shared_(std::move(shared)), transport_(std::move(transport)), signer_(std::make_unique<DkimSigner>())
{
}

Mailer::~Mailer() = default;

SendResult Mailer::send(Email const& email, std::stop_token const& stop)
{
    Mailbox const& from = email.sender ? email.sender->from : shared_;
    // The Message-ID has the shared sender's domain. So a repeated message has the same id even if a custom
    // domain was verified or removed after the first attempt.
    std::string const message_id =
        email.id.to_string() + '@' + shared_.address.substr(shared_.address.rfind('@') + 1);
    auto message = mime::compose(email, from, message_id);
    if (!message) return {.verdict = Verdict::refused, .reason = "INVALID_HEADER"};
    if (email.sender) message->insert(0, signer_->sign(*message, email.sender->key));
    SendResult result = transport_->deliver(
        {.id = email.id, .from = from.address, .to = email.to, .message = std::move(*message)}, stop);
    if (result.verdict == Verdict::accepted) result.provider_id = message_id;
    return result;
}

} // namespace notify
