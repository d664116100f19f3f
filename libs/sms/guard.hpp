#pragma once

#include "redis/quota.hpp"
#include "sms/refusals.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sms {

namespace asio = boost::asio;

/// Enforces the limits of a sender number, which all tenants and services share. One Redis script updates all
/// counts of a message.
///
/// The allowance is the carriers' limit: 500 messages in any 24 hours until the number is verified, then
/// `per_minute` messages in any minute. Each purpose has a share of it: sign-in codes 50 %, enrolment codes
/// 30 %, notifications 20 %. A purpose may also use what the purposes after it have left, but never the share
/// of a purpose before it:
///
/// - notifications may use 20 %,
/// - enrolment codes and notifications together may use 50 %,
/// - all messages together may use 100 %.
///
/// A tenant may use half of the share of each purpose, in both its environments and all services together. Of
/// each share, and of each tenant's half, at least one message is allowed. A tenant may also send a number of
/// messages per calendar day (UTC).
class SenderGuard {
public:
    static constexpr std::int64_t unverified_per_day = 500;

    /// `sender`: the sender number, which must be the same in every service. `client` must outlive this
    /// object.
    SenderGuard(redis::Client& client, std::string sender, bool verified, std::int64_t per_minute);

    /// For a sender without an allowance and shares, because its messages reach no carrier. Only the messages
    /// per tenant and day are limited.
    SenderGuard(redis::Client& client, std::string sender);

    struct Tenant {
        std::string_view slug;        ///< is the same in all services
        std::int64_t per_day = 1'000; ///< the messages that the tenant may send in a calendar day (UTC)
    };

    struct Use : redis::Use {
        std::optional<Refusal> refusal;  ///< set unless `allowed`
        std::vector<std::string> counts; ///< the names of the counts in which the message is included
    };

    /// Counts one message if it may be sent now. If `tenant` is nullopt, the limits per tenant do not apply.
    /// Throws redis::Unavailable.
    asio::awaitable<Use> take(
        Purpose purpose = Purpose::sign_in, std::optional<Tenant> tenant = std::nullopt);

    /// Removes a message that was certainly not sent from all counts. `use`: the result of `take`, which must
    /// have allowed the message.
    asio::awaitable<void> give_back(Use const& use);

private:
    struct Count {
        std::string name;
        std::int64_t limit = 0;
        Refusal refusal{};
    };

    std::vector<Count> counts_of(Purpose purpose, std::optional<Tenant> const& tenant) const;
    std::int64_t part(std::int64_t per_mille) const noexcept;

    redis::Quota quota_;
    std::string const sender_;
    std::string const name_;
    std::optional<redis::Limit> const allowance_;
};

} // namespace sms
