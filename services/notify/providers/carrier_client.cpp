#include "providers/carrier_client.hpp"

#include "http/retry_after.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds default_hold = 60s; ///< after a 429 response without Retry-After
constexpr std::chrono::seconds device_hold = 1s;   ///< the least, and if there is no Retry-After
/// How long a refused credential is not tried again. Callers pause its carrier for longer.
constexpr std::chrono::seconds refusal_kept = 60s;
constexpr std::size_t permits_at_once = 500;
constexpr std::size_t few_permits = 100;

/// The result of a push that was not handed out.
PushResult untried(Verdict verdict, std::string_view reason, std::chrono::steady_clock::duration wait)
{
    return push_result(verdict, std::string(reason), std::chrono::ceil<std::chrono::seconds>(wait));
}

http2_client::ClientOptions client_options(BaseUrl const& url, PushOptions const& options)
{
    return {.host = url.host,
        .port = url.port,
        .tls = url.tls,
        .max_connections = options.max_connections,
        .answer_timeout = options.response_timeout};
}

} // namespace

/// A push in flight.
class CarrierClient::Slot final : public http2_client::Stream, public PushQueue::Sent {
public:
    explicit Slot(CarrierClient& owner) : owner_(owner) {}

    void header(std::string_view name, std::string_view value) noexcept override
    {
        if (name == "retry-after")
            request.retry_after = http::parse_retry_after(value, owner_.deps_.clock.now());
    }

    void ended(http2_client::StreamEnd end) noexcept override { owner_.ended(*this, end); }

    void abandoned() noexcept override
    {
        push_ = batch().push;
        request.space.assign(body[1]);
        body[1] = request.space;
    }

    CarrierRequest request;
    bool probe = false;
    Steady::time_point sent_at{};

private:
    CarrierClient& owner_;
    SharedPush push_; ///< keeps the memory valid that `body` refers to, after the batch is gone
};

CarrierClient::CarrierClient(std::shared_ptr<CarrierProtocol> protocol, Credential const& credential,
    core::TenantId tenant, Deps deps, PushQueue::Finished finished)
    : deps_(std::move(deps)), protocol_(std::move(protocol)), carrier_(credential.carrier()),
      origin_(protocol_->base_url().origin()), tenant_(tenant),
      project_(carrier_ == Carrier::fcm ? credential.fcm().project_id : std::string()),
      sender_(credential.fingerprint()), all_(deps_.breakers.of(carrier_, origin_)),
      own_{deps_.breakers, carrier_, origin_, sender_}, finished_(std::move(finished)),
      queue_(finished_, deps_.dropped), held_devices_(max_held_devices, longest_hold),
      http_(deps_.executor, deps_.context, client_options(protocol_->base_url(), deps_.options), *this)
{
}

CarrierClient::~CarrierClient()
{
    if (probing_) withdraw_probe();
    queue_.stop();
}

void CarrierClient::add(std::unique_ptr<PushBatch> batch)
{
    used_ = Steady::now();
    bool const is_new = batch->stored_at > refused_;
    if (is_new && is_refused()) {
        refused_until_ = {};
        protocol_->forget_refusal();
    }
    auto why_not = obstacle(used_);
    if (!protocol_->fits(*batch->push))
        why_not = push_result(Verdict::refused, std::string(push_reasons::too_large));
    if (why_not) {
        batch->set_all(*why_not);
        return finished_(std::move(batch));
    }
    newest_ = std::max(newest_, batch->stored_at);
    if (queue_.empty()) permits_ = 0; // they may be older than a hold of the project
    queue_.add(std::move(batch));
    update(used_);
    // The token's refusal may have been known, so that nothing would report it again.
    if (auto refusal = protocol_->refusal()) queue_.drop({*std::move(refusal), {}});
    http_.wake();
}

bool CarrierClient::is_refused() const
{
    return deps_.clock.now() < refused_until_;
}

/// Why no push may be sent for a while; nullopt if pushes may be sent.
std::optional<PushResult> CarrierClient::obstacle(Steady::time_point now) const
{
    if (is_refused()) return refusal_;
    if (now < held_until_) return untried(Verdict::throttled, push_reasons::throttled, held_until_ - now);
    if (breaker().open() && !probing_ && !breaker().may_send(now))
        return untried(Verdict::transient, push_reasons::down, breaker().wait(now));
    if (breaker().open() && probe_sent_)
        return untried(Verdict::transient, push_reasons::down, CarrierBreaker::first_pause);
    return std::nullopt;
}

void CarrierClient::authorization_changed()
{
    if (auto refusal = protocol_->refusal()) {
        PushResult const result{*std::move(refusal), {}};
        if (result.verdict == Verdict::credential)
            refuse(result, newest_);
        else
            queue_.drop(result);
    }
    update(Steady::now());
    http_.wake();
}

