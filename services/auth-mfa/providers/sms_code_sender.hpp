#pragma once

#include "core/clock.hpp"
#include "core/fair_slots.hpp"
#include "core/scope.hpp"
#include "domain/sms_code.hpp"
#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "providers/provider_answers.hpp"
#include "redis/client.hpp"
#include "sms/options.hpp"
#include "sms/phone.hpp"
#include "sms/send_limits.hpp"
#include "tenancy/directory.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace auth_mfa {

namespace asio = boost::asio;

/// The outcome of sending a code.
struct SmsDelivery {
    sms::Outcome outcome = sms::Outcome::not_sent;
    std::chrono::seconds retry_after{1};   ///< when to try again, for outcome `not_sent`
    std::optional<sms::Refusal> refusal{}; ///< the limit that refused the message, for outcome `not_sent`
    /// The counts of the calling code, for an enrolment code that leaves.
    std::optional<sms::ConversionGuard::Use> conversion{};
    /// An enrolment must not be answered earlier, so that the time does not show whether the message was
    /// withheld.
    std::chrono::steady_clock::time_point answer_at{};

    /// Whether the provider certainly did not get the message, for example because the shared sender has
    /// reached its limit. Do not count such a send.
    bool surely_not_sent() const noexcept { return outcome == sms::Outcome::not_sent; }

    /// Whether the user may receive the message: the provider accepted it, or the provider's answer is
    /// unknown.
    bool may_arrive() const noexcept
    {
        return outcome == sms::Outcome::accepted || outcome == sms::Outcome::unknown;
    }

    /// Throws unless the provider accepted the message: MFA_SMS_UNDELIVERABLE if the phone number or its
    /// country is the cause, MFA_RATE_LIMITED if the tenant has sent its messages of this day, else
    /// UNAVAILABLE.
    void require_sent() const;
};

/// Sends codes as text messages, within the limits of the shared sender. Messages of a sandbox are not sent
/// to phones (sms::SendLimits). No thread waits for the provider. At most 64 messages are in flight at once;
/// further messages wait, and tenants take turns (core::FairSlots).
class SmsCodeSender {
public:
    struct Deps {
        redis::Client& redis;
        http_client::ClientOptions client; ///< may reach the URLs that the operator configured
        tenancy::Directory& directory;
        core::Clock const& clock;
        observe::Logger& logger;
        observe::Metrics& metrics;
    };

    /// `provider`: the sender's name in every message (SMS_BRAND_PROVIDER). The objects in `deps` must
    /// outlive this object.
    SmsCodeSender(sms::Options const& options, std::string provider, Deps deps);

    struct NewCode {
        std::string code;
        CodeDestination destination{};

        /// Whether the phone is a test phone, which gets no message.
        bool fixed() const noexcept { return destination == CodeDestination::nowhere; }
    };

    /// The code for the next message to `phone`: random, or the fixed code of a test phone (setting
    /// `testPhones`). Throws UNAVAILABLE if the tenant cannot be looked up.
    asio::awaitable<NewCode> new_code(core::Scope const& scope, sms::PhoneNumber const& phone);

    using Purpose = sms::Purpose;

    struct Message {
        core::Scope const& scope;
        sms::PhoneNumber const& phone;
        NewCode const& code;
        Purpose purpose{};
        std::string const& traceparent; ///< the trace of the request that sends the code
        bool opted_out = false;
    };

    /// Passes one message to the provider and waits for its answer, at most 10 s. A test phone gets no
    /// message, and the outcome is `accepted`. The outcome is `not_sent` if too many messages wait, or if the
    /// message had to wait for too long. Throws only if nothing was passed to the provider:
    /// redis::Unavailable if the sender's limit cannot be checked, UNAVAILABLE if the tenant cannot be looked
    /// up, and, after the limits are checked, MFA_SMS_UNDELIVERABLE if the number is premium-rate or its
    /// country is not in the tenant's setting `smsCountries`.
    ///
    /// If the phone has opted out, nothing is passed to the provider, and the outcome is `opted_out`. An
    /// enrolment code is counted nevertheless against the limits of the shared sender. If another message
    /// would probably fail now, because a limit is used up or the provider fails, the outcome is that of this
    /// failure.
    asio::awaitable<SmsDelivery> send(Message const& message);

    /// Counts the enrolment codes that were sent and confirmed.
    sms::ConversionGuard& conversions() noexcept { return limits_.conversions(); }

    std::size_t in_flight() const { return slots_.in_use(); } ///< messages that the provider has not answered

    std::size_t waiting() const { return slots_.waiting(); } ///< messages that wait until fewer are in flight

private:
    using Clock = std::chrono::steady_clock;

    SmsDelivery refused(Message const& message, sms::SendLimits::Permit const& permit) const;
    void log(Message const& message, sms::SendResult const& sent) const;
    asio::awaitable<ProviderAnswers::Answer> withhold(
        sms::SendLimits::Permit const& permit, core::Scope const& scope, Clock::time_point began);
    asio::awaitable<sms::SendResult> pass_on(
        sms::SendLimits::Permit const& permit, sms::Message message, Clock::time_point began);

    Deps const deps_;
    std::string const provider_;
    std::unique_ptr<sms::Sender> const sender_, sandbox_sender_;
    sms::SendLimits limits_;
    ProviderAnswers answers_;
    core::FairSlots slots_;
};

} // namespace auth_mfa
