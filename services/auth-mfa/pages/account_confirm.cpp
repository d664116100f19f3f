#include "pages/account_confirm.hpp"

#include "api/reauthentication.hpp"
#include "domain/errors.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/signed_in_user.hpp"
#include "pages/external.hpp"
#include "pages/methods.hpp"
#include "pages/passkey_field.hpp"
#include "pages/signed_in_page.hpp"
#include "pg/database.hpp"
#include "storage/identities.hpp"

namespace auth_mfa::pages {

extern std::string_view const account_confirm_html; // a file of pages/templates/

namespace {

constexpr std::string_view title = "account_confirm.title";

/// What this page offers.
struct Offer {
    std::vector<std::string> methods;       ///< those with a form of this page
    std::vector<LinkedIdentity> identities; ///< those whose provider may authenticate the user
};

asio::awaitable<Offer> find_offer(Page const& page)
{
    auto const request = co_await page.api_request({});
    co_return co_await page.deps().db.read(request.scope(), [&](pg::Tx& tx) {
        Offer offer;
        User const user = signed_in_user(tx, request, page.deps());
        for (auto const& method : reauthentication_methods(tx, request, user)) {
            if (method.as_string() == "external")
                offer.identities = identities::list(tx, request.scope(), user.id);
            else
                offer.methods.emplace_back(method.as_string());
        }
        return offer;
    });
}

asio::awaitable<Data> confirm_data(Page const& page, std::string const& chosen)
{
    auto const offer = co_await find_offer(page);
    auto const& methods = offer.methods;
    Data data;
    co_await add_providers_of(page, data, offer.identities);
    bool const has_providers = data.get("has_providers") != nullptr;
    if (has_providers) data.set("confirm_token", page.external_token(ExternalPurpose::confirm));
    if (methods.empty() && !has_providers) data.set("none", "true");
    if (!methods.empty() && has_providers) data.set("either", "true");
    add_methods(data, page.language(), methods, choose_method(methods, chosen), was_code_sent(page));
    co_return data;
}

/// The body of POST /v1/auth/reauthenticate.
boost::json::object proof(Page const& page, std::string const& method)
{
    if (method == "password") return {{"password", page.field("password")}};
    if (method == "passkey") return {{"credential", passkey_field(page)}};
    return {{"method", method}, {"code", code_field(page)}};
}

asio::awaitable<http::Response> show_refusal(Page& page, std::string const& method, Failure const& failure)
{
    auto data = co_await confirm_data(page, method);
    if (method == "password")
        co_return page.show_failure(view_of<account_confirm_html>(), title, std::move(data), failure,
            {{codes::invalid_credentials.name, "password"}});
    if (method == "passkey")
        co_return show_passkey_failure(
            page, view_of<account_confirm_html>(), title, std::move(data), failure);
    co_return page.show_failure(view_of<account_confirm_html>(), title, std::move(data), failure,
        {{codes::mfa_invalid_code.name, "code"}});
}

} // namespace

asio::awaitable<http::Response> get_account_confirm(Page& page)
{
    co_return page.show(
        view_of<account_confirm_html>(), title, co_await confirm_data(page, page.query("method")));
}

asio::awaitable<http::Response> post_account_confirm(Page& page)
{
    auto const method = page.field("method");
    auto const request = co_await page.api_request(proof(page, method));
    auto const result = co_await attempt_or_end(reauthenticate_session(request, page.deps()));
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return co_await show_refusal(page, method, *failure);
    co_return after_confirmation(page, std::get<sessions::TokenContents>(result), page.next());
}

http::Response after_confirmation(
    Page& page, sessions::TokenContents const& contents, std::string const& next)
{
    page.renew_session(contents);
    return page.redirect(next.empty() || next == "/account" ? "/account?notice=confirmed" : next);
}

asio::awaitable<http::Response> post_account_confirm_send(Page& page)
{
    auto const result = co_await call_api(page, send_reauthentication_code);
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return co_await show_refusal(page, "sms", *failure);
    co_return page.redirect(with_next("/account/confirm?method=sms&sent=1", page.next()));
}

} // namespace auth_mfa::pages
