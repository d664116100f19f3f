#include "webhooks/sender.hpp"

#include "core/fields.hpp"
#include "crypto/keyring.hpp"
#include "crypto/random.hpp"
#include "tenancy/registry.hpp"
#include "webhooks/policy.hpp"
#include "webhooks/signature.hpp"
#include "webhooks/store.hpp"
#include "webhooks/webhooks.hpp"

#include <stdexcept>

namespace webhooks {

namespace {

constexpr std::size_t excerpt_bytes = 1024;

struct Sent {
    Answer answer;
    store::Report report;
    bool stopped = false; ///< cut off because the process ends
};

/// What is to be done, and whether it may be now.
struct Loaded {
    std::optional<store::Attempt> attempt;
    bool suspended = false;
};

/// The webhook's owner reads this, so it says nothing about the network we live in.
std::string explain(http::OutboundError::Kind kind)
{
    using Kind = http::OutboundError::Kind;
    switch (kind) {
    case Kind::dns:
        return "the host name could not be resolved";
    case Kind::connect:
        return "no connection could be made";
    case Kind::tls:
        return "TLS failed";
    case Kind::timeout:
        return "no answer in time";
    case Kind::refused_address:
        return "the host's address is not allowed";
    case Kind::too_large:
    case Kind::stopped:
    case Kind::protocol:
        break;
    }
    return "the answer was not HTTP";
}

/// What PostgreSQL can keep of a body that may have been cut in the middle of a character.
std::string as_text(std::string bytes)
{
    std::string_view whole = bytes;
    while (!whole.empty() && bytes.size() - whole.size() < 3 && !core::is_utf8(whole))
        whole.remove_suffix(1);
    bool const utf8 = core::is_utf8(whole);
    if (utf8) bytes.resize(whole.size());
    for (char& c : bytes) {
        if (c == '\0' || (!utf8 && static_cast<unsigned char>(c) >= 0x80)) c = '?';
    }
    return bytes;
}

std::string signatures(crypto::Keyring const& keyring, std::int64_t scope_id, store::Attempt const& attempt,
    std::string const& id, core::Time now)
{
    std::string const aad = store::secret_aad(scope_id, attempt.webhook_id);
    auto const sign_with = [&](std::string const& sealed) {
        auto opened = keyring.open(sealed, aad);
        if (!opened) throw std::runtime_error("a webhook secret cannot be opened with the keys there are");
        return sign(core::Secret(std::move(*opened)), id, now, attempt.payload);
    };
    std::string out = sign_with(attempt.sealed_secret);
    if (attempt.sealed_previous) out += ' ' + sign_with(*attempt.sealed_previous);
    return out;
}

http::OutboundRequest make_request(
    crypto::Keyring const& keyring, std::int64_t scope_id, store::Attempt const& attempt, core::Time now)
{
    std::string const id = attempt.delivery_id.to_string();
    http::OutboundRequest request;
    request.method = "POST";
    request.url = attempt.url;
    request.headers = {{"Content-Type", "application/json"}, {"webhook-id", id},
        {"webhook-timestamp", timestamp_header(now)},
        {"webhook-signature", signatures(keyring, scope_id, attempt, id, now)}};
    if (attempt.traceparent) request.headers.emplace_back("traceparent", *attempt.traceparent);
    request.body = attempt.payload;
    request.timeout = attempt_timeout;
    request.farewell = farewell;
    request.max_response_bytes = excerpt_bytes;
    request.truncate_response = true;
    return request;
}

Sent send(http::Client& client, http::OutboundRequest const& request)
{
    try {
        auto response = client.send(request);
        Sent sent{.answer = {response.status, response.retry_after}, .report = {.status = response.status}};
        bool const accepted = response.status >= 200 && response.status < 300;
        if (!accepted) sent.report.error = "the endpoint answered " + std::to_string(response.status);
        if (!response.body.empty()) sent.report.excerpt = as_text(std::move(response.body));
        return sent;
    } catch (http::OutboundError const& e) {
        return {.answer = {},
            .report = {.error = explain(e.kind())},
            .stopped = e.kind() == http::OutboundError::Kind::stopped};
    }
}

void fail(pg::Tx& tx, std::int64_t scope_id, store::Attempt const& attempt, store::Report const& report,
    Decision const& decision, core::Time now)
{
    if (!store::record_failed(tx, scope_id, attempt, report)) return;
    store::disable(tx, scope_id, attempt.webhook_id, attempt.url, decision.disable_reason, now);
}

jobs::Outcome wait_for_tenant(std::int64_t scope_id, store::Attempt const& attempt, core::Time now)
{
    core::Time const next = now + suspended_pause;
    return jobs::Outcome::not_yet(next, [=](pg::Tx& tx) { store::record_wait(tx, scope_id, attempt, next); });
}

} // namespace

jobs::Outcome Sender::operator()(jobs::Claim& claim, std::stop_token const& stop) const
{
    using jobs::Outcome;
    auto const scope_id = claim.scope_id;
    auto const loaded = database_.transact_blocking(pg::Scopes(scope_id), [&](pg::Tx& tx) {
        return Loaded{store::load_attempt(tx, scope_id, claim.ref, clock_.now()),
            tenancy::registry::is_suspended(tx, core::Scope{scope_id, {}}.tenant_id())};
    });
    if (!loaded.attempt) return Outcome::done();
    store::Attempt const& attempt = *loaded.attempt;
    claim.traceparent = attempt.traceparent.value_or("");
    if (!attempt.pending) return Outcome::done();
    if (!attempt.webhook_exists) { // it was deleted while this was being published
        return Outcome::done([=](pg::Tx& tx) { store::remove_delivery(tx, scope_id, attempt.delivery_id); });
    }
    if (!attempt.enabled) {
        return Outcome::dead([=](pg::Tx& tx) {
            store::record_failed(tx, scope_id, attempt, {.error = "the webhook is disabled"});
        });
    }
    if (loaded.suspended) return wait_for_tenant(scope_id, attempt, clock_.now());
    auto request = make_request(keyring_, scope_id, attempt, clock_.now());
    request.stop = stop;
    auto const sent = send(client_, request);
    core::Time const now = clock_.now();
    if (sent.stopped) return Outcome::not_yet(now);
    if (answered_) answered_(sent.report.status);
    auto const decision = decide(sent.answer, claim.attempts, now, attempt.expires_at, crypto::random_u64());
    switch (decision.verdict) {
    case Verdict::delivered:
        return Outcome::done(
            [=](pg::Tx& tx) { store::record_delivered(tx, scope_id, attempt, sent.report, now); });
    case Verdict::retry:
        return Outcome::retry(decision.next_attempt_at, [=](pg::Tx& tx) {
            store::record_retry(tx, scope_id, attempt, sent.report, decision.next_attempt_at);
        });
    case Verdict::failed:
        break;
    }
    return Outcome::dead([=](pg::Tx& tx) { fail(tx, scope_id, attempt, sent.report, decision, now); });
}

} // namespace webhooks
