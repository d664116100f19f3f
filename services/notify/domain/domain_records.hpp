#pragma once

#include "domain/email_address.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// What a question for the TXT records of a name came to.
struct TxtAnswer {
    enum class Kind : std::uint8_t {
        found,  ///< `texts` are the records
        none,   ///< there is no such record, or no such name: a definite no
        failed, ///< nobody could say; `reason`
    };

    Kind kind = Kind::failed;
    std::vector<std::string> texts{}; ///< each record's strings joined; any bytes
    std::string reason{};             ///< why it failed
};

/// A custom domain is waiting for its records, or mail is sent from it.
enum class DomainStatus : std::uint8_t { pending, verified };

inline constexpr std::array<std::string_view, 2> domain_statuses{"pending", "verified"};

constexpr std::string_view to_string(DomainStatus s) noexcept
{
    return domain_statuses[static_cast<std::size_t>(s)];
}

/// What a record is for; the number is its place among the records of a domain.
enum class RecordPurpose : std::uint8_t { ownership, dkim, spf, dmarc };

inline constexpr std::array<std::string_view, 4> record_purposes{"ownership", "dkim", "spf", "dmarc"};

constexpr std::string_view to_string(RecordPurpose p) noexcept
{
    return record_purposes[static_cast<std::size_t>(p)];
}

/// How a record was found when DNS was last asked.
enum class RecordStatus : std::uint8_t {
    pending,  ///< DNS has not been asked yet
    verified, ///< it is there and right
    missing,  ///< there is none
    mismatch, ///< there is another one
    unknown,  ///< the resolver did not say
};

inline constexpr std::array<std::string_view, 5> record_statuses{
    "pending", "verified", "missing", "mismatch", "unknown"};

constexpr std::string_view to_string(RecordStatus s) noexcept
{
    return record_statuses[static_cast<std::size_t>(s)];
}

/// The value of that name. Throws std::invalid_argument: names come from the database.
DomainStatus parse_domain_status(std::string_view name);
RecordStatus parse_record_status(std::string_view name);

/// A TXT record that a domain is to have.
struct DomainRecord {
    RecordPurpose purpose{};
    std::string name;
    std::string value;
    bool required = false; ///< without it the domain is not verified
};

inline constexpr std::size_t domain_record_count = record_purposes.size();

using DomainRecords = std::array<DomainRecord, domain_record_count>;

/// What the records of a domain are made of.
struct DomainSetup {
    std::string domain;
    std::string token;      ///< proves that whoever asked for the domain can change its DNS
    std::string selector;   ///< names the DKIM key
    std::string public_key; ///< base64 of its SubjectPublicKeyInfo (RFC 6376, 3.6.1)
    std::string spf_domain; ///< whose SPF record lists the servers that mail leaves from
};

/// The records, in the order of RecordPurpose: the token at `_notify.<domain>`, the DKIM key (RFC 6376), SPF
/// (RFC 7208) and DMARC (RFC 7489); the last two are advice.
DomainRecords records_of(DomainSetup const& setup);

/// What DNS said of one record.
struct RecordCheck {
    RecordStatus status = RecordStatus::pending;
    std::string detail{}; ///< for people: what was found instead, or why nobody could say; as `reason_of`
};

using RecordChecks = std::array<RecordCheck, domain_record_count>;

/// Compares an answer with what is wanted. A DKIM record is right when its key is ours and it may be used for
/// mail under rsa-sha256, an SPF record when there is one and it includes ours, a DMARC record when there is
/// one, whatever its policy.
RecordCheck check_record(DomainRecord const& wanted, TxtAnswer const& answer);

/// Verified once every required record is; pending as soon as one is surely missing or another; as it was
/// while nobody can say.
DomainStatus status_after(DomainStatus before, RecordChecks const& checks) noexcept;

} // namespace notify
