// The input is a response: a line with the status and a Retry-After, then the body. It is read as a response
// of push carriers, Google's authorization server, a mail server, Twilio and DNS.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "domain/dns_records.hpp"
#include "fuzz.hpp"
#include "http/retry_after.hpp"
#include "http_client/client.hpp"
#include "mail/smtp_protocol.hpp"
#include "providers/apns.hpp"
#include "providers/fcm.hpp"
#include "sms/twilio.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace json = boost::json;
using fuzz::require;
using notify::SendResult, notify::Verdict;

namespace {

core::Time const now{std::chrono::seconds(1'767'225'600)};

struct Said {
    unsigned status = 0;
    std::optional<std::chrono::seconds> retry_after;
    std::string_view body;
};

Said read(fuzz::Input input)
{
    Said said;
    auto const line = input.line();
    auto const digits = line.substr(0, line.find(' '));
    std::from_chars(digits.data(), digits.data() + digits.size(), said.status);
    said.status %= 1000;
    said.retry_after = http::parse_retry_after(core::trim(line.substr(digits.size())), now);
    said.body = input.rest();
    return said;
}

bool is_shown(std::string_view text)
{
    return core::is_utf8(text) && text.size() <= notify::max_reason && std::ranges::none_of(text, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    });
}

/// For every provider, the parts of a response that are kept can be stored and shown.
void check(SendResult const& result)
{
    require(static_cast<std::size_t>(result.verdict) < core::names_of<notify::Verdict>.size() &&
            is_shown(result.reason));
    require(result.provider_id.empty() || notify::is_provider_id(result.provider_id));
    require(result.verdict == Verdict::accepted || result.provider_id.empty());
    if (result.retry_after)
        require(
            *result.retry_after >= std::chrono::seconds(0) && *result.retry_after <= std::chrono::hours(24));
}

void check_carriers(Said const& said)
{
    for (auto const& read : {notify::fcm::read_response(said.status, said.body, said.retry_after),
             notify::apns::read_response(said.status, said.body, said.retry_after)}) {
        check(read.result);
        require(read.result.verdict != Verdict::accepted || said.status == 200);
        require(read.result.verdict != Verdict::unknown);
        require(!read.hold || read.result.retry_after);
        if (read.result.gone_since) require(core::is_representable(*read.result.gone_since));
    }
}

void check_token(Said const& said)
{
    auto const read = notify::oauth::read_response({.status = said.status,
                                                       .headers = {},
                                                       .body = std::string(said.body),
                                                       .retry_after = said.retry_after},
        now);
    if (!read.token) return check(read.failure);
    std::string const& token = read.token->value.reveal();
    require(said.status == 200 && !token.empty());
    require(std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; }));
    require(read.token->expires > now && core::is_representable(read.token->expires));
}

/// A message counts as accepted only if the response is a 2xx with the id of the message. The error code is
/// the code in the body.
void check_twilio(Said const& said)
{
    auto const sent = sms::twilio::read_answer(said.status, said.body);
    bool const good = said.status >= 200 && said.status < 300;
    require((sent.outcome == sms::Outcome::accepted) <= good && sent.status == said.status);
    require((sent.outcome == sms::Outcome::accepted) == !sent.provider_id.empty());
    if (sent.code == 0) return;
    require(json::parse(said.body).at("code").to_number<std::int64_t>() == sent.code);
}

void check_mail(Said const& said)
{
    auto const result = mail::read_smtp_reply(said.status, said.body.substr(0, said.body.find('\n')));
    static_assert(mail::max_reason <= notify::max_reason);
    require(is_shown(result.reason) && result.message_id.empty());
    require(result.outcome != mail::Outcome::accepted);
    require(said.status >= 500 || result.outcome == mail::Outcome::transient);
}

/// Each line is a TXT record.
void check_dns(std::string_view text)
{
    notify::TxtAnswer answer{.kind = notify::TxtAnswer::Kind::found};
    while (!text.empty()) {
        auto const line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        answer.texts.emplace_back(line);
    }
    auto const records = notify::records_of({.domain = "example.com",
        .token = "token",
        .selector = "s1",
        .public_key = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A",
        .spf_domain = "mail.example.net"});
    for (auto const& wanted : records) {
        auto const found = notify::check_record(wanted, answer);
        require(is_shown(found.detail) && found.status != notify::RecordStatus::pending);
        notify::TxtAnswer right = answer;
        right.texts = {wanted.value};
        require(notify::check_record(wanted, right).status == notify::RecordStatus::verified);
    }
}

/// An accepted credential can be stored and restored. A refused credential causes VALIDATION_ERROR.
void check_credential(std::string_view text)
{
    boost::system::error_code failed;
    json::value const body = json::parse(text, failed);
    if (failed) return;
    for (auto const carrier : {notify::Carrier::fcm, notify::Carrier::apns}) {
        try {
            auto const credential = notify::Credential::parse(carrier, body);
            auto const again = notify::Credential::restore(carrier, credential->to_secret().reveal());
            require(again->fingerprint() == credential->fingerprint());
        } catch (core::Error const& error) {
            require(error.code().name == core::codes::validation.name && !error.faults().empty());
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    Said const said = read({data, size});
    check_carriers(said);
    check_token(said);
    check_twilio(said);
    check_mail(said);
    check_dns(said.body);
    check_credential(said.body);
    return 0;
}
