#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"

#include <string>
#include <string_view>

namespace outbound_webhooks {

/// Makes a new signing secret: `whsec_` and base64 of 32 random bytes.
core::Secret new_secret();

/// Signs a message according to Standard Webhooks 1.0. Returns `v1,` and base64 of HMAC-SHA256 over
/// `id.timestamp.body`, with the decoded bytes of the secret as key. Throws std::invalid_argument if `secret`
/// does not have the form of `new_secret`.
std::string sign(
    core::Secret const& secret, std::string_view id, core::Time timestamp, std::string_view body);

/// The `webhook-timestamp` header: whole seconds since 1970.
std::string timestamp_header(core::Time timestamp);

} // namespace outbound_webhooks
