#pragma once

#include "core/error.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"
#include "domain/challenge.hpp"
#include "domain/errors.hpp"
#include "http/message.hpp"
#include "redis/quota.hpp"
#include "sms/phone.hpp"
#include "state/keyed_hash.hpp"

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace auth_mfa {

namespace asio = boost::asio;

/// A counter of one subject (an account, a phone or a network), with its limits.
struct Budget {
    std::string subject;
    std::string_view name; ///< must have static storage duration
    std::vector<redis::Limit> limits;
    /// Whether `RateLimit` headers show the first limit. True for networks only: the headers of an account or
    /// a phone would reveal whether the account exists and how other clients use it.
    bool shown = false;
};

/// The result of reserving one use of several budgets.
struct Reservation {
    bool allowed = false;
    std::chrono::milliseconds retry_after{}; ///< if not allowed
    std::vector<Budget> budgets;
    std::vector<redis::Use> uses; ///< one for each budget
    /// `RateLimit-Policy` and `RateLimit` of the shown budgets. If the use is not allowed, contains only the
    /// headers of the exhausted budget, or nothing if this budget is not shown.
    redis::Headers headers;
};

/// Adds the reservation's rate-limit headers to an error or a response.
core::Error with_limit(core::Error error, Reservation const& reserved);
http::Response with_limit(http::Response response, Reservation const& reserved);

/// Limits guesses and messages per account, phone and network. A use is reserved before the action, so that
/// parallel attempts cannot exceed a budget. The use is given back if the action does not count.
class Budgets {
public:
    /// `client` and `hash` must outlive this object.
    Budgets(
        redis::Client& client, KeyedHash const& hash, Allowance const& registrations = network_registrations);

    /// Reserves one use of each budget, or of none if one budget is exhausted. Throws redis::Unavailable if
    /// Redis cannot be used.
    asio::awaitable<Reservation> reserve(std::vector<Budget> budgets);

    /// Like `reserve`, but throws `refusal(retry_after)` with the rate-limit headers if a budget is
    /// exhausted.
    asio::awaitable<Reservation> require(
        std::vector<Budget> budgets, core::Error (*refusal)(std::chrono::seconds) = rate_limited);

    /// Gives the reserved uses back.
    asio::awaitable<void> give_back(Reservation const& reservation);

    /// Runs `task` and returns its result. If `task` throws, the client has learned nothing about its guess.
    /// So the reservation is given back, and the exception is rethrown.
    template <class T>
    asio::awaitable<T> or_give_back(Reservation const& reservation, asio::awaitable<T> task)
    {
        std::exception_ptr failure;
        try {
            co_return co_await std::move(task);
        } catch (...) {
            failure = std::current_exception();
        }
        co_await give_back(reservation);
        std::rethrow_exception(failure);
    }

    /// Runs `guess`, whose result is nullopt for a wrong guess. Only wrong guesses stay counted. If a
    /// budget is exhausted, throws RATE_LIMITED and does not run `guess`.
    template <class T>
    asio::awaitable<std::optional<T>> counted(
        std::vector<Budget> budgets, asio::awaitable<std::optional<T>> guess)
    {
        auto const reserved = co_await require(std::move(budgets), too_many_attempts);
        auto result = co_await or_give_back(reserved, std::move(guess));
        if (result) co_await give_back(reserved);
        co_return result;
    }

    /// Wrong passwords for one email, whether or not an account with this email exists.
    Budget login_of_account(core::Scope const& scope, std::string_view email) const;
    /// Wrong passwords and refused id tokens from one network.
    static Budget login_from_network(core::Scope const& scope, std::string_view address);
    /// Registrations from one network. Successful registrations count too, because each registration costs a
    /// password hash.
    Budget registration_from_network(core::Scope const& scope, std::string_view address) const;
    /// Wrong current passwords of a signed-in user.
    static Budget password_of_user(core::Scope const& scope, core::Uuid user_id);

    /// Wrong codes of an account. Recovery codes have a separate budget.
    static Budget wrong(core::Scope const& scope, core::Uuid user_id, Method method);
    /// The budgets of a sign-in code: the user's and the phone's.
    std::vector<Budget> login_send(
        core::Scope const& scope, core::Uuid user_id, sms::PhoneNumber const& phone) const;
    /// The budgets of an enrolment code: the user's, the phone's and the client network's.
    std::vector<Budget> setup_send(core::Scope const& scope, core::Uuid user_id,
        sms::PhoneNumber const& phone, std::string_view address) const;

    /// The prefix of the scope's keys in Redis. The erasure of a tenant uses it.
    static std::string prefix(core::Scope const& scope);

private:
    redis::Quota quota_;
    KeyedHash const& hash_;
    Allowance const registrations_;
};

} // namespace auth_mfa
