#include "workers/email.hpp"

#include "core/error.hpp"
#include "domain/retry.hpp"
#include "pg/database.hpp"
#include "storage/email_domains.hpp"
#include "workers/uploads.hpp"

namespace notify {

using jobs::Outcome;

namespace {

static_assert(mail::max_reason <= max_reason);

Verdict verdict_of(mail::Outcome outcome) noexcept
{
    switch (outcome) {
    case mail::Outcome::accepted:
        return Verdict::accepted;
    case mail::Outcome::gone:
        return Verdict::gone;
    case mail::Outcome::refused:
        return Verdict::refused;
    case mail::Outcome::credential:
        return Verdict::credential;
    case mail::Outcome::transient:
        break;
    }
    return Verdict::transient;
}

} // namespace

SendResult result_of(mail::SendResult sent)
{
    return {.verdict = verdict_of(sent.outcome),
        .reason = std::move(sent.reason),
        .provider_id = std::move(sent.message_id)};
}

EmailHandler::Loaded EmailHandler::load(core::Scope const& scope, jobs::Claim& claim) const
{
    return deps_.db.transact_blocking(scope, [&](pg::Tx& tx) {
        Loaded loaded{.notification = find_unsent(tx, claim), .attachments = {}};
        if (!loaded.notification) return loaded;
        loaded.attachments = notification_attachments::list(tx, scope.id, claim.ref);
        loaded.sender = email_domains::sender(tx, scope, deps_.keyring);
        return loaded;
    });
}

jobs::Outcome EmailHandler::operator()(
    core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop) const
{
    auto loaded = load(scope, claim);
    if (!loaded.notification) return Outcome::done();
    core::Time const began = deps_.clock.now();
    Notification const n = *loaded.notification;
    SendResult const result = send(std::move(loaded), stop);
    bool const cut_off = stop.stop_requested() && result.verdict == Verdict::transient;
    if (cut_off) return Outcome::not_yet(deps_.clock.now());
    return end_attempt(deps_, scope.id, n, {began, result});
}

/// Reads the uploads into `rows`. Returns nullopt if all uploads were read, else the result that ends the
/// attempt.
std::optional<SendResult> EmailHandler::read_uploads(
    std::vector<notification_attachments::Row>& rows, std::stop_token const& stop) const
{
    try {
        for (auto& row : rows) {
            if (!row.content) row.content = read_upload(deps_, *row.upload, row.size_bytes, stop);
            if (!row.content) {
                return SendResult{.verdict = Verdict::refused,
                    .reason = std::string(failures::attachment_missing),
                    .provider_id = {}};
            }
        }
    } catch (core::Error const& error) {
        return SendResult{
            .verdict = Verdict::transient, .reason = reason_of(error.what()), .provider_id = {}};
    }
    return std::nullopt;
}

SendResult EmailHandler::send(Loaded loaded, std::stop_token const& stop) const
{
    if (auto obstacle = read_uploads(loaded.attachments, stop)) return *std::move(obstacle);
    Notification& n = *loaded.notification;
    mail::Message message{.id = n.id,
        .date = n.due_at(),
        .to = std::move(n.to),
        .subject = std::move(n.content.subject),
        .sender = std::move(loaded.sender),
        .traceparent = n.traceparent.value_or("")};
    (n.content.html ? message.html : message.text) = std::move(n.content.body);
    for (auto& row : loaded.attachments) {
        message.attachments.push_back(
            {std::move(row.filename), std::move(row.content_type), std::move(*row.content)});
    }
    return result_of(deps_.mailer.send(message, stop));
}

} // namespace notify
