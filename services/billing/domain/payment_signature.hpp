#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace billing {

/// How far the signature's time may differ from `now`, in both directions.
inline constexpr std::chrono::seconds signature_tolerance{300};

/// A signed body in the payments provider's scheme, which is Stripe's
/// (https://docs.stripe.com/webhooks#verify-manually). The header is `t=<unix seconds>,v1=<hex>,…`; each `v1`
/// is an HMAC-SHA256 of `<t>.<body>`. While a secret is being rotated, the header has several `v1`.
class SignedBody {
public:
    /// A malformed header, or a time that differs too much from `now`, makes a body that no secret signed.
    /// `header` must outlive this object.
    SignedBody(std::string_view header, std::string_view body, core::Time now);

    /// Whether `secret` signed the body. The run time does not depend on which signature matches.
    bool is_signed_with(core::Secret const& secret) const;

private:
    std::string content_;                      ///< the signed text
    std::vector<std::string_view> signatures_; ///< empty: the header is not acceptable
};

/// Whether one of `secrets` signed `body`. The run time does not depend on which of them did.
bool is_signed(
    std::string_view header, std::string_view body, std::span<core::Secret const> secrets, core::Time now);

} // namespace billing
