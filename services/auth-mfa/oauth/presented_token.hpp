#pragma once

#include "deps.hpp"
#include "http/form.hpp"
#include "http/message.hpp"
#include "storage/sessions.hpp"
#include "tokens/tokens.hpp"

#include <optional>
#include <string>

namespace auth_mfa::oauth {

/// The parameter `token` of a request for revocation or introspection. Throws `invalid_request` if it is
/// absent. `token_type_hint` is not needed, because the two kinds of tokens differ in their form.
std::string require_token(http::Form const& form);

/// The refresh token and its live session; nullopt if `text` is not a refresh token of this environment, or
/// the session has ended.
struct LiveRefreshToken {
    RefreshToken token;
    sessions::TokenContents session;
};

asio::awaitable<std::optional<LiveRefreshToken>> find_live_refresh_token(
    http::Request const& req, Deps& deps, std::string_view text);

} // namespace auth_mfa::oauth
