#pragma once

#include "deps.hpp"
#include "flows/enrolment.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/mfa/sms/setup
asio::awaitable<http::Response> set_up_sms(http::Request const& req, Deps& deps);
/// POST /v1/auth/mfa/sms/confirm
asio::awaitable<http::Response> confirm_sms(http::Request const& req, Deps& deps);
/// The part of confirm_sms before its response.
asio::awaitable<Enrolled> enrol_sms(http::Request const& req, Deps& deps);
/// DELETE /v1/auth/mfa/sms
asio::awaitable<http::Response> disable_sms(http::Request const& req, Deps& deps);

} // namespace auth_mfa
