#include "crypto/compare.hpp"
#include "pages/frame.hpp"
#include "pages/page.hpp"

// The cookies of Page that are not those of its session and its forms.

namespace auth_mfa::pages {

namespace {

constexpr std::string_view authorization_cookie = "__Host-authorize", external_cookie = "__Host-external";

} // namespace

std::string Page::authorization_secret()
{
    if (std::string secret(cookie_of(req_, authorization_cookie)); is_random_cookie(secret)) return secret;
    auto secret = random_cookie();
    set_cookie(authorization_cookie, secret, std::chrono::seconds(0));
    return secret;
}

asio::awaitable<std::optional<PendingAuthorization>> Page::find_authorization(std::string_view id) const
{
    auto const secret = cookie_of(req_, authorization_cookie);
    if (id.empty() || !is_random_cookie(secret)) co_return std::nullopt;
    auto pending = co_await deps_.authorization_requests.find(req_.scope(), id);
    if (!pending || !crypto::equal_constant_time(pending->browser, secret)) co_return std::nullopt;
    co_return pending;
}

std::string_view Page::external_sign_in() const
{
    return cookie_of(req_, external_cookie);
}

void Page::set_external_sign_in(std::string const& sealed)
{
    set_cookie(external_cookie, sealed,
        sealed.empty() ? std::chrono::seconds(0) : std::chrono::seconds(external_sign_in_lifetime));
}

// The token is that of a form whose cookie would be the name of the purpose, which no form cookie is.
std::string Page::external_token(ExternalPurpose purpose) const
{
    return deps_.page_tokens.form(req_.scope(), to_string(purpose), session_cookie_);
}

bool Page::is_external_token(ExternalPurpose purpose, std::string_view token) const
{
    return deps_.page_tokens.is_form(req_.scope(), to_string(purpose), session_cookie_, token);
}

/// With lifetime 0, a value lasts until the browser ends, and an empty value removes the cookie.
void Page::set_cookie(std::string_view name, std::string_view value, std::chrono::seconds lifetime)
{
    std::string cookie(name);
    cookie.append("=").append(value).append("; Path=/");
    if (lifetime.count() > 0 || value.empty()) cookie += "; Max-Age=" + std::to_string(lifetime.count());
    headers_.emplace_back("Set-Cookie", cookie + "; Secure; HttpOnly; SameSite=Lax");
}

} // namespace auth_mfa::pages
