#include "mail/options.hpp"

#include "core/text.hpp"
#include "mail/address.hpp"
#include "mail/outbox.hpp"
#include "mail/smtp.hpp"

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
    CountedTransport(std::unique_ptr<Transport> transport, observe::Metrics& metrics)
        : transport_(std::move(transport)), results_(metrics, "email", core::names_of<Outcome>)
    {
    }

    SendResult deliver(Envelope const& envelope, std::stop_token const& stop) override
    {
        SendResult result = transport_->deliver(envelope, stop);
        results_.count(static_cast<std::size_t>(result.outcome));
        return result;
    }

private:
    std::unique_ptr<Transport> const transport_;
    observe::AnswerMetrics const results_;
};

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
    o.outbox =
        config.required("EMAIL_OUTBOX", "directory for .eml files", {!o.smtp, "EMAIL_PROVIDER=outbox"});
    o.smtp_url = config.required_secret("SMTP_URL",
        "submission server: smtp:// or smtps://, user:password@host:port; with a user, smtp:// requires "
        "STARTTLS",
        {o.smtp, "EMAIL_PROVIDER=smtp"});
    if (!o.smtp) return o;
    if (!o.smtp_url.empty() && !is_smtp_url(o.smtp_url.reveal()))
        config.fault("SMTP_URL", "must be an smtp:// or smtps:// URL");
    return o;
}

std::unique_ptr<Mailer> make_mailer(
    Options const& options, std::string const& ca_file, observe::Metrics& metrics)
{
    std::unique_ptr<Transport> transport;
    if (options.smtp) {
        transport = std::make_unique<Smtp>(
            SmtpOptions{.url = options.smtp_url, .require_tls = options.require_tls, .ca_file = ca_file});
    } else {
        transport = std::make_unique<Outbox>(options.outbox);
    }
    return std::make_unique<Mailer>(
        options.from, std::make_unique<CountedTransport>(std::move(transport), metrics));
}

} // namespace mail
