#include "mail_world.hpp"

#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <regex>

namespace json = boost::json;

MailWorld::MailWorld(testing::Variables environment) : KeyedWorld(feedback::definition())
{
    environment.merge(
        testing::Variables{{"BLOB_DIR", directory.path() + "/blobs"}, {"EMAIL_PROVIDER", "smtp"},
            {"SMTP_URL", server.url()}, {"EMAIL_FROM", "Feedback <feedback@mail.example>"}});
    begin(std::move(environment));
}

testing::HttpClient MailWorld::as(std::string const& subject, std::string const& email, bool is_verified,
    std::string const& role, std::string const& tenant) const
{
    return with(issuer.token({.tenant = testing::slug_of(tenant),
                                 .environment = testing::environment_of(tenant),
                                 .subject = subject,
                                 .email = email,
                                 .role = role},
                    {{"email_verified", is_verified}}),
        tenant);
}

void MailWorld::set(json::object const& settings) const
{
    testing::require(200, as_backend().patch("/v1/settings", testing::body(settings)));
}

void MailWorld::settle() const
{
    REQUIRE(testing::eventually([&] {
        return postgres.query(R"(
            SELECT count(*)
            FROM jobs
            WHERE queue IN ('thread_mails', 'mail_fan_outs') AND (lease_owner IS NOT NULL OR run_at <= jobs_now()))") ==
               "0";
    }));
}

void MailWorld::advance(std::chrono::seconds by)
{
    clock.advance(by);
    settle();
}

std::vector<json::object> MailWorld::mails(std::size_t count) const
{
    settle();
    return server.mails(count);
}

std::vector<json::object> MailWorld::mails_to(std::string const& address) const
{
    settle();
    std::vector<json::object> found;
    for (auto const& mail : server.mails())
        if (mail.at("envelope").at("to").at(0).as_string() == address) found.push_back(mail);
    return found;
}

std::string header(json::object const& mail, std::string const& name)
{
    auto const raw = std::string(mail.at("raw").as_string());
    auto const head = raw.substr(0, raw.find("\r\n\r\n") + 2);
    auto const begin = head.find("\r\n" + name + ": ");
    if (begin == std::string::npos) return {};
    auto const value = head.substr(begin + name.size() + 4);
    return value.substr(0, value.find("\r\n"));
}

std::string whole(json::object const& mail)
{
    std::string text(mail.at("raw").as_string());
    for (auto const* part : {"subject", "text", "html"})
        text.append("\n").append(mail.at(part).as_string());
    return text;
}

std::string unsubscribe_path(json::object const& mail)
{
    std::smatch found;
    auto const value = header(mail, "List-Unsubscribe");
    INFO(value);
    REQUIRE(std::regex_match(value, found, std::regex(R"(<http://[^/]+(/unsubscribe/[A-Za-z0-9_-]+)>)")));
    return found[1];
}
