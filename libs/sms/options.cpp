#include "sms/options.hpp"

#include "http_client/url.hpp"
#include "sms/outbox.hpp"

#include <utility>

namespace sms {

Options Options::read(core::Config& config)
{
    Options o;
    o.twilio = config.one_of("SMS_PROVIDER", {"outbox", "twilio"},
                   "provider of text messages: twilio, or outbox, which appends them to SMS_OUTBOX") == 1;
    o.account.base_url =
        config.text("TWILIO_BASE_URL", "https://api.twilio.com", "base URL of Twilio's REST API");
    while (o.account.base_url.ends_with('/'))
        o.account.base_url.pop_back();
    core::RequiredWhen const with_twilio{o.twilio, "SMS_PROVIDER=twilio"};
    o.account.auth_token = config.required_secret("TWILIO_AUTH_TOKEN",
        "auth token of the Twilio account; also checks signatures of inbound requests", with_twilio);
    o.webhook_url = config.text("TWILIO_WEBHOOK_URL", "",
        "URL of this service's webhook as configured at Twilio; if empty, signatures are checked with the "
        "URL of each request, and there are no status callbacks");
    o.sender_verified = config.boolean("SMS_SENDER_VERIFIED", false,
        "whether carriers have verified the sender; if not, it sends at most 500 messages a day");
    o.sender_per_minute = config.integer(
        "SMS_SENDER_PER_MINUTE", 3'000, 1, 100'000, "limit of messages per minute for a verified sender");
    o.outbox = config.required("SMS_OUTBOX",
        "file to which messages are appended instead of being sent; with SMS_PROVIDER=twilio, the messages "
        "of sandboxes, which are dropped if it is empty",
        {!o.twilio, "SMS_PROVIDER=outbox"});
    o.account.sid = config.required("TWILIO_ACCOUNT_SID", "SID of the Twilio account: AC…", with_twilio);
    o.account.from =
        config.required("TWILIO_FROM", "sender: a number (+1…) or a messaging service (MG…)", with_twilio);
    if (o.twilio && !http_client::parse_url(o.account.base_url))
        config.fault("TWILIO_BASE_URL", "must be an http or https URL");
    return o;
}

namespace {

/// Counts the outcomes of another sender.
class Counted final : public Sender {
public:
    Counted(std::unique_ptr<Sender> sender, observe::Metrics& metrics)
        : sender_(std::move(sender)), answers_(metrics, "sms", core::names_of<Outcome>)
    {
    }

    asio::awaitable<SendResult> send(Message message, std::chrono::milliseconds timeout) override
    {
        SendResult sent = co_await sender_->send(std::move(message), timeout);
        answers_.count(static_cast<std::size_t>(sent.outcome));
        co_return sent;
    }

private:
    std::unique_ptr<Sender> const sender_;
    observe::AnswerMetrics const answers_;
};

} // namespace

std::unique_ptr<Sender> make_sender(Options const& options, http_client::ClientOptions client,
    core::Clock const& clock, observe::Metrics& metrics)
{
    std::unique_ptr<Sender> sender;
    if (options.twilio)
        sender = std::make_unique<twilio::Sender>(options.account, std::move(client));
    else
        sender = std::make_unique<Outbox>(options.outbox, clock);
    return std::make_unique<Counted>(std::move(sender), metrics);
}

} // namespace sms
