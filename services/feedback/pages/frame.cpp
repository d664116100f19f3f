#include "pages/frame.hpp"

#include "auth/token_claims.hpp"
#include "domain/board_links.hpp"
#include "domain/settings.hpp"
#include "hosted_pages/response.hpp"
#include "pages/assets.hpp"
#include "pages/board.hpp"
#include "tenancy/directory.hpp"

#include <array>
#include <charconv>

namespace feedback::pages {

// files of pages/templates/
extern std::string_view const frame_html, part_facts_html, part_vote_html, error_html;

namespace {

constexpr auto parts =
    std::to_array<hosted_pages::Part>({{"[[>facts]]", &part_facts_html}, {"[[>vote]]", &part_vote_html}});

/// The port of the header `Host`; 0 if there is none.
std::uint16_t port_of(http::Request const& req)
{
    auto const host = req.header("Host").value_or("");
    auto const colon = host.rfind(':');
    std::uint16_t port = 0;
    if (colon != std::string_view::npos)
        std::from_chars(host.data() + colon + 1, host.data() + host.size(), port);
    return port;
}

std::string title_of(core::Error const& error)
{
    switch (error.code().status) {
    case 404:
        return "Page not found";
    case 429:
        return "Too many requests";
    case 503:
        return "Temporarily unavailable";
    default:
        return "This page cannot be shown";
    }
}

std::string text_of(core::Error const& error)
{
    switch (error.code().status) {
    case 400:
        return "The address of this page is not valid, or it has expired. Go back to the board.";
    case 404:
        return "There is no such page. It may have been removed, or the address is wrong.";
    case 429:
        return "Too many requests came from your network. Wait a minute and open the page again.";
    default:
        return "Try again later.";
    }
}

} // namespace

asio::awaitable<Frame> frame_of(http::Request const& req, Deps& deps)
{
    auto const& scope = req.scope();
    auto const environment = scope.environment();
    auto const tenant = co_await deps.directory.get(scope.slug);
    auto const& settings = tenant->settings(environment);
    if (!FeedbackSettings::of(settings.document).public_board)
        throw core::Error(core::codes::not_found, "The board of this environment is off.");
    Frame frame;
    frame.brand = BoardBrand::of(*tenant, environment);
    frame.origin = board_url::origin(deps.board.base_host, port_of(req), scope);
    frame.auth = deps.board.sign_in_url.of(scope);
    frame.listed = environment == core::Environment::production;
    frame.settings = settings.version;
    co_return frame;
}

Data data_of(Frame const& frame, Head const& head)
{
    Data data;
    set(data, "color", frame.brand.color);
    set(data, "logo", frame.brand.logo);
    data.set("brand", frame.brand.name);
    data.set("origin", frame.origin);
    data.set("auth", frame.auth);
    data.set("robots", frame.listed && head.listed ? "index, follow" : "noindex");
    data.set("title", head.title);
    data.set("description", head.description);
    data.set("canonical", frame.origin + head.path);
    data.set("style", style_address(frame.brand.color));
    data.set("script", script_address());
    return data;
}

std::string key_of(Frame const& frame, std::string_view address)
{
    return std::to_string(frame.settings).append(" ").append(frame.origin).append(address);
}

http::Response page_response(Frame const& frame, std::string html)
{
    static std::string const cache_control = "public, max-age=" + std::to_string(PageCache::lifetime.count());
    return hosted_pages::html_response(std::move(html), 200, cache_control, {.connect = frame.auth});
}

http::Response error_page(http::Request const& req, core::Error const& error)
{
    Data data;
    data.set("robots", "noindex");
    data.set("style", style_address({}));
    data.set("title", title_of(error));
    data.set("text", text_of(error));
    data.set("request_id", req.context.request_id);
    auto response =
        hosted_pages::html_response(view_of<error_html>().render(data), error.code().status, "no-store");
    for (auto const& [name, value] : error.headers())
        response.headers.emplace_back(name, value);
    return response;
}

hosted_pages::Template make_view(std::string_view file)
{
    return hosted_pages::Template(hosted_pages::assemble(frame_html, file, parts));
}

} // namespace feedback::pages
