#include "api/email_domains.hpp"

#include "core/error.hpp"
#include "core/fields.hpp"
#include "crypto/random.hpp"
#include "email_domain_deps.hpp"
#include "jobs/queue.hpp"
#include "mail/address.hpp"
#include "pg/database.hpp"
#include "providers/dkim_keys.hpp"
#include "providers/dns.hpp"
#include "storage/email_domain_checks.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

constexpr std::size_t max_email = 254;
constexpr std::size_t max_name = 100;
constexpr std::size_t token_characters = 32; // 190 bits of randomness

core::Error no_domain()
{
    return core::Error(core::codes::not_found,
        "This environment has no custom domain. Set one up with POST /v1/domains/verify.");
}

core::Error held_elsewhere()
{
    return core::Error(core::codes::conflict, "Another tenant has verified this domain. Delete the domain in "
                                              "that tenant first, or use another domain.");
}

// --- reading ---------------------------------------------------------------------------------------------

/// The parsed request.
struct DomainRequest {
    std::string domain, from_email, from_name;

    static DomainRequest parse(http::Request const& req);
};

std::optional<mail::DomainName> parse_domain(core::Fields& f)
{
    std::string const text = f.text("domain", 1, 253);
    auto domain = mail::DomainName::parse(text);
    if (!text.empty() && !domain)
        f.fault("domain", "format",
            "must be a domain name, such as example.com; an internationalised name must be in its xn-- form");
    return domain;
}

std::string parse_from_email(core::Fields& f, std::optional<mail::DomainName> const& domain)
{
    std::string const text = f.text("fromEmail", 1, max_email);
    if (text.empty()) return {};
    auto const address = mail::Address::parse(text);
    if (!address) {
        f.fault("fromEmail", "format", "must be an email address");
        return {};
    }
    if (domain && !domain->holds(address->domain()))
        f.fault("fromEmail", "not_allowed", "must be an email address in `domain`");
    return address->text();
}

std::string parse_from_name(core::Fields& f)
{
    std::string name = f.text("fromName", 1, max_name);
    auto const is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; };
    if (std::ranges::any_of(name, is_control)) f.fault("fromName", "format", "must be one line of text");
    return name;
}

DomainRequest DomainRequest::parse(http::Request const& req)
{
    core::Fields f(req.json());
    auto const domain = parse_domain(f);
    DomainRequest wanted{.domain = domain ? domain->text() : std::string(),
        .from_email = parse_from_email(f, domain),
        .from_name = parse_from_name(f)};
    f.check();
    return wanted;
}

// --- writing ---------------------------------------------------------------------------------------------

http::Response response_with(EmailDomainDeps const& d, EmailDomain const& domain)
{
    return http::Response::ok(to_json(domain, email_domain_checks::records_of(domain, d.spf_domain)));
}

/// The sender as the audit trail shows it.
boost::json::value sender_of(EmailDomain const& domain)
{
    return boost::json::object{
        {"domain", domain.domain}, {"fromEmail", domain.from_email}, {"fromName", domain.from_name}};
}

void record(pg::Tx& tx, http::Request const& req, std::string action, std::string const& subject,
    std::optional<boost::json::value> before, std::optional<boost::json::value> after)
{
    audit::record(tx, req.context,
        {.action = std::move(action),
            .subject_type = "domain",
            .subject_id = subject,
            .before = std::move(before),
            .after = std::move(after)});
}

// --- changing --------------------------------------------------------------------------------------------

/// Changes the sender of the scope's domain. The DKIM key and the status stay. Returns nullopt if the scope
/// has no domain, or if its domain is not the one in the request.
std::optional<EmailDomain> change_sender(pg::Tx& tx, http::Request const& req, DomainRequest const& wanted)
{
    if (email_domains::is_claimed_elsewhere(tx, req.scope(), wanted.domain)) throw held_elsewhere();
    auto domain = email_domains::lock(tx, req.scope());
    if (!domain || domain->domain != wanted.domain) return std::nullopt;
    if (domain->from_email == wanted.from_email && domain->from_name == wanted.from_name) return domain;
    auto before = sender_of(*domain);
    domain->from_email = wanted.from_email;
    domain->from_name = wanted.from_name;
    email_domains::update(tx, req.scope(), *domain);
    record(tx, req, "domain.updated", domain->domain, std::move(before), sender_of(*domain));
    return domain;
}

