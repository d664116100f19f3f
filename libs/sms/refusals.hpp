#pragma once

#include "core/enum_names.hpp"
#include "observe/metrics.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace sms {

using core::to_string;

/// The kinds of messages. Earlier kinds have precedence: see SenderGuard.
enum class Purpose : std::uint8_t {
    sign_in,   ///< a code for a sign-in or a reauthentication
    enrolment, ///< a code that confirms a phone number
    notify,    ///< a notification
};

constexpr auto enum_names(Purpose)
{
    return std::to_array<std::string_view>({"sign_in", "enrolment", "notify"});
}

/// The limit that refused a message. If several limits refuse it, the first of them.
enum class Refusal : std::uint8_t {
    conversion,   ///< too few enrolment codes to the country were confirmed (ConversionGuard)
    tenant_day,   ///< the tenant's messages of this day
    tenant_share, ///< the tenant's part of the purpose's share
    share,        ///< the share of the purpose
    sender,       ///< the allowance of the sender
};

constexpr auto enum_names(Refusal)
{
    return std::to_array<std::string_view>({"conversion", "tenant_day", "tenant_share", "share", "sender"});
}

/// Counts refused messages: `tetrad_sms_refusals_total{purpose,reason}`. Thread-safe; no lock, no allocation.
class RefusalMetrics {
public:
    /// Creates the series of `purposes`, which are the purposes that the service has, with value 0.
    RefusalMetrics(observe::Metrics& metrics, std::span<Purpose const> purposes);

    /// `purpose` must be one of those of the constructor.
    void count(Purpose purpose, Refusal reason) const noexcept;

private:
    using OfPurpose = std::array<prometheus::Counter*, core::names_of<Refusal>.size()>;

    std::array<OfPurpose, core::names_of<Purpose>.size()> counters_{};
};

} // namespace sms
