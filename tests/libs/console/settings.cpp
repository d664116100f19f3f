#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace console_test;
using Catch::Contains;

namespace {

core::Scope const production = core::Scope::of(core::TenantId{1}, core::Environment::production, "acme");
core::Scope const sandbox = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "acme");

/// The message of the error for these variables.
std::string fault_of(std::map<std::string, std::string> const& variables)
{
    try {
        read(variables);
    } catch (core::ConfigError const& error) {
        return error.what();
    }
    return "none";
}

} // namespace

TEST_CASE("the URLs of the services contain the label of the tenant's host")
{
    auto const settings = read({{"CONSOLE_FEEDBACK_URL", "https://{tenant}.feedback.example.com"},
        {"AUTH_CONSOLE_NOTIFY_URL", " http://{tenant}.notify.localhost:8103// "}});
    CHECK(settings.feedback.value().of(production) == "https://acme.feedback.example.com");
    CHECK(settings.feedback.value().of(sandbox) == "https://acme-sandbox.feedback.example.com");
    CHECK(settings.notify.value().of(sandbox) == "http://acme-sandbox.notify.localhost:8103");
    CHECK_FALSE(settings.billing);
    CHECK(settings.uploads.empty());
}

TEST_CASE("a URL that the console cannot call is refused at start")
{
    for (auto const* wrong : {"https://feedback.example.com", "{tenant}.feedback.example.com",
             "ftp://{tenant}.feedback.example.com", "https://{tenant}", "https://x.{tenant}.example.com",
             "https://{tenant}.example.com/feedback", "https://{tenant}.Example.com",
             "https://{tenant}.example.com; script-src *", "https://{tenant}.example.com 'unsafe-inline'",
             "https://{tenant}.example.com,https://evil.example", "https://user@{tenant}.example.com",
             "https://{tenant}.example.com:port", "https://{tenant}.example.com?x",
             "https://{tenant}.{tenant}.example.com", "nonsense"}) {
        CAPTURE(wrong);
        for (auto const* name : {"CONSOLE_FEEDBACK_URL", "CONSOLE_NOTIFY_URL", "CONSOLE_BILLING_URL"})
            CHECK_THAT(fault_of({{name, wrong}}), Contains(name));
    }
}

TEST_CASE("the origins of attachment stores are a list")
{
    auto const settings = read(
        {{"CONSOLE_UPLOAD_ORIGINS", "https://files.s3.eu-central-1.amazonaws.com, http://127.0.0.1:9000,"}});
    CHECK(settings.uploads ==
          std::vector<std::string>{"https://files.s3.eu-central-1.amazonaws.com", "http://127.0.0.1:9000"});
    for (auto const* wrong : {"files.example.com", "https://files.example.com/bucket", "*",
             "https://*.example.com", "https://a.example.com https://b.example.com",
             "https://a.example.com; script-src *", "https://", "data:", "https://user@a.example.com"}) {
        CAPTURE(wrong);
        CHECK_THAT(fault_of({{"CONSOLE_UPLOAD_ORIGINS", wrong}}), Contains("CONSOLE_UPLOAD_ORIGINS"));
    }
}
