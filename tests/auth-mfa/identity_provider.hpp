#pragma once

#include "support/eventually.hpp"
#include "support/issuer.hpp"
#include "world.hpp"

#include <boost/json.hpp>

#include <string>
#include <utility>

/// An identity provider of a tenant. Its id tokens are for the client `app`. test_peers.cpp tests sign-in
/// with a real identity provider.
class Provider {
public:
    explicit Provider(core::Clock const& clock, std::string issuer = "https://id.example.com")
        : issuer_(std::move(issuer)), signer_(clock)
    {
    }

    std::string jwks() const { return signer_.jwks(); }

    /// An element of the setting `identityProviders`.
    boost::json::object as_setting(std::string const& jwks_url) const
    {
        return {{"issuer", issuer_}, {"audience", "app"}, {"jwksUrl", jwks_url}};
    }

    /// A new id token of the user with this verified email, who has the email as subject. Members of
    /// `changes` replace claims. A member that is `null` removes the claim.
    std::string token(
        std::string const& email = World::new_email(), boost::json::object const& changes = {}) const
    {
        auto claims = signer_.claims({.email = email});
        claims["iss"] = issuer_;
        claims["aud"] = "app";
        claims["email_verified"] = true;
        claims["sub"] = email;
        for (auto const& [name, value] : changes) {
            if (value.is_null())
                claims.erase(name);
            else
                claims[name] = value;
        }
        return signer_.sign(claims, {{"typ", "JWT"}});
    }

private:
    std::string const issuer_;
    testing::Issuer const signer_;
};

/// A provider that the sandbox of tenant demo trusts, with its keys.
struct TrustedProvider : Provider {
    explicit TrustedProvider(World const& world, std::string issuer = "https://id.example.com")
        : Provider(world.clock, std::move(issuer))
    {
    }

    testing::IssuerServer keys{[this] { return jwks(); }};

    boost::json::object setting() const { return as_setting(keys.url()); }
};

/// Calls `request` until its response is not 503. On a stalled machine, the keys of a provider may arrive too
/// late. They are fetched again after ten seconds.
template <class Request> testing::HttpResponse with_keys(Request request)
{
    testing::HttpResponse response;
    auto const has_keys = [&] {
        response = request();
        return response.status != 503;
    };
    testing::eventually(has_keys, 1min);
    return response;
}

/// Signs in with the id token. `more`: other members of the request.
inline testing::HttpResponse sign_in_externally(
    World const& world, std::string const& token, boost::json::object more = {})
{
    more["idToken"] = token;
    return with_keys([&] { return world.client().post("/v1/auth/external", body(more)); });
}
