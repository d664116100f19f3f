#include "pages/links.hpp"

#include "api/email_change.hpp"
#include "api/email_verification.hpp"
#include "api/invitations.hpp"
#include "api/password_reset.hpp"
#include "domain/email_token.hpp"
#include "domain/errors.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>

namespace auth_mfa::pages {

// Files of pages/templates/.
extern std::string_view const check_email_html, link_confirm_html, link_password_html, link_result_html,
    request_link_html;

namespace {

using ApiCall = asio::awaitable<http::Response> (*)(http::Request const&, Deps&);

/// A link on a page.
struct Target {
    std::string_view path;
    std::string_view label; ///< the key of its text
};

constexpr Target to_sign_in{"/login", "login.submit"}, to_account{"/account", "link.account"},
    to_new_password{"/reset", "revert_email.reset"};

/// A page to which a link in a mail leads. The keys of its texts begin with `texts`.
struct LinkPage {
    std::string_view path;
    std::string_view texts;
    TokenPurpose purpose;
    Target after_expiry; ///< where the user can go when the token is not valid any more
};

constexpr LinkPage reset_page{"/reset", "reset.", TokenPurpose::reset_password, {"/reset", "link.new_link"}};
constexpr LinkPage invite_page{"/invite", "invite.", TokenPurpose::invitation, to_sign_in};
constexpr LinkPage verify_page{
    "/verify-email", "verify_email.", TokenPurpose::verify_email, {"/verify-email/send", "link.new_link"}};
constexpr LinkPage confirm_page{"/confirm-email", "confirm_email.", TokenPurpose::confirm_email, to_sign_in};
constexpr LinkPage revert_page{"/revert-email", "revert_email.", TokenPurpose::revert_email, to_sign_in};

/// A page that requests a mail with a link.
struct RequestPage {
    std::string_view path;
    std::string_view texts;
    ApiCall call;
    CheckEmail sent;
};

constexpr RequestPage reset_request{"/reset", "reset_request.", request_password_reset, CheckEmail::reset};
constexpr RequestPage verification_request{
    "/verify-email/send", "verify_request.", request_verification, CheckEmail::verification};

std::string key(std::string_view texts, std::string_view name)
{
    return std::string(texts).append(name);
}

std::string text(Page const& page, LinkPage const& link, std::string_view name, std::string const& email = {})
{
    return page.language().text(
        key(link.texts, name), {{"brand", page.brand()}, {"email", email},
                                   {"span", page.language().span(lifetime_of(link.purpose))}});
}

// --- results ---------------------------------------------------------------------------------------------

http::Response show_result(
    Page& page, std::string const& title, std::string const& text, Target const& target, unsigned status)
{
    Data data;
    data.set("text", text);
    data.set("target", std::string(target.path));
    data.set("label", page.language().text(target.label));
    return page.show(view_of<link_result_html>(), title, std::move(data), status);
}

/// Where a user goes on who can sign in, or has done so.
Target home(Page const& page)
{
    return page.session() != nullptr ? to_account : to_sign_in;
}

http::Response show_incomplete(Page& page, LinkPage const& link, unsigned status)
{
    return show_result(
        page, "link.incomplete", page.language().text("link.incomplete_text"), link.after_expiry, status);
}

/// The page for a failure after which the form is of no use; nullopt for other failures.
std::optional<http::Response> show_end(Page& page, LinkPage const& link, Failure const& failure)
{
    auto const status = failure.code().status;
    if (is(failure, codes::token_expired))
        return show_result(page, "link.expired",
            page.message(failure, "link") + ' ' + text(page, link, "expired"), link.after_expiry, status);
    if (is(failure, core::codes::conflict))
        return show_result(page, "link.taken", page.message(failure, "link"), home(page), status);
    if (is(failure, codes::account_disabled))
        return show_result(page, "link.disabled", page.message(failure, "link"), to_sign_in, status);
    if (std::ranges::any_of(failure.faults(), [](auto const& fault) { return fault.pointer == "/token"; }))
        return show_incomplete(page, link, status);
    return std::nullopt;
}

// --- forms -----------------------------------------------------------------------------------------------

Data form_data(Page const& page, LinkPage const& link, std::string const& token)
{
    Data data;
    data.set("action", std::string(link.path));
    data.set("token", token);
    data.set("text", text(page, link, "text"));
    data.set("button", text(page, link, "button"));
    return data;
}

http::Response show_form(Page& page, LinkPage const& link, View const& view)
{
    auto const token = page.query("token");
    if (token.empty()) return show_incomplete(page, link, 200); // somebody opened the bare address
    return page.show(view, key(link.texts, "title"), form_data(page, link, token));
}

http::Response show_form_again(Page& page, LinkPage const& link, View const& view, Failure const& failure)
{
    if (auto end = show_end(page, link, failure)) return *std::move(end);
    return page.show_failure(
        view, key(link.texts, "title"), form_data(page, link, page.field("token")), failure);
}

/// The failure of an API call whose field for the password is called `newPassword`, for the form.
Failure with_field_password(Failure const& failure)
{
    if (failure.faults().empty()) return failure;
    auto faults = failure.faults();
    for (auto& fault : faults)
        if (fault.pointer == "/newPassword") fault.pointer = "/password";
    return Failure::validation(std::move(faults));
}

// --- links that need only a button -----------------------------------------------------------------------

/// Uses the token up, and shows the result.
asio::awaitable<http::Response> use(Page& page, LinkPage const& link, ApiCall call)
{
    auto const token = page.field("token");
    if (token.empty()) co_return show_incomplete(page, link, core::codes::bad_request.status);
    auto const request = page.anonymous_request({{"token", token}});
    auto const result = co_await attempt(call(request, page.deps()));
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return show_form_again(page, link, view_of<link_confirm_html>(), *failure);
    co_await page.reload_session();
    auto const answer = boost::json::parse(std::get<http::Response>(result).body).as_object();
    auto const* const email = answer.if_contains("email");
    bool const reverted = link.purpose == TokenPurpose::revert_email;
    co_return show_result(page, key(link.texts, "done"),
        text(page, link, "done_text", email == nullptr ? "" : std::string(email->as_string())),
        reverted ? to_new_password : home(page), 200);
}

// --- requests of mails -----------------------------------------------------------------------------------

Data request_data(Page const& page, RequestPage const& wanted, std::string const& email)
{
    Data data;
    data.set("action", std::string(wanted.path));
    data.set("text", page.language().text(key(wanted.texts, "text")));
    set(data, "email", email);
    return data;
}

http::Response show_request(Page& page, RequestPage const& wanted)
{
    return page.show(
        view_of<request_link_html>(), key(wanted.texts, "title"), request_data(page, wanted, ""));
}

asio::awaitable<http::Response> request_link(Page& page, RequestPage const& wanted)
{
    auto const email = page.field("email");
    auto const request = page.anonymous_request({{"email", email}});
    auto const result = co_await attempt(wanted.call(request, page.deps()));
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return page.show_failure(view_of<request_link_html>(), key(wanted.texts, "title"),
            request_data(page, wanted, email), *failure);
    co_return show_check_email(page, wanted.sent, email);
}

} // namespace

http::Response show_check_email(Page& page, CheckEmail reason, std::string const& email)
{
    auto const& language = page.language();
    bool const resets = reason == CheckEmail::reset;
    auto const purpose = resets ? TokenPurpose::reset_password : TokenPurpose::verify_email;
    static constexpr auto texts = std::to_array<std::string_view>(
        {"check_email.registered", "check_email.verification", "check_email.reset"});
    Data data;
    data.set("text", language.text(texts.at(static_cast<std::size_t>(reason)),
                         {{"email", email}, {"span", language.span(lifetime_of(purpose))}}));
    data.set("email", email);
    data.set("action", std::string(resets ? reset_request.path : verification_request.path));
    if (page.field("again") == "yes") data.set("notice", language.text("check_email.sent_again"));
    return page.show(view_of<check_email_html>(), "check_email.title", std::move(data));
}

asio::awaitable<http::Response> get_reset(Page& page)
{
    co_return page.query("token").empty() ? show_request(page, reset_request)
                                          : show_form(page, reset_page, view_of<link_password_html>());
}

asio::awaitable<http::Response> post_reset(Page& page)
{
    auto const token = page.field("token");
    if (token.empty()) co_return co_await request_link(page, reset_request);
    auto const request = page.anonymous_request({{"token", token}, {"newPassword", page.field("password")}});
    auto const result = co_await attempt(reset_password(request, page.deps()));
    if (std::holds_alternative<http::Response>(result)) co_return page.redirect("/login?notice=reset");
    co_return show_form_again(
        page, reset_page, view_of<link_password_html>(), with_field_password(std::get<Failure>(result)));
}

asio::awaitable<http::Response> get_invite(Page& page)
{
    co_return show_form(page, invite_page, view_of<link_password_html>());
}

asio::awaitable<http::Response> post_invite(Page& page)
{
    auto const token = page.field("token");
    if (token.empty()) co_return show_incomplete(page, invite_page, core::codes::bad_request.status);
    auto const request = page.anonymous_request({{"token", token}, {"password", page.field("password")}});
    auto const result = co_await attempt(accept_invited(request, page.deps()));
    if (auto const* const signed_in = std::get_if<SignedIn>(&result))
        co_return co_await page.enter(*signed_in, "");
    auto const& failure = std::get<Failure>(result);
    if (auto next_step = page.continue_sign_in(failure, "", "")) co_return *std::move(next_step);
    co_return show_form_again(page, invite_page, view_of<link_password_html>(), failure);
}

asio::awaitable<http::Response> get_verify_email(Page& page)
{
    if (page.query("token").empty()) co_return co_await get_verify_email_send(page);
    co_return show_form(page, verify_page, view_of<link_confirm_html>());
}

asio::awaitable<http::Response> post_verify_email(Page& page)
{
    return use(page, verify_page, verify_email);
}

asio::awaitable<http::Response> get_verify_email_send(Page& page)
{
    co_return show_request(page, verification_request);
}

asio::awaitable<http::Response> post_verify_email_send(Page& page)
{
    return request_link(page, verification_request);
}

asio::awaitable<http::Response> get_confirm_email(Page& page)
{
    co_return show_form(page, confirm_page, view_of<link_confirm_html>());
}

asio::awaitable<http::Response> post_confirm_email(Page& page)
{
    return use(page, confirm_page, confirm_email);
}

asio::awaitable<http::Response> get_revert_email(Page& page)
{
    co_return show_form(page, revert_page, view_of<link_confirm_html>());
}

asio::awaitable<http::Response> post_revert_email(Page& page)
{
    return use(page, revert_page, revert_email);
}

} // namespace auth_mfa::pages
