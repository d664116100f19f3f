#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/email
asio::awaitable<http::Response> change_email(http::Request const& req, Deps& deps);
/// POST /v1/auth/email/confirm
asio::awaitable<http::Response> confirm_email(http::Request const& req, Deps& deps);
/// POST /v1/auth/email/revert
asio::awaitable<http::Response> revert_email(http::Request const& req, Deps& deps);

} // namespace auth_mfa
