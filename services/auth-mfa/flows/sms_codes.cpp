#include "flows/sms_codes.hpp"

#include "pg/database.hpp"
#include "storage/sms_opt_outs.hpp"

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

asio::awaitable<SmsDelivery> send(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone,
    std::string const& code, SmsCodeSender::Purpose purpose)
{
    auto const delivery =
        co_await deps.sms_codes.send(req.scope(), phone, code, purpose, req.context.traceparent);
    if (delivery.outcome == sms::Outcome::opted_out) co_await store_opt_out(req, deps, phone);
    co_return delivery;
}

} // namespace

asio::awaitable<void> require_reachable(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone)
{
    co_await deps.sms_codes.require_permitted(req.scope(), phone);
    bool const opted_out =
        co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return sms_opt_outs::contains(tx, phone); });
    if (opted_out) SmsDelivery{.outcome = sms::Outcome::opted_out}.require_sent();
}

asio::awaitable<SmsDelivery> send_sms_code(http::Request const& req, Deps& deps, Reservation const& reserved,
    sms::PhoneNumber const& phone, std::string const& code, SmsCodeSender::Purpose purpose)
{
    auto const delivery =
        co_await deps.rate_limits.or_give_back(reserved, send(req, deps, phone, code, purpose));
    if (delivery.surely_not_sent()) co_await deps.rate_limits.give_back(reserved);
    co_return delivery;
}

} // namespace auth_mfa
