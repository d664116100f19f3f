#pragma once

#include "core/error.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/errors.hpp"
#include "domain/limits.hpp"
#include "domain/mfa_method.hpp"
#include "domain/sms_code.hpp"
#include "domain/user_id.hpp"
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
struct Counter {
    std::string subject;   ///< `<scope>:…` or, for all tenants, `phone:…`, `sandbox:…` or `address:…`
    std::string_view name; ///< must have static storage duration
    std::vector<redis::Limit> limits;
    /// Whether `RateLimit` headers show the first limit. True for networks only: the headers of an account or
    /// a phone would reveal whether the account exists and how other clients use it.
    bool shown = false;
};

/// Where a guess of a password or code comes from.
struct GuessOrigin {
    std::string_view address; ///< of the client; must stay valid while the origin is used
    /// The client's browser, if the account trusts it. The caller must have checked the browser's secret.
    std::optional<core::Uuid> trusted_device{};
};

/// The result of reserving one use of several counters.
struct Reservation {
    bool allowed = false;
    std::chrono::milliseconds retry_after{}; ///< if not allowed
    std::vector<Counter> counters;
    std::vector<redis::Use> uses; ///< one for each counter
    /// `RateLimit-Policy` and `RateLimit` of the shown counters. If the use is not allowed, contains only the
    /// headers of the exhausted counter, or nothing if this counter is not shown.
    redis::Headers headers;
};

/// Adds the reservation's rate-limit headers to an error or a response.
core::Error with_rate_limit(core::Error error, Reservation const& reserved);
http::Response with_rate_limit(http::Response response, Reservation const& reserved);

/// Limits guesses and messages per account, phone and network. A use is reserved before the action, so that
/// parallel attempts cannot exceed a limit. The reservation is given back if the action does not count.
class RateLimits {
public:
    /// `client` and `hash` must outlive this object.
    RateLimits(redis::Client& client, KeyedHash const& hash,
        Limit const& registrations = registration_limit_per_network);

    /// Reserves one use of each counter, or of none if one counter is exhausted. Throws redis::Unavailable if
    /// Redis cannot be used.
    asio::awaitable<Reservation> reserve(std::vector<Counter> counters);

    /// Like `reserve`, but throws `refusal(retry_after)` with the rate-limit headers if a counter
    /// is exhausted.
    asio::awaitable<Reservation> require(
        std::vector<Counter> counters, core::Error (*refusal)(std::chrono::seconds) = rate_limited);

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
    /// counter is exhausted, throws RATE_LIMITED and does not run `guess`.
    template <class T>
    asio::awaitable<std::optional<T>> try_guess(
        std::vector<Counter> counters, asio::awaitable<std::optional<T>> guess)
    {
        auto const reserved = co_await require(std::move(counters), too_many_attempts);
        auto result = co_await or_give_back(reserved, std::move(guess));
        if (result) co_await give_back(reserved);
        co_return result;
    }

    // Guesses for an account count for the account together with the network of the client, and for the
    // account over all networks. Guesses from a browser that the account trusts count only for this browser.
    // So others cannot use up its limit.

    /// Wrong passwords for one email, whether or not an account with this email exists. They also count in
    /// `wrong_sign_ins_from_network`, unless they come from a trusted browser.
    static std::vector<Counter> wrong_passwords_for_email(
        core::Scope const& scope, std::string_view email, GuessOrigin const& origin);
    /// Challenges for passkeys that one network requests.
    static Counter passkey_challenges_from_network(core::Scope const& scope, std::string_view address);
    /// Authorization requests that one network sends without being signed in.
    static Counter authorizations_from_network(core::Scope const& scope, std::string_view address);
    /// Authorization requests of a signed-in user.
    static Counter authorizations_of_user(core::Scope const& scope, UserId user_id);
    /// Pushed requests of a confidential client.
    static Counter pushed_requests_of_client(core::Scope const& scope, std::string_view client_id);
    /// Refused authorization codes from one network.
    static Counter refused_codes_from_network(core::Scope const& scope, std::string_view address);
    /// Wrong passwords, refused id tokens and refused passkeys from one network.
    static Counter wrong_sign_ins_from_network(core::Scope const& scope, std::string_view address);
    /// Requests of OAuth clients whose authentication failed.
    static Counter refused_clients_from_network(core::Scope const& scope, std::string_view address);
    /// Registrations from one network. Successful registrations count too, because each registration costs a
    /// password hash.
    Counter registrations_from_network(core::Scope const& scope, std::string_view address) const;
    /// Wrong current passwords of a signed-in user.
    static std::vector<Counter> wrong_passwords_of_user(
        core::Scope const& scope, UserId user_id, GuessOrigin const& origin);
    /// Wrong codes and refused passkeys of an account, as a second factor. Recovery codes have separate
    /// counters.
    static std::vector<Counter> wrong_codes_of_user(
        core::Scope const& scope, UserId user_id, MfaMethod method, GuessOrigin const& origin);

    /// Emails of one kind to one address, whether or not an account has it. `kind` must have static storage
    /// duration.
    static Counter mails_to(core::Scope const& scope, std::string_view email, std::string_view kind);
    /// Invitations of a scope's members.
    static Counter invitations(core::Scope const& scope);
    /// Emails requested without a credential.
    static Counter mails_from_network(core::Scope const& scope, std::string_view address);

    // All tenants share the counters of a phone. Messages that do not leave a sandbox count apart, so that no
    // sandbox can use up the limits of a person's phone. Test phones have no counters.

    /// The messages with sign-in codes: the counters of the user and the phone.
    static std::vector<Counter> sign_in_code_sends(
        core::Scope const& scope, UserId user_id, sms::PhoneNumber const& phone, CodeDestination destination);
    /// The messages with enrolment codes: the counters of the user, the phone and the client's networks.
    static std::vector<Counter> enrolment_code_sends(core::Scope const& scope, UserId user_id,
        sms::PhoneNumber const& phone, CodeDestination destination, std::string_view address);

    /// The prefix of the scope's keys in Redis. The erasure of a tenant uses it.
    static std::string prefix(core::Scope const& scope);

private:
    /// The subject in Redis. Only the part before the first colon is readable, the rest is a keyed hash. So
    /// the keys contain no user's id, email, phone or address, also after the user was deleted.
    std::string stored(std::string const& subject) const;

    redis::Quota quota_;
    KeyedHash const& hash_;
    Limit const registrations_;
};

} // namespace auth_mfa
