#include "api/start_limit.hpp"

#include "core/error.hpp"

#include <array>
#include <exception>

namespace notify {

namespace {

redis::Decision decision_of(redis::Use const& use, redis::Limit const& limit)
{
    return {.allowed = use.allowed,
        .limit = limit.count,
        .remaining = use.remaining,
        .window = limit.window,
        .retry_after = use.retry_after,
        .reset = use.reset};
}

core::Error refusal(redis::Decision const& decision, std::string_view policy)
{
    core::Error error(core::codes::rate_limited,
        "This environment has reached its rate limit for this operation. Retry "
        "after the number of seconds in `Retry-After`.");
    for (auto& [name, value] : redis::headers(decision, policy))
        error.header(name, value);
    return error;
}

} // namespace

asio::awaitable<Share> share_of(http::Request const& req, Deps& deps, StartLimit const& limit)
{
    auto const tenant = co_await deps.directory.find(req.scope().slug);
    auto const own = tenant ? tenant->limits.find(limit.tenant_limit) : std::nullopt;
    Share share;
    share.policy = limit;
    share.subject = std::to_string(req.scope().id) + ":starts";
    share.limit = {.count = own.value_or(limit.count), .window = limit.window};
    co_return share;
}

asio::awaitable<Counted> count_start(redis::Quota& quota, Share const& share)
{
    std::array const limits{share.limit};
    auto use = co_await quota.take(share.subject, share.policy.policy, limits);
    redis::Decision const decision = decision_of(use, share.limit);
    if (!use.allowed) throw refusal(decision, share.policy.policy);
    co_return Counted{std::move(use), decision};
}

asio::awaitable<void> uncount(redis::Quota& quota, Share const& share, Counted const& counted)
{
    co_await quota.give_back(share.subject, share.policy.policy, counted.use);
}

void tell(http::Response& response, Share const& share, Counted const& counted)
{
    auto const told = redis::headers(counted.decision, share.policy.policy);
    response.headers.insert(response.headers.end(), told.begin(), told.end());
}

asio::awaitable<http::Response> within_limit(
    http::Request const& req, Deps& deps, StartLimit const& limit, asio::awaitable<Started> start)
{
    Share const share = co_await share_of(req, deps, limit);
    Counted const counted = co_await count_start(deps.quota, share);
    Started started;
    std::exception_ptr failure;
    try {
        started = co_await std::move(start);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure || !started.counts) co_await uncount(deps.quota, share, counted);
    if (failure) std::rethrow_exception(failure);
    if (started.counts) tell(started.response, share, counted);
    co_return std::move(started.response);
}

} // namespace notify
