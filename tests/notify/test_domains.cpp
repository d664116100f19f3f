#include "domain/dns_records.hpp"
#include "domain_world.hpp"
#include "storage/email_domains.hpp"

#include <set>
#include <thread>

using namespace notify;
using namespace domain_tests;

TEST_CASE_METHOD(DomainWorld, "a domain is verified once its records exist", "[domains]")
{
    auto const asked = verified();
    CHECK(text(asked, "domain") == "example.com");
    CHECK(text(asked, "fromEmail") == "hello@example.com");
    CHECK(text(asked, "fromName") == "Demo Shöp");
    CHECK(text(asked, "status") == "pending");
    CHECK(statuses_of(asked) == "ownership pending, dkim pending, spf pending, dmarc pending");
    auto const& records = asked.at("dnsRecords").as_array();
    for (auto const& r : records) {
        CHECK(text(r, "type") == "TXT");
        bool const required = text(r, "purpose") == "ownership" || text(r, "purpose") == "dkim";
        CHECK(r.at("required") == json::value(required));
    }
    CHECK(text(records[0], "name") == "_notify.example.com");
    CHECK(text(records[2], "value") == "v=spf1 include:shared.example ~all");

    CHECK(status() == "pending");
    CHECK(statuses_of(ask().json()) == "ownership missing, dkim missing, spf missing, dmarc missing");
    auto const wanted = records_of(asked);
    auto partial = wanted;
    partial.erase(text(records[1], "name"));
    dns.serve(partial);
    CHECK(status() == "pending");
    CHECK(statuses_of(ask().json()) == "ownership verified, dkim missing, spf verified, dmarc verified");
    partial = wanted;
    partial["_notify.example.com"] = {"notify-verification=of-somebody-else"};
    dns.serve(partial);
    CHECK(status() == "pending");
    CHECK(
        text(ask().json().at("dnsRecords").at(0), "detail") == "found: notify-verification=of-somebody-else");

    dns.serve({{text(records[0], "name"), {text(records[0], "value")}},
        {text(records[1], "name"), {text(records[1], "value")}}});
    CHECK(status() == "verified"); // the other records are optional
    dns.serve(wanted);
    CHECK(statuses_of(ask().json()) == "ownership verified, dkim verified, spf verified, dmarc verified");

    // A repeated request keeps keys and status.
    auto const again = verify("EXAMPLE.com", "demo-sandbox", "Another name");
    REQUIRE(again.status == 200);
    CHECK(text(again.json(), "status") == "verified");
    CHECK(text(again.json(), "fromName") == "Another name");
    CHECK(records_of(again.json()) == wanted);
    CHECK(audited(world) == "domain.created, domain.verified, domain.updated");
}

