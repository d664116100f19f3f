#include "api/passkeys.hpp"
#include "domain/errors.hpp"
#include "domain/user_agent.hpp"
#include "pages/enroll.hpp"
#include "pages/enrolling.hpp"
#include "pages/passkey_field.hpp"

#include <algorithm>

namespace auth_mfa::pages {

extern std::string_view const enroll_passkey_html; // a file of pages/templates/

namespace {

constexpr std::string_view title = "enroll_passkey.title";

Data passkey_data(Page const& page, User const& user, std::string const& name)
{
    Data data = enrolling_data(page, user);
    set(data, "name", name);
    return data;
}

} // namespace

asio::awaitable<http::Response> get_enroll_passkey(Page& page)
{
    User const user = co_await enrolling_user(page);
    co_await require_recent(page);
    auto const name = browser_name(page.request().header("User-Agent").value_or(""));
    co_return page.show(view_of<enroll_passkey_html>(), title, passkey_data(page, user, name));
}

asio::awaitable<http::Response> post_enroll_passkey(Page& page)
{
    User const user = co_await enrolling_user(page);
    auto const name = page.field("name");
    auto const result =
        co_await call(page, enrol_passkey, {{"name", name}, {"credential", passkey_field(page)}});
    if (auto const* const made = std::get_if<EnrolledPasskey>(&result))
        co_return complete(page, user, made->enrolled, "passkey_added");
    auto const& failure = std::get<Failure>(result);
    auto data = passkey_data(page, user, name);
    auto const is_in_credential = [](core::FieldError const& fault) { return fault.pointer != "/name"; };
    if (std::ranges::any_of(failure.faults(), is_in_credential))
        data.set("alert", page.language().text("passkey.failed"));
    co_return page.show_failure(view_of<enroll_passkey_html>(), title, std::move(data), failure);
}

} // namespace auth_mfa::pages
