#include "api/rate_limit.hpp"

#include "core/error.hpp"
#include "tenancy/directory.hpp"

#include <array>
#include <exception>

namespace notify {

namespace {

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

asio::awaitable<AppliedLimit> limit_for(http::Request const& req, Deps& deps, RateLimitPolicy const& policy)
{
    auto const tenant = co_await deps.directory.find(req.scope().slug);
    auto const own = tenant ? tenant->limits.find(policy.tenant_limit) : std::nullopt;
    AppliedLimit limit;
    limit.policy = policy.name;
    limit.subject = core::to_string(req.scope().id) + ":starts";
    limit.limit = {.count = own.value_or(policy.count), .window = policy.window};
    co_return limit;
}

asio::awaitable<redis::Use> count_request(redis::Quota& quota, AppliedLimit const& limit)
{
    std::array const limits{limit.limit};
    auto use = co_await quota.take(limit.subject, limit.policy, limits);
    if (!use.allowed) throw refusal(use, limit.policy);
    co_return use;
}

asio::awaitable<void> uncount_request(redis::Quota& quota, AppliedLimit const& limit, redis::Use const& use)
{
    co_await quota.give_back(limit.subject, limit.policy, use);
}

void add_headers(http::Response& response, AppliedLimit const& limit, redis::Use const& use)
{
    auto const headers = redis::headers(use, limit.policy);
    response.headers.insert(response.headers.end(), headers.begin(), headers.end());
}

asio::awaitable<http::Response> within_limit(http::Request const& req, Deps& deps,
    RateLimitPolicy const& policy, asio::awaitable<LimitedResponse> operation)
{
    AppliedLimit const limit = co_await limit_for(req, deps, policy);
    redis::Use const use = co_await count_request(deps.quota, limit);
    LimitedResponse limited;
    std::exception_ptr failure;
    try {
        limited = co_await std::move(operation);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure || !limited.counts) co_await uncount_request(deps.quota, limit, use);
    if (failure) std::rethrow_exception(failure);
    if (limited.counts) add_headers(limited.response, limit, use);
    co_return std::move(limited.response);
}

} // namespace notify
