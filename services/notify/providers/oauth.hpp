#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"
#include "domain/answer.hpp"
#include "providers/credential.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace http {
class Client;
struct OutboundResponse;
} // namespace http

/// Access tokens of Google's authorization server by JWT bearer grant (RFC 7523,
/// https://developers.google.com/identity/protocols/oauth2/service-account#httprest).
namespace notify::oauth {

struct AccessToken {
    core::Secret value; ///< visible ASCII
    core::Time expires;
};

/// A token, or why there is none: `credential` when the account is refused, else `throttled` or `transient`.
struct TokenAnswer {
    std::optional<AccessToken> token;
    Answer failure;
};

/// What is traded for a token: a JWT (RS256), valid for an hour, of the account for `audience`.
std::string assertion(FcmAccount const& account, std::string_view audience, core::Time now);

/// Asks the server at `url`, which is also the assertion's audience. Blocks, for ten seconds at most, and
/// ends soon once `stop` is requested.
TokenAnswer fetch(http::Client& client, std::string const& url, FcmAccount const& account,
    core::Clock const& clock, std::stop_token const& stop);

/// What an answer of the server that arrived at `now` means.
TokenAnswer read_answer(http::OutboundResponse const& response, core::Time now);

} // namespace notify::oauth
