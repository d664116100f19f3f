#include "api/start_limit.hpp"

#include "core/error.hpp"

#include <array>
#include <exception>

namespace notify {

namespace {

/// A scope's share of a limit.
struct Share {
    std::string subject;
    redis::Limit limit;
};

asio::awaitable<Share> share_of(http::Request const& req, Deps& deps, StartLimit const& limit)
{
    auto const tenant = co_await deps.directory.find(req.scope().slug);
    auto const own = tenant ? tenant->limits.find(limit.tenant_limit) : std::nullopt;
    Share share;
    share.subject = std::to_string(req.scope().id) + ":starts";
    share.limit = {.count = own.value_or(limit.count), .window = limit.window};
    co_return share;
}

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
    core::Error error(core::codes::rate_limited, "Too many were started lately: try again later.");
    for (auto& [name, value] : redis::headers(decision, policy))
        error.header(name, value);
    return error;
}

} // namespace

asio::awaitable<http::Response> within_limit(
    http::Request const& req, Deps& deps, StartLimit const& limit, asio::awaitable<Started> start)
{
    Share const share = co_await share_of(req, deps, limit);
    std::array const limits{share.limit};
    auto const use = co_await deps.quota.take(share.subject, limit.policy, limits, deps.clock.now());
    redis::Decision const decision = decision_of(use, share.limit);
    if (!use.allowed) throw refusal(decision, limit.policy);

    Started started;
    std::exception_ptr failure;
    try {
        started = co_await std::move(start);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure || !started.counts) co_await deps.quota.give_back(share.subject, limit.policy, use);
    if (failure) std::rethrow_exception(failure);
    auto const told = redis::headers(decision, limit.policy);
    if (started.counts)
        started.response.headers.insert(started.response.headers.end(), told.begin(), told.end());
    co_return std::move(started.response);
}

} // namespace notify
