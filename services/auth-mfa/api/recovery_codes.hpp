#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace auth_mfa {

/// POST /v1/auth/mfa/recovery-codes
asio::awaitable<http::Response> replace_recovery_codes(http::Request const& req, Deps& deps);

} // namespace auth_mfa
