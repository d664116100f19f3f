#pragma once

#include "redis/quota.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sms {

namespace asio = boost::asio;

/// Keeps the one sender that all tenants and services share within what carriers let it send: 500 messages in
/// any day before it is verified, a number in any minute after. All that is counted of a message is one
/// script.
class SenderGuard {
public:
    static constexpr std::int64_t unverified_per_day = 500;

    /// `sender`: the number, the same in every service. `client` outlives this object.
    SenderGuard(redis::Client& client, std::string sender, bool verified, std::int64_t per_minute);

    /// What a message is for. Deferrable ones together may use half of what the sender may, so that they
    /// cannot keep the others from going out.
    enum class Purpose : std::uint8_t { urgent, deferrable };

    struct Use : redis::Use {
        std::vector<std::string> counts; ///< that it was counted in
    };

    /// Counts one message if it may go out now. A tenant, in both its environments and all services together,
    /// may use half of what the sender may, so that it cannot keep the others from sending. `tenant`: its
    /// slug, which is what services have in common; empty: nobody's, held to no share. Throws
    /// redis::Unavailable.
    asio::awaitable<Use> take(Purpose purpose = Purpose::urgent, std::string_view tenant = {});

    /// The message surely did not go out.
    asio::awaitable<void> give_back(Use const& use);

private:
    redis::Quota quota_;
    std::string const sender_;
    std::string const name_;
    redis::Limit const limit_;
    redis::Limit const half_; ///< of deferrable ones, and of one tenant's
};

} // namespace sms
