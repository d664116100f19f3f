#include "pages/frame.hpp"

#include "auth/token_claims.hpp"
#include "core/cookie.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "crypto/encoding.hpp"
#include "crypto/random.hpp"
#include "gateway/cors.hpp"
#include "http/query.hpp"
#include "pages/assets.hpp"
#include "pages/headers.hpp"
#include "pages/page.hpp"

namespace auth_mfa::pages {

extern std::string_view const error_html; // a file of pages/templates/

namespace {

constexpr std::size_t random_cookie_bytes = 32;

/// Whether the header names the origin of this host, as `Host` gives it. A local host may use http, and any
/// port.
bool is_own_origin(std::string_view origin, std::string_view host)
{
    return origin == "https://" + std::string(host) ||
           (auth::token::is_local(host) &&
               gateway::cors::is_page_of(origin, core::lower(host.substr(0, host.find(':'))), false));
}

} // namespace

std::string_view cookie_of(http::Request const& req, std::string_view name)
{
    return core::find_cookie(req.header("Cookie").value_or(""), name).value_or("");
}

std::string random_cookie()
{
    return crypto::base64url::encode(crypto::random_bytes(random_cookie_bytes));
}

bool is_random_cookie(std::string_view text)
{
    auto const bytes = crypto::base64url::decode(text);
    return bytes && bytes->size() == random_cookie_bytes;
}

Language const& language_of(http::Request const& req)
{
    auto const asked = http::Query(req).text("ui_locales", 1, 200);
    return choose_language(
        asked ? *asked : cookie_of(req, language_cookie), req.header("Accept-Language").value_or(""));
}

Data language_links(Language const& current)
{
    Data links(Data::type::list);
    for (auto const& language : languages()) {
        Data link;
        link.set("code", std::string(language.code()));
        link.set("name", language.text("language.name"));
        if (&language == &current) link.set("current", "true");
        links << link;
    }
    return links;
}

void add_frame(Data& data, Language const& language, std::string const& title)
{
    data.set("lang", std::string(language.code()));
    data.set("dir", std::string(language.direction()));
    data.set("title", title);
    data.set("version", std::string(asset_version()));
}

bool is_from_own_page(http::Request const& req)
{
    auto const origin = req.header("Origin");
    auto const site = req.header("Sec-Fetch-Site").value_or("same-origin");
    if (site != "same-origin" && site != "none") return false;
    return !origin || is_own_origin(*origin, req.header("Host").value_or(""));
}

http::Response error_page(http::Request const& req, core::Error const& error)
{
    auto const& language = language_of(req);
    auto const key = "error." + std::string(error.code().name);
    Data data;
    add_frame(data, language, language.text("error.title"));
    data.set("style", style_query(""));
    data.set("text", language.text(language.contains(key) ? key : "error.other"));
    data.set("request_id", req.context.request_id);
    auto response = html_response(view_of<error_html>().render(language, data), error.code().status);
    for (auto const& [name, value] : error.headers())
        response.headers.emplace_back(name, value);
    return response;
}

} // namespace auth_mfa::pages
