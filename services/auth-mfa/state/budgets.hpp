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

/// One thing that is counted, of one subject.
struct Budget {
    std::string subject;
    std::string_view name; ///< static storage
    std::vector<redis::Limit> limits;
    /// Whether the first limit is told in `RateLimit` headers: a network's alone. Of an account or a phone
    /// they would say that there is one, and what others do with it.
    bool shown = false;
};

/// Uses of several budgets, made together.
struct Reservation {
    bool allowed = false;
    std::chrono::milliseconds retry_after{}; ///< unless allowed
    std::vector<Budget> budgets;
    std::vector<redis::Use> uses; ///< one for each budget
    /// `RateLimit-Policy` and `RateLimit` of the budgets that are shown; unless allowed, of the one that is
    /// spent if it is.
    redis::Headers headers;
};

/// An answer with what is told of the limit that it was counted in.
core::Error with_limit(core::Error error, Reservation const& reserved);
http::Response with_limit(http::Response response, Reservation const& reserved);

/// What accounts, phones and networks may use up, in guesses and in messages: reserved before the act, so
/// that no number of parallel ones gets past a budget, and given back when it turns out not to count.
class Budgets {
public:
    /// Both outlive this object.
    Budgets(
        redis::Client& client, KeyedHash const& hash, Allowance const& registrations = network_registrations);

    /// One use of each, or of none. Throws redis::Unavailable.
    asio::awaitable<Reservation> reserve(std::vector<Budget> budgets);

    /// The same; when one of them is spent throws what `refusal` makes, MFA_RATE_LIMITED unless it is given,
    /// with what is told of that one.
    asio::awaitable<Reservation> require(
        std::vector<Budget> budgets, core::Error (*refusal)(std::chrono::seconds) = rate_limited);

    asio::awaitable<void> give_back(Reservation const& reservation);

    /// What `task` yields; when it ends the request instead, nobody learned anything, and the reservation is
    /// given back.
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

    /// What `guess` yields, which is nullopt when it was wrong: only then it stays counted. RATE_LIMITED
    /// without running it when a budget is spent.
    template <class T>
    asio::awaitable<std::optional<T>> counted(
        std::vector<Budget> budgets, asio::awaitable<std::optional<T>> guess)
    {
        auto const reserved = co_await require(std::move(budgets), too_many_attempts);
        auto result = co_await or_give_back(reserved, std::move(guess));
        if (result) co_await give_back(reserved);
        co_return result;
    }

    /// Wrong passwords for one address of a user, whether there is such a user or not.
    Budget login_of_account(core::Scope const& scope, std::string_view email) const;
    /// Wrong passwords, and refused id tokens, from one network.
    static Budget login_from_network(core::Scope const& scope, std::string_view address);
    /// Registrations from one network, whatever becomes of them: each costs a hash.
    Budget registration_from_network(core::Scope const& scope, std::string_view address) const;
    /// Wrong passwords of somebody who is signed in.
    static Budget password_of_user(core::Scope const& scope, core::Uuid user_id);

    /// Wrong codes of an account, of recovery codes or of the others.
    static Budget wrong(core::Scope const& scope, core::Uuid user_id, Method method);
    /// What a code that is sent to sign in uses, of the user and of the phone.
    std::vector<Budget> login_send(
        core::Scope const& scope, core::Uuid user_id, sms::PhoneNumber const& phone) const;
    /// What a code that is sent to enrol uses, of the user, the phone and the client's address.
    std::vector<Budget> setup_send(core::Scope const& scope, core::Uuid user_id,
        sms::PhoneNumber const& phone, std::string_view address) const;

    /// What keys of a scope begin with, for its erasure.
    static std::string prefix(core::Scope const& scope);

private:
    redis::Quota quota_;
    KeyedHash const& hash_;
    Allowance const registrations_;
};

} // namespace auth_mfa
