#include "api/text_codes.hpp"

#include "storage/sms_opt_outs.hpp"

namespace auth_mfa {

namespace {

asio::awaitable<void> note_opt_out(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone)
{
    try {
        co_await deps.db.transact(
            req.scope(), [&](pg::Tx& tx) { sms_opt_outs::insert(tx, phone, deps.clock.now()); });
    } catch (std::exception const& error) {
        // Not fatal: the provider reports the opt-out again at the next message.
        deps.logger.warn(
            "could not store the opt-out of a phone number", {{"error", observe::first_line(error.what())}});
    }
}

} // namespace

asio::awaitable<void> require_reachable(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone)
{
    co_await deps.mfa.texts.require_permitted(req.scope(), phone);
    bool const opted_out =
        co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return sms_opt_outs::contains(tx, phone); });
    if (opted_out) Delivery{.outcome = sms::Outcome::opted_out}.require_sent();
}

asio::awaitable<Delivery> send_text(http::Request const& req, Deps& deps, sms::PhoneNumber const& phone,
    std::string const& code, Texts::Purpose purpose)
{
    auto const delivery =
        co_await deps.mfa.texts.send_code(req.scope(), phone, code, purpose, req.context.traceparent);
    if (delivery.outcome == sms::Outcome::opted_out) co_await note_opt_out(req, deps, phone);
    co_return delivery;
}

} // namespace auth_mfa
