#include "outbound_webhooks/test_sender.hpp"

#include "core/error.hpp"
#include "http_client/await.hpp"
#include "redis/rate_limit.hpp"

#include <optional>
#include <string>

namespace outbound_webhooks {

namespace {

constexpr redis::Limit per_scope{.count = max_tests_per_minute, .window = std::chrono::minutes(1)};

core::Error busy(std::string detail)
{
    return core::Error(core::codes::rate_limited, std::move(detail)).header("Retry-After", "1");
}

} // namespace

TestSender::TestSender(Deps const& deps, Tested tested, std::chrono::milliseconds timeout)
    : deps_(deps), tested_(std::move(tested)), timeout_(timeout)
{
}

TestSender::Place TestSender::enter(core::ScopeId scope_id, core::Uuid const& webhook_id)
{
    Key const key{scope_id, webhook_id};
    auto const owner = core::Owner::of(scope_id);
    std::lock_guard const lock(places_->mutex);
    if (places_->webhooks.contains(key))
        throw busy("This webhook is being tested. Wait for the response of that request.");
    if (!places_->shares.admits(owner))
        throw busy("Too many webhooks are being tested at once. Wait for the responses, then retry.");
    places_->webhooks.insert(key);
    places_->shares.take(owner);
    return {static_cast<void const*>(places_.get()), [places = places_, key, owner](void const*) {
                std::lock_guard const held(places->mutex);
                places->webhooks.erase(key);
                places->shares.give_back(owner);
            }};
}

asio::awaitable<void> TestSender::count(core::ScopeId scope_id)
{
    auto const decision =
        co_await deps_.limiter.take(core::to_string(scope_id) + ":webhook_tests", per_scope);
    if (decision.allowed) co_return;
    core::Error error(core::codes::rate_limited,
        "This environment has tested webhooks " + std::to_string(max_tests_per_minute) +
            " times within a minute, which is the limit. Retry after the number of seconds in Retry-After.");
    for (auto& [name, value] : redis::headers(decision, "webhook-tests"))
        error.header(name, value);
    throw error;
}

asio::awaitable<TestSender::Outcome> TestSender::send(store::Attempt attempt)
{
    auto request = make_request(deps_.keyring, attempt, deps_.clock.now(), timeout_, stop_.get_token());
    auto const begun = std::chrono::steady_clock::now();
    auto answer = co_await http_client::send(deps_.client, std::move(request));
    Outcome outcome{.result = read_result(std::move(answer)),
        .took =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun)};
    if (outcome.result.stopped)
        throw core::Error::unavailable("The service is being restarted. Send the test again.");
    if (tested_) tested_(outcome.result.report.status);
    co_return outcome;
}

std::size_t TestSender::in_flight() const
{
    std::lock_guard const lock(places_->mutex);
    return places_->shares.used();
}

} // namespace outbound_webhooks
