#include "providers/carrier_client.hpp"

#include "http/retry_after.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds longest_hold = 1h;

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

private:
    CarrierClient& owner_;
    SharedPush push_; ///< keeps the memory valid that `body` refers to, after the batch is gone
};

CarrierClient::CarrierClient(
    std::shared_ptr<CarrierProtocol> protocol, Deps deps, PushQueue::Finished finished)
    : deps_(std::move(deps)), protocol_(std::move(protocol)), finished_(std::move(finished)),
      queue_(finished_, deps_.dropped),
      http_(deps_.executor, deps_.context, client_options(protocol_->base_url(), deps_.options), *this)
{
}

CarrierClient::~CarrierClient()
{
    queue_.stop();
}

void CarrierClient::add(std::unique_ptr<PushBatch> batch)
{
    used_ = Steady::now();
    update(used_);
    auto refusal = protocol_->refusal();
    if (!protocol_->fits(*batch->push)) {
        batch->set_all(push_result(Verdict::refused, std::string(push_reasons::too_large)));
        finished_(std::move(batch));
    } else if (refusal) {
        batch->set_all({*std::move(refusal), {}});
        finished_(std::move(batch));
    } else {
        queue_.add(std::move(batch));
        http_.wake();
    }
}

void CarrierClient::authorization_changed()
{
    if (auto refusal = protocol_->refusal()) queue_.drop({*std::move(refusal), {}});
    update(Steady::now());
    http_.wake();
}

/// Refreshes the access token if it is due, and updates `open_`.
void CarrierClient::update(Steady::time_point now)
{
    protocol_->refresh();
    open_ = protocol_->authorized() && now >= held_until_;
}

void CarrierClient::tick(Steady::time_point now)
{
    if (!queue_.empty()) {
        used_ = now;
        update(now);
        if (now < held_until_) held_.retry_after = std::chrono::ceil<std::chrono::seconds>(held_until_ - now);
        queue_.sweep(now, held_until_, held_);
    }
    http_.tick(now);
}

bool CarrierClient::idle() const noexcept
{
    return queue_.empty() && http_.in_flight() == 0;
}

http2_client::RequestSource::Request CarrierClient::next(bool urgent_only) noexcept
{
    if (!open_ || !queue_.waiting()) return {};
    if (free_.empty()) free_.push_back(&slots_.emplace_back(*this));
    Slot& slot = *free_.back();
    if (!queue_.take(urgent_only, slot)) return {};
    free_.pop_back();
    slot.request.retry_after.reset();
    slot.request.keep_id = slot.batch().keep_provider_ids;
    auto const headers = protocol_->write(*slot.batch().push, slot.target(), slot.request);
    slot.body = slot.request.body;
    return {&slot, headers};
}

bool CarrierClient::waiting() const noexcept
{
    return open_ && queue_.waiting();
}

void CarrierClient::unreachable(std::string_view detail) noexcept
{
    deps_.logger.warn(
        "cannot reach a push server", {{"host", protocol_->base_url().host}, {"detail", detail}});
    queue_.drop(push_result(Verdict::transient, std::string(push_reasons::connect)));
}

void CarrierClient::disconnected(std::string_view detail) noexcept
{
    deps_.logger.info(
        "the connection to a push server ended", {{"host", protocol_->base_url().host}, {"detail", detail}});
}

void CarrierClient::ended(Slot& slot, http2_client::StreamEnd end)
{
    if (slot.awaited()) {
        switch (end) {
        case http2_client::StreamEnd::answered:
            read(slot);
            break;
        case http2_client::StreamEnd::refused:
            queue_.refused(slot);
            http_.wake();
            break;
        case http2_client::StreamEnd::lost:
            queue_.finish(slot, push_result(Verdict::transient, std::string(push_reasons::lost)));
            break;
        case http2_client::StreamEnd::timeout:
            queue_.finish(slot, push_result(Verdict::transient, std::string(push_reasons::timeout)));
            break;
        }
    }
    free_.push_back(&slot);
}

void CarrierClient::read(Slot& slot)
{
    auto read = protocol_->read(slot.request, slot.status, slot.answer);
    if (read.stale && !slot.renewed() && protocol_->renew(slot.request.authorization)) {
        update(Steady::now());
        queue_.renew(slot);
        return http_.wake();
    }
    if (read.hold) hold(read.result);
    queue_.finish(slot, std::move(read.result));
}

void CarrierClient::hold(PushResult const& result)
{
    auto const until = Steady::now() + std::min(result.retry_after.value_or(0s), longest_hold);
    if (until <= held_until_) return;
    held_until_ = until;
    held_ = push_result(Verdict::throttled, result.reason);
    open_ = false;
}

} // namespace notify
