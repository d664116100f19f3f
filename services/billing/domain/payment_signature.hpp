#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"

#include <chrono>
#include <span>
#include <string_view>

namespace billing {

/// How far the signature's time may differ from `now`, in both directions.
inline constexpr std::chrono::seconds signature_tolerance{300};

/// Whether one of `secrets` signed `body` by the payments provider's scheme, which is Stripe's
/// (https://docs.stripe.com/webhooks#verify-manually). The header is `t=<unix seconds>,v1=<hex>,…`; each `v1`
/// is an HMAC-SHA256 of `<t>.<body>`. While a secret is being rotated, the header has several `v1`. The run
/// time does not depend on which signature matches.
bool is_signed(
    std::string_view header, std::string_view body, std::span<core::Secret const> secrets, core::Time now);

} // namespace billing
