#pragma once

#include "core/clock.hpp"
#include "redis/quota.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace sms {

namespace asio = boost::asio;

/// Keeps the one sender that all tenants and services share within what carriers let it send: 500 messages in
/// any day before it is verified, a number in any minute after.
class SenderGuard {
public:
    static constexpr std::int64_t unverified_per_day = 500;

    /// `sender`: the number, the same in every service. `client` outlives this object.
    SenderGuard(redis::Client& client, std::string sender, bool verified, std::int64_t per_minute);

    /// What a message is for. Deferrable ones together may use half of what the sender may, so that they
    /// cannot keep the others from going out.
    enum class Purpose : std::uint8_t { urgent, deferrable };

    struct Use : redis::Use {
        redis::Use share; ///< of the deferrable ones' half; not allowed unless it is one of them
    };

    /// Counts one message if it may go out now. Throws redis::Unavailable.
    asio::awaitable<Use> take(core::Time now, Purpose purpose = Purpose::urgent);

    /// The message surely did not go out.
    asio::awaitable<void> give_back(Use const& use);

private:
    redis::Quota quota_;
    std::string const sender_;
    std::string const name_;
    redis::Limit const limit_;
    redis::Limit const half_; ///< of deferrable ones
};

} // namespace sms
