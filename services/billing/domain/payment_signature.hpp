#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"

#include <chrono>
#include <span>
#include <string_view>

namespace billing {

/// How far the time of a signature may be from ours, either way.
inline constexpr std::chrono::seconds signature_tolerance{300};

/// Whether one of `secrets` signed `body` by the payment provider's scheme, which is Stripe's
/// (https://docs.stripe.com/webhooks#verify-manually): the header is `t=<unix seconds>,v1=<hex>,…`, and a
/// `v1` the HMAC-SHA256 of `<t>.<body>`. Several are there while a secret is replaced. Which of them match
/// shows in no time.
bool is_signed(
    std::string_view header, std::string_view body, std::span<core::Secret const> secrets, core::Time now);

} // namespace billing
