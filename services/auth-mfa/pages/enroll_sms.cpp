#include "api/sms_factor.hpp"
#include "config.hpp"
#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "pages/enroll.hpp"
#include "pages/enrolling.hpp"
#include "pages/methods.hpp"
#include "pages/phone_field.hpp"
#include "state/sms_enrolments.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa::pages {

extern std::string_view const enroll_sms_html, enroll_sms_code_html; // files of pages/templates/

namespace {

constexpr std::string_view phone_title = "enroll_sms.title", code_title = "enroll_sms_code.title";
constexpr std::string_view phone_path = "/enroll/sms";

/// The values of the page that asks for the number, with what the user has entered.
asio::awaitable<Data> phone_data(Page const& page, User const& user)
{
    auto const& req = page.request();
    auto const tenant = co_await page.deps().directory.get(req.scope().slug);
    auto const allowed = sms_countries_of(*tenant, req.scope().environment());
    auto const accept_language = req.header("Accept-Language").value_or("");
    auto const entered = page.field("country");
    Data data = enrolling_data(page, user);
    data.set("provider", page.deps().config.sms_brand_provider);
    data.set("countries", country_options(page.language(), allowed,
                              entered.empty() ? likely_country(page.language(), accept_language, allowed)
                                              : std::string_view(entered)));
    set(data, "phone", page.field("phone"));
    co_return data;
}

asio::awaitable<http::Response> refuse_phone(Page& page, User const& user, Failure const& failure)
{
    auto data = co_await phone_data(page, user);
    if (failure.faults().empty())
        co_return page.show_failure(view_of<enroll_sms_html>(), phone_title, data, failure,
            {{codes::mfa_sms_undeliverable.name, "phone"}});
    data.set("phone_error", page.language().text("enroll_sms.wrong"));
    co_return page.show(view_of<enroll_sms_html>(), phone_title, data, failure.code().status);
}

asio::awaitable<std::optional<sms::PhoneNumber>> waiting_phone(Page const& page, User const& user)
{
    return page.deps().sms_enrolments.find(page.request().scope(), user.id);
}

Data sms_code_data(Page const& page, User const& user, sms::PhoneNumber const& phone)
{
    Data data = enrolling_data(page, user);
    data.set("phone", phone.text());
    return data;
}

} // namespace

asio::awaitable<http::Response> get_enroll_sms(Page& page)
{
    User const user = co_await enrolling_user(page);
    if (user.phone_verified) co_return page.redirect(with_next("/enroll", page.next()));
    co_await require_recent(page);
    co_return page.show(view_of<enroll_sms_html>(), phone_title, co_await phone_data(page, user));
}

asio::awaitable<http::Response> post_enroll_sms(Page& page)
{
    User const user = co_await enrolling_user(page);
    auto const result = co_await call(
        page, set_up_sms, {{"phone", phone_number(page.field("country"), page.field("phone"))}});
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return co_await refuse_phone(page, user, *failure);
    co_return page.redirect(with_next("/enroll/sms/code", page.next()));
}

asio::awaitable<http::Response> get_enroll_sms_code(Page& page)
{
    User const user = co_await enrolling_user(page);
    co_await require_recent(page); // the number may have been entered in another session
    auto const phone = co_await waiting_phone(page, user);
    if (!phone) co_return page.redirect(with_next(phone_path, page.next()));
    Data data = sms_code_data(page, user, *phone);
    if (page.query("sent") == "again") data.set("notice", page.language().text("enroll_sms_code.sent_again"));
    co_return page.show(view_of<enroll_sms_code_html>(), code_title, data);
}

asio::awaitable<http::Response> post_enroll_sms_code(Page& page)
{
    User const user = co_await enrolling_user(page);
    auto const phone = co_await waiting_phone(page, user);
    auto const result = co_await call(page, enrol_sms, {{"code", code_field(page)}});
    if (auto const* const enrolled = std::get_if<Enrolled>(&result))
        co_return complete(page, user, *enrolled, "sms_added");
    auto const& failure = std::get<Failure>(result);
    if (!phone || is(failure, codes::mfa_setup_required))
        co_return page.show_failure(
            view_of<enroll_sms_html>(), phone_title, co_await phone_data(page, user), failure);
    co_return page.show_failure(view_of<enroll_sms_code_html>(), code_title,
        sms_code_data(page, user, *phone), failure, {{codes::mfa_invalid_code.name, "code"}});
}

asio::awaitable<http::Response> post_enroll_sms_resend(Page& page)
{
    User const user = co_await enrolling_user(page);
    auto const phone = co_await waiting_phone(page, user);
    if (!phone) co_return page.redirect(with_next(phone_path, page.next()));
    auto const result = co_await call(page, set_up_sms, {{"phone", phone->text()}});
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return page.show_failure(
            view_of<enroll_sms_code_html>(), code_title, sms_code_data(page, user, *phone), *failure);
    co_return page.redirect(with_next("/enroll/sms/code?sent=again", page.next()));
}

} // namespace auth_mfa::pages