EmailDomain new_domain(DomainRequest const& wanted, DkimKeyPair const& pair, core::Time now)
{
    EmailDomain domain;
    domain.id = core::Uuid::v7();
    domain.domain = wanted.domain;
    domain.from_email = wanted.from_email;
    domain.from_name = wanted.from_name;
    domain.token = crypto::random_base62(token_characters);
    domain.selector = pair.selector;
    domain.public_key = pair.public_key;
    domain.created_at = now;
    return domain;
}

/// Replaces the scope's domain, if any, with a new domain. If a concurrent request has set up the same
/// domain, changes only the sender.
EmailDomain set_up(pg::Tx& tx, http::Request const& req, EmailDomainDeps const& d,
    DomainRequest const& wanted, DkimKeyPair const& pair)
{
    if (auto same = change_sender(tx, req, wanted)) return *std::move(same);
    auto const& scope = req.scope();
    auto const replaced = email_domains::find(tx, scope);
    core::Time const now = d.clock.now();
    EmailDomain domain = new_domain(wanted, pair, now);
    email_domains::put(
        tx, scope, domain, email_domains::seal(d.keyring, scope, domain.domain, pair.private_key));
    if (replaced) email_domains::release(tx, scope, replaced->domain);
    jobs::enqueue(tx, email_domain_checks::queue, scope.id, domain.id, now + email_domain_checks::interval);
    record(tx, req, "domain.created", domain.domain,
        replaced ? std::optional(sender_of(*replaced)) : std::nullopt, sender_of(domain));
    return domain;
}

/// Stores the result of a check. If the domain begins to fail, its next check is due in an hour, not in a
/// day.
std::optional<email_domain_checks::Checked> record_check(
    pg::Tx& tx, http::Request const& req, email_domain_checks::DnsCheck const& check, core::Time now)
{
    auto checked = email_domain_checks::record(tx, req.scope(), check, now);
    if (!checked) return std::nullopt;
    if (checked->begins_to_fail())
        jobs::enqueue(tx, email_domain_checks::queue, req.scope().id, check.domain_id,
            now + email_domain_checks::interval_while_failing);
    if (auto const entry = checked->entry()) audit::record(tx, req.context, *entry);
    return checked;
}

} // namespace

asio::awaitable<http::Response> verify_domain(http::Request const& req, Deps& deps)
{
    EmailDomainDeps const& d = deps.domains;
    DomainRequest const wanted = DomainRequest::parse(req);
    auto domain =
        co_await d.db.transact(req.scope(), [&](pg::Tx& tx) { return change_sender(tx, req, wanted); });
    if (!domain) {
        DkimKeyPair const pair = co_await d.dkim_keys.generate();
        domain = co_await d.db.transact(pg::Scopes::of_tenant(req.scope().tenant_id()),
            [&](pg::Tx& tx) { return set_up(tx, req, d, wanted, pair); });
    }
    co_return response_with(d, *domain);
}

asio::awaitable<http::Response> get_domain_status(http::Request const& req, Deps& deps)
{
    EmailDomainDeps const& d = deps.domains;
    auto const found =
        co_await d.db.read(req.scope(), [&](pg::Tx& tx) { return email_domains::find(tx, req.scope()); });
    if (!found) throw no_domain();
    DnsRecords const records = email_domain_checks::records_of(*found, d.spf_domain);
    email_domain_checks::DnsCheck const check{
        found->id, records, compare(records, co_await d.dns.txt(names_of(records)))};
    auto const checked = co_await d.db.transact(pg::Scopes::of_tenant(req.scope().tenant_id()),
        [&](pg::Tx& tx) { return record_check(tx, req, check, d.clock.now()); });
    if (!checked)
        throw core::Error(core::codes::conflict,
            "The domain was replaced or deleted while its DNS records were checked. Repeat the request.");
    if (checked->held_elsewhere) throw held_elsewhere();
    co_return response_with(d, checked->domain);
}

asio::awaitable<http::Response> delete_domain(http::Request const& req, Deps& deps)
{
    EmailDomainDeps const& d = deps.domains;
    co_return co_await d.db.transact(pg::Scopes::of_tenant(req.scope().tenant_id()), [&](pg::Tx& tx) {
        auto const domain = email_domains::lock(tx, req.scope());
        if (!domain) throw no_domain();
        email_domains::remove(tx, req.scope());
        email_domains::release(tx, req.scope(), domain->domain);
        record(tx, req, "domain.deleted", domain->domain, sender_of(*domain), std::nullopt);
        return http::Response::deleted();
    });
}

} // namespace notify
