#include "config.hpp"
#include "domain/dns_records.hpp"
#include "providers/dkim_keys.hpp"
#include "providers/dns.hpp"
#include "support/config.hpp"
#include "support/contexts.hpp"
#include "support/dns.hpp"
#include "world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <future>
#include <set>
#include <thread>

// The DNS server is dnsmasq, which is independent software.

using namespace notify;

namespace {

using testing::DnsServer;
using Kind = TxtAnswer::Kind;

TxtAnswer found(std::vector<std::string> texts)
{
    return {.kind = Kind::found, .texts = std::move(texts)};
}

TxtAnswer const none{.kind = Kind::none};
TxtAnswer const failed{.kind = Kind::failed, .reason = "the server is down"};

DomainSetup const setup{.domain = "example.com",
    .token = "abc",
    .selector = "ntf-1",
    .public_key = "MIIB+/==",
    .spf_domain = "mail.example.net"};

DnsRecord record(RecordPurpose purpose)
{
    return records_of(setup)[static_cast<std::size_t>(purpose)];
}

} // namespace

TEST_CASE("a domain needs records for ownership, DKIM, SPF and DMARC", "[domains]")
{
    auto const records = notify::records_of(setup);
    std::string shown;
    for (auto const& r : records)
        shown +=
            std::string(to_string(r.purpose)) + ' ' + r.name + ' ' + r.value + (r.required ? " !\n" : "\n");
    CHECK(shown == "ownership _notify.example.com notify-verification=abc !\n"
                   "dkim ntf-1._domainkey.example.com v=DKIM1; k=rsa; p=MIIB+/== !\n"
                   "spf example.com v=spf1 include:mail.example.net ~all\n"
                   "dmarc _dmarc.example.com v=DMARC1; p=none\n");
}

