#include "flows/sms_codes.hpp"

#include "audit/audit.hpp"
#include "pg/database.hpp"
#include "state/sms_enrolments.hpp"
#include "storage/sms_opt_outs.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace auth_mfa {

namespace {

asio::awaitable<void> store_opt_out(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone)
{
    try {
        co_await deps.db.transact(
            req.scope(), [&](pg::Tx& tx) { sms_opt_outs::insert(tx, phone, deps.clock.now()); });
    } catch (std::exception const& error) {
        // The request continues, because the provider reports the opt-out again for the next message.
        deps.logger.warn(
            "could not store the opt-out of a phone number", {{"error", observe::first_line(error.what())}});
    }
}

/// Records that codes to a calling code are refused from now on. Later refusals of the day are not recorded.
asio::awaitable<void> record_unconfirmed(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone,
    sms::ConversionGuard::Use const& counts)
{
    bool recorded = true;
    try {
        co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
            audit::record(tx, req.scope(), {.id = "system:sms"},
                {.action = "sms_enrolment.refused",
                    .subject_type = "calling_code",
                    .subject_id = "+" + std::string(phone.calling_code()),
                    .before = std::nullopt,
                    .after = boost::json::object{{"sent", counts.sent}, {"confirmed", counts.confirmed}}});
        });
    } catch (std::exception const& error) {
        recorded = false;
        deps.logger.warn("could not record that enrolment codes are refused",
            {{"error", observe::first_line(error.what())}});
    }
    if (!recorded) co_await deps.sms_codes.conversions().forget_refusal(req.scope(), phone, counts);
}

asio::awaitable<bool> has_opted_out(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone)
{
    return deps.db.read(req.scope(), [&](pg::Tx& tx) { return sms_opt_outs::contains(tx, phone); });
}

asio::awaitable<SmsDelivery> send(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone,
    SmsCodeSender::NewCode const& code, SmsCodeSender::Purpose purpose)
{
    bool const opted_out = !code.fixed() && co_await has_opted_out(req, deps, phone);
    SmsCodeSender::Message const message{
        req.scope(), phone, code, purpose, req.context.traceparent, opted_out};
    auto const delivery = co_await deps.sms_codes.send(message);
    if (delivery.outcome == sms::Outcome::opted_out && !opted_out) co_await store_opt_out(req, deps, phone);
    if (delivery.conversion && delivery.conversion->first)
        co_await record_unconfirmed(req, deps, phone, *delivery.conversion);
    co_return delivery;
}

asio::awaitable<SmsDelivery> send_counted(http::Request const& req, Deps& deps, Reservation const& reserved,
    sms::PhoneNumber const& phone, SmsCodeSender::NewCode const& code, SmsCodeSender::Purpose purpose)
{
    auto const delivery =
        co_await deps.rate_limits.or_give_back(reserved, send(req, deps, phone, code, purpose));
    if (delivery.surely_not_sent()) co_await deps.rate_limits.give_back(reserved);
    co_return delivery;
}

/// There is no entry in the user's activity, because the user must not learn about the opt-out.
asio::awaitable<void> record_withheld(
    http::Request const& req, Deps& deps, UserId user_id, sms::PhoneNumber const& phone)
{
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        audit::record(tx, req.context,
            {.action = "sms_code.withheld",
                .subject_type = "user",
                .subject_id = user_id.to_string(),
                .before = std::nullopt,
                .after = boost::json::object{{"reason", "opted_out"}, {"phone", phone.masked()}}});
    });
}

asio::awaitable<void> wait_until(std::chrono::steady_clock::time_point time)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, time);
    co_await timer.async_wait(asio::use_awaitable);
}

} // namespace

asio::awaitable<SmsDelivery> send_sms_code(http::Request const& req, Deps& deps, Reservation const& reserved,
    sms::PhoneNumber const& phone, SmsCodeSender::NewCode const& code)
{
    return send_counted(req, deps, reserved, phone, code, SmsCodeSender::Purpose::sign_in);
}

asio::awaitable<void> send_enrolment_code(http::Request const& req, Deps& deps, Reservation const& reserved,
    UserId user_id, sms::PhoneNumber const& phone, SmsCodeSender::NewCode const& code)
{
    auto const delivery =
        co_await send_counted(req, deps, reserved, phone, code, SmsCodeSender::Purpose::enrolment);
    bool const hidden = delivery.outcome == sms::Outcome::opted_out;
    if (hidden || delivery.may_arrive()) {
        SmsEnrolments::Sent sent{.phone = phone, .code = code.code, .fixed = code.fixed(), .counted_on = {}};
        if (delivery.conversion) sent.counted_on = delivery.conversion->day;
        co_await deps.sms_enrolments.put(req.scope(), user_id, sent);
    }
    if (hidden) co_await record_withheld(req, deps, user_id, phone);
    co_await wait_until(delivery.answer_at);
    if (!hidden) delivery.require_sent();
}

} // namespace auth_mfa
