#pragma once

#include "audit/audit.hpp"
#include "core/clock.hpp"
#include "domain/dns_records.hpp"
#include "pg/tx.hpp"
#include "storage/email_domains.hpp"

#include <chrono>
#include <optional>
#include <string>

/// The results of DNS checks. Every domain is checked once per `interval` (workers/email_domain_checks.hpp),
/// and at each request for its status.
namespace notify::email_domain_checks {

inline constexpr char const* queue = "notify.domains"; ///< a job's ref is EmailDomain::id
inline constexpr std::chrono::hours interval{24};

/// The DNS records that the domain needs. `spf_domain` is the domain of the shared sender.
DnsRecords records_of(email_domains::EmailDomain const& domain, std::string const& spf_domain);

/// A domain after a DNS check.
struct Checked {
    email_domains::EmailDomain domain;
    DomainStatus before{};
    /// True if the records are right, but another tenant has verified the domain. The domain then stays
    /// pending.
    bool held_elsewhere = false;

    /// The audit entry; nullopt if the status did not change.
    std::optional<audit::Entry> entry() const;
};

/// Stores the result of a check. Claims the domain for the tenant when the domain becomes verified, and
/// releases the claim when the domain is no longer verified. The transaction must have access to both
/// environments of the tenant (`pg::Scopes::of_tenant`). Returns nullopt if the scope's domain no
/// longer has the id `checked`, because the domain was replaced or deleted.
std::optional<Checked> record(pg::Tx& tx, core::Scope const& scope, core::Uuid const& checked,
    RecordChecks const& checks, core::Time now);

} // namespace notify::email_domain_checks
