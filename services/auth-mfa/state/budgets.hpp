#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"
#include "domain/challenge.hpp"
#include "redis/quota.hpp"
#include "sms/phone.hpp"
#include "state/keyed_hash.hpp"

#include <exception>
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
};

/// Uses of several budgets, made together.
struct Reservation {
    bool allowed = false;
    std::chrono::milliseconds retry_after{}; ///< unless allowed
    std::vector<Budget> budgets;
    std::vector<redis::Use> uses; ///< one for each budget
};

/// What accounts, phones and addresses may use up, whatever challenge it is for: reserved before the act and
/// given back when it turns out not to count.
class Budgets {
public:
    /// Both outlive this object.
    Budgets(redis::Client& client, KeyedHash const& hash);

    /// One use of each at `now`, or of none. Throws redis::Unavailable.
    asio::awaitable<Reservation> reserve(std::vector<Budget> budgets, core::Time now);

    /// The same; throws MFA_RATE_LIMITED when one of them is spent.
    asio::awaitable<Reservation> require(std::vector<Budget> budgets, core::Time now);

    asio::awaitable<void> give_back(Reservation const& reservation);

    /// What `task` yields; when it ends the request instead (core::Error), nothing was compared or sent, and
    /// the reservation is given back.
    template <class T>
    asio::awaitable<T> or_give_back(Reservation const& reservation, asio::awaitable<T> task)
    {
        std::exception_ptr failure;
        try {
            co_return co_await std::move(task);
        } catch (core::Error const&) {
            failure = std::current_exception();
        }
        co_await give_back(reservation);
        std::rethrow_exception(failure);
    }

    /// Wrong codes of an account, of recovery codes or of the others.
    static Budget wrong(core::Scope const& scope, core::Uuid user_id, Method method);
    static Budget login_send(core::Scope const& scope, core::Uuid user_id);
    /// What a code that is sent to enrol uses, of the user, the phone and the client's address.
    std::vector<Budget> setup_send(core::Scope const& scope, core::Uuid user_id,
        sms::PhoneNumber const& phone, std::string_view address) const;

    /// What keys of a scope begin with, for its erasure.
    static std::string prefix(core::Scope const& scope);

private:
    redis::Quota quota_;
    KeyedHash const& hash_;
};

} // namespace auth_mfa
