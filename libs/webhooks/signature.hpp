#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"

#include <string>
#include <string_view>

namespace webhooks {

/// A new signing secret as its owner gets it: `whsec_` and base64 of 32 random bytes.
core::Secret new_secret();

/// One signature of a message by Standard Webhooks 1.0: `v1,` and base64 of HMAC-SHA256 over
/// `id.timestamp.body`, keyed by the bytes the secret stands for. Throws std::invalid_argument when `secret`
/// is not of the form `new_secret` makes.
std::string sign(
    core::Secret const& secret, std::string_view id, core::Time timestamp, std::string_view body);

/// The `webhook-timestamp` header: whole seconds since 1970.
std::string timestamp_header(core::Time timestamp);

} // namespace webhooks