TEST_CASE("DNS answers are compared with the required records", "[domains]")
{
    using enum RecordPurpose;
    using enum RecordStatus;

    struct Case {
        RecordPurpose purpose;
        std::vector<std::string> texts;
        RecordStatus status;
    };

    Case const cases[] = {
        {ownership, {"other", " notify-verification=abc "}, verified},
        {ownership, {"notify-verification=abcd"}, mismatch},
        {ownership, {"NOTIFY-VERIFICATION=ABC"}, mismatch},
        {dkim, {"v=DKIM1; k=rsa; p=MIIB+/=="}, verified},
        {dkim, {"p=MIIB+/==;"}, verified},
        {dkim, {" v = DKIM1 ;k= rsa; h=sha1:sha256; s=email; t=y; n=note; p=MIIB \t +/=="}, verified},
        {dkim, {"v=DKIM1; s=*; p=MIIB+/=="}, verified},
        {dkim, {"v=DKIM1; k=rsa; p=other"}, mismatch},
        {dkim, {"v=DKIM1; k=rsa; p="}, mismatch},
        {dkim, {"v=DKIM1; k=ed25519; p=MIIB+/=="}, mismatch},
        {dkim, {"v=DKIM2; k=rsa; p=MIIB+/=="}, mismatch},
        {dkim, {"v=DKIM1; h=sha1; p=MIIB+/=="}, mismatch},
        {dkim, {"v=DKIM1; s=tlsrpt; p=MIIB+/=="}, mismatch},
        {dkim, {"v=DKIM1; k=rsa"}, mismatch},
        {spf, {"google-site-verification=x", "v=spf1 include:mail.example.net ~all"}, verified},
        {spf, {"V=SPF1 mx +INCLUDE:Mail.Example.Net -all"}, verified},
        {spf, {"v=spf1 mx -all"}, mismatch},
        {spf, {"v=spf1 include:xmail.example.net -all"}, mismatch},
        {spf, {"v=spf1 -include:mail.example.net"}, mismatch},
        {spf, {"v=spf1 include:mail.example.net", "v=spf1 mx"}, mismatch},
        {spf, {"v=spf10 include:mail.example.net"}, missing},
        {spf, {"something else"}, missing},
        {dmarc, {"v=DMARC1; p=reject; rua=mailto:x@example.com"}, verified},
        {dmarc, {"v=DMARC1;p=none"}, verified},
        {dmarc, {"v=DMARC1; rua=mailto:x@example.com"}, mismatch},
        {dmarc, {"v=DMARC1; p=none", "v=DMARC1; p=reject"}, mismatch},
        {dmarc, {"something else"}, missing},
    };
    for (auto const& c : cases) {
        INFO(to_string(c.purpose) << ": " << c.texts.front());
        auto const check = check_record(record(c.purpose), found(c.texts));
        CHECK(to_string(check.status) == to_string(c.status));
        CHECK(check.detail.empty() == (c.status != mismatch));
    }
    for (auto const purpose : {ownership, dkim, spf, dmarc}) {
        CHECK(check_record(record(purpose), none).status == missing);
        auto const unknown_check = check_record(record(purpose), failed);
        CHECK(unknown_check.status == unknown);
        CHECK(unknown_check.detail == "the server is down");
    }
    auto const odd = check_record(record(ownership), found({"a\x01\xFF\n" + std::string(1'000, 'x')}));
    CHECK(odd.detail == "found: a??");
}

namespace {

core::Time const noon = *core::parse_rfc3339("2026-03-01T12:00:00Z");

/// Results of a check in which the recommended records are missing.
RecordChecks results_of_check(RecordStatus token, RecordStatus key)
{
    RecordChecks checks;
    checks[0].status = token;
    checks[1].status = key;
    checks[2].status = checks[3].status = RecordStatus::missing;
    return checks;
}

} // namespace

TEST_CASE("only a definite DNS answer changes a domain's state", "[domains]")
{
    using enum RecordStatus;
    DomainState const pending_domain, verified_domain{DomainStatus::verified, {}};
    DomainState const failing{DomainStatus::verified, noon - 1h};
    for (auto const& before : {pending_domain, verified_domain, failing}) {
        auto const after = [&](RecordStatus token, RecordStatus key) {
            return state_after(before, results_of_check(token, key), noon);
        };
        DomainState const wrong = before == pending_domain ? pending_domain
                                                           : DomainState{DomainStatus::verified,
                                                                 before.failing_since.value_or(noon)};
        CHECK(after(verified, verified) == verified_domain);
        for (auto const no : {missing, mismatch}) {
            for (auto const other : {verified, unknown, missing}) {
                CHECK(after(no, other) == wrong);
                CHECK(after(other, no) == wrong);
            }
        }
        CHECK(after(verified, unknown) == before);
        CHECK(after(unknown, verified) == before);
        CHECK(after(unknown, unknown) == before);
    }
}

TEST_CASE("a domain becomes pending when its records have been wrong for 72 hours", "[domains]")
{
    using enum RecordStatus;
    DomainState const failing{DomainStatus::verified, noon};
    auto const after = [&](RecordStatus token, core::Time now) {
        return state_after(failing, results_of_check(token, verified), now);
    };
    CHECK(after(missing, noon + 72h - 1us) == failing);
    CHECK(after(missing, noon + 72h) == DomainState{});
    CHECK(after(unknown, noon + 500h) == failing);
    CHECK(after(verified, noon + 72h) == DomainState{DomainStatus::verified, {}});
    CHECK(after(missing, noon - 1h) == failing); // the clock of another replica
}

TEST_CASE("DKIM keys have 2048 bits and distinct selectors", "[domains]")
{
    auto const a = generate_dkim_key_pair(), b = generate_dkim_key_pair();
    CHECK(a.public_key.size() == 392); // 294 bytes of SubjectPublicKeyInfo
    CHECK(a.public_key.starts_with("MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"));
    CHECK_THAT(a.private_key.reveal(), Catch::StartsWith("-----BEGIN PRIVATE KEY-----"));
    CHECK(a.selector.size() == 16);
    CHECK(a.selector != b.selector);
    CHECK(a.public_key != b.public_key);
}

// --- DNS -------------------------------------------------------------------------------------------------

TEST_CASE("the addresses of the resolvers are validated", "[domains]")
{
    auto const faults = [](std::string const& servers) {
        auto config = testing::config_of("NOTIFY", {{"DNS_SERVERS", servers}});
        Config::read(config);
        return testing::faults_of(config);
    };
    CHECK_THAT(faults("127.0.0.1:5353,[::1]:53,::1,192.0.2.1"), !Catch::Contains("DNS_SERVERS"));
    for (auto const* servers : {"localhost", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:53:1", "[::1",
             "127.0.0.1,,127.0.0.2", "127.0.0.1, 127.0.0.2"})
        CHECK_THAT(faults(servers), Catch::Contains("DNS_SERVERS"));
}

TEST_CASE("DNS is queried for TXT records", "[domains]")
{
    DnsServer server;
    std::string const long_text = std::string(300, 'a') + std::string(300, 'b');
    std::vector<std::string> many;
    for (int i = 0; i < 40; ++i)
        many.push_back(std::to_string(i) + std::string(200, 'x')); // more than fits into a datagram
    server.serve({{"one.example", {"hello world"}}, {"two.example", {"first", "second"}},
        {"long.example", {long_text}}, {"many.example", many}, {"below.none.example", {"x"}}});
    Dns const dns({.servers = server.address()});
    auto const answers = dns.txt_blocking({"one.example", "two.example", "long.example", "many.example",
        "absent.example", "none.example", "ONE.example", std::string(70, 'x') + ".example"});
    REQUIRE(answers.size() == 8);
    using Texts = std::vector<std::string>;
    CHECK(answers[0].kind == Kind::found);
    CHECK(answers[0].texts == Texts{"hello world"});
    CHECK(std::set(answers[1].texts.begin(), answers[1].texts.end()) ==
          std::set<std::string>{"first", "second"});
    CHECK(answers[2].texts == Texts{long_text});
    CHECK(std::set(answers[3].texts.begin(), answers[3].texts.end()) == std::set(many.begin(), many.end()));
    CHECK(answers[4].kind == Kind::none); // no such name
    CHECK(answers[5].kind == Kind::none); // a name without TXT records
    CHECK(answers[6].texts == Texts{"hello world"});
    CHECK(answers[7].kind == Kind::failed); // not a name
    CHECK_FALSE(answers[7].reason.empty());
    CHECK(dns.txt_blocking({}).empty());
}

TEST_CASE(
    "a resolver that refuses, is down or does not answer does not count as a missing record", "[domains]")
{
    DnsServer server;
    Dns const dns({.servers = server.address(), .timeout = 100ms, .tries = 2, .total_timeout = 2s});
    auto const fails = [&] {
        auto const answers = dns.txt_blocking({"one.example", "two.example"});
        for (auto const& answer : answers) {
            CHECK(answer.kind == Kind::failed);
            CHECK_FALSE(answer.reason.empty());
        }
    };
    server.refuse_others({});
    fails();
    server.pause();
    fails();
    server.resume();
    server.stop();
    fails();
    server.serve({{"one.example", {"x"}}});
    // Each query may take 200 ms. A busy machine may need several queries.
    CHECK(eventually([&] { return dns.txt_blocking({"one.example"})[0].kind == Kind::found; }));

    // `total_timeout` limits the time of the whole call, even while the only try is still waiting.
    Dns const hasty({.servers = server.address(), .timeout = 1h, .tries = 1, .total_timeout = 100ms});
    server.pause();
    CHECK(hasty.txt_blocking({"one.example"})[0].reason == "no answer in time");
    server.resume();
}

TEST_CASE("many DNS queries run at the same time on one thread", "[domains]")
{
    DnsServer server;
    server.serve({{"one.example", {"x"}}});
    Dns const dns({.servers = server.address()});
    testing::Contexts contexts;
    std::vector<std::future<std::vector<TxtAnswer>>> asked;
    for (int i = 0; i < 50; ++i)
        asked.push_back(contexts.start(dns.txt({"one.example", "no.example"})));
    for (auto& future : asked) {
        auto const answers = future.get();
        CHECK(answers[0].kind == Kind::found);
        CHECK(answers[1].kind == Kind::none);
    }
}

TEST_CASE("a context may end during a DNS query", "[domains]")
{
    DnsServer server;
    server.pause();
    Dns const dns({.servers = server.address()});
    {
        boost::asio::io_context context(1);
        boost::asio::co_spawn(context, dns.txt({"one.example"}), boost::asio::detached);
        while (context.poll_one() > 0) {
        }
        CHECK_FALSE(context.stopped()); // the query waits
    }
    server.resume();
}
