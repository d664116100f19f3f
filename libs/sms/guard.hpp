#pragma once

#include "redis/quota.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sms {

namespace asio = boost::asio;

/// Enforces the carriers' limits for the sender number, which all tenants and services share: 500 messages in
/// any 24 hours until the number is verified, then `per_minute` messages in any minute. One Redis script
/// updates all counts of a message.
class SenderGuard {
public:
    static constexpr std::int64_t unverified_per_day = 500;

    /// `sender`: the sender number, which must be the same in every service. `client` must outlive this
    /// object.
    SenderGuard(redis::Client& client, std::string sender, bool verified, std::int64_t per_minute);

    /// The urgency of a message. Deferrable messages together may use half of the limit, so that they cannot
    /// block urgent ones.
    enum class Purpose : std::uint8_t { urgent, deferrable };

    struct Use : redis::Use {
        std::vector<std::string> counts; ///< the names of the counts in which the message is included
    };

    /// Counts one message if it may be sent now. A tenant may use half of the limit, in both its environments
    /// and all services together, so that it cannot block other tenants. `tenant` is the tenant's slug, which
    /// is the same in all services. If it is empty, the limit per tenant does not apply. Throws
    /// redis::Unavailable.
    asio::awaitable<Use> take(Purpose purpose = Purpose::urgent, std::string_view tenant = {});

    /// Removes a message that was certainly not sent from all counts. `use`: the result of `take`.
    asio::awaitable<void> give_back(Use const& use);

private:
    redis::Quota quota_;
    std::string const sender_;
    std::string const name_;
    redis::Limit const limit_;
    redis::Limit const half_; ///< limit for all deferrable messages together, and for each tenant
};

} // namespace sms