/// Refreshes the access token if it is due, claims the breaker's probe if it is due, and updates `open_`.
void CarrierClient::update(Steady::time_point now)
{
    if (queue_.empty()) return;
    protocol_->refresh();
    open_ = protocol_->authorized() && now >= held_until_;
    if (open_ && breaker().open() && !probing_ && queue_.waiting() && breaker().may_send(now)) {
        probed_ = all_.open() ? Breakers::everyone : sender_;
        probing_ = deps_.breakers.begin(carrier_, origin_, probed_);
        probe_sent_ = false;
    }
    ask_for_permits();
}

void CarrierClient::tick(Steady::time_point now)
{
    if (probing_ && !probe_sent_ && !queue_.waiting()) withdraw_probe();
    if (!queue_.empty()) {
        used_ = now;
        update(now);
        queue_.sweep(now);
        drop_if_closed();
    }
    http_.tick(now);
}

bool CarrierClient::idle() const noexcept
{
    return queue_.empty() && http_.in_flight() == 0;
}

std::optional<CarrierSender::SteadyTime> CarrierClient::held_until() const noexcept
{
    return Steady::now() < held_until_ ? std::optional(held_until_) : std::nullopt;
}

void CarrierClient::ask_for_permits()
{
    std::size_t const backlog = queue_.backlog();
    if (deps_.quota == nullptr || asking_ || backlog == 0 || permits_ >= std::min(backlog, few_permits))
        return;
    if (Steady::now() < held_until_) return;
    asking_ = true;
    deps_.quota->take(tenant_, project_, std::min(backlog, permits_at_once),
        [weak = weak_from_this(), executor = deps_.executor](PushQuota::Grant grant) {
            asio::post(executor, [weak, grant] {
                if (auto const self = weak.lock()) self->take_grant(grant);
            });
        });
}

void CarrierClient::take_grant(PushQuota::Grant grant)
{
    asking_ = false;
    permits_ += grant.permits;
    if (grant.held > 0ms) { // FCM has throttled another key or another replica
        hold_for(grant.held);
        if (probing_ && !probe_sent_) withdraw_probe();
        drop_if_closed();
    }
    ask_for_permits();
    http_.wake();
}

/// Takes the next push. Pushes to held devices are finished, untried.
bool CarrierClient::take(bool urgent_only, Slot& slot)
{
    while (queue_.take(urgent_only, slot)) {
        auto const held = held_devices_.find(slot.target().device_id);
        if (!held) return true;
        core::Time const now = deps_.clock.now();
        if (*held <= now) return true;
        queue_.withdraw(slot, untried(Verdict::throttled, push_reasons::throttled, *held - now));
    }
    return false;
}

http2_client::RequestSource::Request CarrierClient::next(bool urgent_only) noexcept
{
    if (backlog() == 0) return {};
    if (free_.empty()) free_.push_back(&slots_.emplace_back(*this));
    Slot& slot = *free_.back();
    if (!take(urgent_only, slot)) return {};
    free_.pop_back();
    if (!breaker().open()) probing_ = false; // the push of another client has closed it
    slot.probe = probe_sent_ = probing_;
    slot.sent_at = Steady::now();
    if (permits_ > 0) permits_ -= 1;
    if (permits_ < few_permits) ask_for_permits();
    slot.request.retry_after.reset();
    slot.request.keep_id = slot.batch().keep_provider_ids;
    auto const headers = protocol_->write(*slot.batch().push, slot.target(), slot.request);
    slot.body = slot.request.body;
    return {&slot, headers};
}

std::size_t CarrierClient::backlog() const noexcept
{
    if (!open_) return 0;
    std::size_t const backlog = queue_.backlog();
    if (breaker().open()) return probing_ && !probe_sent_ ? std::min<std::size_t>(backlog, 1) : 0;
    return deps_.quota == nullptr ? backlog : std::min(backlog, permits_);
}

void CarrierClient::unreachable(std::string_view detail) noexcept
{
    deps_.logger.warn(
        "cannot reach a push server", {{"host", protocol_->base_url().host}, {"detail", detail}});
    note(CarrierBreaker::Event::unreachable, probing_);
    drop_if_closed();
}

void CarrierClient::disconnected(std::string_view detail, bool announced) noexcept
{
    deps_.logger.info(
        "the connection to a push server ended", {{"host", protocol_->base_url().host}, {"detail", detail}});
    if (announced) return;
    note(CarrierBreaker::Event::failed, false);
    drop_if_closed();
}

