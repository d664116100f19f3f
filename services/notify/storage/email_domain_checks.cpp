#include "storage/email_domain_checks.hpp"

#include <utility>

namespace notify::email_domain_checks {

DnsRecords records_of(email_domains::EmailDomain const& domain, std::string const& spf_domain)
{
    return notify::records_of(DomainSetup{.domain = domain.domain,
        .token = domain.token,
        .selector = domain.selector,
        .public_key = domain.public_key,
        .spf_domain = spf_domain});
}

std::optional<audit::Entry> Checked::entry() const
{
    if (domain.status == before) return std::nullopt;
    return audit::Entry{
        .action = domain.status == DomainStatus::verified ? "domain.verified" : "domain.unverified",
        .subject_type = "domain",
        .subject_id = domain.domain,
        .before = boost::json::object{{"status", to_string(before)}},
        .after = boost::json::object{{"status", to_string(domain.status)}}};
}

std::optional<Checked> record(pg::Tx& tx, core::Scope const& scope, core::Uuid const& checked,
    RecordChecks const& checks, core::Time now)
{
    auto domain = email_domains::lock(tx, scope);
    if (!domain || domain->id != checked) return std::nullopt;
    Checked result{.domain = *std::move(domain)};
    auto& d = result.domain;
    result.before = d.status;
    d.status = status_after(d.status, checks);
    d.checks = checks;
    d.checked_at = now;
    if (d.status == DomainStatus::verified && !email_domains::claim(tx, scope, d.domain, now)) {
        result.held_elsewhere = true;
        d.status = DomainStatus::pending;
    }
    if (d.status == DomainStatus::pending)
        d.verified_at.reset();
    else if (!d.verified_at)
        d.verified_at = now;
    email_domains::update(tx, scope, d);
    if (result.before == DomainStatus::verified && d.status == DomainStatus::pending)
        email_domains::release(tx, scope, d.domain);
    return result;
}

} // namespace notify::email_domain_checks
