#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"
#include "domain/credential.hpp"
#include "domain/send_result.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace http_client {
class Client;
struct Response;
} // namespace http_client

/// Gets access tokens from Google's authorization server with the JWT bearer grant (RFC 7523,
/// https://developers.google.com/identity/protocols/oauth2/service-account#httprest).
namespace notify::oauth {

struct AccessToken {
    core::Secret value; ///< visible ASCII
    core::Time expires;
};

/// An access token, or a failure. The verdict of a failure is `credential` if the account is refused, else
/// `throttled` or `transient`.
struct TokenResult {
    std::optional<AccessToken> token;
    SendResult failure;
};

/// The assertion for a token request: a JWT (RS256) of the account for `audience`, valid for one hour.
std::string assertion(FcmAccount const& account, std::string_view audience, core::Time now);

/// Requests an access token from `url`, which is also the assertion's audience. Blocks for at most ten
/// seconds, and returns early after `stop` was requested.
TokenResult fetch(http_client::Client& client, std::string const& url, FcmAccount const& account,
    core::Clock const& clock, std::stop_token const& stop);

/// Interprets the server's response, received at `now`.
TokenResult read_response(http_client::Response const& response, core::Time now);

} // namespace notify::oauth
