#include "api/attempts.hpp"

#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "domain/network.hpp"

#include <span>

namespace auth_mfa {

namespace {

constexpr redis::Limit guesses_of_an_account{.count = 10, .window = std::chrono::minutes(15)};
constexpr redis::Limit guesses_of_a_network{.count = 100, .window = std::chrono::minutes(15)};
constexpr redis::Limit taken_addresses{.count = 100, .window = std::chrono::hours(1)};

/// Keys of Redis hold no address of anybody.
std::string digest_of(std::string_view text)
{
    return crypto::hex::encode(crypto::view(crypto::sha256(text)));
}

/// Begins with the scope, whose erasure takes its keys along.
std::string subject_of(core::Scope const& scope, std::string_view kind, std::string_view who)
{
    return std::to_string(scope.id).append(":").append(kind).append(":").append(who);
}

std::string network_subject(http::Request const& req)
{
    return subject_of(req.scope(), "network", network_of(req.remote_address));
}

} // namespace

AttemptBudget login_of_account(core::Scope const& scope, std::string_view email)
{
    return {subject_of(scope, "account", digest_of(lower_case(email))), "login", guesses_of_an_account};
}

AttemptBudget login_from_network(http::Request const& req)
{
    return {network_subject(req), "login", guesses_of_a_network};
}

AttemptBudget registration_from_network(http::Request const& req)
{
    return {network_subject(req), "register", taken_addresses};
}

AttemptBudget password_of_user(http::Request const& req)
{
    return {subject_of(req.scope(), "user", req.caller().id), "password", guesses_of_an_account};
}

asio::awaitable<std::vector<redis::Use>> reserve(Deps& deps, std::vector<AttemptBudget> const& budgets)
{
    std::vector<redis::Use> uses;
    for (auto const& budget : budgets) {
        auto use = co_await deps.attempts.take(
            budget.subject, budget.name, std::span(&budget.limit, 1), deps.clock.now());
        if (!use.allowed) {
            auto const wait = std::chrono::ceil<std::chrono::seconds>(use.retry_after).count();
            throw core::Error(core::codes::rate_limited, "Too many attempts: try again later.")
                .header("Retry-After", std::to_string(std::max<std::int64_t>(1, wait)));
        }
        uses.push_back(std::move(use));
    }
    co_return uses;
}

asio::awaitable<void> give_back(
    Deps& deps, std::vector<AttemptBudget> const& budgets, std::vector<redis::Use> const& uses)
{
    for (std::size_t i = 0; i < uses.size(); ++i)
        co_await deps.attempts.give_back(budgets[i].subject, budgets[i].name, uses[i]);
}

} // namespace auth_mfa
