#pragma once

#include "core/scope.hpp"
#include "observe/metrics.hpp"
#include "redis/client.hpp"
#include "sms/conversion_guard.hpp"
#include "sms/guard.hpp"
#include "sms/phone.hpp"
#include "sms/refusals.hpp"
#include "sms/sender.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sms {

/// The operator's limits of a tenant that concern text messages.
struct TenantLimits {
    std::int64_t per_day = 0; ///< `smsPerDay`
    /// `sandboxSms`: whether the messages of the sandbox are sent to phones like those of production.
    bool sandbox_sends = false;

    /// Whether the messages of this scope do not leave.
    bool stay_in_sandbox(core::Scope const& scope) const noexcept
    {
        return scope.environment() == core::Environment::sandbox && !sandbox_sends;
    }
};

/// All limits of the messages that a service sends:
///
/// - A message of a sandbox stays in the sandbox, unless the operator allows it to leave. It is passed to the
///   sender of `make_sandbox_sender`. It uses nothing of the allowance. The tenant's messages per day are
///   counted separately from those of production.
/// - All other messages are limited by SenderGuard, and enrolment codes also by ConversionGuard.
///
/// Refusals are counted in the metric `tetrad_sms_refusals_total`.
class SendLimits {
public:
    /// `guard`: the limits of the sender. `service`: the prefix of the service's own keys in Redis, such as
    /// `auth-mfa`. `purposes`: the purposes that the service has. `client` and `metrics` must outlive this
    /// object.
    SendLimits(SenderGuard guard, std::string const& service, std::span<Purpose const> purposes,
        redis::Client& client, observe::Metrics& metrics);

    /// A message that is about to be sent.
    struct Message {
        core::Scope const& scope;
        PhoneNumber const& to;
        Purpose purpose{};
        TenantLimits tenant;
    };

    struct Permit {
        std::optional<Refusal> refusal;          ///< nullopt: the message may be sent
        std::chrono::milliseconds retry_after{}; ///< when to try again, if refused; 0 for `conversion`
        bool stays_in_sandbox = false;           ///< whether the message goes to the sandbox sender
        SenderGuard::Use use;
        /// The counts of the calling code; nullopt if the message is not an enrolment code that leaves.
        std::optional<ConversionGuard::Use> conversion;

        bool allowed() const noexcept { return !refusal; }
    };

    /// Counts the message if it may be sent now. Throws redis::Unavailable.
    asio::awaitable<Permit> take(Message const& message);

    /// Ends the use of a permit, after the message was passed to the sender with this outcome. A message that
    /// certainly was not sent is removed from all counts. An enrolment code that cannot arrive is not one
    /// that has to be confirmed.
    asio::awaitable<void> settle(Message const& message, Permit const& permit, Outcome outcome);

    ConversionGuard& conversions() noexcept { return conversions_; }

private:
    asio::awaitable<void> take_conversion(Message const& message, Permit& permit);

    SenderGuard guard_, sandbox_guard_;
    ConversionGuard conversions_;
    RefusalMetrics const refusals_;
};

} // namespace sms
