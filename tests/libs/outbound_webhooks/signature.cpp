#include "outbound_webhooks/signature.hpp"

#include "crypto/encoding.hpp"

#include <stdexcept>

namespace {

core::Time at(std::int64_t seconds)
{
    return core::Time(std::chrono::seconds(seconds));
}

} // namespace

TEST_CASE("the signature of a message equals the signature of the official library")
{
    // Generated with npm's standardwebhooks 1.1.1.
    core::Secret const secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    CHECK(outbound_webhooks::sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", at(1614265330),
              R"({"test": 2432232314})") == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST_CASE("the signature covers id, time and body")
{
    core::Secret const secret = outbound_webhooks::new_secret();
    auto const base = outbound_webhooks::sign(secret, "a", at(1), "{}");
    CHECK(outbound_webhooks::sign(secret, "a", at(1), "{}") == base);
    CHECK(outbound_webhooks::sign(secret, "b", at(1), "{}") != base);
    CHECK(outbound_webhooks::sign(secret, "a", at(2), "{}") != base);
    CHECK(outbound_webhooks::sign(secret, "a", at(1), "{ }") != base);
    CHECK(outbound_webhooks::sign(outbound_webhooks::new_secret(), "a", at(1), "{}") != base);
}

TEST_CASE("a secret is whsec_ and base64 of 32 bytes, and each secret is different")
{
    auto const secret = outbound_webhooks::new_secret();
    std::string const& text = secret.reveal();
    REQUIRE(text.starts_with("whsec_"));
    auto const bytes = crypto::base64::decode(text.substr(6));
    REQUIRE(bytes);
    CHECK(bytes->size() == 32);
    CHECK_FALSE(secret.equals(outbound_webhooks::new_secret().reveal()));
}

TEST_CASE("a malformed secret cannot be used for signing")
{
    CHECK_THROWS_AS(outbound_webhooks::sign(core::Secret("abc"), "a", at(1), ""), std::invalid_argument);
    CHECK_THROWS_AS(
        outbound_webhooks::sign(core::Secret("whsec_***"), "a", at(1), ""), std::invalid_argument);
}

TEST_CASE("the timestamp is in whole seconds")
{
    CHECK(outbound_webhooks::timestamp_header(core::Time(std::chrono::microseconds(1'999'999))) == "1");
}
