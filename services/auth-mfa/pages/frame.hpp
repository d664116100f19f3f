#pragma once

#include "http/message.hpp"
#include "pages/language.hpp"
#include "pages/view.hpp"

#include <string>
#include <string_view>

/// What all pages have in common: the language and the values of the layout.
namespace auth_mfa::pages {

inline constexpr std::string_view language_cookie = "__Host-language";

/// The value of the request's cookie; empty if it is absent.
std::string_view cookie_of(http::Request const& req, std::string_view name);

/// A new value for a cookie that contains only random bytes: 256 bits in base64url.
std::string random_cookie();

/// Whether the text has the form of a `random_cookie`.
bool is_random_cookie(std::string_view text);

/// The language of the response: the query parameter `ui_locales`, else the cookie, else `Accept-Language`.
Language const& language_of(http::Request const& req);

/// The languages for the links at the foot of a page.
Data language_links(Language const& current);

/// Adds the values of the layout that every page has.
void add_frame(Data& data, Language const& language, std::string const& title);

/// Whether a page of this host may have sent the request. Other software than browsers sends none of the
/// headers that tell.
bool is_from_own_page(http::Request const& req);

} // namespace auth_mfa::pages
