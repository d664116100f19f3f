#pragma once

#include "core/scope.hpp"
#include "redis/client.hpp"
#include "sms/phone.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sms {

namespace asio = boost::asio;

/// Stops SMS pumping: an attacker who requests enrolment codes to numbers that pay the attacker never enters
/// the codes. The guard counts the enrolment codes of each scope and country calling code that were sent and
/// confirmed in a calendar day (UTC). If at least `min_sent` codes were sent and fewer than `min_percent` of
/// them were confirmed, it refuses further codes to that calling code until the day ends, or until enough of
/// the codes that were sent are confirmed. Other scopes and calling codes are not affected.
///
/// The counts of a scope are one Redis hash with at most three fields for each calling code.
class ConversionGuard {
public:
    static constexpr std::int64_t min_sent = 20;
    static constexpr std::int64_t min_percent = 20;

    /// Keys are `<prefix>:{<scope id>}`. `client` must outlive this object.
    ConversionGuard(redis::Client& client, std::string prefix);

    /// The result of `take`.
    struct Use {
        bool allowed = false;
        /// Unless `allowed`: whether this is the first refusal of the day for the scope and the calling code.
        bool first = false;
        std::int64_t sent = 0;      ///< codes of this day, with this code if it is allowed
        std::int64_t confirmed = 0; ///< codes of this day
        std::chrono::sys_days day;  ///< UTC
    };

    /// Counts a code as sent, or refuses it. Throws redis::Unavailable.
    asio::awaitable<Use> take(core::Scope const& scope, PhoneNumber const& phone);

    /// Removes a code that was not sent from the count. `use`: the result of `take`, which must have allowed
    /// the code. If Redis is down, the code stays counted.
    asio::awaitable<void> give_back(core::Scope const& scope, PhoneNumber const& phone, Use const& use);

    /// Counts a code that `take` counted on `day` as confirmed. Does nothing if that day has ended. If Redis
    /// is down, the code is not counted.
    asio::awaitable<void> confirm(
        core::Scope const& scope, PhoneNumber const& phone, std::chrono::sys_days day);

    /// Makes the next refusal the first of the day again, because the first one could not be recorded. If
    /// Redis is down, the next refusal is not the first.
    asio::awaitable<void> forget_refusal(core::Scope const& scope, PhoneNumber const& phone, Use const& use);

    /// The key of a scope's counts. The erasure of a tenant deletes it.
    std::string key(core::Scope const& scope) const;

private:
    asio::awaitable<void> change(
        core::Scope const& scope, PhoneNumber const& phone, std::chrono::sys_days day, std::string_view what);

    redis::Client& client_;
    std::string const prefix_;
    redis::Script const take_, change_;
};

} // namespace sms
