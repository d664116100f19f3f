#include "providers/provider_client.hpp"

#include "core/text.hpp"

#include <array>

namespace billing {

namespace {

using Kind = ProviderApiError::Kind;

/// Names of the answers in metrics: the kinds of ProviderApiError in their order, then `accepted`.
constexpr std::array<std::string_view, 7> answers{
    "throttled", "unknown_user", "refused", "unavailable", "nonsense", "stopped", "accepted"};

Kind kind_of(http_client::Error::Kind kind) noexcept
{
    using Outbound = http_client::Error::Kind;
    if (kind == Outbound::stopped) return Kind::stopped;
    return kind == Outbound::too_large ? Kind::nonsense : Kind::unavailable;
}

Kind kind_of(unsigned status) noexcept
{
    if (status == 429) return Kind::throttled;
    if (status == 404) return Kind::unknown_user;
    if (status >= 500) return Kind::unavailable;
    return status >= 400 ? Kind::refused : Kind::nonsense;
}

} // namespace

ProviderClient::ProviderClient(
    std::string base_url, http_client::Client& client, observe::Metrics& metrics, std::string const& provider)
    : base_url_(std::move(base_url)), client_(client), answers_(metrics, provider, answers)
{
    while (base_url_.ends_with('/'))
        base_url_.pop_back();
}

http_client::Response ProviderClient::send(Request const& request) const
{
    http_client::Request outbound;
    outbound.url = base_url_ + request.target;
    outbound.headers = request.headers;
    outbound.headers.emplace_back("Authorization", "Bearer " + request.api_key.reveal());
    outbound.headers.emplace_back("Accept", "application/json");
    if (!request.traceparent.empty()) outbound.headers.emplace_back("traceparent", request.traceparent);
    outbound.timeout = request.timeout;
    outbound.max_response_bytes = max_response_bytes;
    outbound.stop = request.stop;
    try {
        return client_.send(outbound);
    } catch (http_client::Error const& e) {
        throw ProviderApiError(
            kind_of(e.kind()), "no answer: " + std::string(http_client::to_string(e.kind())));
    }
}

void ProviderClient::count_accepted() const noexcept
{
    answers_.count(answers.size() - 1);
}

void ProviderClient::count(ProviderApiError const& error) const noexcept
{
    answers_.count(static_cast<std::size_t>(error.kind()));
}

void throw_status(http_client::Response const& response)
{
    throw ProviderApiError(
        kind_of(response.status), "status " + std::to_string(response.status), response.retry_after);
}

std::string path_segment(std::string_view text)
{
    if (text == ".") return "%2E";
    if (text == "..") return "%2E%2E";
    return core::percent_encode(text);
}

} // namespace billing
