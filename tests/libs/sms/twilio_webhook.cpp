#include "sms/twilio_webhook.hpp"

#include "core/error.hpp"

#include <catch2/catch.hpp>

namespace twilio = sms::twilio;

namespace {

core::Secret const token("12345");
std::string const form = "MessageSid=SM1&MessageStatus=delivered";
http::Form const parameters{{"MessageSid", "SM1"}, {"MessageStatus", "delivered"}};

/// A request to `/hook?scope=7` of host `inside`, signed for the URL `address`.
struct Signed {
    explicit Signed(std::string const& address) : signature(twilio::sign(token, address, parameters))
    {
        request.method = http::Method::post;
        request.target = "/hook?scope=7";
        request.path = "/hook";
        request.query = "scope=7";
        request.headers = {{"Host", "inside:8103"}, {"Content-Type", "application/x-www-form-urlencoded"},
            {"X-Twilio-Signature", signature}};
        request.body = form;
    }

    std::string signature;
    http::Request request;
};

std::string_view code_of(http::Request const& request, std::string const& webhook_url)
{
    try {
        twilio::require_signed(request, token, webhook_url);
    } catch (core::Error const& error) {
        return error.code().name;
    }
    return "";
}

} // namespace

TEST_CASE("the signed URL is the configured one with the query of the request")
{
    std::string const configured = "https://notify.example.com/webhooks/sms/twilio";
    Signed const good(configured + "?scope=7");
    CHECK(twilio::require_signed(good.request, token, configured) == parameters);
    CHECK(twilio::require_signed(good.request, token, configured + "?scope=7") == parameters);

    CHECK(code_of(Signed(configured + "?scope=8").request, configured) == "UNAUTHORIZED");
    CHECK(code_of(Signed(configured).request, configured) == "UNAUTHORIZED");
    CHECK(code_of(Signed("http://inside:8103/hook?scope=7").request, configured) == "UNAUTHORIZED");
}

TEST_CASE(
    "without a configured URL the URL of the request is used, with or without a proxy that terminates TLS")
{
    for (auto const* scheme : {"http://", "https://"}) {
        INFO(scheme);
        Signed const good(std::string(scheme) + "inside:8103/hook?scope=7");
        CHECK(twilio::require_signed(good.request, token, "") == parameters);
    }
    CHECK(code_of(Signed("https://outside/hook?scope=7").request, "") == "UNAUTHORIZED");
}

TEST_CASE("a request that Twilio did not sign is refused")
{
    std::string const address = "https://x/hook?scope=7";
    Signed changed(address);
    changed.request.body = "MessageSid=SM1&MessageStatus=failed";
    CHECK(code_of(changed.request, "https://x/hook") == "UNAUTHORIZED");

    Signed unsigned_one(address);
    unsigned_one.request.headers.pop_back();
    CHECK(code_of(unsigned_one.request, "https://x/hook") == "UNAUTHORIZED");

    Signed malformed(address);
    malformed.request.body = "a=%zz";
    CHECK(code_of(malformed.request, "https://x/hook") == "VALIDATION_ERROR");

    Signed json(address);
    json.request.headers[1].value = "application/json";
    CHECK(code_of(json.request, "https://x/hook") == "UNSUPPORTED_MEDIA_TYPE");
}
