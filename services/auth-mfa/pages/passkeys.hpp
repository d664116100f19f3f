#pragma once

#include "pages/page.hpp"

namespace auth_mfa::pages {

/// POST /passkey/options: the options (WebAuthn) for the script of a form with the attribute `data-passkey`,
/// as JSON. The field `for` is the attribute's value: `sign-in`, `verify` (second factor of the sign-in in
/// progress), `confirm` (proof of the signed-in user) or `register`. An error is `{"message": …}` in the
/// user's language, or `{"location": …}`, the page to which the script must go.
asio::awaitable<http::Response> post_passkey_options(Page& page);

} // namespace auth_mfa::pages
