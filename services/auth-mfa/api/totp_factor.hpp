#pragma once

#include "deps.hpp"
#include "flows/enrolment.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/mfa/totp/setup
asio::awaitable<http::Response> set_up_totp(http::Request const& req, Deps& deps);
/// POST /v1/auth/mfa/totp/confirm
asio::awaitable<http::Response> confirm_totp(http::Request const& req, Deps& deps);
/// The part of confirm_totp before its response.
asio::awaitable<Enrolled> enrol_totp(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/mfa/totp
asio::awaitable<http::Response> disable_totp(http::Request const& req, Deps& deps);

} // namespace auth_mfa
