#include "workers/email.hpp"

#include "core/error.hpp"
#include "domain/retry.hpp"
#include "storage/domains.hpp"
#include "storage/notifications.hpp"
#include "workers/uploads.hpp"

namespace notify {

using jobs::Outcome;

EmailHandler::Loaded EmailHandler::load(core::Scope const& scope, core::Uuid const& id) const
{
    return deps_.db.transact_blocking(scope, [&](pg::Tx& tx) {
        Loaded loaded{.notification = notifications::find(tx, scope.id, id), .attachments = {}};
        if (!loaded.notification || loaded.notification->status != Status::queued) return loaded;
        loaded.attachments = email_attachments::list(tx, scope.id, id);
        loaded.sender = domains::sender(tx, scope, deps_.keyring);
        return loaded;
    });
}

jobs::Outcome EmailHandler::operator()(jobs::Claim& claim, std::stop_token const& stop) const
{
    auto const owner = owner_of(deps_, claim.scope_id);
    if (!owner) return Outcome::done();
    if (owner->suspended) return Outcome::not_yet(deps_.clock.now() + suspended_pause);
    auto loaded = load(owner->scope, claim.ref);
    if (!loaded.notification) return Outcome::done();
    claim.traceparent = loaded.notification->traceparent.value_or("");
    if (loaded.notification->status != Status::queued) return Outcome::done();
    return attempt(owner->scope, std::move(loaded), stop);
}

jobs::Outcome EmailHandler::attempt(
    core::Scope const& scope, Loaded loaded, std::stop_token const& stop) const
{
    core::Time const began = deps_.clock.now();
    Notification const n = *loaded.notification;
    Answer const answer = send(std::move(loaded), stop);
    bool const cut_off = stop.stop_requested() && answer.verdict == Verdict::transient;
    if (cut_off) return Outcome::not_yet(deps_.clock.now());
    return end_of(deps_, scope.id, n, {began, answer});
}

/// Reads the uploads into `rows`. Returns nullopt if all uploads were read, else the answer that ends the
/// attempt.
std::optional<Answer> EmailHandler::read_uploads(
    std::vector<email_attachments::Row>& rows, std::stop_token const& stop) const
{
    try {
        for (auto& row : rows) {
            if (!row.content) row.content = read_upload(deps_, *row.upload, row.size_bytes, stop);
            if (!row.content) {
                return Answer{.verdict = Verdict::refused,
                    .reason = std::string(failures::attachment_missing),
                    .provider_id = {}};
            }
        }
    } catch (core::Error const& error) {
        return Answer{.verdict = Verdict::transient, .reason = reason_of(error.what()), .provider_id = {}};
    }
    return std::nullopt;
}

Answer EmailHandler::send(Loaded loaded, std::stop_token const& stop) const
{
    if (auto obstacle = read_uploads(loaded.attachments, stop)) return *std::move(obstacle);
    Notification& n = *loaded.notification;
    Email email{.id = n.id,
        .date = n.due_at(),
        .to = std::move(n.to),
        .content = std::move(n.content),
        .attachments = {},
        .sender = std::move(loaded.sender),
        .traceparent = n.traceparent.value_or("")};
    for (auto& row : loaded.attachments) {
        email.attachments.push_back(
            {std::move(row.filename), std::move(row.content_type), std::move(*row.content)});
    }
    return deps_.mailer.send(email, stop);
}

} // namespace notify
