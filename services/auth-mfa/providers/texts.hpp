#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "core/workers.hpp"
#include "http/client.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "pg/database.hpp"
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

/// What became of a code that was to be sent.
struct Delivery {
    sms::Outcome outcome = sms::Outcome::not_sent;
    std::chrono::seconds retry_after{1}; ///< when it was not sent

    /// The shared sender may send no more, or the provider was never reached: nothing is to be counted.
    bool surely_not_sent() const noexcept { return outcome == sms::Outcome::not_sent; }

    /// The provider has it, or did not say.
    bool may_arrive() const noexcept
    {
        return outcome == sms::Outcome::accepted || outcome == sms::Outcome::unknown;
    }

    /// Throws what the client is told unless the message was taken: MFA_SMS_UNDELIVERABLE, or UNAVAILABLE
    /// when it is not the number's fault.
    void require_sent() const;
};

/// Sends codes as text messages, within what the shared sender may and to whom it may.
class Texts {
public:
    struct Deps {
        pg::Database& db;
        redis::Client& redis;
        http::Client& client; ///< to addresses the operator configured
        tenancy::Directory& directory;
        core::Clock const& clock;
        observe::Logger& logger;
        observe::Metrics& metrics;
    };

    /// `provider`: named in every message. What `deps` refers to outlives this object.
    Texts(sms::Options const& options, std::string provider, Deps deps);

    /// Throws MFA_SMS_UNDELIVERABLE when nothing is sent to that number: it has opted out, its country is not
    /// among the tenant's, or it is a premium one.
    asio::awaitable<void> require_reachable(core::Scope const& scope, sms::PhoneNumber const& phone);

    using Purpose = sms::SenderGuard::Purpose;

    /// Hands one message over and waits for the provider, 10 s at most. A number that turns out to have
    /// opted out is noted as such. Throws only when nothing was handed over: redis::Unavailable while the
    /// sender's limit cannot be checked, UNAVAILABLE while the tenant cannot be looked up. `traceparent`: of
    /// the request that wants it.
    asio::awaitable<Delivery> send_code(core::Scope const& scope, sms::PhoneNumber const& phone,
        std::string const& code, Purpose purpose, std::string const& traceparent);

private:
    asio::awaitable<void> note_opt_out(core::Scope const& scope, sms::PhoneNumber const& phone);

    Deps const deps_;
    std::string const provider_;
    std::unique_ptr<sms::Sender> const sender_;
    sms::SenderGuard guard_;
    core::Workers workers_; ///< last: it ends before what its work uses
};

} // namespace auth_mfa
