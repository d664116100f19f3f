#pragma once

#include "service/forward_declarations.hpp"

#include <string>

namespace notify {

class DkimKeyGenerator; // providers/dkim_keys.hpp
class Dns;              // providers/dns.hpp

/// The dependencies of the domain routes and of the daily check. All of them outlive this object.
struct EmailDomainDeps {
    pg::Database& db;
    Dns const& dns;
    DkimKeyGenerator& dkim_keys;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    std::string spf_domain; ///< domain of the shared sender; its SPF record lists the servers that send email
};

} // namespace notify
