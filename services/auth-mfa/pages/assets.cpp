#include "pages/assets.hpp"

#include "hosted_pages/brand_colors.hpp"
#include "hosted_pages/response.hpp"
#include "http/query.hpp"

namespace auth_mfa::pages {

extern std::string_view const pages_css, pages_js; // the files of pages/assets/

namespace {

namespace brand_colors = hosted_pages::brand_colors;

/// A browser keeps the file as long as the address stays the same. Without the version, it asks again.
http::Response asset(http::Request const& req, http::Response response)
{
    bool const versioned = req.query.find(asset_version()) != std::string_view::npos;
    return hosted_pages::cached_asset(std::move(response), versioned);
}

} // namespace

std::string_view asset_version()
{
    static std::string const version = hosted_pages::version_of({pages_css, pages_js});
    return version;
}

std::string style_query(std::string_view accent)
{
    std::string query("v=");
    query += asset_version();
    if (!accent.empty()) query.append("&accent=").append(accent.substr(1));
    return query;
}

asio::awaitable<http::Response> get_style(http::Request const& req, Deps& /*deps*/)
{
    auto const accent = "#" + http::Query(req).text("accent", 6, 6).value_or("");
    constexpr std::string_view type = "text/css; charset=utf-8";
    if (!brand_colors::is_color(accent))
        co_return asset(req, {.content_type = type, .fixed_body = pages_css});
    co_return asset(
        req, {.body = std::string(pages_css) + brand_colors::style_of(accent), .content_type = type});
}

asio::awaitable<http::Response> get_script(http::Request const& req, Deps& /*deps*/)
{
    co_return asset(req, {.content_type = "text/javascript; charset=utf-8", .fixed_body = pages_js});
}

} // namespace auth_mfa::pages
