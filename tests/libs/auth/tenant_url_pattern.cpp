#include "auth/tenant_url_pattern.hpp"

#include <catch2/catch.hpp>

using auth::TenantUrlPattern;

TEST_CASE("a pattern gives the URL of each environment of a tenant")
{
    auto const pattern = TenantUrlPattern::parse(" https://{tenant}.feedback.example.com// ").value();
    auto const of = [&](core::Environment environment) {
        return pattern.of(core::Scope::of(core::TenantId{1}, environment, "acme"));
    };
    CHECK(of(core::Environment::production) == "https://acme.feedback.example.com");
    CHECK(of(core::Environment::sandbox) == "https://acme-sandbox.feedback.example.com");
    CHECK(pattern.is_origin());
}

TEST_CASE("a pattern is an http or https URL with a place for the tenant")
{
    for (auto const* wrong : {"", "{tenant}", "https://feedback.example.com", "ftp://{tenant}.example.com",
             "{tenant}.example.com", "https://{tenant}.example.com:port"})
        CHECK_FALSE(TenantUrlPattern::parse(wrong));
    CHECK(TenantUrlPattern::parse("http://127.0.0.1:8101/{tenant}/api"));
}

TEST_CASE("a pattern is an origin if only a host and a port follow the tenant")
{
    for (auto const* origin : {"https://{tenant}.example.com", "http://{tenant}.feedback.localhost:8101"})
        CHECK(TenantUrlPattern::parse(origin).value().is_origin());
    for (auto const* other :
        {"https://{tenant}.example.com/feedback", "https://feedback.example.com/{tenant}",
            "https://x-{tenant}.example.com", "https://{tenant}.Example.com",
            "https://{tenant}-x.example.com", "https://{tenant}.example.com?x",
            "https://{tenant}.{tenant}.com", "https://user@{tenant}.example.com"}) {
        CAPTURE(other);
        auto const pattern = TenantUrlPattern::parse(other);
        CHECK((!pattern || !pattern->is_origin()));
    }
}
