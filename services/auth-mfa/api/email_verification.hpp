#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/email/verification
asio::awaitable<http::Response> request_verification(http::Request const& req, Deps& deps);
/// POST /v1/auth/email/verify
asio::awaitable<http::Response> verify_email(http::Request const& req, Deps& deps);

} // namespace auth_mfa
