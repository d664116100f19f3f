#include "pages/enroll.hpp"

#include "config.hpp"
#include "pages/enrolling.hpp"

namespace auth_mfa::pages {

extern std::string_view const enroll_html, enroll_public_html; // files of pages/templates/

namespace {

constexpr std::string_view title = "enroll.title";

asio::awaitable<http::Response> show_choice(Page& page)
{
    User const user = co_await enrolling_user(page);
    Data data = enrolling_data(page, user);
    if (user.has_password() && !user.totp) data.set("totp", "true");
    if (user.has_password() && !user.phone_verified) data.set("sms", "true");
    data.set(user.has_factor() ? "further" : "first", "true");
    if (page.authorization() != nullptr && page.authorization()->request.aal2) data.set("asked", "true");
    co_return page.show(view_of<enroll_html>(), title, data);
}

http::Response show_public(Page& page)
{
    Data data;
    data.set("provider", page.deps().config.sms_brand_provider);
    return page.show(view_of<enroll_public_html>(), title, data);
}

} // namespace

asio::awaitable<http::Response> get_enroll(Page& page)
{
    if (!knows_user(page)) co_return show_public(page);
    co_return co_await run_enrolling(page, show_choice);
}

} // namespace auth_mfa::pages
