#pragma once

#include "core/scope.hpp"

#include <cstdint>
#include <string>

namespace auth_mfa {

/// The service's public base URLs, which tokens contain as their issuer (`iss`).
class Issuer {
public:
    /// If `base_host` is `localhost` or a subdomain of it, the scheme is `http` and `local_port` is the port
    /// in the URL. With 0 or 80, the URL has no port.
    explicit Issuer(std::string base_host, std::uint16_t local_port);

    /// The issuer of a scope's tokens, such as `https://demo-sandbox.auth.example.com`.
    std::string of(core::Scope const& scope) const;

    /// The URL of the base host, which names no tenant, such as `https://auth.example.com`.
    std::string base() const;

private:
    std::string base_host_;
    std::string scheme_ = "https://";
    std::string port_;
};

} // namespace auth_mfa
