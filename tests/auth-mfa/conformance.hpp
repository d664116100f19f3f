#pragma once

#include "oauth_pages.hpp"
#include "support/file.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

/// The test modules of the OpenID conformance suite (https://gitlab.com/openid/conformance-suite), as checks
/// of this service. A module has the name that it has in the suite.
namespace conformance {

using oauth::Client, oauth::Fields, oauth::Tokens;

inline constexpr char const* signed_out_uri = "https://app.example.com/signed-out";

inline boost::json::value discovery(World const& world)
{
    return world.client().get("/.well-known/openid-configuration").json();
}

/// Whether a list of the discovery document has the value.
inline bool lists(boost::json::value const& document, char const* member, std::string_view value)
{
    auto const* const list = document.as_object().if_contains(member);
    if (list == nullptr) return false;
    return std::ranges::any_of(
        list->as_array(), [&](auto const& one) { return std::string_view(one.as_string()) == value; });
}

/// What the suite is configured with: a provider, two confidential clients and a user.
struct Setup {
    World world;
    Account user = world.new_account();
    Client client = new_client();
    Client client2 = new_client();

    Client new_client() const
    {
        return oauth::new_confidential_client(
            world, {{"postLogoutRedirectUris", boost::json::array{signed_out_uri}}});
    }
};

/// One module of a plan.
struct Module {
    std::string_view name;
    void (*check)(Setup& setup);
};

/// Runs the modules of a plan. Each must have a row in the documentation.
inline void run(std::span<Module const> modules)
{
    auto const documentation = testing::read_file("docs/security/openid-conformance.md");
    Setup setup;
    for (auto const& module : modules) {
        INFO(module.name);
        CHECK(documentation.find("\n| `" + std::string(module.name) + "` |") != std::string::npos);
        module.check(setup);
        setup.world.clock.advance(2s);
    }
}

/// One browser of the user and the requests that a module sends in it.
class Flow {
public:
    explicit Flow(Setup& setup, bool signs_in = true) : browser(setup.world), setup_(setup)
    {
        if (signs_in) browser.sign_in(setup.user);
    }

    /// The parameters of a request of the suite. It has no PKCE.
    Fields request(Fields const& changes = {}) const
    {
        return oauth::with({{"response_type", "code"}, {"client_id", setup_.client.id},
                               {"redirect_uri", setup_.client.redirect_uri}, {"scope", "openid"},
                               {"state", "some state"}, {"nonce", "some nonce"}},
            changes);
    }

    /// Opens an authorization request. Returns the page or the redirect to the client that it ends with.
    HostedPage open(Fields const& changes = {}) { return oauth::travel(browser, request(changes)); }

    /// Answers the page that asks a signed-in user for the password.
    HostedPage confirm(HostedPage const& page)
    {
        return oauth::send(browser, page, "/account/confirm", {{"password", setup_.user.password}});
    }

    /// The parameters of the response to the client. Checks the state and the issuer.
    std::map<std::string, std::string> response(HostedPage const& page) const;

    /// The error code of the response.
    std::string error(HostedPage const& page) const;

    /// Exchanges the code of the response with `client_secret_basic`, and checks the id token.
    Tokens tokens(HostedPage const& page, std::string_view nonce = "some nonce");

    /// The tokens of a request that shows no page.
    Tokens authorize(Fields const& changes = {}) { return tokens(open(changes)); }

    /// POST /oauth/token with the code, without a check of the response.
    testing::HttpResponse exchange(std::string const& code) const;

    /// The response of userinfo.
    testing::HttpResponse userinfo(Tokens const& tokens) const;

    PageClient browser;

private:
    /// Checks the signature of an id token of the client, and its claims (OpenID Connect Core 1.0, 3.1.3.7).
    void check_id_token(std::string const& token, std::string_view nonce) const;

    Setup& setup_;
};

} // namespace conformance
