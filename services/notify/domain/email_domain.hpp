#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/dns_records.hpp"

#include <optional>
#include <string>

namespace notify {

/// The custom domain of a scope.
struct EmailDomain {
    core::Uuid id; ///< each domain that the scope sets up gets a new id
    std::string domain;
    std::string from_email, from_name;
    std::string token, selector, public_key; ///< as in DomainSetup
    DomainState state;
    RecordChecks checks; ///< results of the last DNS check
    core::Time created_at;
    std::optional<core::Time> checked_at, verified_at;
};

/// The JSON form of a domain in responses and webhooks. `records`: the DNS records that the domain needs.
std::string to_json(EmailDomain const& domain, DnsRecords const& records);

} // namespace notify
