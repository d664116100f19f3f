#pragma once

#include "audit/audit.hpp"
#include "core/clock.hpp"
#include "domain/dns_records.hpp"
#include "pg/tx.hpp"
#include "storage/email_domains.hpp"

#include <chrono>
#include <optional>
#include <string>

/// The results of DNS checks. Every domain is checked once per `interval_of`
/// (workers/email_domain_checks.hpp), and at each request for its status.
namespace notify::email_domain_checks {

inline constexpr char const* queue = "notify.domains"; ///< a job's ref is EmailDomain::id
inline constexpr std::chrono::hours interval{24};
inline constexpr std::chrono::hours interval_while_failing{1};

/// How long after a check the domain is checked again: more often while its records are wrong.
std::chrono::hours interval_of(DomainState const& state) noexcept;

/// The DNS records that the domain needs. `spf_domain` is the domain of the shared sender.
DnsRecords records_of(EmailDomain const& domain, std::string const& spf_domain);

/// A DNS check of the domain with the id `domain_id`.
struct DnsCheck {
    core::Uuid domain_id;
    DnsRecords records; ///< the records that the domain needs
    RecordChecks checks;
};

/// A domain after a DNS check.
struct Checked {
    EmailDomain domain;
    DomainState before;
    /// True if the records are right, but another tenant has verified the domain. The domain then stays
    /// pending.
    bool held_elsewhere = false;

    /// Whether this check is the first that found the records of the verified domain wrong.
    bool begins_to_fail() const noexcept { return domain.state.failing_since && !before.failing_since; }

    /// The audit entry; nullopt if the status did not change.
    std::optional<audit::Entry> entry() const;
};

/// Stores the result of a check. Claims the domain for the tenant when the domain becomes verified, and
/// releases the claim when the domain is no longer verified. Publishes `domain.failing` if the domain begins
/// to fail. The transaction must have access to both environments of the tenant (`pg::Scopes::of_tenant`).
/// Returns nullopt if the scope's domain no longer has the id `check.domain_id`, because the domain was
/// replaced or deleted.
std::optional<Checked> record(pg::Tx& tx, core::Scope const& scope, DnsCheck const& check, core::Time now);

} // namespace notify::email_domain_checks