TEST_CASE_METHOD(DomainWorld,
    "an email is sent from the verified domain and signed, or from the shared sender if no domain is "
    "verified",
    "[domains]")
{
    world.new_template("welcome", {{"subject", "Grüße an {{name}}"},
                                      {"body", "<p>Hällo {{name}}, " + std::string(3'000, 'x') + "</p>"}});
    auto const is_shared = [&](std::string const& mail) {
        CHECK(header(mail, "From") == "\"Shared\" <post@shared.example>");
        CHECK_THAT(header(mail, "Message-ID"), Catch::EndsWith("@shared.example>"));
        CHECK(signatures(mail, dns).empty());
    };
    is_shared(mailed());
    auto const asked = verified();
    is_shared(mailed());
    dns.serve(records_of(asked));
    REQUIRE(status() == "verified");

    auto const mail = mailed();
    CHECK(header(mail, "From") == "=?UTF-8?B?RGVtbyBTaMO2cA==?= <hello@example.com>");
    // The Message-ID stays the same even if the domain is verified between two attempts.
    CHECK_THAT(header(mail, "Message-ID"), Catch::EndsWith("@shared.example>"));
    auto const signed_by = signatures(mail, dns);
    REQUIRE(signed_by.size() == 1);
    CHECK(text(signed_by[0], "result") == "pass");
    CHECK(text(signed_by[0], "domain") == "example.com");
    CHECK(text(signed_by[0], "selector") + "._domainkey.example.com" ==
          text(asked.at("dnsRecords").at(1), "name"));
    CHECK(text(signed_by[0], "aligned") == "example.com");
    CHECK(text(signed_by[0], "algorithm") == "rsa-sha256");
    CHECK(text(signed_by[0], "canonicalization") == "relaxed/relaxed");
    CHECK(signed_by[0].at("bits") == json::value(2048));
    std::set<std::string> covered;
    for (auto const& name : signed_by[0].at("headers").as_array())
        covered.insert(std::string(name.as_string()));
    CHECK(covered == std::set<std::string>{
                         "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"});

    // A change of any signed part, or an added sender, invalidates the signature.
    auto const is_broken = [&](std::string const& old_text, std::string const& new_text) {
        auto forged = mail;
        auto const at = forged.find(old_text);
        REQUIRE(at != std::string::npos);
        forged.replace(at, old_text.size(), new_text);
        CHECK(text(signatures(forged, dns).at(0), "result") != "pass");
    };
    is_broken("To: ada@", "To: eve@");
    is_broken("Subject: ", "Subject: x");
    is_broken("\r\nTo: ", "\r\nFrom: eve@evil.example\r\nTo: ");
    is_broken("xxxx", "xxxy");

    // A domain that was given up is no longer used.
    lose();
    REQUIRE(status() == "pending");
    is_shared(mailed());
    CHECK(audited(world) == "domain.created, domain.verified, domain.unverified");
}

TEST_CASE_METHOD(DomainWorld, "a failing resolver changes no status and is reported", "[domains]")
{
    auto const asked = verified();
    dns.stop();
    CHECK(status() == "pending");
    CHECK(statuses_of(ask().json()) == "ownership unknown, dkim unknown, spf unknown, dmarc unknown");
    CHECK(text(ask().json().at("dnsRecords").at(0), "detail") != "null");
    dns.serve(records_of(asked));
    REQUIRE(status() == "verified");
    dns.refuse_others({});
    CHECK(status() == "verified");
    CHECK(statuses_of(ask().json()) == "ownership unknown, dkim unknown, spf unknown, dmarc unknown");
    CHECK(ask().json().at("failingSince").is_null());
}

TEST_CASE_METHOD(DomainWorld, "a domain belongs to the tenant that verified it first", "[domains]")
{
    auto const mine = verified("example.com", "demo-sandbox");
    auto const sibling = verified("example.com", "demo");
    auto const theirs = verified("example.com", "other"); // no tenant has verified it yet
    CHECK(text(theirs, "status") == "pending");
    CHECK(records_of(mine) != records_of(theirs));
    dns.serve(records_of(mine) + records_of(sibling) + records_of(theirs));
    CHECK(status("demo-sandbox") == "verified");
    auto const refused = ask("other");
    CHECK(refused.status == 409);
    CHECK(error_of(refused) == "CONFLICT");
    CHECK(verify("example.com", "other").status == 409);
    CHECK(verify("example.com", "other-sandbox").status == 409);
    CHECK(audited(world, "other") == "domain.created");
    CHECK(status("demo") == "verified"); // the same tenant's other environment

    // Other tenants can use the domain when neither environment of the tenant has it.
    REQUIRE(world.as_backend("demo-sandbox").del("/v1/domains").status == 200);
    CHECK(ask("other").status == 409);
    REQUIRE(verify("example.net", "demo").status == 200); // replaces example.com
    CHECK(status("other") == "verified");
    CHECK(verify("example.com", "demo").status == 409);

    // Other tenants can also use the domain when its records are gone for 72 hours.
    lose("other");
    CHECK(status("other") == "pending");
    CHECK(verify("example.com", "demo").status == 200);
}

TEST_CASE_METHOD(DomainWorld,
    "if several tenants verify the same domain at the same time, only one holds the domain", "[domains]")
{
    for (int round = 0; round < 5; ++round) {
        auto const domain = "d" + std::to_string(round) + ".example";
        dns.serve(records_of(verified(domain, "demo")) + records_of(verified(domain, "other")));
        unsigned got[2] = {};
        {
            std::jthread const a([&] { got[0] = ask("demo").status; });
            std::jthread const b([&] { got[1] = ask("other").status; });
        }
        CHECK(std::multiset<unsigned>(got, got + 2) == std::multiset<unsigned>{200, 409});
        CHECK(world.postgres.query(
                  "SELECT count(*) FROM email_domains WHERE status = 'verified' AND domain = '" + domain +
                  "'") == "1");
    }
}

TEST_CASE_METHOD(DomainWorld, "concurrent requests for one domain share one key", "[domains]")
{
    world.key(); // created once, before the threads share it
    std::string answers[4];
    {
        std::vector<std::jthread> threads;
        for (auto& answer : answers)
            threads.emplace_back([&] { answer = verify().body; });
    }
    for (auto const& answer : answers)
        CHECK(answer == answers[0]);
    CHECK(audited(world) == "domain.created");
}

TEST_CASE_METHOD(DomainWorld, "another domain replaces the first", "[domains]")
{
    auto const first = verified();
    dns.serve(records_of(first));
    REQUIRE(status() == "verified");
    auto const second = verified("example.net");
    CHECK(text(second, "status") == "pending");
    CHECK(text(second, "domain") == "example.net");
    for (std::size_t i = 0; i < 2; ++i) { // each domain has its own token and key
        CHECK(text(first.at("dnsRecords").at(i), "value") != text(second.at("dnsRecords").at(i), "value"));
    }
    CHECK(text(ask().json(), "domain") == "example.net");
    CHECK(world.postgres.query("SELECT count(*) FROM email_domains") == "1");
    CHECK(world.postgres.query("SELECT count(*) FROM domain_claims") == "0");
}

TEST_CASE_METHOD(DomainWorld, "a removed domain is deleted and no longer used", "[domains]")
{
    CHECK(ask().status == 404);
    CHECK(world.as_backend().del("/v1/domains").status == 404);
    dns.serve(records_of(verified()));
    REQUIRE(status() == "verified");
    auto const removed = world.as_backend().del("/v1/domains");
    CHECK(removed.status == 200);
    CHECK(removed.json() == json::parse(R"({"deleted":true})"));
    CHECK(ask().status == 404);
    CHECK(error_of(ask()) == "NOT_FOUND");
    CHECK(world.as_backend().del("/v1/domains").status == 404);
    CHECK(world.postgres.query("SELECT count(*) FROM domain_claims") == "0");
    CHECK(audited(world) == "domain.created, domain.verified, domain.deleted");
}

TEST_CASE_METHOD(
    DomainWorld, "malformed domains and senders are refused with all faults at once", "[domains]")
{
    auto const faults = [&](json::object const& request) {
        auto const r = world.as_backend().post("/v1/domains/verify", body(request));
        CHECK(r.status == 400);
        return faults_of(r);
    };
    CHECK(faults({}) == "/domain required\n/fromEmail required\n/fromName required");
    CHECK(faults({{"domain", "localhost"}, {"fromEmail", "ada"}, {"fromName", ""}}) ==
          "/domain format\n/fromEmail format\n/fromName too_short");
    auto const with = [&](std::string const& field, std::string const& value) {
        json::object request{{"domain", "example.com"}, {"fromEmail", "a@example.com"}, {"fromName", "Demo"}};
        request[field] = value;
        return faults(request);
    };
    for (auto const* domain :
        {"bücher.example", "a..example", "127.0.0.1", "https://example.com", "-a.example"})
        CHECK(with("domain", domain) == "/domain format");
    for (auto const* address : {"a@example.net", "a@notexample.com", "a@example.com.evil.example"})
        CHECK(with("fromEmail", address) == "/fromEmail not_allowed");
    CHECK(with("fromEmail", "a@example.com\r\nX: y") == "/fromEmail format");
    for (auto const* name : {"Demo\r\nBcc: eve@example.com", "Demo\n", "De\tmo", "\x7F"})
        CHECK(with("fromName", name) == "/fromName format");
    CHECK(with("fromName", std::string(101, 'x')) == "/fromName too_long");
    CHECK(world.postgres.query("SELECT count(*) FROM email_domains") == "0");

    auto const below = world.as_backend().post(
        "/v1/domains/verify", body({{"domain", "XN--BCHER-KVA.Example"},
                                  {"fromEmail", "a@News.xn--bcher-kva.example"}, {"fromName", "Bücher"}}));
    REQUIRE(below.status == 200);
    CHECK(text(below.json(), "domain") == "xn--bcher-kva.example");
    CHECK(text(below.json(), "fromEmail") == "a@news.xn--bcher-kva.example");
}

TEST_CASE_METHOD(DomainWorld, "only keys and staff may use domains", "[domains]")
{
    auto const asked_by = [&](testing::HttpClient client) { return client.get("/v1/domains/status").status; };
    CHECK(asked_by(world.client()) == 401);
    CHECK(asked_by(world.as_app()) == 403);
    CHECK(asked_by(world.as_user(ada)) == 403);
    for (auto const* role : {"admin", "owner"})
        CHECK(asked_by(world.as_user(ada, role)) == 404);
    CHECK(asked_by(world.as_master()) == 404);
    REQUIRE(verify().status == 200);
    CHECK(asked_by(world.as_backend("demo")) == 404); // the other environment has no domain
}

TEST_CASE_METHOD(DomainWorld, "domains are checked in DNS once a day", "[domains]")
{
    auto const asked = verified();
    auto const stored = [&] { return world.postgres.query("SELECT status FROM email_domains"); };
    dns.serve(records_of(asked));
    CHECK(stored() == "pending");
    world.clock.advance(24h);
    CHECK(eventually([&] { return stored() == "verified"; }));
    dns.stop();
    auto const checked_at = [&] { return world.postgres.query("SELECT checked_at FROM email_domains"); };
    auto const before = checked_at();
    world.clock.advance(24h);
    CHECK(eventually([&] { return checked_at() != before; }));
    CHECK(stored() == "verified");
    dns.serve({});
    world.clock.advance(24h);
    REQUIRE(eventually([&] { return failing_since() != ""; }));
    CHECK(stored() == "verified");
    world.clock.advance(72h);
    CHECK(eventually([&] { return stored() == "pending"; }));
    CHECK(world.postgres.query("SELECT count(*) FROM domain_claims") == "0");
    CHECK(audited(world) == "domain.created, domain.verified, domain.unverified");
    CHECK(world.postgres.query(
              R"(
              SELECT string_agg(DISTINCT actor, ',')
              FROM audit_log
              WHERE action IN ('domain.verified', 'domain.unverified'))") == "system:domain-checks");

    // A job whose domain was deleted ends.
    REQUIRE(world.as_backend().del("/v1/domains").status == 200);
    world.clock.advance(24h);
    CHECK(eventually([&] {
        return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.domains'") == "0";
    }));
}

TEST_CASE_METHOD(DomainWorld, "private keys are sealed, and the verb reencrypt seals them again", "[domains]")
{
    dns.serve(records_of(verified()));
    REQUIRE(status() == "verified");
    auto const sealed = world.postgres.query("SELECT sealed_key FROM email_domains");
    CHECK_THAT(sealed, Catch::StartsWith("test:"));
    auto const dump = world.postgres.query("SELECT string_agg(d::text, '') FROM email_domains d");
    CHECK_THAT(dump, !Catch::Contains("PRIVATE KEY"));

    core::Scope const scope{core::ScopeId{std::stoll(world.scope_id())}, "demo"};
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    std::string const next = "next:" + std::string(42, 'B') + "A=";
    auto const both = crypto::Keyring::parse(next + ',' + testing::encryption_keys);
    auto const reencrypt = [&] {
        return db.transact_blocking(
            scope, [&](pg::Tx& tx) { return email_domains::reencrypt(tx, scope, both); });
    };
    CHECK(reencrypt() == 1);
    CHECK(reencrypt() == 0);
    CHECK_THAT(world.postgres.query("SELECT sealed_key FROM email_domains"), Catch::StartsWith("next:"));
    auto const senders = [&](core::Scope const& whose, crypto::Keyring const& keyring) {
        return db.transact_blocking(
            whose, [&](pg::Tx& tx) { return email_domains::senders(tx, {&whose, 1}, keyring); });
    };
    auto const found_sender = senders(scope, crypto::Keyring::parse(next)).at(scope.id);
    REQUIRE(found_sender);
    CHECK(found_sender->from.address == "hello@example.com");
    CHECK_THAT(found_sender->key.private_key.reveal(), Catch::StartsWith("-----BEGIN PRIVATE KEY-----"));
    CHECK_FALSE(senders(scope, crypto::Keyring::parse(testing::encryption_keys)).at(scope.id));
    core::Scope const elsewhere{core::ScopeId{std::stoll(world.scope_id("demo"))}, "demo"};
    CHECK(senders(elsewhere, both).empty());

    // A row that was moved to another scope cannot be opened.
    world.postgres.query("UPDATE email_domains SET scope_id = " + world.scope_id("other"));
    core::Scope const other{core::ScopeId{std::stoll(world.scope_id("other"))}, "other"};
    CHECK_FALSE(senders(other, both).at(other.id));
}

TEST_CASE_METHOD(DomainWorld, "when a tenant is erased, another tenant can verify its domain", "[domains]")
{
    auto const theirs = verified("example.com", "other");
    dns.serve(records_of(theirs));
    REQUIRE(status("other") == "verified");
    CHECK(verify().status == 409);
    REQUIRE(world.as_master("other").del("/v1/admin/tenants/other?purge=now").status == 200);
    CHECK(verify().status == 200);
}
