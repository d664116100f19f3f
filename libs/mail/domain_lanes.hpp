#pragma once

#include "core/scope.hpp"
#include "core/suspended.hpp"
#include "mail/send_result.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mail {

namespace asio = boost::asio;

/// Limits a tenant's emails in flight per recipient's domain, and slows a domain down whose server asks for
/// it, so that one domain delays only its own emails. A domain may have `most` emails in flight. When its
/// server throttles, the limit is halved, and the domain waits for a pause that doubles from 5 s to 5 min.
/// Each accepted email raises the limit by one. Not thread-safe: used by the coroutines of one thread.
class DomainLanes {
public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::size_t most = 20;
    static constexpr std::chrono::seconds first_pause{5};
    static constexpr std::chrono::seconds longest_pause{300};
    /// Beyond this number of domains, further domains are not limited. Before that, domains without emails
    /// whose pause has ended are forgotten.
    static constexpr std::size_t capacity = 10'000;

    /// How an email ended.
    enum class End {
        accepted,
        throttled, ///< the domain's server asks for fewer emails
        other,
    };

    /// The lane of a tenant's emails to the domain of `address`. Tenants have lanes of their own, so that
    /// none slows another down.
    static std::string lane_of(core::TenantId tenant, std::string_view address);

    /// How an email ended that the mailer sent. A domain throttles if its server asks for fewer emails (RFC
    /// 3463, 3.4, 3.5 and 3.8).
    static End end_of(SendResult const& sent);

    /// Waits until an email may be sent to the domain. Returns nullopt then; `leave` must follow. If the
    /// domain has a pause, returns the time until its end.
    asio::awaitable<std::optional<std::chrono::milliseconds>> enter(std::string domain);

    void leave(std::string const& domain, End end, Time now);

    /// The number of domains that have emails, a pause or a lower limit.
    std::size_t size() const noexcept { return lanes_.size(); }

private:
    struct Lane {
        std::size_t in_flight = 0;
        std::size_t limit = most;
        Time paused_until = Time::min();
        std::chrono::seconds pause = first_pause;
        std::deque<core::Suspended> waiting;
    };

    bool has_room(Time now);

    std::map<std::string, Lane> lanes_; ///< of domains with emails, a pause or a lower limit
    Time next_sweep_{};
};

} // namespace mail