/// Reports an event to the breakers. `probe`: of the probe that this client sends.
void CarrierClient::note(CarrierBreaker::Event event, bool probe)
{
    if (probe) probing_ = probe_sent_ = false;
    bool const answered = event == CarrierBreaker::Event::answered;
    bool const is_of_all = all_.open() || event == CarrierBreaker::Event::unreachable;
    bool const of_all = probe && probed_ == Breakers::everyone;
    if (answered || is_of_all) deps_.breakers.end(carrier_, origin_, event, of_all);
    if (answered ? failing_ : !is_of_all || own_.breaker.open()) {
        deps_.breakers.end(carrier_, origin_, event, probe && !of_all, sender_);
        failing_ = !answered;
    }
    if (!answered && !is_of_all) deps_.breakers.note_failure(carrier_, origin_, Breakers::sender_of(tenant_));
    // Another push has shown that the carrier works, so this client's probe is an ordinary push.
    if (answered) probing_ = probe_sent_ = false;
}

void CarrierClient::withdraw_probe()
{
    deps_.breakers.withdraw_probe(carrier_, origin_, probed_);
    probing_ = false;
}

void CarrierClient::ended(Slot& slot, http2_client::StreamEnd end)
{
    bool const probe = std::exchange(slot.probe, false);
    if (end == http2_client::StreamEnd::answered) deps_.latency.add(slot.sent_at, Steady::now());
    using enum http2_client::StreamEnd;
    // The loss of a connection is one event, however many pushes were in flight (`disconnected`).
    bool const failed = end == timeout || (end == lost && probe) || (end == answered && slot.status >= 500);
    if (failed || end == answered)
        note(failed ? CarrierBreaker::Event::failed : CarrierBreaker::Event::answered, probe);
    else if (probe)
        probe_sent_ = false; // the carrier has not processed it, so it is sent again
    if (slot.awaited()) {
        switch (end) {
        case answered:
            read(slot, failed && probe);
            break;
        case refused:
            queue_.refused(slot);
            http_.wake();
            break;
        case lost:
            finish(slot, push_result(Verdict::transient, std::string(push_reasons::lost)), probe);
            break;
        case timeout:
            finish(slot, push_result(Verdict::transient, std::string(push_reasons::timeout)), probe);
            break;
        }
    }
    free_.push_back(&slot);
    if (failed) drop_if_closed();
}

void CarrierClient::read(Slot& slot, bool failed_probe)
{
    auto read = protocol_->read(slot.request, slot.status, slot.answer);
    if (read.stale && !slot.renewed() && protocol_->renew(slot.request.authorization)) {
        update(Steady::now());
        queue_.renew(slot);
        return http_.wake();
    }
    bool const refused = read.result.verdict == Verdict::credential;
    if (read.hold)
        hold(read.result);
    else if (read.result.verdict == Verdict::throttled)
        hold_device(slot.target().device_id, read.result);
    if (refused) refuse(read.result, slot.batch().stored_at);
    finish(slot, std::move(read.result), failed_probe);
    if (refused || read.hold) drop_if_closed();
}

void CarrierClient::finish(Slot& slot, PushResult result, bool failed_probe)
{
    result.probe = failed_probe;
    queue_.finish(slot, std::move(result));
}

/// Finishes the pushes that were not handed out, if none may be sent for a while.
void CarrierClient::drop_if_closed()
{
    bool const waits_for_probe = probing_ && !probe_sent_;
    if (auto const why_not = obstacle(Steady::now()); why_not && !waits_for_probe) queue_.drop(*why_not);
}

/// Stops the pushes of the credential for the time that the carrier has asked for. A quota of FCM belongs to
/// the project, so its other keys and the other replicas learn of the hold.
void CarrierClient::hold(PushResult const& result)
{
    auto const wait = std::min<std::chrono::seconds>(result.retry_after.value_or(default_hold), longest_hold);
    hold_for(wait);
    auto const until = Steady::now() + wait;
    bool const is_news = until > told_until_ + 1s; // many pushes may get this response
    if (deps_.quota == nullptr || result.verdict != Verdict::throttled || !is_news) return;
    told_until_ = until;
    deps_.quota->hold(tenant_, project_, wait, deps_.clock.now());
}

void CarrierClient::hold_for(Steady::duration wait)
{
    held_until_ = std::max(held_until_, Steady::now() + wait);
    open_ = false;
    permits_ = 0;
}

/// Stops the pushes to a device for the time that the carrier has asked for.
void CarrierClient::hold_device(std::int64_t device_id, PushResult const& result)
{
    auto const wait =
        std::clamp<std::chrono::seconds>(result.retry_after.value_or(device_hold), device_hold, longest_hold);
    core::Time until = deps_.clock.now() + wait;
    if (auto const held = held_devices_.find(device_id)) until = std::max(until, *held);
    held_devices_.put(device_id, std::make_shared<core::Time const>(until));
}

/// Stops the pushes of a refused credential. The first refusal is enough. Pushes of a credential that was
/// stored later go on.
void CarrierClient::refuse(PushResult const& result, core::Time stored_at)
{
    refusal_ = result;
    refusal_.handed_out = false;
    refused_ = std::max(refused_, stored_at);
    if (newest_ <= refused_) refused_until_ = deps_.clock.now() + refusal_kept;
    queue_.drop(refusal_, refused_);
}

} // namespace notify
