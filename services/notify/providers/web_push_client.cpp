#include "providers/web_push_client.hpp"

#include "domain/web_push.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using Kind = http_client::Error::Kind;

constexpr std::chrono::hours authorization_life = 12h; ///< RFC 8292, 2: at most 24 hours
/// How long a header is used. The rest of its life allows for wrong clocks of push services.
constexpr std::chrono::hours authorization_used = 6h;
constexpr std::size_t max_authorizations = 256;
constexpr std::chrono::seconds unresolved_wait = 60s; ///< after the host name was not found

/// How long a push waits if its subscription cannot be decrypted. The operator may add the missing key to
/// ENCRYPTION_KEYS in this time.
constexpr std::chrono::seconds unreadable_wait{300};

PushResult passing(std::string_view reason, std::optional<std::chrono::seconds> wait = {})
{
    return push_result(Verdict::transient, std::string(reason), wait);
}

PushResult refused(std::string_view reason)
{
    return push_result(Verdict::refused, std::string(reason));
}

PushResult result_of(http_client::Response const& response)
{
    unsigned const status = response.status;
    std::string reason = "HTTP_" + std::to_string(status);
    if (status >= 200 && status < 300) return push_result(Verdict::accepted);
    if (status == 404 || status == 410) return push_result(Verdict::gone, std::move(reason));
    if (status == 413) return refused(push_reasons::too_large);
    if (status == 429) return push_result(Verdict::throttled, std::move(reason), response.retry_after);
    if (status == 408 || status >= 500)
        return push_result(Verdict::transient, std::move(reason), response.retry_after);
    return push_result(Verdict::refused, std::move(reason));
}

PushResult result_of(http_client::Error const& error)
{
    switch (error.kind()) {
    case Kind::dns:
        return passing(push_reasons::down, unresolved_wait);
    case Kind::connect:
    case Kind::tls:
        return passing(error.request_sent() ? push_reasons::lost : push_reasons::down);
    case Kind::timeout:
        return passing(push_reasons::timeout);
    case Kind::refused_address:
        return refused(push_reasons::address);
    case Kind::stopped:
        return passing(push_reasons::stopped);
    case Kind::too_large:
    case Kind::protocol:
        break;
    }
    return passing(push_reasons::unexpected);
}

} // namespace

/// A request in flight. It has a copy of all that it needs, so nothing remains to be done when its batch is
/// abandoned.
class WebPushClient::Slot final : public PushQueue::Sent {
public:
    Slot() = default;
    virtual ~Slot() = default;
    Slot(Slot const&) = delete;
    Slot& operator=(Slot const&) = delete;

    void abandoned() noexcept override {}

    std::string origin;
    bool probe = false; ///< of the origin's breaker
};

WebPushClient::WebPushClient(Credential::Ptr credential, Deps deps, PushQueue::Finished finished)
    : credential_(std::move(credential)), deps_(std::move(deps)), finished_(std::move(finished)),
      queue_(finished_, deps_.dropped), authorizations_(max_authorizations, authorization_used)
{
}

WebPushClient::~WebPushClient()
{
    stop_.request_stop();
    if (busy_) --deps_.load.busy;
    for (auto const& slot : slots_)
        if (slot.probe) deps_.breakers.withdraw_probe(Carrier::webpush, slot.origin);
    queue_.stop();
}

void WebPushClient::add(std::unique_ptr<PushBatch> batch)
{
    used_ = Steady::now();
    if (!batch->push->web_fits) {
        batch->set_all(refused(push_reasons::too_large));
        return finished_(std::move(batch));
    }
    queue_.add(std::move(batch));
    count_load();
    pump();
}

void WebPushClient::tick(SteadyTime now)
{
    if (!queue_.empty()) {
        used_ = now;
        queue_.sweep(now);
        pump();
    }
    count_load();
}

/// Sends as many pushes as possible. Bulk pushes leave a quarter of the requests free.
void WebPushClient::pump()
{
    while (in_flight_ < share() && queue_.waiting()) {
        Slot& slot = free_slot();
        bool const urgent_only = in_flight_ > 0 && in_flight_ >= share() * 3 / 4;
        if (!queue_.take(urgent_only, slot)) return;
        send(slot);
    }
}

void WebPushClient::count_load()
{
    if (busy_ == !idle()) return;
    busy_ = !busy_;
    busy_ ? ++deps_.load.busy : --deps_.load.busy;
}

/// How many requests this client may have in flight.
std::size_t WebPushClient::share() const noexcept
{
    auto const share = WebPushLoad::max_in_flight / std::max<std::size_t>(deps_.load.busy, 1);
    return std::clamp<std::size_t>(share, 1, max_in_flight);
}

/// A slot that is not in flight.
WebPushClient::Slot& WebPushClient::free_slot()
{
    if (free_.empty()) free_.push_back(&slots_.emplace_back());
    return *free_.back();
}

