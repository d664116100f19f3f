#include "domain/breach_range.hpp"
#include "domain/password_policy.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>

using namespace auth_mfa;

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
