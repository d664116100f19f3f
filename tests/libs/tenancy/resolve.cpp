#include "tenancy/resolve.hpp"

#include "core/error.hpp"

#include <catch2/catch.hpp>

namespace {

using core::Environment;
using tenancy::Resolution;
using Headers = std::vector<http::Header>;

/// `nothing`, `nothing/sandbox`, `acme/production`, `unknown`, or the error's code.
std::string outcome(
    Headers const& headers, std::string_view base_host = "feedback.localhost", bool tenant_headers = true)
{
    try {
        auto const found = tenancy::resolve(headers, tenancy::ResolveRules(base_host, tenant_headers));
        auto const environment =
            found.environment ? "/" + std::string(core::to_string(*found.environment)) : std::string();
        switch (found.kind) {
        case Resolution::Kind::nothing:
            return "nothing" + environment;
        case Resolution::Kind::unknown:
            return "unknown" + environment;
        case Resolution::Kind::tenant:
            return found.slug + environment;
        }
        return "?";
    } catch (core::Error const& error) {
        CHECK(error.code().status == 400);
        return std::string(error.code().name);
    }
}

} // namespace

TEST_CASE("the label of the host names the tenant and the environment")
{
    CHECK(outcome({{"Host", "acme.feedback.localhost"}}) == "acme/production");
    CHECK(outcome({{"Host", "acme-sandbox.feedback.localhost"}}) == "acme/sandbox");
    CHECK(outcome({{"host", "acme.feedback.localhost:8101"}}) == "acme/production");
    CHECK(outcome({{"Host", "ACME.Feedback.LocalHost"}}) == "acme/production");
    CHECK(outcome({{"Host", "Acme-SANDBOX.feedback.localhost:80"}}) == "acme/sandbox");
    CHECK(outcome({{"Host", "acme.feedback.localhost."}}) == "acme/production");
    CHECK(outcome({{"Host", "acme.feedback.localhost.:8101"}}) == "acme/production");
    CHECK(outcome({{"Host", std::string(55, 'a') + "-sandbox.feedback.localhost"}}) ==
          std::string(55, 'a') + "/sandbox");
}

TEST_CASE("the base host and other hosts name no tenant")
{
    CHECK(outcome({}) == "nothing");
    CHECK(outcome({{"Host", ""}}) == "nothing");
    CHECK(outcome({{"Host", "feedback.localhost"}}) == "nothing");
    CHECK(outcome({{"Host", "feedback.localhost:8101"}}) == "nothing");
    CHECK(outcome({{"Host", "localhost"}}) == "nothing");
    CHECK(outcome({{"Host", "127.0.0.1:8101"}}) == "nothing");
    CHECK(outcome({{"Host", "[::1]:8101"}}) == "nothing");
    CHECK(outcome({{"Host", "acme.notify.localhost"}}) == "nothing");
    CHECK(outcome({{"Host", "acmefeedback.localhost"}}) == "nothing");
    CHECK(outcome({{"Host", "acme.feedback.localhost.example.com"}}) == "nothing");
}

TEST_CASE("a host below the base host that cannot belong to a tenant is an unknown tenant")
{
    CHECK(outcome({{"Host", "a.b.feedback.localhost"}}) == "unknown");
    CHECK(outcome({{"Host", ".feedback.localhost"}}) == "unknown");
    CHECK(outcome({{"Host", "a_b.feedback.localhost"}}) == "unknown");
    CHECK(outcome({{"Host", "-a.feedback.localhost"}}) == "unknown");
    CHECK(outcome({{"Host", "-sandbox.feedback.localhost"}}) == "unknown");
    CHECK(outcome({{"Host", "a-sandbox-sandbox.feedback.localhost"}}) == "unknown");
    CHECK(outcome({{"Host", "www.feedback.localhost"}}) == "unknown");
    CHECK(outcome({{"Host", "www-sandbox.feedback.localhost"}}) == "unknown");
    CHECK(outcome({{"Host", std::string(56, 'a') + ".feedback.localhost"}}) == "unknown");
}

TEST_CASE("the base host may have a port, capitals and a trailing dot")
{
    CHECK(outcome({{"Host", "acme.feedback.localhost"}}, "Feedback.Localhost.:8101") == "acme/production");
}

TEST_CASE("X-Tenant-Slug names a tenant on any host, in production by default")
{
    for (auto const* host :
        {"feedback.localhost", "127.0.0.1:8101", "example.com", "acme.notify.localhost"}) {
        INFO(host);
        CHECK(outcome({{"Host", host}, {"X-Tenant-Slug", "acme"}}) == "acme/production");
        CHECK(outcome({{"Host", host}, {"x-tenant-slug", "acme"}, {"x-tenant-env", "production"}}) ==
              "acme/production");
        CHECK(outcome({{"Host", host}, {"X-Tenant-Env", "sandbox"}, {"X-Tenant-Slug", "acme"}}) ==
              "acme/sandbox");
    }
}

