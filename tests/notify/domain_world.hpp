#pragma once

#include "mailauth.hpp"
#include "support/dns.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

/// Helpers for tests of custom domains. dnsmasq is the DNS server, and mailauth verifies signatures. Both are
/// independent software.
namespace domain_tests {

namespace json = boost::json;
using testing::DnsServer, testing::signatures;

/// A World with `dns` as resolver.
struct DomainWorld {
    DnsServer dns;
    World world{
        {.environment = {{"DNS_SERVERS", dns.address()}, {"EMAIL_FROM", "Shared <post@shared.example>"}}}};

    testing::HttpResponse verify(std::string const& domain = "example.com",
        std::string const& tenant = "demo-sandbox", std::string const& name = "Demo Shöp") const
    {
        return world.as_backend(tenant).post("/v1/domains/verify",
            body({{"domain", domain}, {"fromEmail", "hello@" + domain}, {"fromName", name}}));
    }

    json::value verified(
        std::string const& domain = "example.com", std::string const& tenant = "demo-sandbox") const
    {
        auto const r = verify(domain, tenant);
        INFO(r.body);
        REQUIRE(r.status == 200);
        return r.json();
    }

    testing::HttpResponse ask(std::string const& tenant = "demo-sandbox") const
    {
        return world.as_backend(tenant).get("/v1/domains/status");
    }

    /// Removes all records, and moves the clock by 72 hours after a check has found that they are gone.
    void lose(std::string const& tenant = "demo-sandbox")
    {
        dns.serve({});
        REQUIRE(text(ask(tenant).json(), "failingSince") != "null");
        world.clock.advance(72h);
    }

    /// When the records of the domain were found wrong first, as stored; "" if they are right.
    std::string failing_since() const
    {
        return world.postgres.query("SELECT failing_since FROM email_domains");
    }

    std::string status(std::string const& tenant = "demo-sandbox") const
    {
        auto const r = ask(tenant);
        INFO(r.body);
        REQUIRE(r.status == 200);
        return text(r.json(), "status");
    }

    /// Sends an email, waits for it, and returns the message.
    std::string mailed(std::string const& tenant = "demo-sandbox") const
    {
        auto const id =
            world.send({{"templateName", "welcome"}, {"channel", "email"}, {"to", "ada@example.org"},
                           {"variables", json::object{{"name", "Ada"}}}},
                tenant);
        REQUIRE(world.becomes(id, "sent", tenant));
        for (auto const& mail : world.mails()) {
            if (mail.find("Message-ID: <" + id + '@') != std::string::npos) return mail;
        }
        FAIL("the message is not in the outbox");
        return {};
    }
};

/// The DNS records that a response requires.
inline DnsServer::Records records_of(json::value const& answer)
{
    DnsServer::Records records;
    for (auto const& r : answer.at("dnsRecords").as_array())
        records[text(r, "name")].push_back(text(r, "value"));
    return records;
}

inline DnsServer::Records operator+(DnsServer::Records a, DnsServer::Records const& b)
{
    for (auto const& [name, texts] : b)
        a[name].insert(a[name].end(), texts.begin(), texts.end());
    return a;
}

/// The status of each record: `ownership verified, dkim missing, ...`.
inline std::string statuses_of(json::value const& answer)
{
    std::string statuses;
    for (auto const& r : answer.at("dnsRecords").as_array())
        statuses += (statuses.empty() ? "" : ", ") + text(r, "purpose") + ' ' + text(r, "status");
    return statuses;
}

/// A header field of a message, unfolded; "" if absent.
inline std::string header(std::string const& message, std::string const& name)
{
    std::istringstream lines(message.substr(0, message.find("\r\n\r\n")));
    std::string value;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with('\r')) line.pop_back();
        bool const folded = line.starts_with(' ') || line.starts_with('\t');
        if (!folded) inside = line.starts_with(name + ": ");
        if (inside) value += folded ? line : line.substr(name.size() + 2);
    }
    return value;
}

/// The audit entries about domains, oldest first: `domain.created, ...`.
inline std::string audited(World const& world, std::string const& tenant = "demo-sandbox")
{
    auto client = world.as_backend(tenant);
    std::string actions;
    for (auto const& entry : all_items(client, "/v1/audit")) {
        auto const action = text(entry, "action");
        if (action.starts_with("domain.")) actions = action + (actions.empty() ? "" : ", ") + actions;
    }
    return actions;
}

} // namespace domain_tests
