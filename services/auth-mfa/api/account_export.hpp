#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// Handles `GET /v1/auth/me/export`: everything that is stored of the caller's account as NDJSON. Each line
/// has a `type`: `account`, `identity`, `session`, `trusted_device`, `email_link`, `email` or `activity`.
asio::awaitable<http::Response> export_me(http::Request const& req, Deps& deps);

/// Handles `GET /v1/members/{userId}/export`, as `export_me`.
asio::awaitable<http::Response> export_member(http::Request const& req, Deps& deps);

/// Adds the parts of the export to `users`.
void add_export_parts(user_data::UserData& users);

} // namespace auth_mfa
