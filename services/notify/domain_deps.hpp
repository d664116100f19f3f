#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "pg/database.hpp"
#include "providers/dkim.hpp"
#include "providers/dns.hpp"

#include <string>

namespace notify {

/// The dependencies of the domain routes and of the daily check. All of them outlive this object.
struct DomainDeps {
    pg::Database& db;
    Dns const& dns;
    DkimKeyGenerator& dkim_keys;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    std::string spf_domain; ///< domain of the shared sender; its SPF record lists the servers that send email
};

} // namespace notify
