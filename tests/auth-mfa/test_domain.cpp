#include "auth/token_claims.hpp"
#include "crypto/encoding.hpp"
#include "domain/breach_range.hpp"
#include "domain/limits.hpp"
#include "domain/network.hpp"
#include "domain/password_policy.hpp"
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
    CHECK(device_cookie(token, "demo.auth.localhost:8102") == local);
    CHECK(device_cookie(token, "demo.auth.example.com") == local + "; Secure");
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

TEST_CASE("an address is counted by its network: the whole IPv4 address or the IPv6 /64", "[network]")
{
    CHECK(network_of("203.0.113.9") == "203.0.113.9");
    CHECK(network_of("2001:db8:1:2:3:4:5:6") == network_of("2001:db8:1:2:ffff::1"));
    CHECK(network_of("2001:db8:1:2::1") != network_of("2001:db8:1:3::1"));
    CHECK(network_of("nonsense") == "nonsense");
}

namespace {

/// The code of the password's fault; "" if there is none.
std::string fault_of(
    std::string const& password, std::string_view email = "", std::string const* current = nullptr)
{
    auto const fault = password_fault(password, email, current);
    return fault ? std::string(fault->code) : "";
}

std::string repeated(std::string_view unit, std::size_t size)
{
    std::string text;
    while (text.size() < size)
        text += unit;
    text.resize(size);
    return text;
}

} // namespace

TEST_CASE("a password of less than 20 bits is too weak", "[password]")
{
    for (auto const* weak : {"password", "Password1!", "P@ssw0rd", "qwertyuiop", "12345678", "iloveyou",
             "aaaaaaaa", "19871987", "letmein1", "abcdefgh", "asdfghjkl"}) {
        INFO(weak);
        CHECK(password_bits(weak) < 20);
        CHECK(fault_of(weak) == "too_weak");
    }
    for (auto const* strong :
        {"correct horse battery", "k9#mQz!w", "tetrad-demo", "\u5bc6\u7801\u5f88\u957f\u5f88\u957f\u7684"}) {
        INFO(strong);
        CHECK(password_bits(strong) >= 20);
        CHECK(fault_of(strong).empty());
    }
}

TEST_CASE("a long password is as strong as its strongest part", "[password]")
{
    // A repeated weak unit stays weak, also where the unit does not divide the length.
    for (auto const* unit :
        {"a", "ab", "password", "password1", "qwerty", "letmein", "monkey", "abc123", "24"}) {
        for (std::size_t const size : {33U, 36U, 50U, 64U, 100U, 128U}) {
            INFO(unit << " " << size);
            CHECK(fault_of(repeated(unit, size)) == "too_weak");
        }
    }
    CHECK(fault_of("abcdefghijklmnopqrstuvwxyz0123456789") == "too_weak");
    CHECK(fault_of(repeated("1", 64) + "2") == "too_weak");
    // The strong part may be anywhere in the first 128 bytes.
    CHECK(fault_of("k9#mQz!w" + repeated("a", 120)).empty());
    CHECK(fault_of(repeated("a", 120) + "k9#mQz!w").empty());
    CHECK(fault_of(repeated("\u00e4q", 192)).empty());
    CHECK(fault_of("correct horse battery staple correct horse battery staple").empty());
}

TEST_CASE("the estimate of a hostile password takes about as long as a hash", "[password]")
{
    // Walks on the keyboard, for which libzxcvbn takes more than a second if it gets 100 characters. The
    // first start makes each of the four estimated parts such a walk.
    double longest = 0;
    for (auto const& start : {repeated("24", 32) + repeated("54", 32), std::string(), std::string("x")}) {
        for (auto const* unit : {"78", "24", "5456", "aaaa", "qw"}) {
            auto const password = start + repeated(unit, 100);
            auto const begun = std::chrono::steady_clock::now();
            CHECK(password_bits(password) >= 0);
            std::chrono::duration<double, std::milli> const took = std::chrono::steady_clock::now() - begun;
            longest = std::max(longest, took.count());
        }
    }
    WARN("the longest estimate took " << longest << " ms");
}

TEST_CASE("a password must not be the account's email or derive from it", "[password]")
{
    std::string const email = "ada.lovelace-king@analytical-engine.example.com";
    CHECK(fault_of(email, email) == "same_as_email");
    CHECK(fault_of("Ada.Lovelace-King@Analytical-Engine.example.COM", email) == "same_as_email");
    CHECK(fault_of("ada.lovelace-king", email) == "same_as_email");
    CHECK(fault_of("ADA.LOVELACE-KING", email) == "same_as_email");
    for (auto const* derived :
        {"lovelace", "Lovelace1", "analytical-engine", "ada.lovelace", "ecalevol", "l0velace!"}) {
        INFO(derived);
        CHECK(fault_of(derived, email) == "too_weak");
    }
    CHECK(fault_of("correct horse battery", email).empty());
    CHECK(fault_of("tetrad-demo", "").empty());
    CHECK(fault_of("tetrad-demo", "tetrad-demo") == "same_as_email");
    CHECK(fault_of("tetrad-demo", "@@@").empty());
}

TEST_CASE("a new password must differ from the current one", "[password]")
{
    std::string const current = "correct horse battery";
    CHECK(fault_of(current, "", &current) == "same_as_current");
    CHECK(fault_of("Correct horse battery", "", &current).empty());
}

TEST_CASE("a breach is found by the rest of its hash, and padding does not count", "[breach]")
{
    // From the documentation of the Pwned Passwords API, for the prefix 21BD1.
    std::string const body = "0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n"
                             "00D4F6E8FA6EECAD2A3AA415EEC418D38EC:2\r\n"
                             "011053FD0102E94D6AE2F8B83D76FAF94F6:0\r\n"
                             "012a7ca357541f0ac487871feec1891c49c:10434004";
    CHECK(count_in_range(body, "0018A45C4D1DEF81644B54AB7F969B88D65") == 1U);
    CHECK(count_in_range(body, "00D4F6E8FA6EECAD2A3AA415EEC418D38EC") == 2U);
    CHECK(count_in_range(body, "011053FD0102E94D6AE2F8B83D76FAF94F6") == 0U);
    CHECK(count_in_range(body, "012A7CA357541F0AC487871FEEC1891C49C") == 10434004U);
    CHECK(count_in_range(body, "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF") == 0U);
    CHECK(count_in_range("", "0018A45C4D1DEF81644B54AB7F969B88D65") == 0U);
}

TEST_CASE("a response that is no range of hashes is recognised", "[breach]")
{
    std::string const suffix = "0018A45C4D1DEF81644B54AB7F969B88D65";
    for (auto const* body : {"<html>", "0018A45C4D1DEF81644B54AB7F969B88D65",
             "0018A45C4D1DEF81644B54AB7F969B88D65:", "0018A45C4D1DEF81644B54AB7F969B88D65:x",
             "0018A45C4D1DEF81644B54AB7F969B88D65:-1", "0018A45C4D1DEF81644B54AB7F969B88D6:1",
             "X018A45C4D1DEF81644B54AB7F969B88D65:1", "OK\n",
             "0018A45C4D1DEF81644B54AB7F969B88D65:99999999999999999999"}) {
        INFO(body);
        CHECK_FALSE(count_in_range(body, suffix));
    }
    CHECK(count_in_range("<html>\n" + suffix + ":3", suffix) == 3U);
}
