#pragma once

#include "deps.hpp"
#include "http/message.hpp"

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// How often something that could be a guess may turn out to be one.
struct AttemptBudget {
    std::string subject;
    std::string_view name;
    redis::Limit limit;
};

/// Wrong passwords for one address of a user, whether there is such a user or not: 10 in 15 minutes.
AttemptBudget login_of_account(core::Scope const& scope, std::string_view email);
/// Wrong passwords from one network: 100 in 15 minutes.
AttemptBudget login_from_network(http::Request const& req);
/// Addresses that a network has asked for and that were taken: 100 an hour.
AttemptBudget registration_from_network(http::Request const& req);
/// Wrong passwords of somebody who is signed in: 10 in 15 minutes.
AttemptBudget password_of_user(http::Request const& req);

/// Counts a use of each budget. RATE_LIMITED when one is spent.
asio::awaitable<std::vector<redis::Use>> reserve(Deps& deps, std::vector<AttemptBudget> const& budgets);
asio::awaitable<void> give_back(
    Deps& deps, std::vector<AttemptBudget> const& budgets, std::vector<redis::Use> const& uses);

/// Runs `attempt`, which answers nullopt when it was a wrong guess. It is counted against every budget before
/// it begins, so that no number of parallel guesses gets past one, and given back unless it was wrong.
/// RATE_LIMITED without running it when a budget is spent; 503 when that cannot be known.
template <class T>
asio::awaitable<std::optional<T>> counted(
    Deps& deps, std::vector<AttemptBudget> budgets, asio::awaitable<std::optional<T>> attempt)
{
    auto const uses = co_await reserve(deps, budgets);
    std::optional<T> result;
    std::exception_ptr failure;
    try {
        result = co_await std::move(attempt);
    } catch (...) {
        failure = std::current_exception();
    }
    if (result || failure) co_await give_back(deps, budgets, uses);
    if (failure) std::rethrow_exception(failure);
    co_return result;
}

} // namespace auth_mfa
