#include "storage/email_domain_checks.hpp"

#include "storage/webhook_events.hpp"

#include <utility>

namespace notify::email_domain_checks {

std::chrono::hours interval_of(DomainState const& state) noexcept
{
    return state.failing_since ? interval_while_failing : interval;
}

DnsRecords records_of(EmailDomain const& domain, std::string const& spf_domain)
{
    return notify::records_of(DomainSetup{.domain = domain.domain,
        .token = domain.token,
        .selector = domain.selector,
        .public_key = domain.public_key,
        .spf_domain = spf_domain});
}

std::optional<audit::Entry> Checked::entry() const
{
    DomainStatus const after = domain.state.status;
    if (after == before.status) return std::nullopt;
    return audit::Entry{.action = after == DomainStatus::verified ? "domain.verified" : "domain.unverified",
        .subject_type = "domain",
        .subject_id = domain.domain,
        .before = boost::json::object{{"status", to_string(before.status)}},
        .after = boost::json::object{{"status", to_string(after)}}};
}

std::optional<Checked> record(pg::Tx& tx, core::Scope const& scope, DnsCheck const& check, core::Time now)
{
    auto domain = email_domains::lock(tx, scope);
    if (!domain || domain->id != check.domain_id) return std::nullopt;
    Checked result{.domain = *std::move(domain)};
    auto& d = result.domain;
    result.before = d.state;
    d.state = state_after(d.state, check.checks, now);
    d.checks = check.checks;
    d.checked_at = now;
    if (d.state.status == DomainStatus::verified && !email_domains::claim(tx, scope, d.domain, now)) {
        result.held_elsewhere = true;
        d.state = {};
    }
    if (d.state.status == DomainStatus::pending)
        d.verified_at.reset();
    else if (!d.verified_at)
        d.verified_at = now;
    email_domains::update(tx, scope, d);
    if (result.before.status == DomainStatus::verified && d.state.status == DomainStatus::pending)
        email_domains::release(tx, scope, d.domain);
    if (result.begins_to_fail()) webhook_events::publish(tx, scope.id, d, check.records, now);
    return result;
}

} // namespace notify::email_domain_checks
