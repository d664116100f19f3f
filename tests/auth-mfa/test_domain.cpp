#include "auth/token_claims.hpp"
#include "crypto/encoding.hpp"
#include "domain/brand.hpp"
#include "domain/limits.hpp"
#include "domain/network.hpp"
#include "domain/public_suffix.hpp"
#include "domain/recovery_code.hpp"
#include "domain/sms_code.hpp"
#include "domain/totp.hpp"
#include "domain/trusted_device.hpp"
#include "sms/gsm7.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

using namespace auth_mfa;

namespace {

core::Time at(std::int64_t seconds)
{
    return core::Time(std::chrono::seconds(seconds));
}

constexpr char const* seed = "12345678901234567890"; // of RFC 4226 and RFC 6238

} // namespace

TEST_CASE("codes equal the test values of RFC 4226, appendix D", "[totp]")
{
    static constexpr std::array<char const*, 10> codes{
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"};
    for (std::size_t counter = 0; counter < codes.size(); ++counter)
        CHECK(totp::code_at(seed, static_cast<std::int64_t>(counter)) == codes[counter]);
}

TEST_CASE("time-based codes equal the test values of RFC 6238, appendix B, cut to 6 digits", "[totp]")
{
    struct Case {
        std::int64_t time;
        char const* code;
    };

    for (auto const& [time, code] :
        {Case{59, "287082"}, Case{1111111109, "081804"}, Case{1111111111, "050471"},
            Case{1234567890, "005924"}, Case{2000000000, "279037"}, Case{20000000000, "353130"}}) {
        CHECK(totp::code_at(seed, totp::step_at(at(time))) == code);
        CHECK(totp::match(seed, code, at(time), totp::never) == time / 30);
    }
}

TEST_CASE("a code is accepted once, in its step or a neighbouring step", "[totp]")
{
    constexpr std::int64_t now = 1'000'000'020; // the first second of a step
    std::int64_t const step = now / 30;
    REQUIRE(now % 30 == 0);
    for (std::int64_t offset = -2; offset <= 2; ++offset) {
        auto const code = totp::code_at(seed, step + offset);
        bool const near = offset >= -1 && offset <= 1;
        CHECK(totp::match(seed, code, at(now), totp::never).has_value() == near);
        CHECK(totp::match(seed, code, at(now + 29), totp::never).has_value() == near);
    }
    auto const code = totp::code_at(seed, step);
    CHECK(totp::match(seed, code, at(now), step - 1) == step);
    CHECK_FALSE(totp::match(seed, code, at(now), step));
    CHECK_FALSE(totp::match(seed, code, at(now), step + 1));
    CHECK(totp::match(seed, code, at(now + 59) + std::chrono::microseconds(999'999), totp::never) == step);
    CHECK_FALSE(totp::match(seed, code, at(now + 60), totp::never));
    CHECK(totp::match(seed, code, at(now - 30), totp::never) == step);
    CHECK_FALSE(totp::match(seed, code, at(now - 30) - std::chrono::microseconds(1), totp::never));
    for (auto const* wrong : {"", "12345", "1234567", "abcdef"})
        CHECK_FALSE(totp::match(seed, wrong, at(now), totp::never));
}

TEST_CASE("the URL for the QR code contains the brand and the account", "[totp]")
{
    CHECK(totp::key_uri(seed, "Demo & Co", "ada+1@example.com") ==
          "otpauth://totp/Demo%20%26%20Co:ada%2B1%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
          "&issuer=Demo%20%26%20Co&algorithm=SHA1&digits=6&period=30");
    constexpr std::string_view secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    CHECK(totp::key_uri_of_secret(secret, "Demo", "ada@example.com") ==
          totp::key_uri(seed, "Demo", "ada@example.com"));
    CHECK(totp::is_secret(secret));
    for (auto const* wrong : {"", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJ", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQA",
             "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJ1", "gezdgnbvgy3tqojqgezdgnbvgy3tqojq"})
        CHECK_FALSE(totp::is_secret(wrong));
}

TEST_CASE("recovery codes are accepted in the forms in which people type them", "[recovery]")
{
    auto const parsed = RecoveryCode::parse("0123-4567-89AB-CDEF");
    REQUIRE(parsed);
    CHECK(parsed->locator == "0123");
    CHECK(parsed->secret == "456789ABCDEF");
    CHECK(parsed->text() == "0123-4567-89AB-CDEF");
    for (auto const* same : {"0123456789abcdef", " 0123 4567 89ab cdef ", "oI23-4567-89AB-CDEF",
             "OL23456789ABCDEF", "0i-23-45-67-89-AB-CD-EF"}) {
        INFO(same);
        REQUIRE(RecoveryCode::parse(same));
        CHECK(RecoveryCode::parse(same)->text() == parsed->text());
    }
    for (auto const* wrong : {"", "-", "0123-4567-89AB-CDE", "0123-4567-89AB-CDEF0", "0123-4567-89AB-CDEU",
             "0123_4567_89AB_CDEF", "0123-4567-89AB-CD\u00c9"})
        CHECK_FALSE(RecoveryCode::parse(wrong));
}

TEST_CASE("ten different recovery codes are generated", "[recovery]")
{
    auto const codes = make_recovery_codes();
    std::set<std::string> locators, secrets;
    for (auto const& code : codes) {
        CHECK(RecoveryCode::parse(code.text())->secret == code.secret);
        locators.insert(code.locator);
        secrets.insert(code.secret);
    }
    CHECK(codes.size() == 10);
    CHECK(locators.size() == 10);
    CHECK(secrets.size() == 10);
}

TEST_CASE("the device token is found among a browser's cookies", "[device]")
{
    auto const token = DeviceToken::make();
    auto const cookie = "mfa_device=" + token.text();
    for (auto const& header : {cookie, "a=1; " + cookie, cookie + "; b=2", "a=1;" + cookie + ";b",
             "x_mfa_device=1; " + cookie, ";;  " + cookie}) {
        INFO(header);
        auto const found = DeviceToken::from_cookies(header);
        REQUIRE(found);
        CHECK(found->id == token.id);
        CHECK(found->secret == token.secret);
    }
    for (auto const& header : {std::string(), std::string("mfa_device"), std::string("mfa_device="),
             "mfa_device2=" + token.text(), "MFA_DEVICE=" + token.text(), cookie + "x",
             "mfa_device=x; " + cookie, "mfa_device=" + token.id.to_string(),
             "mfa_device=" + token.id.to_string() + ".", "mfa_device=" + token.id.to_string() + ".c2hvcnQ"}) {
        INFO(header);
        CHECK_FALSE(DeviceToken::from_cookies(header));
    }
}

TEST_CASE("the stored hash of a device is bound to its scope and id", "[device]")
{
    auto const one = core::Scope::of(core::TenantId{1}, core::Environment::production, "a");
    auto const other = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "a");
    auto const token = DeviceToken::make();
    CHECK(token.hash(one) == token.hash(one));
    CHECK(token.hash(one) != token.hash(other));
    CHECK(DeviceToken{core::Uuid::v7(), token.secret}.hash(one) != token.hash(one));
    CHECK(token.hash(one).find(token.secret) == std::string::npos);
}

TEST_CASE("the cookie for a page of another site is partitioned, and requires TLS on all hosts", "[device]")
{
    auto const token = DeviceToken::make();
    for (auto const* host : {"demo.auth.localhost:8102", "demo.auth.example.com"})
        CHECK(device_cookie(token, host, true) ==
              "mfa_device=" + token.text() +
                  "; Path=/; Max-Age=2592000; HttpOnly; SameSite=None; Secure; Partitioned");
}

TEST_CASE("the cookie requires TLS except on local hosts", "[device]")
{
    for (auto const* host :
        {"localhost", "LOCALHOST:8102", "demo.auth.localhost:80", "demo.auth.localhost."}) {
        INFO(host);
        CHECK(auth::token::is_local(host));
    }
    for (auto const* host : {"", "example.com", "localhost.example.com", "notlocalhost", "127.0.0.1"}) {
        INFO(host);
        CHECK_FALSE(auth::token::is_local(host));
    }
    auto const token = DeviceToken::make();
    auto const local = "mfa_device=" + token.text() + "; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax";
    CHECK(device_cookie(token, "demo.auth.localhost:8102", false) == local);
    CHECK(device_cookie(token, "demo.auth.example.com", false) == local + "; Secure");
}

TEST_CASE("a message contains all required parts in at most two segments", "[message]")
{
    auto const text = sms_code_text("Demo", "demo", "Tetrad", "123456");
    CHECK(text == "Demo: 123456 is your verification code, sent by Tetrad. Msg frequency varies. "
                  "Msg & data rates may apply. Reply STOP to opt out, HELP for help.");

    struct Case {
        std::string brand;
        std::string shown;
    };

    for (auto const& [brand, shown] : {Case{"Caf\u00e9", "Caf\u00e9"}, Case{"\u0141\u00f3d\u017a", "Lodz"},
             Case{"\u65e5\u672c", "demo"}, Case{"  ", "demo"}, Case{"A\nB", "A B"}}) {
        INFO(brand);
        CHECK(sms_code_text(brand, "demo", "Tetrad", "123456").starts_with(shown + ": 123456 "));
    }
    std::string const provider(max_provider_septets, 'p');
    for (std::size_t size = 1; size <= 400; ++size) {
        std::string brand;
        for (std::size_t i = 0; i < size; ++i)
            brand += i % 2 == 0 ? "\u20ac" : "x";
        auto const long_text = sms_code_text(brand, "demo", provider, "123456");
        REQUIRE(sms::gsm7::septets(long_text) != sms::gsm7::none);
        // Two segments, with any character at the boundary.
        auto const first = sms::gsm7::cut(long_text, 153);
        REQUIRE(sms::gsm7::septets(std::string_view(long_text).substr(first.size())) <= 153);
        REQUIRE(long_text.find(": 123456 is your") != std::string::npos);
        REQUIRE(long_text.ends_with("HELP for help."));
    }
}

TEST_CASE("codes have 6 digits", "[message]")
{
    std::set<std::string> codes;
    bool leading_zero = false;
    for (int i = 0; i < 1000; ++i) {
        auto const code = make_sms_code();
        REQUIRE(code.size() == 6);
        REQUIRE(code.find_first_not_of("0123456789") == std::string::npos);
        leading_zero |= code[0] == '0';
        codes.insert(code);
    }
    CHECK(codes.size() > 990);
    CHECK(leading_zero);
}

TEST_CASE("an address is counted by its network", "[network]")
{
    SECTION("for a subscriber, the whole IPv4 address or the IPv6 /64")
    {
        CHECK(subscriber_network_of("203.0.113.9") != subscriber_network_of("203.0.113.8"));
        CHECK(subscriber_network_of("2001:db8:1:2:3:4:5:6") == subscriber_network_of("2001:db8:1:2::1"));
        CHECK(subscriber_network_of("2001:db8:1:2::1") != subscriber_network_of("2001:db8:1:3::1"));
    }
    SECTION("the whole IPv4 address or the IPv6 /48")
    {
        CHECK(network_of("203.0.113.9") != network_of("203.0.113.8"));
        CHECK(network_of("2001:db8:1:2:3:4:5:6") == network_of("2001:db8:1:ffff::1"));
        CHECK(network_of("2001:db8:1:2::1") != network_of("2001:db8:2:2::1"));
    }
    SECTION("for guesses of one account, the IPv4 /24 or the IPv6 /48")
    {
        CHECK(wide_network_of("203.0.113.9") == wide_network_of("203.0.113.255"));
        CHECK(wide_network_of("203.0.113.9") != wide_network_of("203.0.112.9"));
        CHECK(wide_network_of("2001:db8:1:2:3:4:5:6") == wide_network_of("2001:db8:1:ffff::1"));
        CHECK(wide_network_of("2001:db8:1::1") != wide_network_of("2001:db8:2::1"));
    }
    for (auto const of : {subscriber_network_of, network_of, wide_network_of}) {
        CHECK(of("nonsense") == "nonsense");
        CHECK(of("::ffff:203.0.113.9") == of("203.0.113.9")); // an IPv4 client on an IPv6 socket
        CHECK(of("fe80::1%1") == of("fe80::2"));
        CHECK(of("203.0.113.9") != of("::cb00:7109"));
    }
}

TEST_CASE("a page is of another site if its registrable domain differs from the host's", "[site]")
{
    std::string const host = "demo.auth.example.com";
    for (auto const* same : {"https://app.example.com", "https://example.com:8443", "https://APP.Example.COM",
             "https://demo.auth.example.com", "https://example.com."}) {
        INFO(same);
        CHECK_FALSE(is_cross_site(same, host));
    }
    for (auto const* other : {"https://shop.example", "https://example.org", "https://notexample.com",
             "https://example.com.evil.net", "https://192.0.2.1", "https://[2001:db8::1]:8443", "https://com",
             "https://localhost:3000"}) {
        INFO(other);
        CHECK(is_cross_site(other, host));
    }
    for (auto const* not_https : {"http://shop.example", "null", "", "shop.example", "file://"}) {
        INFO(not_https);
        CHECK_FALSE(is_cross_site(not_https, host));
    }
    // Domains below a public suffix belong to different customers.
    CHECK(is_cross_site("https://a.co.uk", "demo.b.co.uk"));
    CHECK(is_cross_site("https://one.github.io", "two.github.io"));
    CHECK_FALSE(is_cross_site("https://app.b.co.uk", "demo.b.co.uk:8102"));
    // A host without a registrable domain is a site of its own.
    CHECK(is_cross_site("https://a.github.io", "github.io"));
    CHECK_FALSE(is_cross_site("https://github.io", "github.io"));
    CHECK(is_cross_site("https://192.0.2.1", "198.51.2.1"));
    CHECK_FALSE(is_cross_site("https://192.0.2.1:8443", "192.0.2.1:8102"));
    CHECK_FALSE(is_cross_site("https://[2001:db8::1]", "[2001:db8::1]:8102"));
    CHECK(is_cross_site("https://shop.example", "demo.auth.localhost:8102"));
}

TEST_CASE("a tenant's brand is a name, and no message of its own", "[brand]")
{
    auto const fault_of = [](std::string_view brand) {
        auto const fault = brand_fault(brand);
        return fault ? std::string(fault->code) : std::string();
    };
    SECTION("names")
    {
        for (auto const* name : {"A", "7", "Demo", "AT&T", "O'Neil's Pub", "Smith & Sons", "Jean-Luc",
                 "St. Mary", "Dr. Oetker", "J. Crew", "A. Lange & S\u00f6hne", "S.p.A.", "U.S. Mail",
                 "Acme Inc.", "Studio 54", "7-11", "24-7", "Route 666 B7", "\u0414\u0435\u043c\u043e",
                 "\u30c7\u30e2", "\u0938\u094d\u0935\u093e\u0938\u094d\u0925\u094d\u092f",
                 "M\u00fcller GmbH & Co. KG", "Pacific Trading Co. Ltd"}) {
            INFO(name);
            CHECK(fault_of(name).empty());
        }
    }
    SECTION("1 to 30 characters")
    {
        CHECK(fault_of(std::string(30, 'x')).empty());
        CHECK(fault_of(std::string(31, 'x')) == "too_long");
        std::string composed, decomposed;
        for (int i = 0; i < 30; ++i) {
            composed += "\u00e9";
            decomposed += "e\u0301";
        }
        CHECK(fault_of(composed).empty());
        CHECK(fault_of(decomposed).empty());
        CHECK(fault_of("") == "format");
    }
    SECTION("letters, digits, spaces and four other characters")
    {
        for (auto const* wrong : {"Acme, Inc", "a:b", "a/b", "a@b", "(Acme)", "\"Acme\"", "Acme!", "Acme?",
                 "a_b", "Acme\u2122", "\u2019s", "a\tb", "a\u00a0b", "Acme\U0001f600", "\u3164", "a\u200bb",
                 "\u0301a", "1\u0301", " ", "...", "bit\u3002ly", "\u2460"}) {
            INFO(wrong);
            CHECK(fault_of(wrong) == "format");
        }
    }
    SECTION("no four digits in a row")
    {
        for (auto const* wrong : {"Code 1234", "12 34", "1-2-3-4", "555-0123", "10.0.0.1",
                 "\u0661\u0662\u0663\u0664", "\uff11\uff12\uff13\uff14", "12 & 34",
                 "12\u4e2d34"}) { // text messages leave Chinese characters out
            INFO(wrong);
            CHECK(fault_of(wrong) == "digits");
        }
    }
    SECTION("no domain name")
    {
        for (auto const* wrong : {"bit.ly", "Visit evil.com", "evil-site.com", "a.b.co", "Win at bit.ly now",
                 "bit. ly", "bit .ly", "bit . ly", "bit.'ly", "bit. LY", "evil. co. uk",
                 "\u043f\u043e\u0447\u0442\u0430.\u0440\u0444", "\u0431\u0438\u0442.\u043b\u044b",
                 "b\u00fccher.de", "x.xn--p1ai", "St.Mary", "a.b2",
                 "bit. \u4e2dl\u4e2dy"}) { // in a text message: `bit. ly`
            INFO(wrong);
            CHECK(fault_of(wrong) == "domain_name");
        }
    }
}
