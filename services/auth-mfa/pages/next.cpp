#include "pages/next.hpp"

#include "core/id.hpp"
#include "state/authorization_requests.hpp"

#include <algorithm>
#include <array>

namespace auth_mfa::pages {

namespace {

/// The pages that a sign-in may return to.
constexpr auto next_pages =
    std::to_array<std::string_view>({"/account", "/account/password", "/account/email", "/account/codes",
        "/account/delete", "/enroll", "/enroll/sms", "/enroll/totp", "/enroll/passkey"});
/// Between an enrolment page and the authorization request to which it returns.
constexpr std::string_view inner_next = "?next=";
constexpr std::string_view enrolment = "/enroll";
constexpr std::string_view id_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool is_page(std::string_view path)
{
    return std::ranges::find(next_pages, path) != next_pages.end();
}

bool is_authorization(std::string_view path)
{
    if (!path.starts_with(continue_path)) return false;
    path.remove_prefix(continue_path.size());
    return path.size() == AuthorizationRequests::id_length &&
           path.find_first_not_of(id_characters) == std::string_view::npos;
}

bool is_removal_of_passkey(std::string_view path)
{
    constexpr std::string_view begin = "/account/passkeys/", end = "/remove";
    if (!path.starts_with(begin) || !path.ends_with(end) || path.size() < begin.size() + end.size())
        return false;
    path.remove_prefix(begin.size());
    path.remove_suffix(end.size());
    return core::Uuid::parse(path).has_value();
}

} // namespace

bool may_return_to(std::string_view path)
{
    if (is_page(path) || is_authorization(path) || is_removal_of_passkey(path)) return true;
    auto const page = path.substr(0, path.find(inner_next));
    return page.size() < path.size() && page.starts_with(enrolment) && is_page(page) &&
           is_authorization(path.substr(page.size() + inner_next.size()));
}

std::string_view authorization_of(std::string_view next)
{
    if (!may_return_to(next)) return {};
    auto const begin = next.find(continue_path);
    return begin == std::string_view::npos ? std::string_view() : next.substr(begin + continue_path.size());
}

std::string authorization_path(std::string_view next)
{
    return is_authorization(next) ? std::string(next) : std::string();
}

std::string with_next(std::string_view path, std::string_view next)
{
    std::string whole(path);
    if (next.empty()) return whole;
    whole += path.find('?') == std::string_view::npos ? '?' : '&';
    return whole.append("next=").append(next);
}

} // namespace auth_mfa::pages
