#include "mail/address.hpp"

#include <catch2/catch.hpp>

using mail::Address, mail::DomainName;

TEST_CASE("domain names are validated")
{
    CHECK(DomainName::parse("Example.COM")->text() == "example.com");
    CHECK(DomainName::parse("xn--Bcher-kva.example")->text() == "xn--bcher-kva.example");
    CHECK(DomainName::parse("a-b.c1.example"));
    std::string const label(63, 'a');
    CHECK(DomainName::parse(label + ".example"));
    std::string const bad[] = {"", ".", "localhost", "example.", ".example", "a..example", "-a.example",
        "a-.example", "a_b.example", "bücher.example", "exa mple.com", "127.0.0.1", "example.123",
        label + "a.example", "a.example\n", std::string("a.exam\0ple", 10), "user@example.com",
        "http://example.com", label + '.' + label + '.' + label + '.' + label};
    for (auto const& text : bad) {
        INFO(text);
        CHECK_FALSE(DomainName::parse(text));
    }
    auto const domain = *DomainName::parse("example.com");
    CHECK(domain.holds("example.com"));
    CHECK(domain.holds("mail.example.com"));
    CHECK_FALSE(domain.holds("notexample.com"));
    CHECK_FALSE(domain.holds("example.com.evil.example"));
    CHECK_FALSE(domain.holds("com"));
}

TEST_CASE("only addresses that SMTP can carry are accepted")
{
    CHECK(Address::parse("Ada.Lovelace+x@Example.COM")->text() == "Ada.Lovelace+x@example.com");
    CHECK(Address::parse("ada@example.com")->domain() == "example.com");
    CHECK(Address::parse(std::string(64, 'a') + "@example.com"));
    std::string const bad[] = {"", "ada", "@example.com", "ada@", "a b@example.com", ".ada@example.com",
        "ada.@example.com", "a..b@example.com", "ada@example..com", "ada@-example.com", "\"a b\"@example.com",
        "ada@[127.0.0.1]", "äda@example.com", "ada@exämple.com", "ada@example.com>", "<ada@example.com",
        "ada@example.com\r\nRCPT TO:<eve@example.com>", "ada@example.com\n", "ada@example.com, b@example.com",
        std::string(65, 'a') + "@example.com", "ada@" + std::string(251, 'a')};
    for (auto const& text : bad) {
        INFO(text);
        CHECK_FALSE(Address::parse(text));
    }
}
