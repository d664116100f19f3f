// The input is a line with the signature header of a payment webhook, a line with the secret, then the body.
// The body is also read as the form of a Twilio webhook.
#include "core/hex.hpp"
#include "crypto/hmac.hpp"
#include "domain/payment_signature.hpp"
#include "fuzz.hpp"
#include "sms/twilio.hpp"

#include <algorithm>
#include <array>
#include <string>

using fuzz::require;

namespace {

constexpr std::int64_t now_s = 1'767'225'600;
core::Time const now{std::chrono::seconds(now_s)};

/// The header in the input is never a valid signature. Text before a valid signature does not invalidate the
/// signature.
void check_payment(std::string const& header, std::string const& secret, std::string const& body)
{
    std::array const secrets{core::Secret(secret), core::Secret("whsec_of_ours")};
    require(!billing::is_signed(header, body, secrets, now) && !billing::is_signed(header, body, {}, now));
    auto const digest = crypto::hmac_sha256(secret, std::to_string(now_s) + '.' + body);
    std::string const good = "t=" + std::to_string(now_s) + ",v1=" + core::hex::encode(crypto::view(digest));
    require(billing::is_signed(good, body, secrets, now));
    require(!billing::is_signed(good, body + ' ', secrets, now));
    require(!billing::is_signed(good, body, secrets, now + billing::signature_tolerance * 2));
    bool const one_part = header.find(',') == std::string::npos;
    if (one_part) require(billing::is_signed(header + ',' + good, body, secrets, now));
}

void check_form(std::string const& secret, std::string const& body, std::string const& signature)
{
    namespace twilio = sms::twilio;
    auto const form = http::parse_form(body);
    if (!form) return;
    require(form->size() <= 100);
    std::array<std::string, 2> const urls{"https://a.example/v1/sms", "http://a.example/v1/sms"};
    core::Secret const token("t" + secret);
    auto const right = twilio::sign(token, urls[1], *form);
    require(twilio::is_signed(token, urls, *form, right));
    require(!twilio::is_signed(token, {urls.data(), 1}, *form, right));
    require(!twilio::is_signed(core::Secret(), urls, *form, right));
    require(signature == right || !twilio::is_signed(token, {urls.data() + 1, 1}, *form, signature));
    auto altered = *form;
    altered.emplace_back("Altered", "1");
    bool const repeated = std::ranges::find(*form, altered.back()) != form->end(); // duplicates count once
    require(twilio::is_signed(token, urls, altered, right) == repeated);
    twilio::keyword_of(*form);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    std::string const header(input.line()), secret(input.line()), body(input.rest());
    check_payment(header, secret, body);
    check_form(secret, body, header);
    return 0;
}
