#include "pages/register.hpp"

#include "api/accounts.hpp"
#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "pages/external.hpp"
#include "pages/links.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa::pages {

extern std::string_view const register_html, register_closed_html; // files of pages/templates/

namespace {

constexpr std::string_view title = "register.title";

asio::awaitable<bool> is_open(Page const& page)
{
    auto const& scope = page.request().scope();
    auto const tenant = co_await page.deps().directory.get(scope.slug);
    co_return account_rules_of(*tenant, scope.environment()).sign_up_open;
}

http::Response show_closed(Page& page)
{
    return page.show(
        view_of<register_closed_html>(), "register.closed", Data(), codes::sign_up_closed.status);
}

} // namespace

asio::awaitable<http::Response> get_register(Page& page)
{
    if (page.session() != nullptr) co_return page.redirect(page.next().empty() ? "/account" : page.next());
    if (!co_await is_open(page)) co_return show_closed(page);
    Data data;
    if (page.authorization() != nullptr) set(data, "email", page.authorization()->request.login_hint);
    co_await add_providers(page, data);
    co_return page.show(view_of<register_html>(), title, std::move(data));
}

asio::awaitable<http::Response> post_register(Page& page)
{
    auto const email = page.field("email");
    auto const request = page.anonymous_request({{"email", email}, {"password", page.field("password")}});
    auto const result = co_await attempt(register_account(request, page.deps()));
    if (auto const* const made = std::get_if<Registered>(&result)) {
        if (made->signed_in) co_return co_await page.enter(*made->signed_in, page.next());
        co_return show_check_email(page, CheckEmail::registered, email);
    }
    auto const& failure = std::get<Failure>(result);
    if (auto next_step = page.continue_sign_in(failure, email, page.next())) co_return *std::move(next_step);
    if (is(failure, codes::sign_up_closed)) co_return show_closed(page);
    Data data;
    set(data, "email", email);
    co_await add_providers(page, data);
    co_return page.show_failure(
        view_of<register_html>(), title, std::move(data), failure, {{core::codes::conflict.name, "email"}});
}

} // namespace auth_mfa::pages
