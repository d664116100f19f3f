#pragma once

#include "mail/mailer.hpp"
#include "mail/smtp_client.hpp"
#include "smtp_server.hpp"
#include "support/json.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

/// Helpers for tests of outgoing mail.
namespace mailing {

using namespace mail;
using namespace std::chrono_literals;
using testing::SmtpServer, testing::text;
namespace json = boost::json;

inline Mailbox const shared{"Tetrad Nötify", "notify@shared.example"};

inline Message message_to(std::string to, std::string subject = "Hello")
{
    return {.id = core::Uuid::v7(),
        .date = *core::parse_rfc3339("2026-03-01T12:00:00.500Z"),
        .to = std::move(to),
        .subject = std::move(subject),
        .html = "<p>Hi</p>"};
}

inline SmtpOptions to_server(std::string url, std::string ca_file = {})
{
    return {.url = core::Secret(std::move(url)), .ca_file = std::move(ca_file)};
}

inline Mailer mailer(SmtpOptions options)
{
    return Mailer(shared, std::make_unique<SmtpClient>(std::move(options)));
}

} // namespace mailing
