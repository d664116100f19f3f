#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "mail/address.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

using core::to_string;

/// The result of a DNS query for the TXT records of a name.
struct TxtAnswer {
    enum class Kind : std::uint8_t {
        found,  ///< `texts` are the records
        none,   ///< DNS answered that there is no such record, or no such name
        failed, ///< DNS did not answer; `reason` says why
    };

    Kind kind = Kind::failed;
    std::vector<std::string> texts{}; ///< one text per record, its strings joined; may contain any bytes
    std::string reason{};             ///< set if `kind` is `failed`
};

/// The status of a custom domain. A domain is pending until its required DNS records are right. Email is sent
/// only from a verified domain.
enum class DomainStatus : std::uint8_t { pending, verified };

constexpr auto enum_names(DomainStatus)
{
    return std::to_array<std::string_view>({"pending", "verified"});
}

/// The purpose of a record. The number is the record's index in DnsRecords and RecordChecks.
enum class RecordPurpose : std::uint8_t { ownership, dkim, spf, dmarc };

constexpr auto enum_names(RecordPurpose)
{
    return std::to_array<std::string_view>({"ownership", "dkim", "spf", "dmarc"});
}

/// The result of the last DNS check of a record.
enum class RecordStatus : std::uint8_t {
    pending,  ///< DNS has not been queried yet
    verified, ///< the record exists and is right
    missing,  ///< the name has no record of this kind
    mismatch, ///< the name has a record of this kind, but not the wanted record
    unknown,  ///< the resolver gave no answer
};

constexpr auto enum_names(RecordStatus)
{
    return std::to_array<std::string_view>({"pending", "verified", "missing", "mismatch", "unknown"});
}

/// A TXT record that the owner of a domain has to create.
struct DnsRecord {
    RecordPurpose purpose{};
    std::string name;
    std::string value;
    bool required = false; ///< whether the domain is verified only if this record is right
};

inline constexpr std::size_t dns_record_count = core::names_of<RecordPurpose>.size();

using DnsRecords = std::array<DnsRecord, dns_record_count>;

/// The values from which the records of a domain are made.
struct DomainSetup {
    std::string domain;
    std::string token;      ///< proves that the tenant can change the domain's DNS
    std::string selector;   ///< DNS label that identifies the DKIM key (RFC 6376, 3.1)
    std::string public_key; ///< base64 of the DKIM key's SubjectPublicKeyInfo (RFC 6376, 3.6.1)
    std::string spf_domain; ///< the domain whose SPF record lists the servers that send the mail
};

/// The records, in the order of RecordPurpose: the token at `_notify.<domain>`, the DKIM key (RFC 6376), SPF
/// (RFC 7208) and DMARC (RFC 7489). SPF and DMARC are recommended, not required.
DnsRecords records_of(DomainSetup const& setup);

/// The result of checking one record.
struct RecordCheck {
    RecordStatus status = RecordStatus::pending;
    /// A text for users: the record that was found instead, or why the query failed. Made by `reason_of`.
    std::string detail{};
};

using RecordChecks = std::array<RecordCheck, dns_record_count>;

/// Compares a DNS answer with the wanted record. A record is right under these conditions:
///
/// - Ownership: one of the records equals the wanted record.
/// - DKIM: one of the records has the wanted key, and permits email and rsa-sha256.
/// - SPF: there is exactly one SPF record, and it has the `include` of the wanted record.
/// - DMARC: there is exactly one DMARC record, and it has a policy. Any policy is right.
RecordCheck check_record(DnsRecord const& wanted, TxtAnswer const& answer);

/// The DNS names of the records, in the order of `records`.
std::vector<std::string> names_of(DnsRecords const& records);

/// Compares the DNS answers with the records. `records` and `answers` have the same order.
RecordChecks compare(DnsRecords const& records, std::vector<TxtAnswer> const& answers);

/// How long the required records of a verified domain may be wrong before the domain becomes pending.
inline constexpr std::chrono::hours domain_grace{72};

/// The state of a domain, which DNS checks change.
struct DomainState {
    DomainStatus status = DomainStatus::pending;
    /// Set only if the domain is verified: when a required record was found wrong first. nullopt if the
    /// required records were right at the last answer.
    std::optional<core::Time> failing_since;

    bool operator==(DomainState const&) const = default;
};

/// The state after a check at `now`:
///
/// - Every required record is verified: the domain is verified.
/// - A required record is missing or a mismatch: a verified domain stays verified for `domain_grace` after
/// the
///   first such check. Otherwise the domain is pending.
/// - In all other cases DNS did not answer for a required record: the state stays `before`.
DomainState state_after(DomainState const& before, RecordChecks const& checks, core::Time now) noexcept;

} // namespace notify
