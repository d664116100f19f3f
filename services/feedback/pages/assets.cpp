#include "pages/assets.hpp"

#include "core/error.hpp"
#include "hosted_pages/brand_colors.hpp"
#include "hosted_pages/logo_handlers.hpp"
#include "hosted_pages/response.hpp"
#include "http/query.hpp"
#include "pages/frame.hpp"

namespace feedback::pages {

extern std::string_view const board_css, board_js; // files of pages/assets/

namespace {

namespace brand_colors = hosted_pages::brand_colors;

std::string const& style_name()
{
    static std::string const name = "board." + hosted_pages::version_of({board_css}) + ".css";
    return name;
}

http::Response style_for(http::Request const& req)
{
    constexpr std::string_view type = "text/css; charset=utf-8";
    auto const accent = "#" + http::Query(req).text("accent", 6, 6).value_or("");
    if (!brand_colors::is_color(accent)) return {.content_type = type, .fixed_body = board_css};
    return {.body = std::string(board_css) + brand_colors::style_of(accent), .content_type = type};
}

} // namespace

std::string style_address(std::string_view accent)
{
    return accent.empty() ? style_name() : style_name() + "?accent=" + std::string(accent.substr(1));
}

std::string const& script_address()
{
    static std::string const name = "board." + hosted_pages::version_of({board_js}) + ".js";
    return name;
}

asio::awaitable<http::Response> get_asset(http::Request const& req, Deps& deps)
{
    std::string_view const file = req.param("file");
    bool const is_style = file.ends_with(".css"), is_script = file.ends_with(".js");
    if (!file.starts_with("board.") || (!is_style && !is_script))
        throw core::Error(core::codes::not_found, "There is no such file.");
    co_await frame_of(req, deps);
    if (is_style) co_return hosted_pages::cached_asset(style_for(req), file == style_name());
    co_return hosted_pages::cached_asset(
        {.content_type = "text/javascript; charset=utf-8", .fixed_body = board_js}, file == script_address());
}

asio::awaitable<http::Response> get_logo_image(http::Request const& req, Deps& deps)
{
    co_await frame_of(req, deps);
    co_return co_await hosted_pages::get_logo(req, deps.db);
}

} // namespace feedback::pages
