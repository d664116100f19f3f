#include "api/sms_status.hpp"

#include "core/text.hpp"
#include "domain/send_result.hpp"
#include "http/query.hpp"
#include "pg/database.hpp"
#include "sms/options.hpp"
#include "sms/twilio_webhook.hpp"
#include "storage/notification_status.hpp"
#include "storage/suppressions.hpp"

#include <limits>

namespace notify {

namespace {

namespace twilio = sms::twilio;

/// Twilio's report about one message.
struct Report {
    core::ScopeId scope_id{}; ///< 0 if the callback is not about a notification
    core::Uuid notification_id;
    core::Time queued_at; ///< the notification's `queued_at` when this message was sent
    std::string message_sid;
    std::optional<Status> status; ///< nullopt for an intermediate status, which is ignored
    std::string reason;           ///< the error code of a failure
};

std::optional<Status> status_of(std::string_view message_status) noexcept
{
    if (message_status == "sent") return Status::sent;
    if (message_status == "delivered" || message_status == "read") return Status::delivered;
    if (message_status == "undelivered" || message_status == "failed" || message_status == "canceled")
        return Status::failed;
    return std::nullopt; // accepted, scheduled, queued, sending
}

Report read_report(http::Request const& req, http::Form const& form)
{
    http::Query query(req);
    Report report;
    report.scope_id = core::ScopeId{query.integer("scope", 0, 1, std::numeric_limits<std::int64_t>::max())};
    auto const id = core::Uuid::parse(query.text("notification", 1, core::Uuid::text_size).value_or(""));
    auto const queued = query.integer("queued", 0, 0, std::numeric_limits<std::int64_t>::max());
    query.check();
    if (!id) return {};
    report.notification_id = *id;
    report.queued_at = core::Time(std::chrono::microseconds(queued));
    report.message_sid = http::find(form, "MessageSid");
    std::string_view const status = http::find(form, "MessageStatus");
    report.status = status_of(status);
    report.reason = reason_of(http::find(form, "ErrorCode"));
    if (report.reason.empty()) report.reason = reason_of(core::upper(status));
    return report;
}

/// Whether the report is about the notification's current message. A notification may have several messages,
/// because a retry request causes another message.
bool is_current(Report const& report, Notification const& n)
{
    return report.queued_at == n.queued_at && (!n.provider_id || *n.provider_id == report.message_sid);
}

void apply(pg::Tx& tx, Report const& report, core::Time now)
{
    auto n = notifications::lock(tx, report.scope_id, report.notification_id);
    if (!n || n->channel != Channel::sms) return;
    // A report about an earlier message is used only if it states that the earlier message was delivered.
    bool const current = is_current(report, *n);
    if (!current && *report.status != Status::delivered) return;
    if (current && is_provider_id(report.message_sid)) n->provider_id = report.message_sid;
    bool const failed = *report.status == Status::failed;
    auto const detail = failed ? std::optional(report.reason) : std::nullopt;
    notifications::change_status(tx, report.scope_id, *n, *report.status, detail, now);
    if (failed && report.reason == std::to_string(twilio::opted_out_code))
        suppressions::insert(tx, report.scope_id, Channel::sms, n->to, report.reason);
}

/// Twilio names the status of a message in status callbacks only.
bool is_report(http::Form const& form)
{
    return !http::find(form, "MessageStatus").empty();
}

/// Handles a message of a phone to the shared sender. The sender belongs to all scopes, so START concerns all
/// scopes. STOP changes nothing here: the carrier blocks the number, and Twilio says so when a scope sends
/// the next message.
asio::awaitable<http::Response> receive_message(http::Form const& form, Deps& deps)
{
    auto const message = twilio::read_opt_out_message(form);
    if (message && message->keyword == twilio::Keyword::start)
        co_await deps.db.transact(pg::Scopes(), [&](pg::Tx& tx) { suppressions::lift(tx, message->phone); });
    co_return twilio::no_reply();
}

} // namespace

asio::awaitable<http::Response> receive_sms_status(http::Request const& req, Deps& deps)
{
    auto const form = twilio::require_signed(req, deps.sms.account.auth_token, deps.sms.webhook_url);
    if (!is_report(form)) co_return co_await receive_message(form, deps);
    Report const report = read_report(req, form);
    if (report.scope_id != core::no_scope && report.status) {
        co_await deps.db.transact(
            pg::Scopes(report.scope_id), [&](pg::Tx& tx) { apply(tx, report, deps.clock.now()); });
    }
    co_return http::Response{.status = 204, .content_type = {}};
}

} // namespace notify
