#include "state/budgets.hpp"

#include "core/text.hpp"
#include "domain/network.hpp"

#include <algorithm>
#include <iterator>

namespace auth_mfa {

namespace {

constexpr char const* quota_prefix = "auth-mfa:budget";

redis::Limit limit(Allowance const& allowance)
{
    return {allowance.count, allowance.window};
}

std::string account(core::Scope const& scope, core::Uuid user_id)
{
    return std::to_string(scope.id) + ':' + user_id.to_string();
}

std::string network(core::Scope const& scope, std::string_view address)
{
    return std::to_string(scope.id) + ":network:" + network_of(address);
}

redis::Headers headers_of(Budget const& budget, redis::Use const& use)
{
    if (!budget.shown) return {};
    auto const& limit = budget.limits.front();
    return redis::limit_headers({.allowed = use.allowed,
                                    .limit = limit.count,
                                    .remaining = use.remaining,
                                    .window = limit.window,
                                    .reset = use.reset},
        budget.name);
}

} // namespace

core::Error with_limit(core::Error error, Reservation const& reserved)
{
    for (auto const& [name, value] : reserved.headers)
        error.header(name, value);
    return error;
}

http::Response with_limit(http::Response response, Reservation const& reserved)
{
    response.headers.insert(response.headers.end(), reserved.headers.begin(), reserved.headers.end());
    return response;
}

Budgets::Budgets(redis::Client& client, KeyedHash const& hash, Allowance const& registrations)
    : quota_(client, quota_prefix), hash_(hash), registrations_(registrations)
{
}

std::string Budgets::prefix(core::Scope const& scope)
{
    return std::string(quota_prefix) + ":{" + std::to_string(scope.id) + ':';
}

Budget Budgets::wrong(core::Scope const& scope, core::Uuid user_id, Method method)
{
    bool const recovery = method == Method::recovery_code;
    return {account(scope, user_id), recovery ? "recovery" : "code",
        {limit(recovery ? wrong_recovery_codes : wrong_codes)}};
}

std::vector<Budget> Budgets::login_send(
    core::Scope const& scope, core::Uuid user_id, sms::PhoneNumber const& phone) const
{
    return {{account(scope, user_id), "login-sends", {limit(login_sends)}},
        {"phone:" + hash_({"phone", phone.text()}), "login-sends", {limit(phone_login_sends)}}};
}

Budget Budgets::login_of_account(core::Scope const& scope, std::string_view email) const
{
    // The subject contains a keyed hash of the email, because Redis keys must not contain emails.
    auto const who = hash_({"email", std::to_string(scope.id), core::lower(email)});
    return {std::to_string(scope.id) + ":email:" + who, "login", {limit(wrong_passwords)}};
}

Budget Budgets::login_from_network(core::Scope const& scope, std::string_view address)
{
    return {network(scope, address), "login", {limit(network_wrong_passwords)}, true};
}

Budget Budgets::registration_from_network(core::Scope const& scope, std::string_view address) const
{
    return {network(scope, address), "register", {limit(registrations_)}, true};
}

Budget Budgets::password_of_user(core::Scope const& scope, core::Uuid user_id)
{
    return {account(scope, user_id), "password", {limit(wrong_passwords)}};
}

std::vector<Budget> Budgets::setup_send(core::Scope const& scope, core::Uuid user_id,
    sms::PhoneNumber const& phone, std::string_view address) const
{
    std::vector<Budget> budgets;
    budgets.push_back({account(scope, user_id), "setup-sends", {limit(user_setup_sends)}});
    Budget of_phone{"phone:" + hash_({"phone", phone.text()}), "setup-sends", {}};
    for (auto const& allowance : phone_setup_sends)
        of_phone.limits.push_back(limit(allowance));
    budgets.push_back(std::move(of_phone));
    budgets.push_back({"address:" + network_of(address), "setup-sends", {limit(address_setup_sends)}, true});
    return budgets;
}

asio::awaitable<Reservation> Budgets::reserve(std::vector<Budget> budgets)
{
    Reservation reservation{.allowed = true, .budgets = std::move(budgets)};
    for (auto const& budget : reservation.budgets) {
        redis::Use use = co_await quota_.take(budget.subject, budget.name, budget.limits);
        auto headers = headers_of(budget, use);
        if (!use.allowed) {
            co_await give_back(reservation);
            co_return Reservation{.retry_after = use.retry_after, .headers = std::move(headers)};
        }
        std::ranges::move(headers, std::back_inserter(reservation.headers));
        reservation.uses.push_back(std::move(use));
    }
    co_return reservation;
}

asio::awaitable<Reservation> Budgets::require(
    std::vector<Budget> budgets, core::Error (*refusal)(std::chrono::seconds))
{
    auto reservation = co_await reserve(std::move(budgets));
    if (reservation.allowed) co_return reservation;
    throw with_limit(refusal(std::chrono::ceil<std::chrono::seconds>(reservation.retry_after)), reservation);
}

asio::awaitable<void> Budgets::give_back(Reservation const& reservation)
{
    for (std::size_t i = 0; i < reservation.uses.size(); ++i) {
        auto const& budget = reservation.budgets[i];
        co_await quota_.give_back(budget.subject, budget.name, reservation.uses[i]);
    }
}

} // namespace auth_mfa
