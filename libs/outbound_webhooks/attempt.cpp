#include "outbound_webhooks/attempt.hpp"

#include "core/fields.hpp"
#include "crypto/keyring.hpp"
#include "outbound_webhooks/signature.hpp"
#include "outbound_webhooks/webhook_rows.hpp"

#include <stdexcept>
#include <utility>
#include <variant>

namespace outbound_webhooks {

namespace {

constexpr std::size_t excerpt_bytes = 1024;

/// The owner of the webhook can read this text, so it must reveal nothing about our network.
std::string explain(http_client::Error::Kind kind)
{
    using Kind = http_client::Error::Kind;
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

/// Converts the beginning of a body, which may end inside a character, to text that PostgreSQL can store.
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

std::string signatures(
    crypto::Keyring const& keyring, store::Attempt const& attempt, std::string const& id, core::Time now)
{
    std::string const aad = store::secret_aad(attempt.key.scope_id, attempt.webhook_id);
    auto const sign_with = [&](std::string const& sealed) {
        auto opened = keyring.open(sealed, aad);
        if (!opened)
            throw std::runtime_error("a webhook secret cannot be decrypted with the configured keys");
        return sign(core::Secret(std::move(*opened)), id, now, *attempt.payload);
    };
    std::string out = sign_with(attempt.sealed_secret);
    if (attempt.sealed_previous) out += ' ' + sign_with(*attempt.sealed_previous);
    return out;
}

} // namespace

http_client::Request make_request(crypto::Keyring const& keyring, store::Attempt& attempt, core::Time now,
    std::chrono::milliseconds timeout, std::stop_token stop)
{
    std::string const id = attempt.key.delivery_id.to_string();
    http_client::Request request;
    request.method = "POST";
    request.url = attempt.url;
    request.headers = {{"Content-Type", "application/json"}, {"webhook-id", id},
        {"webhook-timestamp", timestamp_header(now)},
        {"webhook-signature", signatures(keyring, attempt, id, now)}};
    if (attempt.traceparent) request.headers.emplace_back("traceparent", *attempt.traceparent);
    request.body = std::move(*attempt.payload);
    request.timeout = timeout;
    request.stop = std::move(stop);
    request.stop_grace = stop_grace;
    request.max_response_bytes = excerpt_bytes;
    request.truncate_response = true;
    return request;
}

AttemptResult read_result(http_client::Result result)
{
    if (auto* const response = std::get_if<http_client::Response>(&result)) {
        AttemptResult sent{
            .answer = {response->status, response->retry_after}, .report = {.status = response->status}};
        if (!sent.accepted()) sent.report.error = "the endpoint answered " + std::to_string(response->status);
        if (!response->body.empty()) sent.report.excerpt = as_text(std::move(response->body));
        return sent;
    }
    using Kind = http_client::Error::Kind;
    auto const kind = std::get<http_client::Error>(result).kind();
    return {.answer = {},
        .report = {.error = explain(kind)},
        .stopped = kind == Kind::stopped,
        .timed_out = kind == Kind::timeout};
}

} // namespace outbound_webhooks
