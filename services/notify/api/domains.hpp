#pragma once

#include "audit/audit.hpp"
#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "domain/domain_records.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"
#include "providers/dkim.hpp"
#include "providers/dns.hpp"
#include "storage/domains.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// The custom email domain of a scope. A scope has at most one custom domain. After the domain is verified in
/// DNS, email of the scope is sent from an address in the domain.
namespace notify {

namespace asio = boost::asio;

/// The dependencies of the domain routes and the daily check. All of them outlive this object.
struct Domains {
    pg::Database& db;
    Dns const& dns;
    DkimKeys& keys;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    std::string spf_domain; ///< domain of the shared sender; its SPF record lists the servers that send email
};

/// Every domain is checked in DNS once per `interval` (workers/domain_checks.hpp).
namespace domain_checks {
inline constexpr char const* queue = "notify.domains"; ///< a job's ref is EmailDomain::id
inline constexpr std::chrono::hours interval{24};
} // namespace domain_checks

/// POST /v1/domains/verify
asio::awaitable<http::Response> verify_domain(http::Request const& req, Domains& domains);
/// GET /v1/domains/status
asio::awaitable<http::Response> get_domain_status(http::Request const& req, Domains& domains);
/// DELETE /v1/domains
asio::awaitable<http::Response> delete_domain(http::Request const& req, Domains& domains);

/// The DNS records that the domain needs.
DomainRecords records_of(Domains const& domains, domains::EmailDomain const& domain);

/// The DNS names of the records, in the order of `records`.
std::vector<std::string> names_of(DomainRecords const& records);

/// Compares the DNS answers with the records. `records` and `answers` have the same order.
RecordChecks compare(DomainRecords const& records, std::vector<TxtAnswer> const& answers);

/// A domain after a DNS check.
struct CheckedDomain {
    domains::EmailDomain domain;
    DomainStatus before{};
    /// True if the records are right, but another tenant has verified the domain. The domain then stays
    /// pending.
    bool held_elsewhere = false;

    /// The audit entry; nullopt if the status did not change.
    std::optional<audit::Entry> entry() const;
};

/// Stores the result of a check. Claims the domain for the tenant when the domain becomes verified, and
/// releases the claim when the domain is no longer verified. The transaction must have access to both
/// environments of the tenant (`domains::both_environments(scope)`). Returns nullopt if the scope's domain no
/// longer has the id `checked`, because the domain was replaced or deleted.
std::optional<CheckedDomain> record_checks(pg::Tx& tx, core::Scope const& scope, core::Uuid const& checked,
    RecordChecks const& checks, core::Time now);

} // namespace notify
