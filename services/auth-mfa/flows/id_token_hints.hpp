#pragma once

#include "core/id.hpp"
#include "deps.hpp"
#include "domain/user_id.hpp"
#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

/// The longest id token that is read as a hint, in bytes.
inline constexpr std::size_t max_id_token_hint = 8'192;

/// What an id token of this service says, when it is presented to this service again (`id_token_hint`).
struct IdTokenHint {
    std::string client_id; ///< the client that got the token
    UserId user_id;
    core::Uuid session_id; ///< the client's session
};

/// Reads an id token that this service has issued for the request's environment. The token may have expired.
/// nullopt if it is another token, or its signature is wrong, or its key is not published any more. `token`
/// is untrusted text. Throws UNAVAILABLE if the signing keys cannot be read.
asio::awaitable<std::optional<IdTokenHint>> read_id_token_hint(
    http::Request const& req, Deps& deps, std::string_view token);

} // namespace auth_mfa
