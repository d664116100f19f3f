#include "providers/purchases_api.hpp"

#include "core/text.hpp"
#include "http_client/client.hpp"

#include <algorithm>
#include <array>

namespace billing {

namespace {

using Kind = PurchasesApiError::Kind;

/// Names of the answers in metrics: the kinds of PurchasesApiError in their order, then `accepted`.
constexpr std::array<std::string_view, 7> answers{
    "throttled", "unknown_user", "refused", "unavailable", "nonsense", "stopped", "accepted"};

constexpr std::size_t max_document = 8 << 20; // enough for years of consumables

/// A user id as one path segment. `.` and `..` are escaped, because they would change the path.
std::string segment_of(core::UserId const& user_id)
{
    if (user_id.text() == ".") return "%2E";
    if (user_id.text() == "..") return "%2E%2E";
    return core::percent_encode(user_id.text());
}

http_client::Response send(http_client::Client& client, http_client::Request const& request)
{
    try {
        return client.send(request);
    } catch (http_client::Error const& e) {
        using Outbound = http_client::Error::Kind;
        Kind const kind = e.kind() == Outbound::stopped     ? Kind::stopped
                          : e.kind() == Outbound::too_large ? Kind::nonsense
                                                            : Kind::unavailable;
        throw PurchasesApiError(kind, "no answer: " + std::string(http_client::to_string(e.kind())));
    }
}

Kind kind_of(unsigned status) noexcept
{
    if (status == 429) return Kind::throttled;
    if (status == 404) return Kind::unknown_user;
    if (status >= 500) return Kind::unavailable;
    return status >= 400 ? Kind::refused : Kind::nonsense;
}

void check_status(http_client::Response const& response)
{
    if (response.status == 200 || response.status == 201) return;
    throw PurchasesApiError(
        kind_of(response.status), "status " + std::to_string(response.status), response.retry_after);
}

} // namespace

PurchasesApi::PurchasesApi(std::string base_url, http_client::Client& client, observe::Metrics& metrics)
    : base_url_(std::move(base_url)), client_(client), answers_(metrics, "purchases", answers)
{
    while (base_url_.ends_with('/'))
        base_url_.pop_back();
}

Subscriber PurchasesApi::fetch(core::UserId const& user_id, core::Secret const& api_key,
    std::stop_token const& stop, std::string const& traceparent) const
{
    http_client::Request request;
    request.url = base_url_ + "/v1/subscribers/" + segment_of(user_id);
    request.headers = {{"Authorization", "Bearer " + api_key.reveal()}, {"Accept", "application/json"}};
    request.timeout = timeout;
    request.max_response_bytes = max_document;
    request.stop = stop;
    if (!traceparent.empty()) request.headers.emplace_back("traceparent", traceparent);
    try {
        auto subscriber = ask(request);
        answers_.count(answers.size() - 1);
        return subscriber;
    } catch (PurchasesApiError const& e) {
        answers_.count(static_cast<std::size_t>(e.kind()));
        throw;
    }
}

Subscriber PurchasesApi::ask(http_client::Request const& request) const
{
    auto const response = send(client_, request);
    check_status(response);
    if (response.status == 201) return {.subscriptions = {}, .consumables = std::vector<Purchase>()};
    try {
        return parse_subscriber(response.body);
    } catch (std::invalid_argument const& e) {
        throw PurchasesApiError(Kind::nonsense, e.what());
    }
}

} // namespace billing
