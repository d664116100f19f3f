#include "pages/account_changes.hpp"

#include "api/accounts.hpp"
#include "api/deletion.hpp"
#include "api/email_change.hpp"
#include "api/factors.hpp"
#include "api/passkeys.hpp"
#include "api/recovery_codes.hpp"
#include "api/sms_factor.hpp"
#include "api/totp_factor.hpp"
#include "core/text.hpp"
#include "domain/errors.hpp"
#include "pages/account_data.hpp"
#include "pages/methods.hpp"
#include "pages/show_codes.hpp"
#include "pages/signed_in_page.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <array>

namespace auth_mfa::pages {

// Files of pages/templates/.
extern std::string_view const account_password_html, account_email_html, account_remove_html,
    account_codes_html, account_delete_html;

namespace {

constexpr std::string_view password_title = "account_password.title", email_title = "account_email.title",
                           remove_title = "account_remove.title", codes_title = "account_codes.title",
                           delete_title = "account_delete.title";

struct Factor {
    std::string_view name;
    ApiHandler disable;
};

/// The factor in the path.
Factor const& factor_of(Page const& page)
{
    static constexpr std::array factors{Factor{"sms", disable_sms}, Factor{"totp", disable_totp}};
    auto const* const found = std::ranges::find(factors, page.request().param("factor"), &Factor::name);
    if (found == factors.end()) throw core::Error(core::codes::not_found, "There is no such factor.");
    return *found;
}

asio::awaitable<boost::json::object> factors_of(Page const& page)
{
    return read_api(page, get_factors, "");
}

/// The values of the page that asks whether to remove `what`.
Data removal(Page const& page, std::string const& what)
{
    Data data;
    data.set("what", what);
    data.set("action", std::string(page.request().path));
    return data;
}

Data factor_data(Page const& page, boost::json::object const& factors, std::string_view factor)
{
    auto data = removal(page, factor_name(page.language(), factors, factor));
    data.set("needs_code", "true");
    return data;
}

asio::awaitable<Data> passkey_data(Page const& page)
{
    auto const id = page.request().uuid_param("passkeyId").to_string();
    auto const passkeys = co_await read_api(page, list_passkeys, "");
    for (auto const& passkey : passkeys.at("items").as_array()) {
        if (passkey.at("passkeyId").as_string() != id) continue;
        auto const name = std::string(passkey.at("name").as_string());
        co_return removal(page, page.language().text("account.passkey", {{"passkey", name}}));
    }
    throw core::Error(core::codes::not_found, "The account has no such passkey.");
}

/// Whether the user entered the account's email.
bool names_account(Page const& page)
{
    return core::lower(core::trim(page.field("email"))) == core::lower(page.session()->email);
}

} // namespace

asio::awaitable<http::Response> get_account_password(Page& page)
{
    co_return page.show(view_of<account_password_html>(), password_title, {});
}

asio::awaitable<http::Response> post_account_password(Page& page)
{
    auto const result = co_await call_api(page, change_password,
        {{"currentPassword", page.field("currentPassword")}, {"newPassword", page.field("newPassword")}});
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return page.show_failure(view_of<account_password_html>(), password_title, {}, *failure,
            {{codes::invalid_credentials.name, "currentPassword"}});
    co_return page.redirect("/account?notice=password_changed");
}

asio::awaitable<http::Response> get_account_email(Page& page)
{
    co_await require_recent(page);
    co_return page.show(view_of<account_email_html>(), email_title, {});
}

asio::awaitable<http::Response> post_account_email(Page& page)
{
    auto const email = page.field("newEmail");
    auto const result = co_await call_api(page, change_email, {{"newEmail", email}});
    if (std::holds_alternative<http::Response>(result))
        co_return page.redirect("/account?notice=email_requested");
    Data data;
    set(data, "newEmail", email);
    co_return page.show_failure(view_of<account_email_html>(), email_title, std::move(data),
        std::get<Failure>(result), {{core::codes::conflict.name, "newEmail"}});
}

asio::awaitable<http::Response> get_remove_factor(Page& page)
{
    auto const& factor = factor_of(page);
    auto const factors = co_await factors_of(page);
    if (!has_factor(factors, factor.name)) co_return page.redirect("/account");
    co_return page.show(
        view_of<account_remove_html>(), remove_title, factor_data(page, factors, factor.name));
}

asio::awaitable<http::Response> post_remove_factor(Page& page)
{
    auto const& factor = factor_of(page);
    auto const result = co_await call_api(page, factor.disable, {{"code", code_field(page)}});
    if (std::holds_alternative<http::Response>(result))
        co_return page.redirect("/account?notice=factor_removed");
    co_return page.show_failure(view_of<account_remove_html>(), remove_title,
        factor_data(page, co_await factors_of(page), factor.name), std::get<Failure>(result),
        {{codes::mfa_invalid_code.name, "code"}});
}

asio::awaitable<http::Response> get_remove_passkey(Page& page)
{
    co_return page.show(view_of<account_remove_html>(), remove_title, co_await passkey_data(page));
}

asio::awaitable<http::Response> post_remove_passkey(Page& page)
{
    auto const result = co_await call_api(page, remove_passkey);
    if (std::holds_alternative<http::Response>(result))
        co_return page.redirect("/account?notice=factor_removed");
    co_return page.show_failure(
        view_of<account_remove_html>(), remove_title, co_await passkey_data(page), std::get<Failure>(result));
}

asio::awaitable<http::Response> get_account_codes(Page& page)
{
    co_await require_recent(page);
    if ((co_await factors_of(page)).at("factors").as_array().empty()) co_return page.redirect("/account");
    co_return page.show(view_of<account_codes_html>(), codes_title, {});
}

asio::awaitable<http::Response> post_account_codes(Page& page)
{
    auto const result = co_await call_api(page, replace_recovery_codes);
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return page.show_failure(view_of<account_codes_html>(), codes_title, {}, *failure);
    auto const body = boost::json::parse(std::get<http::Response>(result).body);
    co_return show_codes(page, boost::json::value_to<std::vector<std::string>>(body.at("recoveryCodes")),
        page.session()->email, "/account", page.language().text("notice.codes_replaced"));
}

asio::awaitable<http::Response> get_account_delete(Page& page)
{
    co_await require_recent(page);
    co_return page.show(view_of<account_delete_html>(), delete_title, {});
}

asio::awaitable<http::Response> post_account_delete(Page& page)
{
    if (!names_account(page))
        co_return page.show_failure(view_of<account_delete_html>(), delete_title, {},
            core::Error::validation({{"/email", "not_own_email", "must be the account's email"}}));
    auto const result = co_await call_api(page, delete_me);
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return page.show_failure(view_of<account_delete_html>(), delete_title, {}, *failure);
    page.clear_session();
    co_return page.redirect("/login?notice=deleted");
}

} // namespace auth_mfa::pages
