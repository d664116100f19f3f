#pragma once

#include "oauth.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <regex>
#include <string>
#include <string_view>

/// Authorization requests in a browser, whose pages lead to other hosts in the end.
namespace oauth {

/// Opens the path and follows redirects on this host. Returns the last page, or the redirect to a client.
inline HostedPage travel(PageClient& browser, std::string path)
{
    auto page = browser.get_raw(path);
    for (int i = 0; i < 10 && page.status == 303 && page.location.starts_with('/'); ++i) {
        path = page.location;
        page = browser.get_raw(path);
    }
    if (page.status != 303) page.location = path;
    return page;
}

/// Opens an authorization request.
inline HostedPage travel(PageClient& browser, Fields const& request)
{
    return travel(browser, authorize_path(request));
}

/// Sends the page's form with this action, with `changes` of its fields, and travels on.
inline HostedPage send(
    PageClient& browser, HostedPage const& page, std::string_view action, Fields const& changes)
{
    auto fields = with(PageClient::fields_of(page, action), changes);
    auto const answer = browser.post_raw(std::string(action), fields);
    if (answer.status != 303 || !answer.location.starts_with('/')) return answer;
    return travel(browser, answer.location);
}

/// Signs in on the page that the request led to.
inline HostedPage sign_in_on(PageClient& browser, HostedPage const& page, Account const& account)
{
    return send(browser, page, "/login", {{"email", account.email}, {"password", account.password}});
}

/// The parameters of a redirect to the client. Fails the test if the page is none.
inline std::map<std::string, std::string> answer_of(HostedPage const& page)
{
    INFO(page.status << ' ' << page.location << ' ' << page.title);
    REQUIRE(page.status == 303);
    REQUIRE_FALSE(page.location.starts_with('/'));
    return parameters_of(page.location);
}

/// The error code in a redirect to the client; empty if it has a code.
inline std::string error_in(HostedPage const& page)
{
    auto const answer = answer_of(page);
    return answer.contains("error") ? answer.at("error") : std::string();
}

/// Whether the page is a redirect to the client with a code.
inline bool has_code(HostedPage const& page)
{
    return page.status == 303 && !page.location.starts_with('/') && answer_of(page).contains("code");
}

/// A user, a client and a browser in which nobody is signed in.
struct Scene {
    World world;
    Account ada = world.new_account();
    Client client = new_client(world, {{"name", "Shop & Co"}});
    Pkce pkce = Pkce::make();
    PageClient browser{world};

    Fields request(Fields const& changes = {}) const { return request_of(client, pkce, changes); }

    /// Opens a request in the browser.
    HostedPage open(Fields const& changes = {}) { return travel(browser, request(changes)); }

    HostedPage sign_in(HostedPage const& page) { return sign_in_on(browser, page, ada); }

    /// Sends the current password to the page that asks for it.
    HostedPage confirm(HostedPage const& page)
    {
        return send(browser, page, "/account/confirm", {{"password", ada.password}});
    }
};

/// The path of the stored request to which the page leads.
inline std::string next_of(HostedPage const& page)
{
    std::smatch found;
    REQUIRE(std::regex_search(page.location, found, std::regex("/oauth/continue/[A-Za-z0-9_-]{43}")));
    return found.str();
}

inline std::string policy_of(HostedPage const& page)
{
    return page.response.header("content-security-policy");
}

/// The secret of the page with the QR code.
inline std::string secret_of(HostedPage const& page)
{
    std::smatch found;
    REQUIRE(std::regex_search(page.body, found, std::regex("data-text=\"([A-Z2-7]+)\"")));
    return found[1];
}

} // namespace oauth
