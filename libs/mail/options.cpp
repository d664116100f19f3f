#include "mail/options.hpp"

#include "core/text.hpp"
#include "mail/address.hpp"
#include "mail/outbox.hpp"
#include "mail/smtp_client.hpp"
#include "mail/smtp_url.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace mail {

namespace {

std::string_view without_quotes(std::string_view name)
{
    bool const quoted = name.size() >= 2 && name.starts_with('"') && name.ends_with('"');
    return quoted ? name.substr(1, name.size() - 2) : name;
}

/// `Name <address>`, `"Name" <address>` or `address`.
std::optional<Mailbox> parse_mailbox(std::string_view text)
{
    Mailbox mailbox;
    std::string_view address = core::trim(text);
    if (auto const bracket = address.rfind('<'); bracket != std::string_view::npos) {
        if (!address.ends_with('>')) return std::nullopt;
        mailbox.name = without_quotes(core::trim(address.substr(0, bracket)));
        address = address.substr(bracket + 1, address.size() - bracket - 2);
    }
    auto const is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
    auto const parsed = Address::parse(address);
    if (!parsed || std::ranges::any_of(mailbox.name, is_control)) return std::nullopt;
    mailbox.address = parsed->text();
    return mailbox;
}

Mailbox read_sender(core::Config& config, bool smtp, std::string_view local_sender)
{
    std::string text =
        config.required("EMAIL_FROM", "sender of email: Name <address>", {smtp, "EMAIL_PROVIDER=smtp"});
    if (text.empty()) text = local_sender;
    auto from = parse_mailbox(text);
    if (!from)
        config.fault(
            "EMAIL_FROM", "must be an email address, or a name and an email address: Name <address>");
    return std::move(from).value_or(Mailbox());
}

/// Counts the responses of the SMTP server or the outbox.
class CountedTransport final : public Transport {
public:
    CountedTransport(std::shared_ptr<Transport> transport, observe::Metrics& metrics)
        : results_(metrics, "email", core::names_of<Outcome>), transport_(std::move(transport))
    {
    }

    void deliver(Envelope envelope, std::stop_token stop, Done done) override
    {
        transport_->deliver(
            std::move(envelope), std::move(stop), [this, done = std::move(done)](SendResult result) {
                results_.count(static_cast<std::size_t>(result.outcome));
                done(std::move(result));
            });
    }

    Stats stats() const noexcept override { return transport_->stats(); }

private:
    observe::AnswerMetrics const results_;
    std::shared_ptr<Transport> const transport_; ///< destroyed first, because it then calls `done`
};

/// The gauges may be read after the end of the transport.
void add_gauges(observe::Metrics& metrics, std::weak_ptr<Transport const> const& transport)
{
    auto const add = [&](std::string const& name, std::string const& help,
                         std::size_t Transport::Stats::* value) {
        metrics.gauge_callback(name, help, [transport, value] {
            auto const running = transport.lock();
            return running ? static_cast<double>(running->stats().*value) : 0;
        });
    };
    add("tetrad_email_queued_messages", "Emails that wait for the mail server.", &Transport::Stats::queued);
    add("tetrad_email_connections", "Open connections to the mail server.", &Transport::Stats::connections);
}

} // namespace

Options Options::read(core::Config& config, std::string_view local_sender)
{
    Options o;
    o.smtp =
        config.one_of("EMAIL_PROVIDER", {"outbox", "smtp"},
            "how email is sent: outbox writes .eml files to EMAIL_OUTBOX, smtp submits to SMTP_URL") == 1;
    o.from = read_sender(config, o.smtp, local_sender);
    o.require_tls = config.boolean(
        "SMTP_REQUIRE_TLS", false, "refuse an smtp:// server without STARTTLS, also if SMTP_URL has no user");
    o.connections = static_cast<std::size_t>(config.integer(
        "SMTP_CONNECTIONS", 20, 1, 200, "maximum number of connections of a replica to the SMTP server"));
    o.outbox =
        config.required("EMAIL_OUTBOX", "directory for .eml files", {!o.smtp, "EMAIL_PROVIDER=outbox"});
    o.smtp_url = config.required_secret("SMTP_URL",
        "submission server: smtp:// or smtps://, user:password@host:port; with a user, smtp:// requires "
        "STARTTLS",
        {o.smtp, "EMAIL_PROVIDER=smtp"});
    if (!o.smtp) return o;
    if (!o.smtp_url.empty() && !parse_smtp_url(o.smtp_url.reveal()))
        config.fault("SMTP_URL", "must be an smtp:// or smtps:// URL");
    return o;
}

std::unique_ptr<Mailer> make_mailer(
    Options const& options, std::string const& ca_file, observe::Metrics& metrics)
{
    std::shared_ptr<Transport> transport;
    if (options.smtp) {
        transport = std::make_shared<SmtpClient>(SmtpOptions{.url = options.smtp_url,
            .require_tls = options.require_tls,
            .ca_file = ca_file,
            .max_connections = options.connections});
    } else {
        transport = std::make_shared<Outbox>(options.outbox);
    }
    add_gauges(metrics, transport);
    return std::make_unique<Mailer>(
        options.from, std::make_unique<CountedTransport>(std::move(transport), metrics));
}

} // namespace mail
