#include "sms/options.hpp"

#include "sms/outbox.hpp"

#include <utility>

namespace sms {

Options Options::read(core::Config& config)
{
    Options o;
    o.twilio = config.one_of("SMS_PROVIDER", {"outbox", "twilio"}, "who carries text messages") == 1;
    o.account.base_url =
        config.text("TWILIO_BASE_URL", "https://api.twilio.com", "base address of Twilio's REST API");
    while (o.account.base_url.ends_with('/'))
        o.account.base_url.pop_back();
    o.account.auth_token =
        config.secret("TWILIO_AUTH_TOKEN", "secret of Twilio's account; inbound messages are signed with it");
    o.webhook_url = config.text("TWILIO_WEBHOOK_URL", "",
        "our webhook as Twilio is told it; empty: the address it was called at, and no status callbacks");
    o.sender_verified = config.boolean(
        "SMS_SENDER_VERIFIED", false, "whether carriers have verified the sender; until then 500 a day");
    o.sender_per_minute = config.integer(
        "SMS_SENDER_PER_MINUTE", 3'000, 1, 100'000, "messages a minute of a sender that is verified");
    if (!o.twilio) {
        o.outbox = config.required("SMS_OUTBOX", "file that messages are appended to instead of being sent");
        return o;
    }
    if (!http::parse_outbound_url(o.account.base_url))
        config.fault("TWILIO_BASE_URL", "must be an http or https address");
    o.account.sid = config.required("TWILIO_ACCOUNT_SID", "Twilio's account: AC…");
    o.account.from = config.required("TWILIO_FROM", "sender: a number (+1…) or a messaging service (MG…)");
    if (o.account.auth_token.empty()) config.fault("TWILIO_AUTH_TOKEN", "is required");
    return o;
}

namespace {

/// Counts what another one's provider answers.
class Counted final : public Sender {
public:
    Counted(std::unique_ptr<Sender> sender, observe::Metrics& metrics)
        : sender_(std::move(sender)), answers_(metrics, "sms", outcomes)
    {
    }

    Sent send(Message const& message, std::chrono::milliseconds patience) override
    {
        Sent sent = sender_->send(message, patience);
        answers_.count(static_cast<std::size_t>(sent.outcome));
        return sent;
    }

private:
    std::unique_ptr<Sender> const sender_;
    observe::AnswerMetrics const answers_;
};

} // namespace

std::unique_ptr<Sender> make_sender(
    Options const& options, http::Client& client, core::Clock const& clock, observe::Metrics& metrics)
{
    std::unique_ptr<Sender> sender;
    if (options.twilio)
        sender = std::make_unique<twilio::Sender>(options.account, client);
    else
        sender = std::make_unique<Outbox>(options.outbox, clock);
    return std::make_unique<Counted>(std::move(sender), metrics);
}

} // namespace sms
