#include "state/rate_limits.hpp"

#include "core/text.hpp"
#include "domain/network.hpp"

#include <algorithm>
#include <iterator>

namespace auth_mfa {

namespace {

constexpr char const* quota_prefix = "auth-mfa:budget";

redis::Limit to_redis(Limit const& limit)
{
    return {limit.count, limit.window};
}

std::string user_subject(core::Scope const& scope, UserId user_id)
{
    return core::to_string(scope.id) + ':' + user_id.to_string();
}

std::string email_subject(core::Scope const& scope, std::string_view email)
{
    return core::to_string(scope.id) + ":email:" + core::lower(email);
}

/// nullopt: the phone gets no message.
std::optional<std::string> phone_subject(sms::PhoneNumber const& phone, CodeDestination destination)
{
    if (destination == CodeDestination::nowhere) return std::nullopt;
    return (destination == CodeDestination::phone ? "phone:" : "sandbox:") + phone.text();
}

std::string network_subject(core::Scope const& scope, std::string_view address)
{
    return core::to_string(scope.id) + ":network:" + network_of(address);
}

/// The counters of guesses for an account. `account` and `name` identify the counters, `limit` applies to one
/// network or one trusted browser.
std::vector<Counter> guesses(
    std::string const& account, std::string_view name, Limit const& limit, GuessOrigin const& origin)
{
    if (origin.trusted_device)
        return {{account + ":device:" + origin.trusted_device->to_string(), name, {to_redis(limit)}}};
    redis::Limit const total{limit.count * guesses_over_all_networks, limit.window};
    return {{account + ":network:" + wide_network_of(origin.address), name, {to_redis(limit)}},
        {account, name, {total}}};
}

redis::Headers headers_of(Counter const& counter, redis::Use const& use)
{
    if (!counter.shown) return {};
    return redis::limit_headers(use, counter.name);
}

} // namespace

core::Error with_rate_limit(core::Error error, Reservation const& reserved)
{
    for (auto const& [name, value] : reserved.headers)
        error.header(name, value);
    return error;
}

http::Response with_rate_limit(http::Response response, Reservation const& reserved)
{
    response.headers.insert(response.headers.end(), reserved.headers.begin(), reserved.headers.end());
    return response;
}

RateLimits::RateLimits(redis::Client& client, KeyedHash const& hash, Limit const& registrations)
    : quota_(client, quota_prefix), hash_(hash), registrations_(registrations)
{
}

std::string RateLimits::prefix(core::Scope const& scope)
{
    return std::string(quota_prefix) + ":{" + core::to_string(scope.id) + ':';
}

std::string RateLimits::stored(std::string const& subject) const
{
    return subject.substr(0, subject.find(':') + 1) + hash_({"counter", subject});
}

std::vector<Counter> RateLimits::wrong_codes_of_user(
    core::Scope const& scope, UserId user_id, MfaMethod method, GuessOrigin const& origin)
{
    bool const recovery = method == MfaMethod::recovery_code;
    return guesses(user_subject(scope, user_id), recovery ? "recovery" : "code",
        recovery ? wrong_recovery_code_limit : wrong_code_limit, origin);
}

std::vector<Counter> RateLimits::sign_in_code_sends(
    core::Scope const& scope, UserId user_id, sms::PhoneNumber const& phone, CodeDestination destination)
{
    std::vector<Counter> counters{
        {user_subject(scope, user_id), "login-sends", {to_redis(sign_in_send_limit)}}};
    if (auto subject = phone_subject(phone, destination))
        counters.push_back({std::move(*subject), "login-sends", {to_redis(sign_in_send_limit_per_phone)}});
    return counters;
}

std::vector<Counter> RateLimits::wrong_passwords_for_email(
    core::Scope const& scope, std::string_view email, GuessOrigin const& origin)
{
    auto counters = guesses(email_subject(scope, email), "login", wrong_password_limit, origin);
    if (!origin.trusted_device)
        counters.insert(counters.begin(), wrong_sign_ins_from_network(scope, origin.address));
    return counters;
}

Counter RateLimits::mails_to(core::Scope const& scope, std::string_view email, std::string_view kind)
{
    return {email_subject(scope, email), kind, {to_redis(mail_limit)}};
}

Counter RateLimits::invitations(core::Scope const& scope)
{
    return {core::to_string(scope.id) + ":scope", "invitations", {to_redis(invitation_limit)}};
}

Counter RateLimits::mails_from_network(core::Scope const& scope, std::string_view address)
{
    return {network_subject(scope, address), "mails", {to_redis(mail_limit_per_network)}, true};
}

Counter RateLimits::passkey_challenges_from_network(core::Scope const& scope, std::string_view address)
{
    return {
        network_subject(scope, address), "passkeys", {to_redis(passkey_challenge_limit_per_network)}, true};
}

Counter RateLimits::authorizations_from_network(core::Scope const& scope, std::string_view address)
{
    return {
        network_subject(scope, address), "authorizations", {to_redis(authorization_limit_per_network)}, true};
}

Counter RateLimits::authorizations_of_user(core::Scope const& scope, UserId user_id)
{
    return {user_subject(scope, user_id), "authorizations", {to_redis(authorization_limit_per_user)}, true};
}

Counter RateLimits::pushed_requests_of_client(core::Scope const& scope, std::string_view client_id)
{
    return {core::to_string(scope.id).append(":client:").append(client_id), "pushed",
        {to_redis(pushed_request_limit)}, true};
}

Counter RateLimits::refused_codes_from_network(core::Scope const& scope, std::string_view address)
{
    return {network_subject(scope, address), "codes", {to_redis(refused_code_limit_per_network)}, true};
}

Counter RateLimits::wrong_sign_ins_from_network(core::Scope const& scope, std::string_view address)
{
    return {network_subject(scope, address), "login", {to_redis(wrong_password_limit_per_network)}, true};
}

Counter RateLimits::refused_clients_from_network(core::Scope const& scope, std::string_view address)
{
    return {network_subject(scope, address), "clients", {to_redis(refused_client_limit_per_network)}, true};
}

Counter RateLimits::registrations_from_network(core::Scope const& scope, std::string_view address) const
{
    return {network_subject(scope, address), "register", {to_redis(registrations_)}, true};
}

std::vector<Counter> RateLimits::wrong_passwords_of_user(
    core::Scope const& scope, UserId user_id, GuessOrigin const& origin)
{
    return guesses(user_subject(scope, user_id), "password", wrong_password_limit, origin);
}

std::vector<Counter> RateLimits::enrolment_code_sends(core::Scope const& scope, UserId user_id,
    sms::PhoneNumber const& phone, CodeDestination destination, std::string_view address)
{
    std::vector<Counter> counters;
    counters.push_back({user_subject(scope, user_id), "setup-sends", {to_redis(enrolment_send_limit)}});
    if (auto subject = phone_subject(phone, destination)) {
        auto& of_phone = counters.emplace_back(Counter{std::move(*subject), "setup-sends", {}});
        for (auto const& limit : enrolment_send_limits_per_phone)
            of_phone.limits.push_back(to_redis(limit));
    }
    counters.push_back({"address:" + subscriber_network_of(address), "setup-sends",
        {to_redis(enrolment_send_limit_per_network)}, true});
    counters.push_back({"address:" + wide_network_of(address), "setup-sends",
        {to_redis(enrolment_send_limit_per_wide_network)}});
    return counters;
}

asio::awaitable<Reservation> RateLimits::reserve(std::vector<Counter> counters)
{
    Reservation reservation{.allowed = true, .counters = std::move(counters)};
    for (auto& counter : reservation.counters) {
        counter.subject = stored(counter.subject);
        redis::Use use = co_await quota_.take(counter.subject, counter.name, counter.limits);
        auto headers = headers_of(counter, use);
        if (!use.allowed) {
            co_await give_back(reservation);
            co_return Reservation{.retry_after = use.retry_after, .headers = std::move(headers)};
        }
        std::ranges::move(headers, std::back_inserter(reservation.headers));
        reservation.uses.push_back(std::move(use));
    }
    co_return reservation;
}

asio::awaitable<Reservation> RateLimits::require(
    std::vector<Counter> counters, core::Error (*refusal)(std::chrono::seconds))
{
    auto reservation = co_await reserve(std::move(counters));
    if (reservation.allowed) co_return reservation;
    throw with_rate_limit(
        refusal(std::chrono::ceil<std::chrono::seconds>(reservation.retry_after)), reservation);
}

asio::awaitable<void> RateLimits::give_back(Reservation const& reservation)
{
    for (std::size_t i = 0; i < reservation.uses.size(); ++i) {
        auto const& counter = reservation.counters[i];
        co_await quota_.give_back(counter.subject, counter.name, reservation.uses[i]);
    }
}

} // namespace auth_mfa