TEST_CASE("an invalid slug header is an unknown tenant")
{
    CHECK(outcome({{"X-Tenant-Slug", ""}}) == "unknown");
    CHECK(outcome({{"X-Tenant-Slug", "Acme"}}) == "unknown");
    CHECK(outcome({{"X-Tenant-Slug", "acme-sandbox"}}) == "unknown");
    CHECK(outcome({{"X-Tenant-Slug", "admin"}}) == "unknown");
    CHECK(outcome({{"X-Tenant-Slug", "a b"}, {"X-Tenant-Env", "sandbox"}}) == "unknown");
}

TEST_CASE("the environment alone names no tenant, and the credential must match it")
{
    CHECK(outcome({{"Host", "feedback.localhost"}, {"X-Tenant-Env", "sandbox"}}) == "nothing/sandbox");
    CHECK(outcome({{"X-Tenant-Env", "production"}}) == "nothing/production");
}

TEST_CASE("an unknown environment is a mismatch, with and without a tenant")
{
    for (auto const* environment : {"staging", "", "Sandbox", "PRODUCTION", "sandbox,production"}) {
        INFO(environment);
        CHECK(outcome({{"X-Tenant-Env", environment}}) == "TENANT_MISMATCH");
        CHECK(outcome({{"X-Tenant-Slug", "acme"}, {"X-Tenant-Env", environment}}) == "TENANT_MISMATCH");
        CHECK(outcome({{"Host", "acme.feedback.localhost"}, {"X-Tenant-Env", environment}}) ==
              "TENANT_MISMATCH");
    }
}

TEST_CASE("headers that agree with the host change nothing")
{
    CHECK(outcome({{"Host", "acme.feedback.localhost"}, {"X-Tenant-Slug", "acme"}}) == "acme/production");
    CHECK(
        outcome({{"Host", "acme-sandbox.feedback.localhost"}, {"X-Tenant-Slug", "acme"}}) == "acme/sandbox");
    CHECK(outcome({{"Host", "acme-sandbox.feedback.localhost"}, {"X-Tenant-Env", "sandbox"}}) ==
          "acme/sandbox");
    CHECK(outcome({{"Host", "acme.feedback.localhost"}, {"X-Tenant-Slug", "acme"},
              {"X-Tenant-Env", "production"}}) == "acme/production");
}

TEST_CASE("headers that contradict the host are a mismatch")
{
    CHECK(outcome({{"Host", "acme.feedback.localhost"}, {"X-Tenant-Slug", "other"}}) == "TENANT_MISMATCH");
    CHECK(outcome({{"Host", "acme.feedback.localhost"}, {"X-Tenant-Slug", "ACME"}}) == "TENANT_MISMATCH");
    CHECK(outcome({{"Host", "acme.feedback.localhost"}, {"X-Tenant-Slug", ""}}) == "TENANT_MISMATCH");
    CHECK(outcome({{"Host", "acme.feedback.localhost"}, {"X-Tenant-Env", "sandbox"}}) == "TENANT_MISMATCH");
    CHECK(outcome({{"Host", "acme-sandbox.feedback.localhost"}, {"X-Tenant-Env", "production"}}) ==
          "TENANT_MISMATCH");
    CHECK(outcome({{"Host", "a.b.feedback.localhost"}, {"X-Tenant-Slug", "acme"}}) == "TENANT_MISMATCH");
    CHECK(outcome({{"Host", "www.feedback.localhost"}, {"X-Tenant-Slug", "www"}}) == "TENANT_MISMATCH");
}

TEST_CASE("a repeated header must have the same value")
{
    CHECK(outcome({{"X-Tenant-Slug", "acme"}, {"x-tenant-slug", "acme"}}) == "acme/production");
    CHECK(outcome({{"X-Tenant-Slug", "acme"}, {"X-Tenant-Slug", "other"}}) == "TENANT_MISMATCH");
    CHECK(outcome({{"X-Tenant-Slug", "acme"}, {"X-Tenant-Env", "sandbox"}, {"X-Tenant-Env", "sandbox"}}) ==
          "acme/sandbox");
    CHECK(outcome({{"X-Tenant-Env", "sandbox"}, {"X-Tenant-Env", "production"}}) == "TENANT_MISMATCH");
    CHECK(outcome({{"Host", "acme.feedback.localhost"}, {"Host", "other.feedback.localhost"}}) ==
          "TENANT_MISMATCH");
}

TEST_CASE("routes without tenant headers ignore these headers")
{
    auto const look = [](Headers const& headers) { return outcome(headers, "billing.localhost", false); };
    CHECK(look({{"Host", "acme-sandbox.billing.localhost"}, {"X-Tenant-Slug", "other"},
              {"X-Tenant-Env", "x"}}) == "acme/sandbox");
    CHECK(look({{"Host", "billing.localhost"}, {"X-Tenant-Slug", "acme"}}) == "nothing");
    CHECK(look({{"X-Tenant-Env", "sandbox"}}) == "nothing");
    CHECK(look({{"Host", "a.b.billing.localhost"}}) == "unknown");
}
