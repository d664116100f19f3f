#include "providers/web_push_client.hpp"

#include "domain/web_push.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <iterator>
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

/// A push in a lane, or a request in flight. A request has a copy of all that it needs, so nothing remains to
/// be done when its batch is abandoned.
class WebPushClient::Slot final : public PushQueue::Sent, public WebPushLanes::Push {
public:
    explicit Slot(std::list<Slot>& all) : all_(all) {}

    virtual ~Slot() = default;
    Slot(Slot const&) = delete;
    Slot& operator=(Slot const&) = delete;

    void abandoned() noexcept override {}

    void dropped() noexcept override { all_.erase(place); }

    std::list<Slot>::iterator place;         ///< in `WebPushClient::slots_`
    std::optional<Breakers::Sender> probe{}; ///< the breaker whose probe this request is

private:
    std::list<Slot>& all_;
};

WebPushClient::WebPushClient(
    Credential::Ptr credential, core::ScopeId scope_id, Deps deps, PushQueue::Finished finished)
    : credential_(std::move(credential)), tenant_(core::tenant_of(scope_id)),
      own_(Breakers::sender_of(scope_id)), deps_(std::move(deps)), finished_(std::move(finished)),
      queue_(finished_, deps_.dropped), authorizations_(max_authorizations, authorization_used)
{
}

WebPushClient::~WebPushClient()
{
    stop_.request_stop();
    deps_.load.give_back(tenant_, in_flight_);
    for (auto const& slot : slots_)
        if (slot.probe) deps_.breakers.withdraw_probe(Carrier::webpush, slot.origin(), *slot.probe);
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
    pump();
}

void WebPushClient::tick(SteadyTime now)
{
    if (queue_.empty()) return;
    used_ = now;
    queue_.sweep(now);
    lanes_.retry();
    pump();
}

/// Sends as many pushes as possible.
void WebPushClient::pump()
{
    sort();
    for (std::size_t more = free(); more > 0; more = free()) {
        auto* const next = lanes_.front();
        if (next == nullptr) return;
        auto& slot = static_cast<Slot&>(*next);
        if (auto why_not = obstacle(slot))
            withdraw(slot, *std::move(why_not));
        else if (lanes_.begin(slot, more))
            send(slot);
    }
}

/// Moves the queued pushes to the lanes of their origins.
void WebPushClient::sort()
{
    while (queue_.waiting()) {
        auto& slot = slots_.emplace_back(slots_);
        slot.place = std::prev(slots_.end());
        if (!queue_.take(false, slot)) return slots_.pop_back();
        auto const& target = slot.target();
        auto const origin = target.web ? web_origin(target.web->endpoint) : std::nullopt;
        if (auto why_not = fault(target, origin)) {
            withdraw(slot, *std::move(why_not));
        } else {
            PushQueue::hold(slot);
            lanes_.add(origin->text, slot, slot.batch().bulk);
        }
    }
}

/// How many requests this client may begin now.
std::size_t WebPushClient::free() const
{
    return std::min(max_in_flight - in_flight_, deps_.load.allowance(tenant_));
}

/// Why no request to the device is ever sent; nullopt if it can be sent.
std::optional<PushResult> WebPushClient::fault(
    PushTarget const& target, std::optional<WebOrigin> const& origin) const
{
    if (!target.web) return passing(push_reasons::no_subscription, unreadable_wait);
    if (!origin || !deps_.options.web_push_hosts.allows(origin->host, origin->port))
        return refused(push_reasons::host);
    if (credential_->vapid().find(target.web->vapid_key) == nullptr) return refused(push_reasons::no_key);
    return std::nullopt;
}

/// Why a push is not sent now; nullopt if it may be sent.
std::optional<PushResult> WebPushClient::obstacle(Slot const& slot)
{
    if (deps_.dropped.contains(slot.target().device_id)) return refused(push_reasons::removed);
    auto const now = Steady::now();
    if (slot.batch().deadline <= now) return passing(push_reasons::not_sent);
    for (auto const& sender : {Breakers::everyone, own_}) {
        auto const* const breaker = deps_.breakers.find(Carrier::webpush, slot.origin(), sender);
        if (breaker != nullptr && !breaker->may_send(now))
            return passing(push_reasons::down, breaker->wait(now));
    }
    return std::nullopt;
}

