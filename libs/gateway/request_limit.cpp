#include "gateway/request_limit.hpp"

#include "core/caller.hpp"
#include "core/error.hpp"
#include "gateway/rules.hpp"

#include <algorithm>
#include <utility>

namespace gateway {

namespace {

constexpr std::int64_t max_count = 100'000; // the limiter's maximum

} // namespace

RequestLimit::RequestLimit(Options options, redis::RateLimiter& limiter, observe::Logger& logger)
    : options_(options), limiter_(limiter), logger_(logger)
{
}

std::optional<redis::Limit> RequestLimit::of(core::Caller const& caller, tenancy::Tenant const& tenant) const
{
    constexpr auto unlimited = core::Access::anonymous | core::Access::master | core::Access::erasure;
    if (core::allows(unlimited, caller.kind)) return std::nullopt;
    constexpr auto users = core::Access::any_user | core::Access::enrolment | core::Access::client;
    bool const is_user = core::allows(users, caller.kind);
    auto const own = is_user ? options_.of_user : 0;
    auto const ruled = tenant.limits.requests_per_minute();
    if (!ruled && own == 0) return std::nullopt;
    return redis::Limit{
        .count = std::clamp<std::int64_t>(ruled.value_or(own), 0, max_count), .window = rate_window};
}

std::optional<redis::Limit> RequestLimit::of_network() const
{
    if (options_.of_network == 0) return std::nullopt;
    return redis::Limit{.count = std::min(options_.of_network, max_count), .window = rate_window};
}

asio::awaitable<std::optional<redis::Decision>> RequestLimit::count(
    std::string subject, redis::Limit limit) const
{
    if (limit.count == 0)
        co_return redis::Decision{.window = limit.window, .retry_after = limit.window, .reset = limit.window};
    try {
        co_return co_await limiter_.take(std::move(subject), limit);
    } catch (redis::Unavailable const&) {
        if (!options_.fails_open) throw;
    } catch (redis::CommandError const& refusal) {
        logger_.warn("the rate limit cannot be checked", {{"error", std::string_view(refusal.what())}});
        if (!options_.fails_open)
            throw core::Error::unavailable("The rate limit cannot be checked. Retry later.");
    }
    co_return std::nullopt;
}

void RequestLimit::require_allowed(redis::Decision const& decision)
{
    if (decision.allowed) return;
    core::Error error(
        core::codes::rate_limited, "Too many requests. Retry after the time given in Retry-After.");
    for (auto& [name, value] : redis::headers(decision))
        error.header(name, value);
    throw std::move(error);
}

} // namespace gateway
