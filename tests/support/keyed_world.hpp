#pragma once

#include "support/http_client.hpp"
#include "support/issuer.hpp"
#include "support/json.hpp"
#include "support/service_world.hpp"

#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace testing {

/// The ids of two users.
inline constexpr char const* ada = "0190a5d2-0000-7000-8000-00000000ada0";
inline constexpr char const* bob = "0190a5d2-0000-7000-8000-00000000b0b0";

/// A ServiceWorld with two kinds of callers: backends with API keys that the operator creates, and users with
/// tokens of an issuer.
template <class Clock> class KeyedWorld : public ServiceWorld<Clock> {
public:
    /// Returns a client that sends an API key of the scope.
    HttpClient as_backend(std::string const& tenant = "demo-sandbox") const
    {
        return this->with(key(tenant), tenant);
    }

    HttpClient as_user(std::string const& subject, std::string const& role = "user",
        std::string const& tenant = "demo-sandbox") const
    {
        return this->with(token(subject, role, tenant), tenant);
    }

    /// Returns an API key of the scope, which is created on first use. `kind` is for services with several
    /// kinds of keys. "" means the kind for backends.
    std::string key(std::string const& tenant = "demo-sandbox", std::string const& kind = {}) const
    {
        auto const asked = kind.empty() ? std::string(kind_of_backends()) : kind;
        auto& key = keys_[tenant + ' ' + asked];
        if (key.empty()) {
            boost::json::object mint{{"environment", core::to_string(environment_of(tenant))}};
            if (!asked.empty()) mint["kind"] = asked;
            key = text(require(201, this->as_master(tenant).post("/v1/keys", body(mint))).json(), "key");
        }
        return key;
    }

    std::string token(std::string const& subject, std::string const& role = "user",
        std::string const& tenant = "demo-sandbox") const
    {
        return issuer.token({.tenant = slug_of(tenant),
            .environment = environment_of(tenant),
            .subject = subject,
            .email = role + "@example.com",
            .role = role});
    }

    /// A token with which auth-mfa asks this service to erase the user.
    std::string erasure_token(std::string const& subject, std::string const& tenant = "demo-sandbox") const
    {
        return issuer.erasure_token(
            {.tenant = slug_of(tenant), .environment = environment_of(tenant), .subject = subject},
            this->service_name());
    }

    /// The variables of ServiceWorld, and the issuer's keys.
    std::map<std::string, std::string> variables() const
    {
        auto all = ServiceWorld<Clock>::variables();
        all.emplace("JWKS_FILE", jwks_file());
        return all;
    }

    Issuer issuer{this->clock};

protected:
    template <class... ForClock>
    explicit KeyedWorld(service::Definition definition, ForClock&&... for_clock)
        : ServiceWorld<Clock>(std::move(definition), std::forward<ForClock>(for_clock)...)
    {
    }

    /// Begins like ServiceWorld. The service uses the issuer's keys, unless `environment` names others.
    void begin(Variables environment, std::string const& tenant = ServiceWorld<Clock>::a_tenant,
        std::function<void(service::Settings&)> const& adjust = {})
    {
        std::ofstream(jwks_file()) << issuer.jwks();
        environment.try_emplace("JWKS_FILE", jwks_file());
        ServiceWorld<Clock>::begin(std::move(environment), adjust, tenant);
    }

private:
    std::string jwks_file() const { return this->directory.path() + "/jwks.json"; }

    /// The kind of key for backends; "" if the service has only one kind of keys.
    virtual std::string_view kind_of_backends() const { return {}; }

    mutable std::map<std::string, std::string> keys_; ///< by tenant and kind
};

} // namespace testing
