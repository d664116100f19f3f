#pragma once

#include "http/message.hpp"
#include "user_data/user_data.hpp"

#include <boost/asio/awaitable.hpp>

namespace user_data {

/// The path parameter `userId`. Throws VALIDATION_ERROR if it is too long.
core::UserId user_id_param(http::Request const& request);

/// Handles `DELETE /v1/users/{userId}[?mode=delete|anonymize]`. Erases the user's data of this environment.
/// Responds with `{"deleted": true}`, also if nothing is stored of the user. `mode` is accepted if
/// `UserData::can_anonymize`.
asio::awaitable<http::Response> erase_user(http::Request const& request, UserData& users);

/// Handles `POST /v1/erasures`, with which auth-mfa says that the account of the caller (Access::erasure) was
/// deleted. Erases the user's data, and refuses the user's access tokens. Responds with `{"deleted": true}`.
/// May be repeated.
asio::awaitable<http::Response> receive_erasure(http::Request const& request, UserData& users);

/// Handles `GET /v1/users/{userId}/export`. Streams the user's data as NDJSON. A user may export only the own
/// data; other ids get 404.
asio::awaitable<http::Response> export_user(http::Request const& request, UserData& users);

} // namespace user_data
