#include "console/page.hpp"

#include "core/error.hpp"
#include "fixture.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

using namespace console_test;

namespace {

std::string error_of(auto const& call)
{
    try {
        call();
    } catch (core::Error const& error) {
        return std::string(error.code().name);
    }
    return "none";
}

console::Settings const nothing;

} // namespace

TEST_CASE("every path without a file name shows the page")
{
    for (auto const* path : {"", "feedback", "users/ada@example.com", "notify/broadcasts/x/y", "callback"}) {
        CAPTURE(path);
        auto const response = console::page(asking(), bundle(), nothing, path);
        CHECK(response.status == 200);
        CHECK(body_of(response).starts_with("<!doctype html>"));
        CHECK(header(response, "Cache-Control") == "no-cache");
        CHECK(header(response, "X-Frame-Options") == "DENY");
        CHECK(header(response, "Referrer-Policy") == "strict-origin");
        CHECK(header(response, "Cross-Origin-Opener-Policy") == "same-origin");
        CHECK(header(response, "Cross-Origin-Resource-Policy") == "same-origin");
    }
    for (auto const* path :
        {"x.js", "a/b.css", "assets", "assets/x/y", "assets/app-A1b2C3d4.js", "index.html"})
        CHECK(error_of([&] { console::page(asking(), bundle(), nothing, path); }) == "NOT_FOUND");
    auto const icon = console::page(asking(), bundle(), nothing, "favicon.svg");
    CHECK(icon.content_type == "image/svg+xml");
    CHECK(header(icon, "Cache-Control") == "no-cache");
}

TEST_CASE("files are served by their name in assets/")
{
    auto const file = console::asset(asking(), bundle(), "app-A1b2C3d4.js");
    CHECK(file.status == 200);
    CHECK(header(file, "Cross-Origin-Resource-Policy") == "same-origin");
    for (auto const* name : {"app.js", "", "../index.html", "../favicon.svg"})
        CHECK(error_of([&] { console::asset(asking(), bundle(), name); }) == "NOT_FOUND");
}

TEST_CASE("the policy allows requests only to the tenant's own hosts and to the attachment stores")
{
    auto const settings = read({{"CONSOLE_FEEDBACK_URL", "https://{tenant}.feedback.example.com"},
        {"CONSOLE_BILLING_URL", "http://{tenant}.billing.localhost:8104/"},
        {"CONSOLE_UPLOAD_ORIGINS", "https://files.s3.eu-central-1.amazonaws.com"}});
    auto const policy = header(console::page(asking(), bundle(), settings, ""), "Content-Security-Policy");
    CHECK(policy == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                    "font-src 'self'; "
                    "connect-src 'self' https://acme-sandbox.feedback.example.com "
                    "http://acme-sandbox.billing.localhost:8104 "
                    "https://files.s3.eu-central-1.amazonaws.com; frame-ancestors 'none'; base-uri 'none'; "
                    "form-action 'self'; require-trusted-types-for 'script'");
    auto const production = core::Scope::of(core::TenantId{1}, core::Environment::production, "acme");
    CHECK(console::policy_of(settings, production).find(" https://acme.feedback.example.com ") !=
          std::string::npos);
    CHECK(console::policy_of(nothing, production).find("connect-src 'self'; ") != std::string::npos);
    // A cached page gets the current policy, too.
    auto const page = console::page(asking(), bundle(), nothing, "");
    auto const again =
        console::page(asking({{"If-None-Match", header(page, "ETag")}}), bundle(), settings, "");
    CHECK(again.status == 304);
    CHECK(header(again, "Content-Security-Policy") == policy);
}

TEST_CASE("the configuration names the tenant's hosts, and null for services without a URL")
{
    auto const settings = read({{"CONSOLE_FEEDBACK_URL", "https://{tenant}.feedback.example.com"},
        {"CONSOLE_NOTIFY_URL", "https://{tenant}.notify.example.com"}});
    auto const response = console::config(asking(), bundle(), settings,
        {.auth_url = "https://acme-sandbox.auth.example.com",
            .other_url = "https://acme.auth.example.com",
            .name = "Acme"});
    CHECK(response.content_type == "application/json");
    CHECK(header(response, "Cache-Control") == "no-store");
    CHECK(boost::json::parse(response.body) ==
          boost::json::value{{"feedbackUrl", "https://acme-sandbox.feedback.example.com"},
              {"notifyUrl", "https://acme-sandbox.notify.example.com"}, {"billingUrl", nullptr},
              {"authUrl", "https://acme-sandbox.auth.example.com"},
              {"otherEnvironmentUrl", "https://acme.auth.example.com"}, {"tenant", "acme"},
              {"environment", "sandbox"}, {"displayName", "Acme"}});
}

TEST_CASE("without a built application, all routes of the console are 404")
{
    console::Bundle const empty({});
    CHECK(error_of([&] { console::page(asking(), empty, nothing, ""); }) == "NOT_FOUND");
    CHECK(error_of([&] { console::page(asking(), empty, nothing, "users"); }) == "NOT_FOUND");
    CHECK(error_of([&] { console::asset(asking(), empty, "x.js"); }) == "NOT_FOUND");
    CHECK(error_of([&] { console::config(asking(), empty, nothing, {}); }) == "NOT_FOUND");
}
