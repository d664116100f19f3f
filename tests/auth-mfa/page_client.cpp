#include "page_client.hpp"

#include "core/text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <regex>

namespace {

constexpr int max_redirects = 10;

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

std::string unescaped(std::string text)
{
    static constexpr auto names = std::to_array<std::pair<std::string_view, std::string_view>>(
        {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"}, {"&amp;", "&"}});
    for (auto const& [name, character] : names)
        text = replaced(std::move(text), name, character);
    return text;
}

/// The text of HTML without its tags. Several spaces and line ends become one space.
std::string text_of(std::string const& html)
{
    static std::regex const tags("<[^>]*>"), spaces("\\s+");
    return unescaped(std::regex_replace(std::regex_replace(html, tags, " "), spaces, " "));
}

/// The text of the first element that `begin` matches, up to the next end tag; empty if there is none.
std::string text_in(std::string const& html, std::string const& begin)
{
    std::smatch found;
    if (!std::regex_search(html, found, std::regex(begin + "([^<]*)</"))) return {};
    return unescaped(found[1]);
}

bool has_attribute(std::string const& tag, std::string const& name)
{
    return std::regex_search(tag, std::regex("\\s" + name + "(?=[\\s=>]|$)"));
}

std::string attribute(std::string const& tag, std::string const& name)
{
    std::smatch found;
    return std::regex_search(tag, found, std::regex("\\s" + name + "=\"([^\"]*)\"")) ? unescaped(found[1])
                                                                                     : std::string();
}

/// The start tag and the content of each element with this name, which must not contain another one.
std::vector<std::pair<std::string, std::string>> elements(std::string const& html, std::string const& name)
{
    std::vector<std::pair<std::string, std::string>> found;
    auto const begin = "<" + name + " ", end = "</" + name + ">";
    for (auto at = html.find(begin); at != std::string::npos; at = html.find(begin, at + 1)) {
        auto const content = html.find('>', at) + 1;
        found.emplace_back(
            html.substr(at, content - at), html.substr(content, html.find(end, content) - content));
    }
    return found;
}

/// The forms of the page with this action. A form without an action sends to its own page.
std::vector<std::string> forms_of(HostedPage const& page, std::string_view action)
{
    std::vector<std::string> found;
    for (auto const& [tag, content] : elements(page.body, "form"))
        if (attribute(tag, "action") == action) found.push_back(content);
    return found;
}

std::string encode(PageClient::Fields const& fields)
{
    std::string form;
    for (auto const& [name, value] : fields)
        form += (form.empty() ? "" : "&") + core::percent_encode(name) + '=' + core::percent_encode(value);
    return form;
}

/// Every page and every redirect has these headers, also if it shows an error.
void check_headers(testing::HttpResponse const& response)
{
    CHECK(response.header("cache-control") == "no-store");
    if (response.status == 303) return;
    CHECK(response.header("content-type") == "text/html; charset=utf-8");
    CHECK(response.header("x-content-type-options") == "nosniff");
    CHECK(response.header("referrer-policy") == "strict-origin");
    CHECK(response.header("x-frame-options") == "DENY");
    auto const& policy = response.header("content-security-policy");
    for (auto const* part : {"default-src 'none';", "script-src 'self';", "style-src 'self';",
             "form-action 'self'", "frame-ancestors 'none';", "base-uri 'none';"}) {
        INFO(part);
        CHECK(policy.find(part) != std::string::npos);
    }
}

HostedPage page_of(testing::HttpResponse response)
{
    HostedPage page{
        .status = response.status, .location = response.header("location"), .body = response.body};
    page.title = text_in(page.body, "<h1[^>]*>");
    page.alert = text_in(page.body, "<p class=\"alert\"[^>]*>");
    page.notice = text_in(page.body, "<p class=\"notice\"[^>]*>");
    std::regex const error("<p class=\"error\" id=\"([^\"]+)-error\"[^>]*>([^<]*)</p>");
    for (std::sregex_iterator it(page.body.begin(), page.body.end(), error), end; it != end; ++it)
        page.error[(*it)[1]] = unescaped((*it)[2]);
    page.response = std::move(response);
    return page;
}

} // namespace

bool HostedPage::says(std::string_view text) const
{
    return text_of(body).find(text) != std::string::npos;
}

bool HostedPage::links_to(std::string_view path) const
{
    for (auto const& [tag, content] : elements(body, "a"))
        if (attribute(tag, "href") == path) return true;
    return !forms_of(*this, path).empty();
}

PageClient::PageClient(World const& world, std::string tenant) : client_(world.client(tenant))
{
    auto const base = world.variables().at("BASE_HOST");
    origin_ = (base.ends_with("localhost") ? "http://" : "https://") + tenant + '.' + base;
}

HostedPage PageClient::open(std::string const& method, std::string const& path, Headers headers,
    std::optional<std::string> const& form)
{
    std::string sent;
    for (auto const& [name, value] : cookies)
        sent += (sent.empty() ? "" : "; ") + name + '=' + value;
    if (!sent.empty()) headers.emplace_back("Cookie", sent);
    auto page = page_of(client_.request(method, path, headers, form));
    INFO(method << ' ' << path << ": " << page.status << ' ' << page.body);
    check_headers(page.response);
    keep_cookies(page.response);
    return page;
}

HostedPage PageClient::get_raw(std::string const& path, Headers const& headers)
{
    return open("GET", path, headers, std::nullopt);
}

HostedPage PageClient::post_raw(std::string const& path, Fields const& fields, Headers const& headers)
{
    Headers sent{{"Content-Type", "application/x-www-form-urlencoded"}, {"Origin", origin_},
        {"Sec-Fetch-Site", "same-origin"}};
    for (auto const& [name, value] : headers) {
        std::erase_if(sent, [&](auto const& header) { return header.first == name; });
        if (!value.empty()) sent.emplace_back(name, value);
    }
    return open("POST", path, std::move(sent), encode(fields));
}

HostedPage PageClient::get(std::string const& path, Headers const& headers)
{
    return follow(get_raw(path, headers), path);
}

HostedPage PageClient::submit(
    HostedPage const& page, std::string_view action, Fields const& fields, Headers const& headers)
{
    auto sent = fields_of(page, action);
    for (auto const& [name, value] : fields)
        std::erase_if(sent, [&](auto const& field) { return field.first == name; });
    sent.insert(sent.end(), fields.begin(), fields.end());
    return follow(post_raw(std::string(action), sent, headers), std::string(action));
}

HostedPage PageClient::fill_in(std::string const& page, Fields const& fields, std::string_view action)
{
    auto const own = page.substr(0, page.find('?'));
    return submit(get(page), action.empty() ? std::string_view(own) : action, fields);
}

/// `path` is the path of the request that was answered with `page`.
HostedPage PageClient::follow(HostedPage page, std::string const& path)
{
    std::string shown = path;
    for (int i = 0; page.status == 303; ++i) {
        REQUIRE(i < max_redirects);
        shown = page.location;
        INFO(shown);
        REQUIRE(shown.starts_with('/'));
        REQUIRE_FALSE(shown.starts_with("//"));
        page = get_raw(shown);
    }
    page.location = shown;
    return page;
}

void PageClient::sign_in(Account const& account)
{
    auto const page = fill_in("/login", {{"email", account.email}, {"password", account.password}});
    INFO(page.status << ' ' << page.location << ' ' << page.body);
    REQUIRE_FALSE(session_of(*this).empty());
}

PageClient::Fields PageClient::fields_of(HostedPage const& page, std::string_view action)
{
    auto const forms = forms_of(page, action);
    INFO("no form with the action " << action << " in " << page.status << ' ' << page.body);
    REQUIRE_FALSE(forms.empty());
    Fields fields;
    std::regex const inputs("<input\\b[^>]*>");
    auto const& form = forms.front();
    for (std::sregex_iterator it(form.begin(), form.end(), inputs), end; it != end; ++it) {
        std::string const tag = it->str();
        auto const type = attribute(tag, "type");
        if ((type == "checkbox" || type == "radio") && !has_attribute(tag, "checked")) continue;
        if (auto const name = attribute(tag, "name"); !name.empty())
            fields.emplace_back(name, attribute(tag, "value"));
    }
    return fields;
}

std::string PageClient::csrf_of(HostedPage const& page)
{
    std::smatch found;
    REQUIRE(std::regex_search(page.body, found, std::regex("name=\"csrf\" value=\"([^\"]+)\"")));
    return found[1];
}

/// The client joins the headers `Set-Cookie` with commas. No cookie of the service has a comma in it.
void PageClient::keep_cookies(testing::HttpResponse const& response)
{
    auto const& all = response.header("set-cookie");
    std::regex const one("([^=;, ]+)=([^;,]*)((?:; [^;,]*)*)");
    for (std::sregex_iterator it(all.begin(), all.end(), one), end; it != end; ++it) {
        auto const name = (*it)[1].str(), attributes = (*it)[3].str();
        INFO(it->str());
        if (name.starts_with("__Host-")) {
            CHECK(attributes.starts_with("; Path=/;"));
            CHECK(attributes.ends_with("; Secure; HttpOnly; SameSite=Lax"));
            CHECK(attributes.find("Domain") == std::string::npos);
        }
        if (attributes.find("Max-Age=0;") != std::string::npos)
            cookies.erase(name);
        else
            cookies[name] = (*it)[2];
    }
}