/// Sends a push that its lane has begun, or finishes it.
void WebPushClient::send(Slot& slot)
{
    PushQueue::release(slot);
    auto request = request_for(slot);
    if (!request) {
        lanes_.end(slot);
        return withdraw(slot, refused(push_reasons::no_subscription));
    }
    slot.probe = begin_probe(slot.origin());
    ++in_flight_;
    deps_.load.take(tenant_);
    deps_.client.send(*std::move(request),
        [weak = weak_from_this(), executor = deps_.executor, &slot](http_client::Result result) {
            asio::post(executor, [weak, &slot, result = std::move(result)] {
                if (auto const self = weak.lock()) self->ended(slot, result);
            });
        });
}

/// If a breaker is open, the next request is its probe. Returns whose breaker it is; nullopt if none is open.
std::optional<Breakers::Sender> WebPushClient::begin_probe(std::string const& origin)
{
    for (auto const& sender : {Breakers::everyone, own_}) {
        auto const* const breaker = deps_.breakers.find(Carrier::webpush, origin, sender);
        if (breaker == nullptr || !breaker->open()) continue;
        deps_.breakers.begin(Carrier::webpush, origin, sender);
        return sender;
    }
    return std::nullopt;
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
            {"Authorization", authorization_for(key, slot.origin())}},
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

/// Reports an event to the breakers of the origin and of the scope. `probe`: of which breaker the request was
/// the probe. A failed probe of the origin also delays the next probe of the scope.
void WebPushClient::note(
    std::string const& origin, CarrierBreaker::Event event, std::optional<Breakers::Sender> const& probe)
{
    constexpr auto webpush = Carrier::webpush;
    auto& breakers = deps_.breakers;
    bool const answered = event == CarrierBreaker::Event::answered;
    auto const* const all = breakers.find(webpush, origin);
    bool const is_of_all = event == CarrierBreaker::Event::unreachable || (all != nullptr && all->open());
    if (answered || is_of_all) breakers.end(webpush, origin, event, probe == Breakers::everyone);
    auto const* const own = breakers.find(webpush, origin, own_);
    if (answered && own != nullptr) {
        breakers.end(webpush, origin, event, probe.has_value(), own_);
        breakers.forget(webpush, origin, own_);
    }
    if (answered) return;
    if (!is_of_all || (own != nullptr && own->open()))
        breakers.end(webpush, origin, event, probe.has_value(), own_);
    // Scopes of one tenant do not show that the origin is down for others.
    if (!is_of_all) breakers.note_failure(webpush, origin, Breakers::sender_of(tenant_));
}

void WebPushClient::ended(Slot& slot, http_client::Result const& result)
{
    --in_flight_;
    deps_.load.give_back(tenant_);
    auto const probe = std::exchange(slot.probe, std::nullopt);
    auto const event = web_push_event(result);
    if (event == CarrierBreaker::Event::unreachable)
        deps_.logger.warn("cannot reach a push server",
            {{"host", slot.origin()}, {"detail", std::get<http_client::Error>(result).what()}});
    if (event)
        note(slot.origin(), *event, probe);
    else if (probe)
        deps_.breakers.withdraw_probe(Carrier::webpush, slot.origin(), *probe);
    lanes_.end(slot);
    if (slot.awaited()) {
        auto outcome = web_push_result(result);
        outcome.probe = probe && event == CarrierBreaker::Event::failed;
        auto const* const error = std::get_if<http_client::Error>(&result);
        if (error != nullptr && !error->request_sent())
            queue_.withdraw(slot, std::move(outcome));
        else
            queue_.finish(slot, std::move(outcome));
    }
    slots_.erase(slot.place);
    pump();
}

/// Finishes a push that is not sent.
void WebPushClient::withdraw(Slot& slot, PushResult result)
{
    queue_.withdraw(slot, std::move(result));
    slots_.erase(slot.place);
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