/// Why no request to the device may be sent; nullopt if it may be sent.
std::optional<PushResult> WebPushClient::obstacle(
    PushTarget const& target, std::optional<WebOrigin> const& origin)
{
    if (!target.web) return passing(push_reasons::no_subscription, unreadable_wait);
    if (!origin || !deps_.options.web_push_hosts.allows(origin->host, origin->port))
        return refused(push_reasons::host);
    if (credential_->vapid().find(target.web->vapid_key) == nullptr) return refused(push_reasons::no_key);
    auto const& breaker = deps_.breakers.of(Carrier::webpush, origin->text);
    auto const now = Steady::now();
    if (!breaker.may_send(now)) return passing(push_reasons::down, breaker.wait(now));
    return std::nullopt;
}

/// Sends the push of the next free slot, or finishes it.
void WebPushClient::send(Slot& slot)
{
    auto const& target = slot.target();
    auto const origin = target.web ? web_origin(target.web->endpoint) : std::nullopt;
    if (auto why_not = obstacle(target, origin)) return queue_.withdraw(slot, *std::move(why_not));
    slot.origin = origin->text;
    auto request = request_for(slot);
    if (!request) return queue_.withdraw(slot, refused(push_reasons::no_subscription));
    slot.probe = deps_.breakers.begin(Carrier::webpush, slot.origin);
    free_.pop_back();
    ++in_flight_;
    deps_.client.send(*std::move(request),
        [weak = weak_from_this(), executor = deps_.executor, &slot](http_client::Result result) {
            asio::post(executor, [weak, &slot, result = std::move(result)] {
                if (auto const self = weak.lock()) self->ended(slot, result);
            });
        });
}

/// Returns nullopt if the message cannot be encrypted for the subscription.
std::optional<http_client::Request> WebPushClient::request_for(Slot const& slot)
try {
    auto const& push = *slot.batch().push;
    auto const& subscription = *slot.target().web;
    auto const& key = *credential_->vapid().find(subscription.vapid_key);
    http_client::Request request{.method = "POST",
        .url = subscription.endpoint,
        .headers = {{"TTL", std::to_string(push.ttl_seconds)}, {"Urgency", std::string(push.urgency)},
            {"Content-Encoding", "aes128gcm"}, {"Content-Type", "application/octet-stream"},
            {"Authorization", authorization_for(key, slot.origin)}},
        .body = web_push::encrypt(push.web_payload, subscription),
        .timeout = deps_.options.response_timeout,
        .max_response_bytes = max_answer,
        .truncate_response = true,
        .stop = stop_.get_token()};
    if (!push.topic.empty()) request.headers.emplace_back("Topic", push.topic);
    return request;
} catch (std::exception const&) {
    return std::nullopt;
}

std::string WebPushClient::authorization_for(VapidKey const& key, std::string const& origin)
{
    std::string name = key.public_key + ' ' + origin;
    if (auto const known = authorizations_.find(name)) return *known;
    auto made = std::make_shared<std::string const>(vapid_authorization(
        key, credential_->vapid().subject, origin, deps_.clock.now() + authorization_life));
    authorizations_.put(std::move(name), made);
    return *made;
}

void WebPushClient::ended(Slot& slot, http_client::Result const& result)
{
    --in_flight_;
    bool const probe = std::exchange(slot.probe, false);
    auto const event = web_push_event(result);
    if (event == CarrierBreaker::Event::unreachable)
        deps_.logger.warn("cannot reach a push server",
            {{"host", slot.origin}, {"detail", std::get<http_client::Error>(result).what()}});
    if (event)
        deps_.breakers.end(Carrier::webpush, slot.origin, *event, probe);
    else if (probe)
        deps_.breakers.withdraw_probe(Carrier::webpush, slot.origin);
    if (slot.awaited()) {
        auto outcome = web_push_result(result);
        outcome.probe = probe && event == CarrierBreaker::Event::failed;
        auto const* const error = std::get_if<http_client::Error>(&result);
        if (error != nullptr && !error->request_sent())
            queue_.withdraw(slot, std::move(outcome));
        else
            queue_.finish(slot, std::move(outcome));
    }
    free_.push_back(&slot);
    pump();
    count_load();
}

PushResult web_push_result(http_client::Result const& result)
{
    return std::visit([](auto const& outcome) { return result_of(outcome); }, result);
}

std::optional<CarrierBreaker::Event> web_push_event(http_client::Result const& result)
{
    using enum CarrierBreaker::Event;
    if (auto const* const response = std::get_if<http_client::Response>(&result))
        return response->status < 500 ? answered : failed;
    auto const& error = std::get<http_client::Error>(result);
    switch (error.kind()) {
    case Kind::stopped:
    case Kind::refused_address:
    case Kind::dns: // an app may choose any subdomain of a host in WEB_PUSH_HOSTS
        return std::nullopt;
    default:
        return error.request_sent() ? failed : unreachable;
    }
}

} // namespace notify
