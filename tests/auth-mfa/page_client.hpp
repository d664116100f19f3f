#pragma once

#include "world.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A hosted page as a browser without JavaScript shows it.
struct HostedPage {
    unsigned status = 0;
    /// Path and query of the page. After `get_raw` and `post_raw`: the header `Location`, or empty.
    std::string location;
    std::string body;
    testing::HttpResponse response;
    std::string title;                        ///< the text of `<h1>`
    std::string alert;                        ///< the error above the form, or empty
    std::string notice;                       ///< the notice above the form, or empty
    std::map<std::string, std::string> error; ///< the errors beside the fields, by the name of the field

    /// Whether the page contains the text. The page is unescaped for this, and the tags are left out.
    bool says(std::string_view text) const;
    /// Whether the page has a link or a form that leads to this path and query.
    bool links_to(std::string_view path) const;
};

/// A browser without JavaScript on the hosted pages of one environment. It keeps cookies, follows redirects,
/// and fills in forms:
///
///     PageClient client(world);
///     auto page = client.get("/login");
///     page = client.submit(page, "/login", {{"email", ada.email}, {"password", ada.password}});
///     CHECK(page.status == 200);
///     CHECK(page.location == "/account");
///
/// Fails the test if a page lacks one of the security headers, or a cookie lacks an attribute.
class PageClient {
public:
    using Fields = std::vector<std::pair<std::string, std::string>>;
    using Headers = testing::HttpClient::Headers;

    explicit PageClient(World const& world, std::string tenant = "demo-sandbox");

    /// Opens the page, and follows redirects.
    HostedPage get(std::string const& path, Headers const& headers = {});

    /// Sends the page's form with this action, and follows redirects. `fields` replace fields of the form and
    /// add others, such as the name and value of a button. Fails the test if the page has no such form.
    HostedPage submit(
        HostedPage const& page, std::string_view action, Fields const& fields, Headers const& headers = {});

    /// Opens `page`, and submits its form with the action `action` (default: the path of `page`).
    HostedPage fill_in(std::string const& page, Fields const& fields, std::string_view action = {});

    /// As `get`, without following redirects.
    HostedPage get_raw(std::string const& path, Headers const& headers = {});

    /// Sends exactly these fields, as a page of this host. Follows no redirect. `headers` replace the headers
    /// of a browser; an empty value removes a header.
    HostedPage post_raw(std::string const& path, Fields const& fields, Headers const& headers = {});

    /// Signs in with the email and the password. Fails the test if the account has a second factor.
    void sign_in(Account const& account);

    /// The fields that a browser sends with the page's form if the user changes nothing, in their order.
    static Fields fields_of(HostedPage const& page, std::string_view action);

    /// The hidden field `csrf` of the page's first form.
    static std::string csrf_of(HostedPage const& page);

    std::map<std::string, std::string> cookies; ///< by name; a test may change them

private:
    HostedPage open(std::string const& method, std::string const& path, Headers headers,
        std::optional<std::string> const& form);
    HostedPage follow(HostedPage page, std::string const& path);
    void keep_cookies(testing::HttpResponse const& response);

    testing::HttpClient client_;
    std::string origin_;
};

/// The session cookie of a client; empty if no user is signed in.
inline std::string session_of(PageClient const& client)
{
    auto const found = client.cookies.find("__Host-session");
    return found == client.cookies.end() ? std::string() : found->second;
}
