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

/// The custom email domain of a scope: one, from which its mail is sent once DNS says that it may be.
namespace notify {

namespace asio = boost::asio;

/// What the routes of domains, and their daily check, work with. All of it outlives this object.
struct Domains {
    pg::Database& db;
    Dns const& dns;
    DkimKeys& keys;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    std::string spf_domain; ///< the shared sender's: its SPF record lists the servers that mail leaves from
};

/// DNS is asked about every domain once in this time (workers/domain_checks.hpp).
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

/// The records that a domain is to have.
DomainRecords records_of(Domains const& domains, domains::EmailDomain const& domain);

/// What DNS is asked for them, in their order.
std::vector<std::string> names_of(DomainRecords const& records);

/// Compares DNS's answers, which are in the order of the records, with them.
RecordChecks compare(DomainRecords const& records, std::vector<TxtAnswer> const& answers);

/// A domain after DNS was asked about it.
struct CheckedDomain {
    domains::EmailDomain domain;
    DomainStatus before{};
    bool held_elsewhere =
        false; ///< its records are right, but another tenant has it verified: it stays pending

    /// What the audit trail is told; nullopt when the status is what it was.
    std::optional<audit::Entry> entry() const;
};

/// Writes down what a check came to, claims the domain when it becomes verified and gives it up when it no
/// longer is. The transaction sees `domains::both_environments(scope)`. nullopt: the scope's domain is not
/// `checked` any more.
std::optional<CheckedDomain> record_checks(pg::Tx& tx, core::Scope const& scope, core::Uuid const& checked,
    RecordChecks const& checks, core::Time now);

} // namespace notify
