#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/thread_pool.hpp"
#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "redis/client.hpp"
#include "sms/guard.hpp"
#include "sms/options.hpp"
#include "sms/phone.hpp"
#include "tenancy/directory.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace auth_mfa {

namespace asio = boost::asio;

/// The outcome of sending a code.
struct SmsDelivery {
    sms::Outcome outcome = sms::Outcome::not_sent;
    std::chrono::seconds retry_after{1}; ///< when to try again, for outcome `not_sent`

    /// Whether the provider certainly did not get the message, for example because the shared sender has
    /// reached its limit. Do not count such a send.
    bool surely_not_sent() const noexcept { return outcome == sms::Outcome::not_sent; }

    /// Whether the user may receive the message: the provider accepted it, or the provider's answer is
    /// unknown.
    bool may_arrive() const noexcept
    {
        return outcome == sms::Outcome::accepted || outcome == sms::Outcome::unknown;
    }

    /// Throws unless the provider accepted the message: MFA_SMS_UNDELIVERABLE if the phone number is the
    /// cause, else UNAVAILABLE.
    void require_sent() const;
};

/// Sends codes as text messages, within the limits of the shared sender.
class SmsCodeSender {
public:
    struct Deps {
        redis::Client& redis;
        http_client::Client& client; ///< may reach the URLs that the operator configured
        tenancy::Directory& directory;
        core::Clock const& clock;
        observe::Logger& logger;
        observe::Metrics& metrics;
    };

    /// `provider`: the sender's name in every message (SMS_BRAND_PROVIDER). The objects in `deps` must
    /// outlive this object.
    SmsCodeSender(sms::Options const& options, std::string provider, Deps deps);

    /// Throws MFA_SMS_UNDELIVERABLE when the number is premium-rate, or its country is not in the tenant's
    /// setting `smsCountries`.
    asio::awaitable<void> require_permitted(core::Scope const& scope, sms::PhoneNumber const& phone);

    using Purpose = sms::SenderGuard::Purpose;

    /// Passes one message to the provider and waits for its answer, at most 10 s. Throws only if nothing was
    /// passed to the provider: redis::Unavailable if the sender's limit cannot be checked, UNAVAILABLE if the
    /// tenant cannot be looked up. `traceparent`: the trace of the request that sends the code.
    asio::awaitable<SmsDelivery> send(core::Scope const& scope, sms::PhoneNumber const& phone,
        std::string const& code, Purpose purpose, std::string const& traceparent);

private:
    Deps const deps_;
    std::string const provider_;
    std::unique_ptr<sms::Sender> const sender_;
    sms::SenderGuard guard_;
    core::ThreadPool workers_; ///< declared last, because its work uses the other members
};

} // namespace auth_mfa
