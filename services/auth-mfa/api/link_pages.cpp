#include "api/link_pages.hpp"

#include "api/hosted_page.hpp"
#include "domain/settings.hpp"
#include "tenancy/directory.hpp"

#include <array>

namespace auth_mfa {

extern std::string_view const link_html, link_js; // the files of pages/

namespace {

/// `name` selects the texts and the API call in pages/link.js.
asio::awaitable<http::Response> link_page(
    http::Request const& req, Deps& deps, char const* name, char const* title)
{
    static TextTemplate const page(link_html, std::to_array<std::string_view>({"brand", "page", "title"}));
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return hosted_page(
        page, {{"brand", brand_of(*tenant, req.scope().environment())}, {"page", name}, {"title", title}});
}

} // namespace

asio::awaitable<http::Response> get_reset_page(http::Request const& req, Deps& deps)
{
    return link_page(req, deps, "reset", "Reset your password");
}

asio::awaitable<http::Response> get_verify_email_page(http::Request const& req, Deps& deps)
{
    return link_page(req, deps, "verify-email", "Confirm your email address");
}

asio::awaitable<http::Response> get_invite_page(http::Request const& req, Deps& deps)
{
    return link_page(req, deps, "invite", "Choose a password");
}

asio::awaitable<http::Response> get_confirm_email_page(http::Request const& req, Deps& deps)
{
    return link_page(req, deps, "confirm-email", "Confirm your new email address");
}

asio::awaitable<http::Response> get_revert_email_page(http::Request const& req, Deps& deps)
{
    return link_page(req, deps, "revert-email", "Restore your email address");
}

asio::awaitable<http::Response> get_link_page_script(http::Request const& /*req*/, Deps& /*deps*/)
{
    co_return hosted_file(link_js, "text/javascript; charset=utf-8");
}

} // namespace auth_mfa
