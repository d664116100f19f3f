#include "api/totp_factor.hpp"
#include "domain/errors.hpp"
#include "domain/totp.hpp"
#include "pages/enroll.hpp"
#include "pages/enrolling.hpp"
#include "pages/methods.hpp"
#include "pages/qr_code.hpp"

#include <boost/json/parse.hpp>

namespace auth_mfa::pages {

extern std::string_view const enroll_totp_html, enroll_totp_code_html; // files of pages/templates/

namespace {

constexpr std::string_view title = "enroll_totp.title";

/// The text in groups of 4 characters.
std::string grouped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 4) {
        if (i > 0) out += ' ';
        out += text.substr(i, 4);
    }
    return out;
}

/// The values of the page with the QR code. `url` is the `otpauthUrl` of the API.
Data secret_data(Page const& page, User const& user, std::string const& secret, std::string const& url)
{
    auto const code = qr_code(url);
    Data data = enrolling_data(page, user);
    data.set("secret", secret);
    data.set("grouped", grouped(secret));
    data.set("url", url);
    data.set("size", std::to_string(code.size));
    data.set("path", code.path);
    return data;
}

} // namespace

asio::awaitable<http::Response> get_enroll_totp(Page& page)
{
    User const user = co_await enrolling_user(page);
    if (user.totp) co_return page.redirect(with_next("/enroll", page.next()));
    co_await require_recent(page);
    co_return page.show(view_of<enroll_totp_html>(), title, enrolling_data(page, user));
}

asio::awaitable<http::Response> post_enroll_totp(Page& page)
{
    User const user = co_await enrolling_user(page);
    auto const result = co_await call(page, set_up_totp, {});
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return page.show_failure(view_of<enroll_totp_html>(), title, enrolling_data(page, user), *failure);
    auto const made = boost::json::parse(std::get<http::Response>(result).body);
    co_return page.show(view_of<enroll_totp_code_html>(), title,
        secret_data(page, user, std::string(made.at("secret").as_string()),
            std::string(made.at("otpauthUrl").as_string())));
}

asio::awaitable<http::Response> post_enroll_totp_code(Page& page)
{
    User const user = co_await enrolling_user(page);
    auto const result = co_await call(page, enrol_totp, {{"code", code_field(page)}});
    if (auto const* const enrolled = std::get_if<Enrolled>(&result))
        co_return complete(page, user, *enrolled, "totp_added");
    auto const& failure = std::get<Failure>(result);
    auto const secret = page.field("secret");
    if (!totp::is_secret(secret) || is(failure, codes::mfa_setup_required))
        co_return page.show_failure(view_of<enroll_totp_html>(), title, enrolling_data(page, user), failure);
    auto const url = totp::key_uri_of_secret(secret, page.brand(), user.email);
    co_return page.show_failure(view_of<enroll_totp_code_html>(), title, secret_data(page, user, secret, url),
        failure, {{codes::mfa_invalid_code.name, "code"}});
}

} // namespace auth_mfa::pages
