#include "api/sms_opt_outs.hpp"

#include "audit/audit.hpp"
#include "config.hpp"
#include "core/error.hpp"
#include "pg/database.hpp"
#include "sms/twilio_webhook.hpp"
#include "storage/sms_opt_outs.hpp"

namespace auth_mfa {

namespace {

/// Opt-outs belong to no tenant, so the audit entry has scope 0. The operator can read the entry only in the
/// database.
void record_cleared(pg::Tx& tx, http::Request const& req, sms::PhoneNumber const& phone)
{
    audit::record(tx, req.context,
        {.action = "sms_opt_out.cleared",
            .subject_type = "phone",
            .subject_id = phone.masked(),
            .before = {},
            .after = {}});
}

} // namespace

asio::awaitable<http::Response> receive_twilio(http::Request const& req, Deps& deps)
{
    auto const& options = deps.config.sms;
    auto const parameters = sms::twilio::require_signed(req, options.account.auth_token, options.webhook_url);
    if (auto const message = sms::twilio::read_opt_out_message(parameters)) {
        co_await deps.db.transact(pg::Scopes(), [&](pg::Tx& tx) {
            if (message->keyword == sms::twilio::Keyword::stop)
                sms_opt_outs::insert(tx, message->phone, deps.clock.now());
            else
                sms_opt_outs::remove(tx, message->phone);
        });
    }
    co_return sms::twilio::no_reply();
}

asio::awaitable<http::Response> clear_opt_out(http::Request const& req, Deps& deps)
{
    auto const phone = sms::PhoneNumber::parse(req.param("phone"));
    auto const clear = [&](pg::Tx& tx) {
        bool const known = sms_opt_outs::remove(tx, *phone);
        if (known) record_cleared(tx, req, *phone);
        return known;
    };
    bool const cleared = phone && co_await deps.db.transact(req.scope(), clear);
    if (!cleared)
        throw core::Error(core::codes::not_found,
            "The phone number in the path is not in E.164 form, or it has not opted out. Check the number.");
    co_return http::Response::deleted();
}

} // namespace auth_mfa
