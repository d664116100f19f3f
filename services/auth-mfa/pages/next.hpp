#pragma once

#include <string>
#include <string_view>

/// The paths to which a sign-in may return: the value `next` of queries, forms and cookies.
namespace auth_mfa::pages {

/// How the path of an authorization request begins. The rest is its id.
inline constexpr std::string_view continue_path = "/oauth/continue/";

/// Whether a sign-in may return to this path: a page that needs a session, an authorization request, or a
/// page that adds a factor and then returns to an authorization request
/// (`/enroll/totp?next=/oauth/continue/ID`).
bool may_return_to(std::string_view path);

/// The id of the authorization request to which the path leads in the end; empty if it leads to none. Refers
/// to `next`.
std::string_view authorization_of(std::string_view next);

/// `next` if it is the path of an authorization request, else empty.
std::string authorization_path(std::string_view next);

/// `path` with the query `next=NEXT`, unless `next` is empty. `path` may have a query.
std::string with_next(std::string_view path, std::string_view next);

} // namespace auth_mfa::pages
